"""Equal contents make equal values; what is kept with a value is kept with that one alone."""

from __future__ import annotations

import gc
from dataclasses import is_dataclass, replace
from fractions import Fraction as F
from inspect import isclass

import numpy as np
import pytest

import tremble
from tremble import BehaviorStrategy, GameTree
from tremble.lazy import KeptWith
from tremble.strategies import RealizationPlan, SequenceForm
from tremble.value import in_lowest_terms


def test_no_public_value_has_the_long_repr_of_a_dataclass() -> None:
    modules = (tremble, tremble.results, tremble.strategies, tremble.poker, tremble.recall, tremble.show, tremble.io)
    classes = {found for module in modules for name in module.__all__ if isclass(found := getattr(module, name))}
    long = {kind.__name__ for kind in classes if is_dataclass(kind) and hasattr(kind.__repr__, "__wrapped__")}
    assert len(classes) > 50
    assert not long, "derive them from tremble.value.Value, with repr=False"


def test_solutions_are_equal_if_they_state_the_same() -> None:
    for spec, concept, method in (
        ("kuhn", "nash", "lp"),
        ("kuhn", "nash", "double-oracle"),
        ("kuhn", "nash", "cfr+"),
        ("kuhn", "sequential", "auto"),
        ("kuhn", "perfect", "auto"),
        ("beer_quiche", "quasi-perfect", "auto"),
    ):
        tree = tremble.load(spec)
        one, two = tremble.solve(tree, concept, method), tremble.solve(tremble.load(spec), concept, method)
        read = tremble.Solution.from_text(one.to_text())
        assert one.stats != two.stats
        assert one == two == read == one
        assert len({one, two, read}) == 1
        assert replace(one, version="0.0.0") == one
        assert replace(one, concept="maxmin") != one != replace(read, strategies=one.strategies[::-1])
        assert one != one.to_text()
    listed = tremble.all_equilibria(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]]))
    assert listed == type(listed).from_text(listed.to_text())
    assert listed != replace(listed, solutions=listed.solutions[:2])


def test_solutions_of_rules_and_of_ordered_games_too(tmp_path) -> None:
    for game, options in (
        (tremble.load_rules("kuhn"), {"method": "double-oracle"}),
        (tremble.load_rules("jk_four_cards"), {"method": "dcfr"}),
    ):
        one, two = tremble.solve(game, **options), tremble.solve(game, **options)
        one.to_json(tmp_path / "one.json")
        read = tremble.Solution.from_json(tmp_path / "one.json")
        assert one == two == read
        assert len({one, two, read}) == 1


def test_strategies_are_equal_if_their_probabilities_are() -> None:
    tree = tremble.load("kuhn")
    third = [[F(1, 3), F(2, 3)]] * 6
    one = BehaviorStrategy.from_rows(tree, 0, third)
    wide = replace(
        one, numerator=10**30 * one.numerator.astype(object), denominator=10**30 * one.denominator.astype(object)
    )
    assert wide == one
    assert hash(wide) == hash(one)
    assert replace(one, off_path=~one.off_path, parent=None) == one
    for other in (
        replace(one, player=1),
        replace(one, infoset_labels=("x",) * 6),
        BehaviorStrategy.from_rows(tree, 0, [[F(2, 3), F(1, 3)], *third[1:]]),
        one.as_float(),
        3,
    ):
        assert one != other
    assert one.as_float() == one.as_float()
    plan = one.to_realization_plan()
    assert plan == replace(plan, weight=6 * plan.weight, denominator=6 * plan.denominator)
    assert hash(plan) == hash(replace(plan, weight=6 * plan.weight, denominator=6 * plan.denominator))
    assert plan != RealizationPlan(0, plan.weight[::-1], plan.denominator)
    nothing = np.zeros(0, dtype=np.int64)
    assert in_lowest_terms(np.zeros(1, dtype=np.int64), nothing, nothing) == (nothing, nothing)
    assert BehaviorStrategy.uniform(tremble.load("safe_or_risky"), 1) == BehaviorStrategy.uniform(
        tremble.load("safe_or_risky"), 1
    )


def test_trees_are_equal_if_their_digests_are() -> None:
    kuhn = tremble.load("kuhn")
    again = replace(tremble.load("kuhn"), title="another", players=("Ann", "Bob"))
    assert kuhn == again
    assert {kuhn: 1}[again] == 1
    assert kuhn != tremble.load("leduc") != tremble.load_rules("leduc")
    assert tremble.load_rules("leduc") == tremble.load_rules("leduc") != tremble.load_rules("leduc:ranks=4")
    assert SequenceForm.of(kuhn) is SequenceForm.of(kuhn) is not SequenceForm.of(again)
    assert SequenceForm.of(kuhn) == SequenceForm.of(again)


def test_what_is_kept_goes_with_its_owner() -> None:
    class Owner:
        pass

    kept: KeptWith[Owner, list[int]] = KeptWith(lambda _: [])
    one, two = Owner(), Owner()
    kept(one).append(1)
    assert (kept(one), kept(two)) == ([1], [])
    del one
    gc.collect()
    assert len(kept._kept) == 1


def test_no_solver_compares_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison computes digests, which takes long in large games."""

    def refused(*_: object) -> bool:
        raise AssertionError("trees are compared")

    monkeypatch.setattr(GameTree, "__eq__", refused)
    monkeypatch.setattr(GameTree, "__hash__", refused)
    for concept, method in (("nash", "lp"), ("nash", "double-oracle"), ("nash", "dcfr"), ("perfect", "auto")):
        tree = tremble.load("kuhn")
        found = tremble.solve(tree, concept, method)
        tremble.audit(tree, found.strategies)
        tremble.compare(tree, found, found)
    tremble.solve(tremble.load("beer_quiche"), method="lemke")
    tremble.solve(tremble.recall.forget(tremble.load("kuhn"), 0, last=1).tree, "maxmin", player=0)
