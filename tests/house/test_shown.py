"""Every public value shows itself, as text and in a notebook: safe, bounded, and touching nothing around it."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from test_reference import PUBLIC

import tremble
from ordered_solutions import solution_of
from tremble.game.tree import GameTree
from tremble.results import StatedSolution, Status, certification
from tremble.shown import Shown

HOSTILE = "<script>alert(1)</script><b>\"'&\x1b[31m\u202e"
CLASSES = {path: kind for path, kind in PUBLIC.items() if inspect.isclass(kind)}
MOST = 400_000  # characters of a cell


def walked(content: Any, seen: set[int], depth: int = 0) -> Iterator[Shown]:
    """A value, and all values that it holds."""
    if id(content) in seen or depth > 8:
        return
    seen.add(id(content))
    if isinstance(content, Shown):
        yield content
    inside: Any = ()
    if is_dataclass(content) and not isinstance(content, GameTree | type):
        inside = [getattr(content, field.name) for field in fields(content)]
    if isinstance(content, Mapping):
        inside = [*inside, *content.values()]
    elif isinstance(content, list | tuple):
        inside = [*inside, *content[:50]]
    for part in inside:
        yield from walked(part, seen, depth + 1)


def values_of(tree: GameTree) -> list[Any]:
    """What can be made of a tree of two players with perfect recall."""
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    solution = tremble.solve(tree, "sequential")
    stated = StatedSolution.from_text(solution.to_text())
    wrong = StatedSolution.from_text(solution.to_text().replace('"1"', '"-2/3"'))
    return [
        tree, solution, stated, wrong, tremble.verify(tree, solution), tremble.verify(tree, wrong),
        uniform[0].as_float(), replace(stated, status=Status.BOUNDED, bounds=(Fraction(-10**60, 7), Fraction(10**60))),
        replace(solution, status=Status.LIMIT_REACHED, stats={"stopped": "time is up"}),
        tremble.audit(tree, uniform), tremble.compare(tree, solution, uniform), tremble.draw(tree, solution),
        certification(tree, uniform, "sequential"), certification(tree, solution, "sequential"), solution.explain(),
        tremble.solve_several(tree, 2), tremble.shrink(tree),
    ]  # fmt: skip


def matrices() -> list[Any]:
    """One-shot games: lists with components, which are read again, and are unique or not."""
    made: list[Any] = []
    for payoffs in ([[1, 1], [1, 1]], [[3, 0], [0, 2]]):
        game = tremble.matrix_game(payoffs, payoffs, rows=[HOSTILE, "b" * 10_000])
        found = tremble.all_equilibria(game)
        again = tremble.results.Equilibria.from_text(found.to_text())
        made += [game, found, again, tremble.verify(game, again)]
    return [*made, tremble.uniqueness(tremble.matrix_game([[0, 1], [1, 0]])), tremble.matrix_game([[10**60] * 40] * 40)]


def of_rules() -> list[Any]:
    """Games that are not built, and what is said of them."""
    river = tremble.load_rules('holdem_river:range1="AA,KQs:0.5",range2="TT+,AKs,QJo:1/3"')
    small = tremble.load_rules("rhode_island:ranks=2,suits=2,raises=1")
    played = solution_of()
    with ThreadPoolExecutor(1) as pool:
        batch = list(tremble.solve_many(["kuhn", "no_such_game"], executor=pool))
    unbuilt = tremble.solve(tremble.load_rules("kuhn"), method="double-oracle")
    return [
        river, river.rules, small, tremble.load_rules("phantom_ttt"), played, unbuilt, batch,
        tremble.verify(small, played), tremble.shrink(small), tremble.draw(small, played),
    ]  # fmt: skip


def hands() -> list[Any]:
    """Hands of a game with hostile labels, their moves, and a decision in the middle of one."""
    decisions = []

    def first(decision: Any) -> int:
        decisions.append(decision)
        return 0

    tree = hostile()
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    return [*tremble.play(tree, uniform, first, hands=2, seed=1), decisions[0], decisions[0].hand]


def hostile() -> GameTree:
    builder = tremble.TreeBuilder(title=f"T{HOSTILE}", players=(f"P{HOSTILE}", "Q" * 10_000))
    builder.chance((f"c{HOSTILE}", ""), (Fraction(1, 3), Fraction(2, 3)))
    for c in range(2):
        builder.decision(0, f"s{HOSTILE}{c}", (f"x{HOSTILE}", "y" * 10_000))
        for i in range(2):
            builder.decision(1, f"r{HOSTILE}", (f"u{HOSTILE}", "=v"))
            for j in range(2):
                builder.leaf(Fraction(10**70 + c, 3**90), -c - (i * j) % 3)
    return builder.finish()


MADE = {
    "a tree": lambda: values_of(tremble.load("kuhn")),
    "a large tree": lambda: [tremble.load("leduc:ranks=5"), tremble.solve(tremble.load("leduc"))],
    "hostile labels": lambda: values_of(hostile()),
    "hands": hands,
    "matrices": matrices,
    "rules": of_rules,
}


@cache
def corpus(name: str) -> list[Shown]:
    seen: set[int] = set()
    return [value for made in MADE[name]() for value in walked(made, seen)]


def of_example(kind: type, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """What the example of a class makes of it, on the way or in the end."""
    made: list[Any] = []
    begin: Any = kind.__init__

    def noted(self: Any, *args: Any, **options: Any) -> None:
        if begin is not object.__init__:
            begin(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(kind, "__init__", noted)
    names = dict(vars(inspect.getmodule(kind) or tremble))
    for example in doctest.DocTestParser().get_examples(kind.__doc__ or ""):
        exec(example.source, names)
    return made


@pytest.mark.parametrize("path", [path for path, kind in CLASSES.items() if issubclass(kind, Shown)])
def test_every_public_value_has_a_form(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = CLASSES[path]
    found: list[Shown] = [value for name in MADE for value in corpus(name) if isinstance(value, kind)][:1]
    found = found or of_example(kind, monkeypatch)
    assert found, f"no value of {path} is made here: its docstring has no example that makes one"
    require_fine(found[0])


def test_what_is_public_and_no_value_of_ours_has_a_form_by_nature() -> None:
    plain = (Enum, tuple, dict, Exception, tremble.TreeBuilder)
    for path, kind in CLASSES.items():
        shown = issubclass(kind, (Shown, *plain)) or getattr(kind, "_is_protocol", False)
        assert shown or path.startswith(("tremble.methods.", "tremble.large.", "tremble.check.")), path


@pytest.mark.parametrize("name", MADE)
def test_values_show_themselves(name: str) -> None:
    for value in corpus(name):
        require_fine(value)


def require_fine(value: Any) -> None:
    text, html, short = str(value), value._repr_html_(), repr(value)
    kind = type(value).__name__
    assert text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text), kind
    assert len(short) < 500, kind
    assert "\n" not in short, kind
    assert len(html) < MOST, (kind, len(html))
    room = ElementTree.fromstring(html)  # well-formed, whatever the labels are
    assert room.get("class") == "tremble-cell"
    names = {element.tag.rpartition("}")[2] for element in room.iter()}
    assert not names & {"script", "b", "link", "iframe", "img", "object", "foreignObject"}, kind
    assert not re.search(r"url\(|@import|javascript:|\x1b|\u202e", html), kind
    assert not {name for element in room.iter() for name in element.attrib if name.startswith("on") or "href" in name}
    assert not [element.get("id") for element in room.iter() if element.get("id")], "ids are those of the whole page"
    for element in room.iter():
        if element.tag.endswith("style"):
            require_scoped(element.text or "")


@cache
def require_scoped(sheet: str) -> None:
    """Every selector is one within a cell."""
    rules = re.sub(r"@media[^{]*\{", "", sheet)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", rules):
        for selector in re.split(r",(?![^()]*\))", selectors):
            assert ".tremble-cell" in selector, selector


def test_text_and_cell_have_the_same_rows() -> None:
    solution = tremble.solve(tremble.load("kuhn"), "quasi-perfect")
    html = re.sub(r"<style>.*?</style>|<[^>]*>", " ", solution._repr_html_(), flags=re.DOTALL)
    words = set(re.findall(r"[\w/.-]+", str(solution))) - {"decimal"}
    assert words <= set(re.findall(r"[\w/.-]+", html))


def test_hands_count_from_one() -> None:
    (hand,) = tremble.play(tremble.load("kuhn"), None, lambda decision: "check", seat=1, hands=1, seed=1)
    chance, other, own = hand.moves
    assert "you are Player 2" in str(hand)
    assert "Player 1  check" in str(hand)
    assert [str(move).splitlines()[0] for move in (chance, other, own)] == [
        "Chance: QK", "Player 1 at Q:: check", "Player 2 at K:c: check",
    ]  # fmt: skip
    assert ["costs" in str(move) for move in (chance, other, own)] == [False, False, True]


def test_a_malformed_value_shows_its_repr() -> None:
    solution = tremble.solve(tremble.load("kuhn"))
    broken = tremble.results.Verification(False, "no concept", None, None, None, None)  # type: ignore[arg-type]
    assert str(broken) == repr(broken)
    assert "Verification" in broken._repr_html_()
    assert repr(solution) != str(solution)
