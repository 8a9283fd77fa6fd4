"""A process that runs commands with faults. It forks for each command, so that the command need not import anything.

Standard input has one request in each line, as JSON: the words of the command, its folder, and the fault. Standard
output has one answer in each line.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
from typing import Any, NoReturn

from tests.faults.layer import install

__all__: list[str] = []

_MOST_SECONDS = 120.0


def serve() -> None:
    """Answer all requests."""
    import tremble.run.checkpoint_file as files
    from tremble.solvers.regret_checkpoint import Checkpoint, TreeCheckpoint

    files._SECONDS = Checkpoint.first = TreeCheckpoint.first = 0.0  # a checkpoint after each step
    files.CheckpointFile.share = Checkpoint.share = 1.0
    for line in sys.stdin:
        request = json.loads(line)
        if "warm" in request:
            _warm(request["warm"])
            answer: dict[str, Any] = {}
        else:
            answer = _run(request)
            for name in answer.pop("modules"):
                if name not in sys.modules:
                    try:
                        importlib.import_module(name)
                    except Exception:  # a module that only its package can import
                        continue
        print(json.dumps(answer), flush=True)


def _warm(words: list[str]) -> None:
    """Run a command in this process, so that all later commands find its compiled functions."""
    from click.testing import CliRunner

    from tremble.cli import main

    CliRunner().invoke(main, words)


def _run(request: dict[str, Any]) -> dict[str, Any]:
    pipes = [os.pipe() for _ in range(3)]
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _command(request, [writer for _, writer in pipes])
    texts = {reader: b"" for reader, _ in pipes}
    for _, writer in pipes:
        os.close(writer)
    kill_at = began + request["fault"].get("seconds", _MOST_SECONDS)
    open_ones, status, seconds = set(texts), None, 0.0
    while open_ones or status is None:
        if status is None and time.monotonic() >= kill_at:
            os.kill(child, signal.SIGKILL)
            kill_at = float("inf")
        wait = min(0.05, max(0.0, kill_at - time.monotonic()))
        for reader in select.select(list(open_ones), [], [], wait)[0]:
            data = os.read(reader, 1 << 16)
            texts[reader] += data
            if not data:
                open_ones.remove(reader)
        if status is None:
            ended, code = os.waitpid(child, os.WNOHANG)
            if ended:
                status, seconds = os.waitstatus_to_exitcode(code), time.monotonic() - began
    for reader in texts:
        os.close(reader)
    out, err, trace = (text.decode() for text in texts.values())
    lines = trace.splitlines()
    return {
        "code": status,
        "stdout": out,
        "stderr": err,
        "seconds": seconds,
        "calls": [line for line in lines if not line.startswith("module ")],
        "modules": [line.removeprefix("module ") for line in lines if line.startswith("module ")],
    }


def _command(request: dict[str, Any], pipes: list[int]) -> NoReturn:
    """Become the command. This function never returns."""
    out, err, trace = pipes
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    os.chdir(request["folder"])
    tempfile.tempdir = request["refuge"]
    os.environ["TMPDIR"] = request["refuge"]
    sys.argv = ["tremble", *request["words"]]
    real_exit = os._exit

    def ended(code: int) -> NoReturn:
        os.write(trace, "".join(f"module {name}\n" for name in sys.modules).encode())
        real_exit(code)

    import tremble.__main__ as command

    command._START = time.perf_counter()
    install(request["root"], request["fault"], trace)
    if request["fault"]["kind"] == "none":
        os._exit = ended
    try:
        command.run()
    finally:
        real_exit(99)  # the command always ends its process itself


if __name__ == "__main__":
    serve()
