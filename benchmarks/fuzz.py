"""Send random games through every method of tremble, compare the answers, and reduce games that show a fault.

    python -m benchmarks fuzz --minutes 5 [--seed 0] [--jobs 1] [--record]
    python -m benchmarks fuzz --summary

Each game is solved for each concept by each method of :mod:`tremble.methods`, and equilibria are judged by each concept
of ``certify``. The answers are compared (:data:`KINDS`). All of this runs in a second process, so that a crash or a
hanging method is a finding too. For each finding, the folder ``findings`` gets the smallest game that still shows it, a
JSON with the command and both answers, and a test that fails while the fault is there.

``--record`` writes the counts of the run each minute, so a run that is stopped keeps them. ``--summary`` prints the
sums over all recorded runs.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.util
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

import tremble
import tremble.io
import tremble.methods
from benchmarks.fuzz_games import (
    Chance,
    Decision,
    FuzzGame,
    Leaf,
    Place,
    drawn_game,
    from_tree,
    of_tests,
    to_tree,
)
from benchmarks.fuzz_reducer import reduced
from benchmarks.report import environment
from tremble import GameTree, Solution
from tremble.errors import GameError, LimitReached, SolverError, TrembleError
from tremble.judge.certify import judged
from tremble.results import Verdict, certification
from tremble.solvers.method import Method
from tremble.strategies import Trembles

__all__ = ["KINDS", "METHODS", "Command", "Examiner", "Finding", "Summary", "commands", "float_value", "fuzz", "main",
           "position_by_z3", "replayed", "value_program"]  # fmt: skip

_MUTATIONS = of_tests("mutations")

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).parent / "results" / "fuzz.json"
CHECKER = ROOT / "checker" / "tremble_check.py"
SECONDS = 10.0
"""Time limit of each call of tremble, in seconds. Most calls need 0.01 s."""
_AGAIN = 6  # factor for the limit of a second call
_SHORT = 0.3  # factor for the limit of approximate methods
_HANGS = 180.0  # seconds after which a call that ignores its limit is stopped
_SAVED = 60.0  # seconds between two saved states of a run
_Z3_MILLISECONDS = 5000  # time limit of each question to z3
_REDUCING = 60.0  # seconds for the reduction of one finding
_TOLERANCE = 1e-6  # of values in floats, relative to the largest payoff
_NEAR = Fraction(1, 20)  # gap of approximate methods, as a part of the range of the payoffs
_CHANGED = 2  # changed files for each solution
_CHANGED_AGAIN = 40  # changed files for a solution that shows a known fault

KINDS = {
    "file": "the written game has the digest of the original (.efg and JSON)",
    "kernel": "the kernel proves the written solution for the written game",
    "value": "methods and concepts agree on the value, exactly or as intervals",
    "verdict": "certify does not disprove a concept of a solution that a method has proven",
    "HiGHS": "the value agrees with HiGHS in floats, on a sequence form that this module writes itself",
    "z3": "z3 proves that the exact value of the same program is within the proven bounds",
    "Gambit": "the value equals the value of pygambit's rational linear program, for payoffs from 0 to 1",
    "checker": "the second checker accepts the written solution",
    "changed": "the kernel and the second checker agree on a randomly changed solution",
}
"""Kind of comparison -> what it compares."""

METHODS: dict[str, type[Method]] = {
    row.name: row for row in (getattr(tremble.methods, name) for name in tremble.methods.__all__)
}
"""Name -> method, for all public methods."""


@dataclass(frozen=True)
class Command:
    """A call of tremble: solve a game by a method, or judge the Nash equilibrium of a method. Or a call of a peer.

    ``player`` is the player of ``maxmin``, or the player who makes no mistakes.
    """

    action: str  # "solve" or "certify"; "compare" if a peer crashes or hangs
    concept: str
    method: str
    player: int | None = None

    def __str__(self) -> str:
        who = "" if self.player is None else f" player {self.player + 1}"
        return f"{self.action} {self.concept} {self.method}{who}"


@dataclass(frozen=True)
class Finding:
    """A fault: its kind, the commands that show it, and the two answers that differ."""

    kind: str  # a key of KINDS, or "exception", "time-out", "not proven", "crash", "hang"
    commands: tuple[Command, ...]
    answers: tuple[str, str]  # expected and found
    where: str = ""  # type and place of an exception

    @property
    def key(self) -> tuple[object, ...]:
        """Equal keys are counted as one fault: the same place and methods, or else the same commands."""
        return self.kind, self.where, tuple(c.method for c in self.commands) if self.where else self.commands

    @property
    def name(self) -> str:
        """Name of the files of this finding."""
        words = "_".join([self.kind, *map(str, self.commands), self.where.split(" ")[0]])
        return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:90]


@dataclass
class Summary:
    """The counts of a run."""

    games: int = 0
    calls: int = 0
    refused: int = 0
    unproven: int = 0  # approximate methods that found no proof, and said so
    unanswered: int = 0  # a peer failed
    starved: int = 0  # time limits of calls that had little processor time
    comparisons: Counter[str] = field(default_factory=Counter)
    processor_seconds: float = 0.0  # of all processes of the run; only a run knows them

    def add(self, other: Summary) -> None:
        """Add the counts of another summary."""
        self.games += other.games
        self.calls += other.calls
        self.refused += other.refused
        self.unproven += other.unproven
        self.unanswered += other.unanswered
        self.starved += other.starved
        self.comparisons += other.comparisons


@dataclass(frozen=True)
class _Answer:
    """A solution, the interval in which a value lies, and the name of that value."""

    solution: Any
    about: str  # "value", "maxmin 0" or "maxmin 1"; empty if nothing is known
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)


def commands(methods: Mapping[str, type[Method]] = METHODS) -> Iterator[Command]:
    """Yield all commands that methods offer, and the judgements on Nash equilibria of exact methods."""
    for name, method in methods.items():
        for concept in method.concepts():
            needs_player = concept in ("maxmin", "one-sided-quasi-perfect")
            for player in (0, 1) if needs_player else (None,):
                yield Command("solve", concept, name, player)
    for name in ("lp", "lemke"):
        if name in methods:
            yield from (Command("certify", concept, name) for concept in judged() if not concept.startswith("one-"))


class Examiner:
    """The examination of games, with counts of what was compared.

    Parameters
    ----------
    folder : Path
        Folder for the files of the current game.
    checker : Path or None
        The second checker.
    methods : mapping
        The methods to examine.
    tell : callable
        Called with each command before it runs.
    """

    def __init__(
        self,
        folder: Path,
        checker: Path | None = None,
        *,
        methods: Mapping[str, type[Method]] = METHODS,
        seconds: float = SECONDS,
        tell: Callable[[Command], None] = lambda _: None,
    ) -> None:
        self.folder, self.methods, self.seconds, self.tell = folder, methods, seconds, tell
        self.checker = None if checker is None else SecondChecker(checker)
        self._read: dict[Path, GameTree] = {}  # the games that were read again from the files
        self.summary = Summary()

    def examine(
        self, tree: GameTree, only: Sequence[Command] | None = None, kind: str = "", *, seed: int = 0
    ) -> list[Finding]:
        """Return the findings of all commands, or look for a known kind of finding of ``only`` some commands."""
        found: list[Finding] = []
        if self.checker is not None:
            self.checker.games.clear()
        files = self._files(tree, found)
        answers: dict[Command, _Answer] = {}
        for command in commands(self.methods) if only is None else only:
            if command.action == "compare":  # the finding is of a peer
                continue
            self.tell(command)
            solution = self._solution(tree, command, found)
            if solution is not None:
                answers[command] = _about(tree, command, solution)
                rng = random.Random(f"{seed} {command}")
                if only is None:
                    changed, checker = _CHANGED, self.checker
                else:  # many changed files, because only some changes show the fault
                    changed = _CHANGED_AGAIN if kind in ("changed", "exception") else 0
                    checker = self.checker if kind in ("changed", "checker") else None
                self._compare_files(files, command, solution, found, rng, changed, checker)
        self._compare_values(tree, answers, found)
        self.summary.games += 1
        return found

    def _files(self, tree: GameTree, found: list[Finding]) -> tuple[Path, Path]:
        """Write the game in both formats, and compare the digests of the games that are read again."""
        files = self.folder / "game.efg", self.folder / "game.json"
        for path, write in zip(files, (tremble.write_efg, tremble.io.write_json), strict=True):
            write(tree, path)
            self._read[path] = tremble.load(str(path))
            self._compared("file", (), tree.digest, self._read[path].digest, found)
        return files

    def _compared(self, kind: str, who: tuple[Command, ...], one: Any, two: Any, found: list[Finding]) -> None:
        self.summary.comparisons[kind] += 1
        if one != two:
            found.append(Finding(kind, who, (str(one), str(two))))

    def _solution(self, tree: GameTree, command: Command, found: list[Finding]) -> Any:
        """Return a solution or a certification's solution, or None if there is none. Record faults."""
        self.summary.calls += 1
        try:
            return self._called(tree, command, found)
        except LimitReached:  # perhaps Numba compiled; the second call finds compiled code
            return self._called(tree, command, found, again=True)

    def _called(self, tree: GameTree, command: Command, found: list[Finding], *, again: bool = False) -> Any:
        """Call tremble once. The first time, let ``LimitReached`` of exact methods pass.

        The second time, the limit is longer. Only a call that had much processor time is a finding, because other
        programs may use the processor.
        """
        approximate, began = _approximate(self.methods, command), time.process_time()
        seconds = self.seconds * (_AGAIN if again else _SHORT if approximate else 1)
        try:
            if command.action == "certify":
                return self._certified(tree, command, seconds)
            method = self.methods[command.method]()
            method.accepts(tree, command.concept)
            solution = tremble.solve(tree, command.concept, method, time_limit=seconds, **_options(tree, command))
        except GameError:  # the method does not solve this game, and says so
            self.summary.refused += 1
            return None
        except LimitReached as error:
            if approximate:
                self.summary.unproven += 1
            elif not again:
                raise
            elif time.process_time() - began < self.seconds:
                self.summary.starved += 1
            else:
                found.append(Finding("time-out", (command,), (f"an answer within {seconds:g} s", str(error))))
            return None
        except Exception as error:
            if isinstance(error, SolverError) and approximate:
                self.summary.unproven += 1
                return None
            kind = "not proven" if isinstance(error, TrembleError) else "exception"
            found.append(Finding(kind, (command,), ("an answer", f"{type(error).__name__}: {error}"), _place(error)))
            return None
        if command.concept in judged() and solution.status == "certified" and command.player is None:
            self._judge_again(tree, command, solution, found)
        return solution

    def _certified(self, tree: GameTree, command: Command, seconds: float) -> Any:
        """Judge the Nash equilibrium of a method by the concept of the command."""
        method = self.methods[command.method]()
        method.accepts(tree, "nash")
        equilibrium = tremble.solve(tree, "nash", method, time_limit=seconds)
        judgement = certification(tree, equilibrium.strategies, command.concept, time_limit=seconds)
        return judgement.solution if judgement.verdict in (Verdict.PROVEN, Verdict.DISPROVEN) else None

    def _judge_again(self, tree: GameTree, command: Command, solution: Any, found: list[Finding]) -> None:
        """Compare the proof of a method with the verdict of certify on the same strategies."""
        began = time.process_time()
        try:
            seconds = _AGAIN * self.seconds
            verdict = certification(tree, solution.strategies, command.concept, time_limit=seconds).verdict
        except LimitReached as error:
            if time.process_time() - began < self.seconds:
                self.summary.starved += 1
            else:
                found.append(Finding("time-out", (command,), ("a verdict of certify", str(error)), "certify"))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            found.append(Finding("exception", (command,), ("a verdict of certify", text), f"certify: {_place(error)}"))
        else:
            self._compared("verdict", (command,), False, verdict is Verdict.DISPROVEN, found)

    def _compare_files(
        self,
        games: tuple[Path, Path],
        command: Command,
        solution: Any,
        found: list[Finding],
        rng: random.Random,
        changed: int,
        checker: SecondChecker | None,
    ) -> None:
        """Compare verdicts on the written solution, and on changed copies of it."""
        file = self.folder / "solution.json"
        file.write_text(solution.to_text(), "utf-8")  # `to_json` waits for the disk
        game = rng.choice(games)
        self._compared("kernel", (command,), "accepted", _by_kernel(self._read[game], file), found)
        if checker is not None:
            verdict = checker.verdict(game, file, "accepted")
            if verdict != "not supported":
                self._compared("checker", (command,), "accepted", verdict, found)
        document = json.loads(file.read_text("utf-8"))
        ways = [(path, value, path, value) for path, value in _MUTATIONS.new_values(document)]
        ways += [way for way in _MUTATIONS.damaged_values(document) if way[0]]
        moves = list(_MUTATIONS.moved_values(document))
        some = rng.sample(moves, min(changed // 2, len(moves)))
        for path, what, place, value in some + rng.sample(ways, min(changed - len(some), len(ways))):
            file.write_text(json.dumps(_MUTATIONS.with_change(document, place, value)), "utf-8")
            words = f"{'/'.join(map(str, path))} = {what!r:.80}"
            try:
                ours = _by_kernel(self._read[game], file)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                found.append(Finding("exception", (command,), (f"a verdict on {words}", text), _place(error)))
                continue
            theirs = None if checker is None else checker.verdict(game, file, ours)
            if theirs not in (None, "not supported"):
                self.summary.comparisons["changed"] += 1
                if ours != theirs:
                    answers = f"kernel: {ours}; {words}", f"second checker: {theirs}"
                    found.append(Finding("changed", (command,), answers, re.sub(r"\d+", "#", "/".join(map(str, path)))))

    def _compare_values(self, tree: GameTree, answers: Mapping[Command, _Answer], found: list[Finding]) -> None:
        """Compare values of commands with each other, with HiGHS, with z3 and with Gambit."""
        by_value: dict[str, list[tuple[Command, _Answer]]] = {}
        for command, answer in answers.items():
            if answer.about:
                by_value.setdefault(answer.about, []).append((command, answer))
        game = from_tree(tree)
        for about, group in by_value.items():
            first, exact = min(group, key=lambda pair: pair[1].high - pair[1].low)
            for command, answer in group:
                if command == first:
                    continue
                self.summary.comparisons["value"] += 1
                if answer.low > exact.high or answer.high < exact.low:
                    found.append(Finding("value", (first, command), (_told(exact), _told(answer))))
            if _remembers(tree):
                program = value_program(game, int(about == "maxmin 1"))
                value = float_value(program)
                self.summary.unanswered += value is None
                if value is not None:
                    self.summary.comparisons["HiGHS"] += 1
                    slack = Fraction(_TOLERANCE * _largest(game))
                    if not exact.low - slack <= Fraction(value) <= exact.high + slack:
                        found.append(Finding("HiGHS", (first,), (_told(exact), repr(value))))
                self.tell(Command("compare", about, "z3"))
                position = position_by_z3(program, exact.low, exact.high)
                self.summary.unanswered += position is None and _z3() is not None
                if position is not None:
                    self._compared("z3", (first,), "within", position, found)
            if about == "value" and exact.low == exact.high:
                self.tell(Command("compare", about, "Gambit"))
                try:
                    theirs = _by_gambit(game, self.folder / "gambit.efg")
                except Exception:  # Gambit fails, or has another interface than version 16
                    theirs = None
                    self.summary.unanswered += 1
                if theirs is not None:
                    self._compared("Gambit", (first,), exact.low, theirs, found)


def _processor_seconds() -> float:
    """Return the processor time of this process and of all processes that it started and that have ended."""
    import resource

    both = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def _options(tree: GameTree, command: Command) -> dict[str, Any]:
    """Return the arguments that a command needs; approximate methods get a wide gap."""
    if command.concept == "maxmin":
        return {"player": command.player, "epsilon": _NEAR}
    if command.player is not None:
        rows = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
        return {"trembles": Trembles.from_rows(tree, ["none" if p == command.player else rows[p] for p in (0, 1)])}
    if _approximate(METHODS, command):
        payoffs = [leaf.payoffs[0] for leaf in from_tree(tree).values() if isinstance(leaf, Leaf)]
        return {"gap": max(_NEAR * (max(payoffs) - min(payoffs)), Fraction(1, 10**60))}
    return {}


def _approximate(methods: Mapping[str, type[Method]], command: Command) -> bool:
    return command.method in methods and methods[command.method].approximate


def _about(tree: GameTree, command: Command, solution: Any) -> _Answer:
    """Return the interval that a solution proves for the value, or for a player's guarantee."""
    bounds, constant = solution.bounds, tree.constant_sum
    if command.action == "certify" or bounds is None:
        return _Answer(solution, "")
    low, high = bounds
    if command.concept == "maxmin":
        if command.player == 1 and constant is not None:
            low, high = constant - high, constant - low
        return _Answer(solution, f"maxmin {command.player}", low, high)
    if constant is None:
        return _Answer(solution, "")
    return _Answer(solution, "value", low, high)


def _told(answer: _Answer) -> str:
    return str(answer.low) if answer.low == answer.high else f"{answer.low} to {answer.high}"


def _place(error: BaseException) -> str:
    """Return the type of an exception and the last function of tremble that it passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "tremble" in Path(frame.filename).parts]
    last = f" in {Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""
    return type(error).__name__ + last


def _by_kernel(game: GameTree, file: Path) -> str:
    """Return the kernel's verdict on a solution file; a file that cannot be read is refused."""
    try:
        return "accepted" if tremble.verify(game, Solution.from_json(file)).ok else "refused"
    except TrembleError:
        return "refused"


class SecondChecker:
    """The second checker, called in this process. Starting Python for each file takes 0.1 s, a check 0.003 s.

    Parameters
    ----------
    file : Path
        A program with the functions ``read_game``, ``check`` and ``verdict`` of ``checker/tremble_check.py``.
    """

    _VERDICTS: ClassVar = {0: "accepted", 1: "refused", 2: "refused", 3: "not supported"}  # code -> verdict

    def __init__(self, file: Path) -> None:
        self.file = file
        self.games: dict[Path, Any] = {}  # games that it has read; the caller clears them when the files change
        spec = importlib.util.spec_from_file_location("second_checker", file)
        assert spec is not None
        assert spec.loader is not None
        self._module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._module)

    def verdict(self, game: Path, file: Path, expected: str) -> str:
        """Return the verdict on files. If it is not the expected one, the program decides, with its own limits."""
        try:
            code, _ = self._module.verdict(lambda: self._checked(game, file))
        except Exception as error:  # the program would end with the exit code 1, as if it refused the file
            return f"{type(error).__name__}: {error}"
        verdict = self._VERDICTS.get(code, "")
        return verdict if verdict in (expected, "not supported") else self._by_program(game, file)

    def _checked(self, game: Path, file: Path) -> Any:
        if game not in self.games:
            self.games[game] = self._module.read_game(game)
        return self._module.check(self.games[game], file.read_bytes())

    def _by_program(self, game: Path, file: Path) -> str:
        try:
            ended = subprocess.run([sys.executable, "-I", self.file, game, file], capture_output=True, timeout=_HANGS)
        except subprocess.TimeoutExpired:
            return f"no verdict within {_HANGS:g} s"
        return self._VERDICTS.get(ended.returncode, f"exit code {ended.returncode}")


@cache
def _gambit() -> Any:
    try:
        return importlib.import_module("pygambit")
    except ImportError:
        return None


def _by_gambit(game: FuzzGame, file: Path) -> Fraction | None:
    """Return the value of Gambit's rational linear program, or None if Gambit is not installed.

    The payoffs are scaled to the range from 0 to 1 first. With a payoff of 2,000,000,000, ``lp_solve`` of pygambit
    16.7.0 returns a profile of zeros. If it still returns zeros at a set that is reached, raise ``ValueError``.
    """
    gambit = _gambit()
    if gambit is None:
        return None
    payoffs = [node.payoffs[0] for node in game.values() if isinstance(node, Leaf)]
    low, span = min(payoffs), (max(payoffs) - min(payoffs)) or Fraction(1)
    scaled = dict(game)
    for place, node in game.items():
        if isinstance(node, Leaf):
            u = (node.payoffs[0] - low) / span
            scaled[place] = Leaf((u, -u))
    tremble.write_efg(to_tree(scaled), file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = gambit.read_efg(str(file))
    (profile,) = gambit.nash.lp_solve(theirs, rational=True, use_strategic=False).equilibria
    for player in theirs.players:
        for infoset in player.infosets:
            if all(profile[action] == 0 for action in infoset.actions):
                if profile.infoset_prob(infoset) != 0:
                    raise ValueError(f"Gambit plays nothing at {infoset}")
                for action in infoset.actions:  # Gambit's answer at unreached forced moves
                    profile[action] = gambit.Rational(1, len(infoset.actions))
    return low + span * Fraction(str(profile.payoff(next(iter(theirs.players)))))


# -- the linear program in floats ----------------------------------------------------------------


def _remembers(tree: GameTree) -> bool:
    return all(tremble.classify_recall(tree, player) == "perfect" for player in (0, 1))


def _largest(game: FuzzGame) -> float:
    return max(float(abs(u)) for node in game.values() if isinstance(node, Leaf) for u in node.payoffs) or 1.0


@dataclass(frozen=True)
class ValueProgram:
    """A linear program: the least v_0 is the payoff that a player with perfect recall can guarantee.

    The opponent chooses a realization plan y. For each sequence s of the player, v at the set of s is at least the
    payoff of s against y plus the values v of the sets that follow s. The columns are v_0, the other v, and y. Rows are
    maps from columns to exact numbers.
    """

    columns: int
    plan: int  # the first column of y; y is at least 0
    upper: list[dict[int, Fraction]]  # rows that are at most 0
    equal: list[dict[int, Fraction]]  # rows that are 0, but the first one is 1


def value_program(game: FuzzGame, player: int) -> ValueProgram:
    """Write the linear program of a player's guarantee."""
    sequences: tuple[dict[Any, int], dict[Any, int]] = ({None: 0}, {None: 0})  # (set, action) -> number
    before: tuple[dict[str, int], dict[str, int]] = ({}, {})  # set -> number of the sequence before it
    cells: Counter[tuple[int, int]] = Counter()
    at: dict[Place, tuple[int, int, Fraction]] = {}
    for place, node in sorted(game.items(), key=lambda item: item[0]):
        one, two, reach = 0, 0, Fraction(1)
        if place:
            one, two, reach = at[place[:-1]]
            above, k = game[place[:-1]], place[-1]
            if isinstance(above, Chance):
                reach *= above.weights[k] / sum(above.weights)
            elif isinstance(above, Decision):
                number = sequences[above.player].setdefault((above.infoset, k), len(sequences[above.player]))
                one, two = (number, two) if above.player == 0 else (one, number)
        at[place] = one, two, reach
        if isinstance(node, Decision):
            before[node.player][node.infoset] = (one, two)[node.player]
        elif isinstance(node, Leaf):
            cells[(one, two) if player == 0 else (two, one)] += reach * node.payoffs[player]  # type: ignore[assignment]
    own, theirs = before[player], before[1 - player]
    value = {name: 1 + k for k, name in enumerate(own)}  # columns of v
    plan = 1 + len(own)
    upper = [{0 if key is None else value[key[0]]: Fraction(-1)} for key in sequences[player]]
    for name, row in own.items():
        upper[row][value[name]] = Fraction(1)
    for (row, column), payoff in cells.items():
        upper[row][plan + column] = Fraction(payoff)
    equal = [{plan: Fraction(1)}, *({plan + prior: Fraction(-1)} for prior in theirs.values())]
    rows = {name: k for k, name in enumerate(theirs, start=1)}
    for key, number in sequences[1 - player].items():
        if key is not None:
            equal[rows[key[0]]][plan + number] = Fraction(1)
    return ValueProgram(plan + len(sequences[1 - player]), plan, upper, equal)


def float_value(program: ValueProgram) -> float | None:
    """Return the least v_0, by HiGHS in floats; None if HiGHS fails."""
    payoffs = [abs(u) for row in program.upper for column, u in row.items() if column >= program.plan]
    scale = max(payoffs, default=Fraction(0)) or Fraction(1)
    upper = [{column: u / scale if column >= program.plan else u for column, u in row.items()} for row in program.upper]
    right = np.zeros(len(program.equal))
    right[0] = 1.0
    cost = np.zeros(program.columns)
    cost[0] = 1.0
    limits = [(None, None)] * program.plan + [(0, None)] * (program.columns - program.plan)
    found = linprog(
        cost, _sparse(upper, program.columns), np.zeros(len(upper)),
        _sparse(program.equal, program.columns), right, limits, method="highs",
    )  # fmt: skip
    return None if found.status or found.fun is None else float(found.fun) * float(scale)


def _sparse(rows: Sequence[Mapping[int, Fraction]], width: int) -> Any:
    entries = [(float(u), k, column) for k, row in enumerate(rows) for column, u in row.items()]
    numbers, places = [u for u, _, _ in entries], ([k for _, k, _ in entries], [column for _, _, column in entries])
    return coo_array((numbers, places), shape=(len(rows), width)).tocsr()


@cache
def _z3() -> Any:
    try:
        return importlib.import_module("z3")
    except ImportError:
        return None


def position_by_z3(program: ValueProgram, low: Fraction, high: Fraction) -> str | None:
    """Return where z3 finds the least v_0, in exact arithmetic: "below", "above" or "within" low and high.

    Return None if z3 is not installed, or finds no answer in time.
    """
    z3 = _z3()
    if z3 is None:
        return None
    solver = z3.SolverFor("QF_LRA")
    solver.set("timeout", _Z3_MILLISECONDS)
    columns = [z3.Real(f"x{k}") for k in range(program.columns)]
    solver.add(*(x >= 0 for x in columns[program.plan :]))
    sums = [
        [z3.Sum([z3.Q(u.numerator, u.denominator) * columns[k] for k, u in row.items()]) for row in rows]
        for rows in (program.upper, program.equal)
    ]
    solver.add(*(total <= 0 for total in sums[0]), *(total == int(k == 0) for k, total in enumerate(sums[1])))
    verdicts = [
        solver.check(columns[0] < z3.Q(low.numerator, low.denominator)),
        solver.check(columns[0] <= z3.Q(high.numerator, high.denominator)),
    ]
    if z3.unknown in verdicts:
        return None
    return "below" if verdicts[0] == z3.sat else "above" if verdicts[1] == z3.unsat else "within"


# -- the second process --------------------------------------------------------------------------


def _serve(pipe: Connection, checker: Path | None, seconds: float) -> None:
    """Examine the games that arrive, until the other end closes. Ctrl-C is for the first process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        examiner = Examiner(Path(folder), checker, seconds=seconds, tell=lambda command: pipe.send(command))
        while True:
            try:
                game, only, kind, seed = pipe.recv()
            except (EOFError, OSError):
                return
            examiner.summary = Summary()
            try:
                found = examiner.examine(game if isinstance(game, GameTree) else to_tree(game), only, kind, seed=seed)
            except TrembleError as error:  # the reducer may build games that tremble refuses to build
                found = [] if only is not None else [Finding("exception", (), ("a game", str(error)), _place(error))]
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                found = [Finding("exception", (), ("an examination", text), _place(error))]
            pipe.send((found, examiner.summary, _processor_seconds()))


class _Worker:
    """A second process, started again after a crash."""

    def __init__(self, checker: Path | None, seconds: float) -> None:
        self.checker, self.seconds = checker, seconds
        self.closed = False
        self._start()

    def _start(self) -> None:
        self.used = 0.0  # processor seconds of the process so far
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.checker, self.seconds), daemon=True)
        self.process.start()
        theirs.close()

    def examine(
        self, game: GameTree | FuzzGame, only: Sequence[Command] | None = None, kind: str = "", seed: int = 0
    ) -> tuple[list[Finding], Summary]:
        """Examine a game there. A process that dies or hangs is a finding. After :meth:`close`, find nothing."""
        command: Command | None = None
        try:
            self.pipe.send((game, only, kind, seed))
            while self.pipe.poll(self.seconds + _HANGS):
                answer = self.pipe.recv()
                if not isinstance(answer, Command):
                    found, summary, self.used = answer
                    return found, summary
                command = answer
            kind, text = "hang", f"nothing within {self.seconds + _HANGS:g} s"
        except (EOFError, OSError):
            if self.closed:
                return [], Summary()
            self.process.join(5)
            kind, text = "crash", f"the process ended with exit code {self.process.exitcode}"
        self._end()
        self._start()
        return [Finding(kind, () if command is None else (command,), ("an answer", text))], Summary(games=1)

    def _end(self) -> None:
        """End the process. From then on, its processor time is part of the time of this process's children."""
        self.process.kill()
        self.process.join()
        self.used = 0.0
        self.pipe.close()

    def close(self) -> None:
        """End the process for good. Another thread may still wait for its answer."""
        if not self.closed:
            self.closed = True
            self._end()


def replayed(file: Path, only: Sequence[Command], kind: str, *, checker: Path | None = None) -> list[Finding]:
    """Return the findings of a kind that a game file shows. The tests in ``findings`` call this function."""
    worker = _Worker(checker if checker is not None and checker.exists() else None, SECONDS)
    try:
        found, _ = worker.examine(tremble.load(str(file)), only or None, kind)
        return [finding for finding in found if finding.kind == kind]
    finally:
        worker.close()


# -- the run -------------------------------------------------------------------------------------


@dataclass
class _Run:
    """What a run has counted and found so far; several threads add to it."""

    seed: int
    end: float
    checker: Path | None
    folder: Path
    seconds: float
    say: Callable[[str], None]
    total: Summary = field(default_factory=Summary)
    faults: dict[Any, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    next_game: int = 0
    workers: list[_Worker] = field(default_factory=list)
    began: float = field(default_factory=_processor_seconds)
    stopped: bool = False
    failure: BaseException | None = None

    def work(self) -> None:
        """Call :meth:`_examine_games` in a thread. Keep an exception for the main thread."""
        try:
            self._examine_games()
        except BaseException as error:
            self.failure = error

    def _examine_games(self) -> None:
        """Examine games with a process of its own until the time is over."""
        worker = _Worker(self.checker, self.seconds)
        self.workers.append(worker)
        try:
            while not self.stopped and time.monotonic() < self.end:
                with self.lock:
                    number, self.next_game = self.next_game, self.next_game + 1
                family, tree = drawn_game(self.seed, number)
                found, summary = worker.examine(tree, seed=number)
                new = [finding for finding in found if self._is_new(finding, number)]
                with self.lock:
                    self.total.add(summary)
                for finding in new:
                    self._keep(worker, finding, tree, family, number)
        finally:
            worker.close()

    def counted(self) -> Summary:
        """Return the counts so far. The processor time has that of each worker when it last answered."""
        with self.lock:
            self.total.processor_seconds = _processor_seconds() - self.began + sum(w.used for w in self.workers)
            return replace(self.total, comparisons=Counter(self.total.comparisons))

    def stop(self) -> None:
        """End all workers, in the middle of a game. That game is not counted."""
        self.stopped = True
        for worker in self.workers:
            worker.close()

    def _is_new(self, finding: Finding, number: int) -> bool:
        with self.lock:
            row = self.faults.setdefault(finding.key, {"finding": finding, "times": 0, "game": number})
            row["times"] += 1
            return bool(row["times"] == 1)

    def _keep(self, worker: _Worker, finding: Finding, tree: GameTree, family: str, number: int) -> None:
        """Reduce the game of a finding, and write its files."""
        self.say(f"finding in game {number}: {finding.kind}, {', '.join(map(str, finding.commands)) or 'the game'}")
        found: dict[Any, Finding] = {finding.key: finding}

        def shows(game: FuzzGame) -> bool:
            if self.stopped:
                return False
            again = [f for f in worker.examine(game, finding.commands or None, finding.kind)[0] if f.key == finding.key]
            found.update((f.key, f) for f in again[:1])
            return bool(again)

        game, smallest, tried, minimal = from_tree(tree), tree, 0, False
        if shows(game):
            result = reduced(game, shows, seconds=_REDUCING)
            smallest, tried, minimal = to_tree(result.game, finding.name), result.tried, result.minimal
            shows(result.game)  # the answers of the smallest game
        with self.lock:
            row = self.faults[finding.key]
            row.update(nodes=[tree.num_nodes, smallest.num_nodes], tried=tried, minimal=minimal, family=family)
            row["finding"] = found[finding.key]
            _write(self.folder, found[finding.key], smallest, self.seed, row, self.checker)


def _write(
    folder: Path, finding: Finding, tree: GameTree, seed: int, row: dict[str, Any], checker: Path | None
) -> None:
    """Write the game, a description and a test."""
    folder.mkdir(parents=True, exist_ok=True)
    name = finding.name
    row["name"] = name
    tremble.write_efg(tree, folder / f"{name}.efg")
    shell = [_shell(command, name) for command in finding.commands]
    described = {
        "kind": finding.kind, "meaning": KINDS.get(finding.kind, ""), "commands": shell, "where": finding.where,
        "expected": finding.answers[0], "found": finding.answers[1], "seed": seed, "game": row["game"],
        "family": row["family"], "nodes": row["nodes"], "tried": row["tried"], "minimal": row["minimal"],
    }  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps(described, indent=1) + "\n", "utf-8")
    only = "".join(f"\n        {command!r}," for command in finding.commands)
    needs = "None"
    if checker is not None and finding.kind in ("checker", "changed"):
        needs = "CHECKER" if checker == CHECKER else f'Path("{checker}")'
    (folder / f"test_{name}.py").write_text(
        f'''"""{finding.kind}: expected {finding.answers[0]!r:.70}."""

from pathlib import Path

from benchmarks.fuzz import CHECKER, Command, replayed


def test_{name}() -> None:
    game = Path(__file__).with_name("{name}.efg")
    commands = [{only}
    ]
    assert not replayed(game, commands, {finding.kind!r}, checker={needs})
''',
        "utf-8",
    )


def _shell(command: Command, name: str) -> str:
    """Return the command line that comes closest to a command."""
    if command.action == "certify":
        solve = f"tremble solve {name}.efg --method {command.method} -o nash.json"
        return f"{solve} && tremble certify {name}.efg nash.json --concept {command.concept}"
    player = f" --player {command.player + 1}" if command.concept == "maxmin" and command.player is not None else ""
    return f"tremble solve {name}.efg --concept {command.concept} --method {command.method}{player}"


def _counts(total: Summary) -> str:
    kinds = ", ".join(f"{kind} {total.comparisons[kind]:,}" for kind in KINDS if total.comparisons[kind])
    return f"{total.games:,} games, {total.calls:,} calls; compared: {kinds or 'nothing'}"


def fuzz(
    minutes: float,
    *,
    seed: int = 0,
    jobs: int = 1,
    checker: Path | None = None,
    folder: Path = Path("findings"),
    seconds: float = SECONDS,
    say: Callable[[str], None] = lambda _: None,
    save: Callable[[Summary, list[dict[str, Any]]], None] = lambda *_: None,
) -> tuple[Summary, list[dict[str, Any]]]:
    """Examine random games for some minutes; return the counts and a row for each finding.

    Ctrl-C ends the run early. ``save`` gets the counts and rows each minute.
    """
    run = _Run(seed, time.monotonic() + 60 * minutes, checker, folder, seconds, say)
    threads = [threading.Thread(target=run.work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    told = saved = time.monotonic()
    try:
        while any(thread.is_alive() for thread in threads):
            threads[-1].join(0.2)
            now = time.monotonic()
            if now > told + 10:
                told = now
                say(f"{run.end - now:.0f} s left; {_counts(run.counted())}; findings: {len(run.faults)}")
            if now > saved + _SAVED:
                saved = now
                save(run.counted(), list(run.faults.values()))
    except KeyboardInterrupt:
        say("interrupted: what was found stays")
        run.stop()
        for thread in threads:
            thread.join(5)
    if run.failure is not None:
        raise run.failure
    return run.counted(), list(run.faults.values())


def main(arguments: Sequence[str]) -> int:
    """Run the command; its exit code is 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=0, help="the games of a seed are always the same (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--checker", type=Path, default=CHECKER, help="the second checker")
    parser.add_argument("--findings", type=Path, default=Path("findings"), help="folder for findings")
    parser.add_argument("--record", action="store_true", help="keep the counts in benchmarks/results/fuzz.json")
    parser.add_argument("--summary", action="store_true", help="print the sums over all recorded runs")
    given = parser.parse_args(arguments)
    if given.summary:
        print(_sums(_recorded()))
        return 0
    if given.minutes is None or not given.minutes > 0 or given.jobs < 1:
        parser.error("--minutes and --jobs must be positive")
    if given.record and given.seed in {row["seed"] for row in _recorded()}:
        parser.error(f"a recorded run has the seed {given.seed}, and the same games: use another seed")

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def save(total: Summary, rows: list[dict[str, Any]]) -> None:
        if given.record:
            record(total, rows, given, started)

    checker = given.checker.resolve() if given.checker.exists() else None
    if checker is None:
        say(f"no second checker: {given.checker} does not exist")
    for peer, installed in (("pygambit", _gambit()), ("z3-solver", _z3())):
        if installed is None:
            say(f"{peer} is not installed: values are not compared with it")
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # a stopped run keeps its record too
    try:
        total, rows = fuzz(
            given.minutes, seed=given.seed, jobs=given.jobs, checker=checker, folder=given.findings, say=say, save=save
        )
    finally:
        signal.signal(signal.SIGTERM, before)
    save(total, rows)
    print(
        f"{_counts(total)}; refused {total.refused:,}, unproven {total.unproven:,}, "
        f"peers without an answer {total.unanswered:,}, starved {total.starved:,}; "
        f"{total.processor_seconds:.0f} processor seconds"
    )
    for row in rows:
        finding = row["finding"]
        where = f" ({finding.where})" if finding.where else ""
        print(f"{row['times']} x {finding.kind}: {', '.join(map(str, finding.commands))}{where}: {row.get('name', '')}")
    print(f"findings: {len(rows)}")
    return 1 if rows else 0


def record(total: Summary, rows: Sequence[Mapping[str, Any]], given: argparse.Namespace, started: str) -> None:
    """Write the row of a run to the record file, in place of its earlier row. Runs may share the file."""
    import fcntl

    kinds = Counter(row["finding"].kind for row in rows)
    row = {
        "started": started, "minutes": given.minutes, "seed": given.seed, "jobs": given.jobs,
        "games": total.games, "calls": total.calls,
        "refused": total.refused, "unproven": total.unproven, "unanswered": total.unanswered,
        "starved": total.starved,
        "comparisons": {kind: total.comparisons[kind] for kind in KINDS},
        "findings": dict(sorted(kinds.items())), "names": sorted(row["finding"].name for row in rows),
        "processor_seconds": round(total.processor_seconds, 1), "environment": environment(),
    }  # fmt: skip
    folder = os.open(RECORD.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        others = [other for other in _recorded() if (other.get("started"), other["seed"]) != (started, given.seed)]
        new = RECORD.with_suffix(".json.new")
        new.write_text(json.dumps([*others, row], indent=1) + "\n", encoding="utf-8", newline="\n")
        new.replace(RECORD)
    finally:
        os.close(folder)


def _recorded() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else []
    return rows


def _sums(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the sums over recorded runs, as text."""
    total, findings = Summary(), 0
    for row in rows:
        total.add(Summary(*(row[name] for name in ("games", "calls", "refused", "unproven", "unanswered"))))
        total.comparisons += Counter(row["comparisons"])
        total.processor_seconds += row["processor_seconds"]
        findings += sum(row["findings"].values())
    hours = total.processor_seconds / 3600
    return (
        f"{len(rows)} runs; {_counts(total)}; {sum(total.comparisons.values()):,} comparisons; "
        f"findings: {findings}; {hours:.2f} processor hours"
    )
