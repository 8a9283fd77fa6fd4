"""Commands that write files: one case for each way of writing, and which parameters of commands write nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import click

from tremble.cli import main

__all__ = ["CASES", "INPUTS", "KINDS", "READ", "Case", "may_name_files", "written_by"]

KINDS: Mapping[str, bytes] = {
    "solution": b'{"schema":"tremble/solution@1","old":"old"}\n',
    "game": b'{"schema":"tremble/game@1","old":"old"}\n',
    ".efg": b'EFG 2 R "old" { "1" "2" } ""\nt "" 1 "" { 0, 0 }\n',
    ".nfg": b'NFG 1 R "old" { "1" "2" }\n{ 1 1 }\n\n0 0\n',
    ".svg": b'<svg xmlns="http://www.w3.org/2000/svg"></svg>\n',
    ".tex": b"% old\n\\begin{tabular}{c}\\end{tabular}\n",
    ".game.txt": b"leaf 0 0\n",
    "formal": b"claim nash\n",
    ".html": b"<!doctype html><title>old</title>\n",
}
"""Kind of an output -> an older file of this kind, which the command may replace."""

LOSSES = "rhode_island:raises=1,ranks=2,suits=2"

INPUTS: tuple[str, ...] = (
    "solve matching_pennies -o first.json -q",
    "solve matching_pennies --method double-oracle --log run.log -q",
    "solve holdem_river:range1=AA,range2=KK,bets=50,raises=0 --method lp -o river.json -q",
)
"""Commands that make the input files of the cases."""


@dataclass(frozen=True)
class Case:
    """A command line, and the files that it writes.

    ``outputs`` maps each file that must be old or new to its kind. ``logs`` are files that grow line by line, and
    ``checkpoints`` are files without which the command also succeeds.
    """

    words: str
    outputs: Mapping[str, str]
    logs: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()  # files that must be lists of whole lines after each error
    checkpoints: tuple[str, ...] = ()
    warm: bool = False  # True if the command compiles functions for seconds
    quick: bool = False  # True for the few cases of the default tests
    made: tuple[str, ...] = field(default=())  # glob patterns of further files, which belong to outputs

    @property
    def command(self) -> str:
        return self.words.split()[0]

    @property
    def names(self) -> set[str]:
        """The words that name files or folders which the command writes."""
        files = {*self.outputs, *self.logs, *self.checkpoints, *self.lines}
        return files | {name.partition("/")[0] for name in files}


CASES = (
    Case("solve matching_pennies -o out.json", {"out.json": "solution"}, quick=True),
    Case("solve matching_pennies -o out.json --log log", {"out.json": "solution"}, logs=("log",)),
    Case("solve kuhn --concept quasi-perfect -o out.json", {"out.json": "solution"}),
    Case("solve matching_pennies --all -o all.json", {"all.json": "solution"}),
    Case(
        "solve kuhn --method double-oracle --checkpoint point -o out.json --log log",
        {"out.json": "solution"}, logs=("log",), checkpoints=("point",), quick=True,
    ),
    Case(
        "solve kuhn --method cfr+ --iterations 5 --checkpoint point -o out.json",
        {"out.json": "solution"}, checkpoints=("point",), warm=True,
    ),
    Case(
        f"solve {LOSSES} --max-nodes 100 --method cfr+ --iterations 3 --checkpoint point -o hands.json",
        {"hands.json": "solution"}, checkpoints=("point",), warm=True, made=("hands.*.npz",),
    ),
    Case("certify matching_pennies first.json -o facts.json", {"facts.json": "solution"}),
    Case("convert matching_pennies game.efg", {"game.efg": ".efg"}, quick=True),
    Case("convert matching_pennies game.nfg", {"game.nfg": ".nfg"}),
    Case("convert matching_pennies game.json", {"game.json": "game"}),
    Case("convert matching_pennies game.tex", {"game.tex": ".tex"}),
    Case("convert matching_pennies text.game.txt", {"text.game.txt": ".game.txt"}),
    Case("verify matching_pennies first.json --export claim.txt", {"claim.txt": "formal"}),
    Case("compare matching_pennies first.json first.json -o two.svg", {"two.svg": ".svg"}),
    Case("compare matching_pennies first.json first.json -o two.html", {"two.html": ".html"}),
    Case("draw matching_pennies -o tree.svg", {"tree.svg": ".svg"}),
    Case("draw matching_pennies first.json -o tree.tex", {"tree.tex": ".tex"}),
    Case("draw matching_pennies first.json --explorer -o tree.html", {"tree.html": ".html"}),
    Case(
        "forget matching_pennies --player 1 --last 0 -o lifted.json --save merged.efg --proof proof.json --log log",
        {"lifted.json": "solution", "merged.efg": ".efg", "proof.json": "solution"}, logs=("log",),
    ),
    Case("plot run.log -o run.svg", {"run.svg": ".svg"}),
    Case("report river.json -o river.svg", {"river.svg": ".svg"}),
    Case("plot matching_pennies --best-replies -o replies.svg", {"replies.svg": ".svg"}),
    Case(f"shrink {LOSSES} --ladder 1 --loss 1 --plot losses.svg", {"losses.svg": ".svg"}, warm=True),
    Case(
        "batch matching_pennies -o games --jobs 1 --log log",
        {"games/matching_pennies.json": "solution"}, logs=("log",), lines=("games/results.jsonl",),
    ),
    Case(
        "sweep leduc:raises=1,ranks=2..3 -o points.svg --folder points --jobs 1",
        {"points.svg": ".svg"}, lines=("points/results.jsonl",), made=("points/*.json",),
    ),
)  # fmt: skip

GAME_COMMANDS = (
    "audit", "certify", "compare", "convert", "draw", "explain", "forget", "info", "play", "respond", "shrink", "solve",
    "sweep", "verify",
)  # fmt: skip
"""The commands with one argument GAME."""

READ = {
    *((command, "game") for command in GAME_COMMANDS),
    *((command, "lock") for command in GAME_COMMANDS),
    *((command, "solution_file") for command in ("audit", "draw", "explain", "play", "respond", "verify")),
    ("batch", "games"),
    ("batch", "lock"),
    ("certify", "profile_file"),
    ("certify", "trembles"),
    ("compare", "first_file"),
    ("compare", "second_file"),
    ("draw", "against"),
    ("forget", "groups"),
    ("plot", "logs"),
    ("report", "solutions"),
    ("solve", "prior"),
    ("solve", "trembles"),
}
"""Pairs of a command and its parameter: the file that the parameter names is only read."""

NO_FILES = {
    *("concept", "method", "gap", "epsilon", "epsilon_abs", "repair_tolerance", "abstraction", "lp_solver", "policy"),
    *("scheme", "children", "root", "board", "line", "infoset", "names", "title", "mode", "threshold", "rungs", "loss"),
    *("step", "claim"),
}
"""Parameters whose texts name no file."""


NO_TEXTS = click.types.BoolParamType | click.types.IntParamType | click.types.FloatParamType | click.Choice
"""Types of parameters that cannot name a file. Any other type can, also a new one."""


def may_name_files() -> Iterator[tuple[str, str]]:
    """Yield each command with each parameter that may name a file. The name of the group of all commands is ""."""
    context = click.Context(main)
    for name in ("", *main.list_commands(context)):
        command = main.get_command(context, name) if name else main
        assert command is not None
        for parameter in command.params:
            assert parameter.name is not None
            placeholder = parameter.make_metavar(context)
            names_file = "FILE" in placeholder or "FOLDER" in placeholder or parameter.name not in NO_FILES
            if names_file and not isinstance(parameter.type, NO_TEXTS):
                yield name, parameter.name


def written_by(case: Case) -> set[tuple[str, str]]:
    """Return the parameters of the command with which a case names the files that the command writes."""
    command = main.get_command(click.Context(main), case.command)
    assert command is not None
    with command.make_context(case.command, case.words.split()[1:]) as context:
        return {(case.command, name) for name, value in context.params.items() if value in case.names}
