"""Files of solutions of ordered games: the document, the arrays beside it, and what strangers make of both."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from ordered_solutions import GAME, SPEC, arrays_beside, solution_of
from tremble.errors import CertificateError, FormatError
from tremble.poker.ordered_arrays import digest_of, packed, unpacked
from tremble.poker.strategy import OrderedStrategy
from tremble.results import StatedSolution
from tremble.solution.solution import Solution


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solution_of()


@pytest.fixture
def file(solution: Solution, tmp_path: Path) -> Path:
    solution.to_json(tmp_path / "sol.json")
    return tmp_path / "sol.json"


def rewritten(file: Path, data: bytes) -> None:
    """Other arrays, whose hash the document states."""
    arrays_beside(file).write_bytes(data)
    document = json.loads(file.read_text())
    document["strategies"]["sha256"] = digest_of(data)
    file.write_text(json.dumps(document))


def equal(one: OrderedStrategy, two: OrderedStrategy) -> bool:
    return (one.player, one.denominator) == (two.player, two.denominator) and all(
        np.array_equal(a, b) for a, b in zip((*one.class_of, *one.weight), (*two.class_of, *two.weight), strict=True)
    )


@pytest.mark.parametrize("bits", [4, 40, 100])
def test_there_and_back(bits: int, tmp_path: Path) -> None:
    solution = solution_of(bits, bits)
    solution.to_json(tmp_path / "sol.json")
    again = StatedSolution.from_json(tmp_path / "sol.json")
    assert all(map(equal, again.ordered or (), solution.ordered or ()))
    assert again.ordered is not None
    assert (again.ordered[0].weight[2].dtype == object) == (bits > 4)
    assert tremble.verify(GAME, again).ok
    assert (again.values, again.bounds, again.status) == (solution.values, solution.bounds, solution.status)


def test_equal_solutions_are_equal_bytes(solution: Solution, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "sol.json"
    other.parent.mkdir()
    widened = [replace(s, weight=tuple(w.astype(object) for w in s.weight)) for s in solution.ordered or ()]
    replace(solution, strategies=(widened[0], widened[1])).to_json(other)
    assert other.read_bytes() == file.read_bytes()
    assert arrays_beside(other).read_bytes() == arrays_beside(file).read_bytes()


def test_numpy_reads_the_arrays(solution: Solution, file: Path) -> None:
    assert solution.ordered is not None
    with np.load(arrays_beside(file)) as arrays:
        assert np.array_equal(arrays["weight_2_3"], solution.ordered[1].weight[2])
        assert arrays["class_1_2"].dtype == np.int8


def test_arrays_do_not_pile_up(file: Path) -> None:
    bystander = file.with_name("other.0123456789abcdef.npz")
    bystander.write_bytes(b"")
    solution_of(1).to_json(file)
    solution_of(2).to_json(file)
    assert sorted(file.parent.iterdir()) == sorted([file, bystander, arrays_beside(file)])
    assert tremble.verify(GAME, StatedSolution.from_json(file)).ok


def test_arrays_that_a_stranger_names_stay(solution: Solution, tmp_path: Path) -> None:
    """What a file names that is replaced is deleted only if it is of that file's own name."""
    for name in ("precious.0123456789abcdef.npz", "sol.json.npz"):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / "sol.json").write_text(json.dumps({"strategies": {"npz": name}}))
        solution.to_json(tmp_path / "sol.json")
        assert (tmp_path / name).exists()


def test_written_whole_or_not_at_all(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.read_bytes() for path in file.parent.iterdir()}

    replace = os.replace
    for failing in (file.suffix, ".npz"):  # the arrays stand in their place already, or not yet

        def full(source: Path, target: Path, failing: str = failing) -> None:
            if target.suffix == failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            replace(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", full)
            with pytest.raises(FormatError, match="No space left"):
                solution_of(3).to_json(file)
        assert {path: path.read_bytes() for path in file.parent.iterdir()} == before


def test_a_text_is_no_place_for_arrays(solution: Solution, file: Path) -> None:
    with pytest.raises(FormatError, match="write the solution to a file"):
        solution.to_text()
    with pytest.raises(FormatError, match="give the path"):
        StatedSolution.from_text(file.read_text())


@pytest.mark.parametrize("harm", ["missing", "flipped", "cut", "another"])
def test_arrays_that_are_not_those(harm: str, file: Path) -> None:
    arrays = arrays_beside(file)
    data = arrays.read_bytes()
    if harm == "missing":
        arrays.unlink()
    elif harm == "another":
        assert solution_of(5).ordered is not None
        arrays.write_bytes(packed(solution_of(5).ordered or ()))  # type: ignore[arg-type]
    else:
        arrays.write_bytes(
            data[: len(data) // 2] + (b"\xff" + data[len(data) // 2 + 1 :] if harm == "flipped" else b"")
        )
    with pytest.raises(FormatError, match=arrays.name):
        StatedSolution.from_json(file)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("npz", "../sol.0123456789abcdef.npz"), ("npz", "/etc/passwd"), ("npz", 3), ("sha256", "0" * 64),
        ("denominators", ["1/2", "1"]), ("denominators", ["1"]), ("denominators", None), ("more", 1),
    ],
)  # fmt: skip
def test_documents_that_name_no_arrays(key: str, value: Any, file: Path) -> None:
    document = json.loads(file.read_text())
    document["strategies"][key] = value
    file.write_text(json.dumps(document))
    with pytest.raises(FormatError):
        StatedSolution.from_json(file)


def with_entries(data: bytes, change: Callable[[dict[str, bytes]], object], method: int = zipfile.ZIP_STORED) -> bytes:
    """The archive with other entries."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


def as_npy(array: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def put(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda entries: entries.update({name: content})


def shape_of(name: str, shape: str) -> Callable[[dict[str, bytes]], None]:
    """Another shape in the header of an entry."""

    def change(entries: dict[str, bytes]) -> None:
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode()
        filled = header + b" " * (117 - len(header)) + b"\n"
        entries[name] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(filled)) + filled + entries[name][128:]

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("class_1_1.npy", as_npy(np.array([{}, 1], dtype=object))), "unexpected header"),
        (put("class_1_1.npy", as_npy(np.zeros(4))), "unexpected header"),
        (put("weight_1_1.npy", as_npy(np.zeros((2, 3, 1), dtype=np.int16))), "is of the type"),
        (put("weight_1_1.npy", as_npy(np.zeros((2, 3), dtype=np.int64))), "has the unexpected shape"),
        (put("weight_1_1.npy", as_npy(np.asfortranarray(np.zeros((2, 3, 2), dtype=np.int64)))), "unexpected header"),
        (put("weight_1_1.npy", b"\x93NUMPY\x01\x00"), "is not a NumPy array"),
        (put("weight_1_1.npy", b""), "is not a NumPy array"),
        (shape_of("weight_1_1.npy", "(1000000, 1000000, 1000000)"), "in its header, but"),
        (shape_of("weight_1_1.npy", "(-1, 1, 1)"), "unexpected header"),
        (put("weight_1_4.npy", as_npy(np.zeros((1, 1, 1), dtype=np.int64))), "missing in some round"),
        (put("../evil.npy", b""), "an unknown entry"),
        (lambda entries: entries.pop("class_2_3.npy"), "missing in some round"),
        (lambda entries: entries.clear(), "missing in some round"),
    ],
)
def test_archives_of_strangers(change: Callable[[dict[str, bytes]], object], problem: str, file: Path) -> None:
    rewritten(file, with_entries(arrays_beside(file).read_bytes(), change))
    with pytest.raises(FormatError, match=problem):
        StatedSolution.from_json(file)


def test_bombs(file: Path) -> None:
    """Whatever the directory of an archive says, no more is made of it than there is."""
    data = arrays_beside(file).read_bytes()
    rewritten(file, with_entries(data, lambda entries: None, zipfile.ZIP_DEFLATED))
    with pytest.raises(FormatError, match=r"larger than the file|compressed"):
        StatedSolution.from_json(file)
    at = data.rindex(b"PK\x01\x02")  # the last entry of the directory: its two sizes
    rewritten(file, data[: at + 20] + struct.pack("<II", 2**32 - 2, 2**32 - 2) + data[at + 28 :])
    with pytest.raises(FormatError, match="larger than the file"):
        StatedSolution.from_json(file)


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_never_crash(seed: int, solution: Solution) -> None:
    """The hash would tell; without it, archives are refused or read, and nothing else happens."""
    assert solution.ordered is not None
    rng, data = random.Random(seed), bytearray(packed(solution.ordered))
    for _ in range(rng.randint(1, 4)):
        near_end = len(data) - rng.randint(1, min(1500, len(data)))
        data[rng.choice((rng.randrange(len(data)), near_end))] = rng.randrange(256)
    try:
        strategies = unpacked(bytes(data), (1, 1), file="x.npz")
    except FormatError:
        return
    assert len(strategies) == 2


def test_swapped_arrays_are_read_and_not_proven(file: Path) -> None:
    def swap(entries: dict[str, bytes]) -> None:
        entries["weight_1_3.npy"], entries["weight_2_3.npy"] = entries["weight_2_3.npy"], entries["weight_1_3.npy"]

    rewritten(file, with_entries(arrays_beside(file).read_bytes(), swap))
    found = tremble.verify(GAME, StatedSolution.from_json(file))
    assert not found.ok


def test_long_negative_weights_have_no_place(solution: Solution, tmp_path: Path) -> None:
    assert solution.ordered is not None
    one, two = solution.ordered
    long = tuple(w.astype(object) - (1 << 80) for w in one.weight)
    with pytest.raises(CertificateError, match="negative"):
        replace(solution, strategies=(replace(one, weight=long), two)).to_json(tmp_path / "sol.json")
    assert not list(tmp_path.iterdir())


# -- commands ------------------------------------------------------------------------------------


def quietly(*arguments: str) -> tuple[int, str]:
    result = run(*arguments, "--quiet")
    return result.exit_code, result.output


def test_verify_and_respond(solution: Solution, file: Path) -> None:
    code, output = quietly("verify", SPEC, str(file), "--format", "json")
    assert code == 0
    assert json.loads(output)["proven"] == "bounds"
    code, output = quietly("respond", SPEC, str(file), "--format", "json")
    assert code == 0
    assert json.loads(output)["nash_conv"] == str(solution.verification.nash_conv)
    assert json.loads(output)["best_responses"] == [None, None]
    assert quietly("verify", SPEC, str(file))[0] == quietly("respond", SPEC, str(file))[0] == 0
    assert quietly("certify", SPEC, str(file))[0] == 1  # it is no equilibrium
    code, _ = quietly("verify", "rhode_island:ranks=3", str(file))
    assert code == 1


@pytest.mark.parametrize("command", ["audit", "compare"])
def test_commands_that_need_a_tree(command: str, file: Path) -> None:
    more = {"compare": [str(file)]}.get(command, [])
    code, output = quietly(command, SPEC, str(file), *more)
    assert code == 4
    assert "not built" in output


def test_sizes_without_building() -> None:
    code, output = quietly("info", "rhode_island", "--format", "json")
    assert code == 0
    assert json.loads(output)["nodes"]["terminal"] == 4_144_428_912
