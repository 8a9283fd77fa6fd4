"""Writes ``honest_files.json``: ``python tests/record_honest_files.py``.

The recorded files were written before every number was checked in every status, by the commit "A reply is judged where
it is made". They must stay accepted: add files, and keep the old ones.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Any

import tremble
from forgetful import a_loss, forgetting, stated
from hand_made import random_game, random_profile
from honest_files import FILE, Document, Honest
from rules_of_trees import RulesOfTree
from tremble import GameTree, TreeBuilder, verify
from tremble.formats.efg import format_efg
from tremble.formats.foreign import game_of
from tremble.game.rules import DefaultRule, UnbuiltStrategy
from tremble.results import Equilibria, StatedSolution, certification
from tremble.status import Status
from tremble.strategies import Trembles

# -- games -----------------------------------------------------------------------------------------


def one_player() -> GameTree:
    """Return a game in which player 1 moves twice and player 2 never."""
    builder = TreeBuilder(title="alone")
    builder.decision(0, "first", ["stop", "go"])
    builder.leaf(1, -1)
    builder.decision(0, "then", ["left", "right"])
    builder.leaf(2, -2)
    builder.leaf(0, 0)
    return builder.finish()


def never_reached() -> GameTree:
    """Return a game in which chance never lets player 2 move."""
    builder = TreeBuilder(title="never")
    builder.chance(["yes", "no"], [F(1), F(0)])
    builder.decision(0, "one", ["up", "down"])
    builder.leaf(1, 2)
    builder.leaf(0, 0)
    builder.decision(1, "two", ["a", "b"])
    builder.leaf(3, 3)
    builder.leaf(4, 4)
    return builder.finish()


def leaf() -> GameTree:
    """Return a game in which nobody moves, not even chance."""
    builder = TreeBuilder(title="leaf")
    builder.leaf(2, -1)
    return builder.finish()


def no_choice() -> GameTree:
    """Return a game in which chance moves, and each player has one action."""
    builder = TreeBuilder(title="no choice")
    builder.chance(["h", "t"], [F(1, 3), F(2, 3)])
    for payoff in (2, 0):
        builder.decision(0, "one", ["go"])
        builder.decision(1, "two", ["on"])
        builder.leaf(payoff, 1 - payoff)
    return builder.finish()


def _selection() -> GameTree:
    """Return a game of perfect information in which player 1 moves twice."""
    builder = TreeBuilder(title="selection")
    builder.decision(0, "first", ["stop", "go"])
    builder.leaf(2, 2)
    builder.decision(1, "second", ["end", "on"])
    builder.leaf(1, 3)
    builder.decision(0, "third", ["left", "right"])
    builder.leaf(0, 0)
    builder.leaf(0, 1)
    return builder.finish()


@cache
def _games() -> dict[str, GameTree]:
    drawn = (
        *("matching_pennies", "kuhn", "entry_deterrence", "safe_or_risky", "battle_outside", "guess_the_ace"),
        *("selten_horse_two", "dare_or_decline"),
    )
    return {
        **{name: tremble.load(name) for name in drawn},
        "1x1": tremble.matrix_game([[3]], [[F(1, 2)]]),
        "1x3": tremble.matrix_game([[3, 1, 2]]),
        "2x3": tremble.matrix_game([[3, 0, 1], [0, 2, 1]], [[2, 0, 1], [0, 3, 1]]),
        "dominated": tremble.matrix_game([[1, 1], [1, 0]], [[1, 1], [1, 1]]),
        "alone": one_player(),
        "never": never_reached(),
        "leaf": leaf(),
        "no choice": no_choice(),
        "selection": _selection(),
        "random": random_game(3, 4, zero_sum=False),
    }


# -- trees with perfect recall -----------------------------------------------------------------------

_MOST = 3  # files of each form

CONCEPTS = (
    *("nash", "subgame-perfect", "quasi-perfect", "sequential", "perfect", "normal-form-perfect", "proper"),
    "one-sided-quasi-perfect",
)


def _trees() -> Iterator[Honest]:
    """Yield a few files of each form, the shortest ones, and those of Kuhn poker that state the most."""
    forms: dict[str, list[Honest]] = {}
    for name, tree in _games().items():
        kept: dict[str, Honest] = {}
        for concept in CONCEPTS:
            for solution in _about(tree, concept):
                for document in _weaker(solution):
                    form = _form(document)
                    kept.setdefault(form, Honest(f"{name}: {form}", tree, document))
        for form, honest in kept.items():
            forms.setdefault(form, []).append(honest)
    for form, all_of_form in forms.items():
        shortest = sorted(all_of_form, key=lambda honest: len(str(honest.document)))
        simple = [honest for honest in shortest if honest.name.startswith(("leaf", "no choice"))]
        others = [honest for honest in shortest if honest not in simple]
        yield from (*simple, *others[:_MOST])
        if form.startswith("certified"):
            yield from (honest for honest in others[_MOST:] if honest.name.startswith("kuhn"))


def _form(document: Document) -> str:
    """Return in words which fields the file has."""
    certificate, refutation = document["certificate"], document.get("refutation", {})
    has = [name for name in ("systems", "trembles", "orders", "classes", "probabilistic") if certificate.get(name)]
    has += [name for name in ("tight", "cost") if refutation.get(name)]
    proof = f"{document['status']} {document['concept']} by {certificate.get('kind')}"
    against = f", not {refutation['concept']} by {refutation['kind']}" if refutation else ""
    return proof + against + (f", with {' and '.join(has)}" if has else "")


def _about(tree: GameTree, concept: str) -> Iterator[StatedSolution]:
    """Yield what is proven of equilibria, and of other profiles, by this concept."""
    with suppress(tremble.TrembleError):
        yield tremble.solve(tree, concept if concept not in ("subgame-perfect",) else "nash")
    with suppress(tremble.TrembleError):
        yield tremble.solve(tree, concept, method="lemke")
    for uneven in _uneven(tree):
        with suppress(tremble.TrembleError):
            yield tremble.solve(tree, concept, trembles=uneven)
        with suppress(tremble.TrembleError):
            yield certification(tree, tremble.solve(tree, concept).strategies, concept, trembles=uneven).solution
    profiles = [random_profile(tree, 1), tuple(tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1))]
    profiles += [solution.strategies for solution in tremble.all_equilibria(tree)]
    refined = tremble.solve(tree, "quasi-perfect")
    for strategies, trembles in product(profiles, _one_sided(tree) if "one-sided" in concept else [None]):
        with suppress(tremble.TrembleError):
            yield certification(tree, strategies, concept, trembles=trembles).solution
    candidates = [
        replace(refined, concept="subgame-perfect", certificate=tremble.solve(tree).certificate),
        replace(refined, concept="normal-form-perfect"),
        replace(refined, concept="perfect"),
        *(
            replace(refined, concept=which, certificate={"kind": "backward-induction", "trembles": None})
            for which in ("quasi-perfect", "perfect")
        ),
        replace(tremble.solve(tree, "maxmin"), concept="maxmin"),
        *(
            replace(tremble.solve(tree, "maxmin"), certificate={"kind": "guarantee", "player": player})
            for player in (1, 2)
        ),
    ]
    yield from (each for each in candidates if concept == "nash" and verify(tree, each).ok)


def _one_sided(tree: GameTree) -> Iterator[Trembles]:
    ones = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
    for faultless in (0, 1):
        if tree.num_slots[faultless]:
            yield Trembles.from_rows(tree, ["none" if player == faultless else ones[player] for player in (0, 1)])


def _uneven(tree: GameTree) -> Iterator[Trembles]:
    """Yield weights that differ, without and with orders that differ."""
    rows = [[[1 + (a + k) % 3 for a in range(len(labels))] for k, labels in enumerate(s)] for s in tree.actions]
    orders = [[[1 + (a + k) % 2 for a in range(len(labels))] for k, labels in enumerate(s)] for s in tree.actions]
    yield Trembles.from_rows(tree, rows)
    yield Trembles.from_rows(tree, rows, orders=orders)


def _weaker(solution: StatedSolution) -> Iterator[Document]:
    """Yield the file, and what is true besides: bounds or nothing in place of an equilibrium, with the refutation."""
    tree: Any = solution.played
    if verify(tree, solution).ok:
        yield json.loads(solution.to_text())
    if solution.refutation is not None:
        gains = replace(solution, status=Status.LIMIT_REACHED)
        if verify(tree, gains).ok:
            yield json.loads(gains.to_text())
        bare = replace(gains, certificate={}, bounds=None)
        if verify(tree, bare).ok:
            yield json.loads(bare.to_text())
    if solution.status == Status.CERTIFIED and solution.concept == "nash" and solution.bounds is not None:
        low, high = solution.bounds
        yield json.loads(replace(solution, status=Status.BOUNDED, bounds=(low - 1, high)).to_text())


# -- players who forget, and maxmin --------------------------------------------------------------------


def _forgetful() -> Iterator[Honest]:
    tree, strategies, certificate = a_loss()
    yield Honest("a loss", tree, json.loads(stated(tree, strategies, certificate).to_text()))
    wide = replace(certificate, upper=F(0), epsilon=F(1, 2))
    yield Honest("a loss, bounds", tree, json.loads(stated(tree, strategies, wide, Status.BOUNDED).to_text()))
    for seed in range(3):
        tree = forgetting(seed)
        for player in (0, 1):
            solution = tremble.solve(tree, "maxmin", player=player, method="branch-and-bound")
            yield Honest(f"forgetting {seed}, player {player + 1}", tree, json.loads(solution.to_text()))
    for name in ("battle_outside", "kuhn"):
        tree = tremble.load(name)
        for player in (0, 1):
            solution = tremble.solve(tree, "maxmin", player=player, method="branch-and-bound")
            yield Honest(f"{name}: maxmin of player {player + 1}", tree, json.loads(solution.to_text()))


# -- games that are not built ----------------------------------------------------------------------------


def _rules() -> Iterator[Honest]:
    kuhn, pennies = tremble.load_rules("kuhn"), tremble.load_rules("matching_pennies")
    passive = UnbuiltStrategy(0, DefaultRule("first"), {})
    bluff = UnbuiltStrategy(1, DefaultRule("first"), {"J:c": (("check", F(2, 3)), ("bet", F(1, 3)))})
    yield Honest("rules: bounded", kuhn, json.loads(certification(kuhn, (passive, bluff)).solution.to_text()))
    for name, rules in (("kuhn", kuhn), ("pennies", pennies)):
        solution = tremble.solve(rules, method="double-oracle")
        yield Honest(f"rules: {name}", rules, json.loads(solution.to_text()))
    sexes = RulesOfTree(tremble.load("battle_outside"))
    unbuilt = game_of(sexes, from_rules=True)
    firsts = tuple(UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1))
    found: Any = certification(unbuilt, firsts).solution
    wrong = {"concept": "nash", "kind": "best-response"}
    for status in Status:
        for refutation in (None, wrong):
            each = replace(found, status=status, refutation=refutation)
            if verify(unbuilt, each).ok:
                title = f"rules: general sum, {status}, {refutation}"
                yield Honest(title, unbuilt, json.loads(each.to_text()))
    bounded: Any = certification(kuhn, (passive, bluff)).solution
    for status in (Status.BOUNDED, Status.LIMIT_REACHED):
        each = replace(bounded, status=status, refutation=wrong)
        yield Honest(f"rules: {status}, with a refutation", kuhn, json.loads(each.to_text()))


# -- lists ---------------------------------------------------------------------------------------------------


def _lists() -> Iterator[Honest]:
    names = (
        *("matching_pennies", "2x3", "dominated", "entry_deterrence", "alone", "never", "selection", "1x1", "1x3"),
        *("leaf", "no choice"),
    )
    for name in names:
        tree = _games()[name]
        for concept in ("nash", "sequential"):
            found = tremble.all_equilibria(tree, concept)
            yield Honest(f"all of {name}: {concept}", tree, json.loads(found.to_text()))
        found = tremble.all_equilibria(tree, "nash", pure=True)
        yield Honest(f"pure ones of {name}", tree, json.loads(found.to_text()))
        if len(found) > 1:
            found = tremble.all_equilibria(tree, pure=True, most=1)
            yield Honest(f"one pure one of {name}", tree, json.loads(found.to_text()))
    degenerate = tremble.matrix_game([[1, 0, 0], [0, 1, 1], [0, 1, 1]], [[1, 0, 0], [0, 1, 1], [0, 1, 1]])
    yield Honest("all of a degenerate game", degenerate, json.loads(tremble.all_equilibria(degenerate).to_text()))
    rules = tremble.load_rules("kuhn")
    solution = tremble.solve(rules, method="double-oracle")
    alone = Equilibria(game=solution.game, solutions=(solution,), unique_plans=(True, True), unique=True)
    yield Honest("a list of rules", rules, json.loads(alone.to_text()))


# -- the record ------------------------------------------------------------------------------------------------


def _record() -> None:
    games: dict[str, Document] = {}
    files = []
    for honest in (*_trees(), *_forgetful(), *_rules(), *_lists()):
        assert verify(honest.game, honest.read()).ok, (honest.name, verify(honest.game, honest.read()).problems)
        document = {**honest.document, **({} if "equilibria" in honest.document else {"stats": {}})}
        for member in document.get("equilibria", ()):
            member["stats"] = {}
        files.append({"name": honest.name, "game": _known(honest.game, games), "document": document})
    assert len({each["name"] for each in files}) == len(files)
    lines = ",\n".join(json.dumps(each, sort_keys=True, separators=(",", ":")) for each in files)
    known = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, sort_keys=True)}" for name, each in games.items())
    FILE.write_text(f'{{"games": {{\n{known}\n}},\n"files": [\n{lines}\n]}}\n', "utf-8")
    print(len(files), "files,", FILE.stat().st_size, "bytes")


def _known(game: Any, games: dict[str, Document]) -> str:
    """Return the name under which the game is recorded."""
    if isinstance(game, GameTree):
        described = {"efg": format_efg(game)}
    elif isinstance(game.rules, RulesOfTree):
        described = {"rules_of": format_efg(game.rules.tree)}
    else:
        described = {"rules": game.spec}
    name = next((name for name, other in games.items() if other == described), None)
    if name is None:
        name = str(len(games) + 1)
        games[name] = described
    return name


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    _record()
