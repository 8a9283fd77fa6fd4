"""Programs as users write them, for type checkers: mypy reads them with the package, basedpyright in test_types.py.

What must be refused stands beside comments that switch an error off, of which both checkers demand that there is one.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_type

import tremble
from tremble.errors import FormatError, TooLargeError
from tremble.methods import DoubleOracle, Lp
from tremble.poker import GO_ON, OVER, HoldemRiver, Leaf, Move, OrderedGame, OrderedStrategy, Round, StageTree
from tremble.recall import Forgetting, RecallWitness, forget, recall_witness
from tremble.results import (
    Audit,
    BatchResult,
    Blunder,
    Comparison,
    Equilibria,
    Explanation,
    Explanations,
    StatedSolution,
    Uniqueness,
    Verification,
)
from tremble.show import Curve, draw_svg, read_log
from tremble.strategies import RealizationPlan, SequenceForm, Trembles, UnbuiltStrategy, evaluate

Number = Fraction | float


def of_a_tree(folder: Path) -> None:
    tree = tremble.load("kuhn")
    assert_type(tree, tremble.GameTree)
    solution = tremble.solve(tree, concept="quasi-perfect", method=Lp(), time_limit=60)
    assert_type(solution, tremble.Solution[tremble.BehaviorStrategy])
    assert_type(solution.strategies[0], tremble.BehaviorStrategy)
    assert_type(solution.value, Fraction)
    assert_type(solution.values, tuple[Fraction, Fraction])
    assert_type(solution.bounds, tuple[Fraction, Fraction] | None)
    assert_type(solution.verification, Verification)
    assert_type(solution.verification.ok, bool)
    assert_type(solution.strategies[1].probability(0, "call"), Number)
    assert_type(solution.strategies[0].to_realization_plan(), RealizationPlan)
    assert_type(solution.strategies[0]["J:"]["bet"], Number)
    assert_type(solution.explain("J:"), Explanation)
    rows: list[dict[str, object]] = [dict(row) for row in solution.to_rows()]
    assert rows
    solution.to_json(folder / "kuhn.json")
    again = tremble.Solution.from_json(folder / "kuhn.json")
    assert_type(again, StatedSolution)
    assert_type(tremble.verify(tree, again), Verification)
    assert_type(again.profile(tree), tuple[tremble.BehaviorStrategy, tremble.BehaviorStrategy])
    any_kind(solution)


def any_kind(solution: tremble.Solution) -> None:
    """A solution of whatever game needs no parameters; and says of what kind its strategies are."""
    assert_type(solution.ordered, tuple[Any, Any] | None)
    assert_type(solution.unbuilt, tuple[UnbuiltStrategy, UnbuiltStrategy] | None)


def judged() -> None:
    tree = tremble.load("kuhn")
    first, second = tremble.solve(tree), tremble.solve(tree, seed=1)
    assert_type(tremble.nash_conv(tree, first), Number)
    assert_type(tremble.exploitability(tree, first.strategies), Number)
    assert_type(tremble.expected_values(tree, first), tuple[Number, Number])
    assert_type(tremble.best_response(tree, first, 0), tuple[Number, tremble.BehaviorStrategy])
    assert_type(evaluate(tree, first), Verification)
    audit = tremble.audit(tree, first)
    assert_type(audit, Audit)
    blunders: Sequence[Blunder] = audit.blunders
    assert_type([blunder.amount for blunder in blunders], list[Fraction])
    assert_type(tremble.compare(tree, first, second), Comparison)
    assert_type(first.explain("Q:cb"), Explanation)
    assert_type(first.explain(), Explanations)
    assert_type(tremble.explain(tree, first, 3, player=0), Explanation)
    assert_type(first.action_values("Q:cb"), dict[str, Fraction | None])
    assert_type(first.beliefs_at(3, player=0), dict[tuple[str, ...], Fraction | None])
    assert_type(first.node_values("Q:cb"), dict[tuple[str, ...], tuple[Fraction, Fraction]])
    certified = tremble.certify(tree, first.strategies, concept="nash")
    assert_type(certified.verification, Verification)


def several() -> None:
    tree = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    found = tremble.all_equilibria(tree, time_limit=60)
    assert_type(found, Equilibria[tremble.Solution[tremble.BehaviorStrategy]])
    assert_type(found[0].strategies[0], tremble.BehaviorStrategy)
    assert_type([each.value for each in found], list[Fraction])
    assert_type(tremble.solve_several(tree, 2)[0].strategies[0], tremble.BehaviorStrategy)
    unique = tremble.uniqueness(tremble.load("matching_pennies"))
    assert_type(unique, Uniqueness)
    assert_type(unique.first.strategies[0], tremble.BehaviorStrategy)


class Pennies:
    """Rules: these methods are all that a game needs."""

    title = "Pennies"

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        return len(h) if len(h) < 2 else tremble.TERMINAL

    def actions(self, h: tuple[int, ...]) -> Sequence[str]:
        return ("heads", "tails")

    def chance(self, h: tuple[int, ...]) -> Sequence[Fraction]:
        raise LookupError("nothing is random here")

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> int:
        return len(h)

    def payoff(self, h: tuple[int, ...]) -> tuple[int, int]:
        return (1, -1) if h[0] == h[1] else (-1, 1)

    def state_key(self, h: tuple[int, ...]) -> object:
        return h

    def observation(self, h: tuple[int, ...], player: int) -> int:
        return len(h)

    def utility_bounds(self) -> tuple[int, int]:
        return (-1, 1)


def of_rules() -> None:
    rules: tremble.Game = Pennies()
    assert_type(tremble.build(rules), tremble.GameTree)
    solution = tremble.solve(Pennies(), method=DoubleOracle(policy="worse"))
    assert_type(solution, tremble.Solution[UnbuiltStrategy])
    unbuilt = tremble.load_rules("leduc:ranks=1000")
    assert_type(unbuilt, tremble.UnbuiltGame)


class OneCard(OrderedGame):
    """An ordered game: each draws a card, the first may bet."""

    title = "One card"

    @property
    def signals(self) -> tuple[str, ...]:
        return ("J", "Q", "K")

    @property
    def rounds(self) -> tuple[Round, ...]:
        return (Round(StageTree.grow(self.after), private=1),)

    def after(self, line: tuple[str, ...]) -> Move | Leaf:
        return Move(0, ("check", "bet")) if not line else GO_ON if line == ("check",) else OVER

    def strength(self, public: tuple[int, ...], private: tuple[int, ...]) -> int:
        return private[0]

    def utility(self, lines: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        won = 1 if lines[0] == ("bet",) else ranks[0] - ranks[1]
        return won, -won


def of_an_ordered_game() -> None:
    assert_type(tremble.solve(OneCard()), tremble.Solution[OrderedStrategy])
    river = HoldemRiver(board="Kh9d7s4c2h", pot=60, stack=60, range1="AA", range2="KK")
    solution = tremble.solve(river, method="dcfr", gap=Fraction(1, 10))
    assert_type(solution, tremble.Solution[OrderedStrategy])
    assert_type(solution.strategies[0], OrderedStrategy)


def of_players_who_forget() -> None:
    tree = tremble.load("kuhn")
    assert_type(recall_witness(tree, 0), RecallWitness | None)
    assert_type(forget(tree, 0, last=1), Forgetting)
    recall: str = tremble.classify_recall(tree, 0)
    assert recall == "perfect"


def shown(log: Path) -> None:
    tree = tremble.load("kuhn")
    assert_type(draw_svg(tree), str)
    assert_type(read_log(log), Curve)


def many(names: list[str]) -> list[Fraction]:
    found: list[Fraction] = []
    for result in tremble.solve_many(names, concept="nash"):
        assert_type(result, BatchResult)
        if result.solution is not None:
            found.append(result.solution.value)
    return found


def parts() -> None:
    tree = tremble.load("kuhn")
    assert_type(SequenceForm.of(tree), SequenceForm)
    assert_type(Trembles.uniform(tree), Trembles)


def caught(tree: tremble.GameTree) -> tremble.Solution | None:
    """What a time limit leaves is a solution, or a list of them."""
    try:
        return tremble.solve(tree, time_limit=0.5)
    except tremble.LimitReached as stopped:
        best = stopped.best
        if best is not None:
            assert_type(best.bounds, tuple[Fraction, Fraction] | None)
        return best if isinstance(best, tremble.Solution) else None
    except (TooLargeError, FormatError) as error:
        raise SystemExit(str(error)) from error


def sent_elsewhere(future: Future[tremble.Solution[tremble.BehaviorStrategy]]) -> Fraction:
    return future.result().value


def refused(tree: tremble.GameTree) -> None:
    print(tremble.no_such_name)  # type: ignore[attr-defined] # pyright: ignore
    tremble.solve(tree, concept=3)  # type: ignore[call-overload] # pyright: ignore
    tremble.load(3)  # type: ignore[arg-type] # pyright: ignore
    print(tremble.solve(tree).valeu)  # type: ignore[attr-defined] # pyright: ignore
    tremble.classify_recall("kuhn", 0)  # type: ignore[arg-type] # pyright: ignore
