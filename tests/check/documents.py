"""Honest documents about small games, true and false ones, and mutations of them."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

from claims import is_list, read
from forgeries import Document, Forger, Profile, forged_lists, random_rows, rows_of

import hand_made
import tremble
from tremble import GameTree, TrembleError
from tremble.judge.certify import certification
from tremble.results import Equilibria

NAMED = ("kuhn", "beer_quiche", "entry_deterrence", "guess_the_ace", "safe_or_risky", "battle_outside",
         "matching_pennies", "selten_horse_two", "dare_or_decline", "selection")  # fmt: skip
CONCEPTS = ("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect",
            "normal-form-perfect", "proper")  # fmt: skip
KINDS = ("best-response", "polynomials", "consistent-trembles", "ranked-plans", "backward-induction", "basis",
         "subgame", "dominated", "reply", "mistakes")  # fmt: skip
WORDS = {
    "concept": CONCEPTS,
    "requested": CONCEPTS,
    "kind": KINDS,
    "status": ("certified", "bounded", "limit-reached"),
    "trembles": ("any", "none"),
    "orders": ("any", "none"),
}
REMARKS = ("stats", "method", "tremble", "schema", "spec", "title", "label", "game")
MOST_NODES = 160


# -- games and documents -----------------------------------------------------------------------------------------------


def game_of(rng: random.Random) -> GameTree:
    """Draw a small game in which nobody forgets."""
    kind = rng.random()
    if kind < 0.1:
        try:
            return tremble.load(rng.choice(NAMED))
        except TrembleError:
            kind = 1.0
    if kind < 0.3:
        rows, columns, most = rng.randint(1, 3), rng.randint(1, 4), rng.choice((1, 2, 4))
        a, b = ([[rng.randint(-most, most) for _ in range(columns)] for _ in range(rows)] for _ in range(2))
        return tremble.matrix_game(a) if rng.random() < 0.5 else tremble.matrix_game(a, b)
    if kind < 0.45:
        return perfect_information(rng)
    while True:
        game = hand_made.random_game(rng.randrange(10**9), rng.choice((2, 3, 4, 5)), zero_sum=rng.random() < 0.4)
        if game.num_nodes <= MOST_NODES and (min(game.num_infosets) or rng.random() < 0.1):
            return game


def perfect_information(rng: random.Random) -> GameTree:
    """Draw a small game of perfect information, with payoffs that are often equal."""
    builder, zero_sum = tremble.TreeBuilder(title="perfect information"), rng.random() < 0.5

    def grow(depth: int) -> None:
        if not depth or rng.random() < 0.2:
            u = rng.randint(0, 3)
            builder.leaf(u, -u if zero_sum else rng.randint(0, 3))
            return
        mover, width = rng.choice((0, 1, 0, 1, -1)), rng.choice((1, 2, 2, 3))
        if mover < 0:
            builder.chance([f"c{i}" for i in range(width)], [F(1, width)] * width)
        else:
            builder.decision(mover, object(), [f"a{i}" for i in range(width)])
        for _ in range(width):
            grow(depth - 1)

    grow(rng.choice((2, 3, 4)))
    return builder.finish()


def documents_of(game: GameTree, rng: random.Random) -> Iterator[tuple[str, Document]]:
    """Yield honest documents about a game, true and false ones."""
    forger = Forger(game, rng)
    true: list[Document] = []
    for concept in CONCEPTS:
        try:
            solution = tremble.solve(game, concept, trembles=_faultless(game, rng) if "one" in concept else None)
            true.append(json.loads(solution.to_text()))
        except TrembleError:
            continue
    profiles: list[Profile] = [
        (random_rows(game, 0, rng, kind), random_rows(game, 1, rng, kind))
        for kind in ("pure", "pure", "pure", "mixed", "mixed")
    ]
    lists: list[Equilibria] = []
    if forger.form.count(0) * forger.form.count(1) <= 64:
        for arguments in ({}, {"pure": True}, {"concept": "sequential"}, {"pure": True, "concept": "quasi-perfect"}):
            try:
                lists.append(tremble.all_equilibria(game, **arguments))
            except TrembleError:
                continue
    equilibria = [rows_of(member.strategies) for found in lists[:1] for member in list(found)[:4]]
    equilibria += [rows_of(read(document).strategies) for document in true[:2]]  # type: ignore[union-attr]
    profiles += equilibria
    profiles += [_elsewhere(forger, profile, rng) for profile in equilibria[:4]]
    for profile in rng.sample(profiles, min(4, len(profiles))):
        for concept in rng.sample(CONCEPTS[1:], 3):
            try:
                weights = _faultless(game, rng) if "one" in concept else None
                pair = tuple(
                    tremble.BehaviorStrategy.from_rows(game, player, rows) for player, rows in enumerate(profile)
                )
                found = certification(game, pair, concept, trembles=weights).solution
                true.append(json.loads(found.to_text()))
            except TrembleError:
                continue
    yield from (("true", document) for document in true)
    for each in lists:
        listed = json.loads(each.to_text())
        yield "list", listed
        if len(each) <= 12:
            yield from (("list", document) for document in forged_lists(forger, listed["equilibria"]))
    for profile in rng.sample(profiles, min(9, len(profiles))):
        yield from (("forged", document) for document in forger.forgeries(profile))
        for document in rng.sample(true, min(4, len(true))):
            yield "borrowed", forger.borrowed(profile, document)


def _faultless(game: GameTree, rng: random.Random) -> Any:
    """Draw who makes no mistakes."""
    from tremble.strategies import Trembles

    rows: list[Any] = [[[1] * len(labels) for labels in side] for side in game.actions]
    able = [player for player in (0, 1) if rows[player]]
    if able:
        rows[rng.choice(able)] = "none"
    return Trembles.from_rows(game, rows)


def _elsewhere(forger: Forger, profile: Profile, rng: random.Random) -> Profile:
    """Return a profile with the same plans, and other moves at the sets that the own strategy never reaches."""
    changed = []
    for player, rows in enumerate(profile):
        plan, other = forger.form.plan(player, rows), random_rows(forger.game, player, rng, "pure")
        sets = forger.form.sets[player]
        changed.append([old if plan[prior] else new for old, new, (prior, _, _) in zip(rows, other, sets, strict=True)])
    return changed[0], changed[1]


# -- mutations ---------------------------------------------------------------------------------------------------------


def mutated(document: Document, rng: random.Random) -> Document:
    """Change one place of a document; sometimes two."""
    changed: Document = json.loads(json.dumps(document))
    _mutate(changed, rng)
    if rng.random() < 0.15:
        with contextlib.suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
            _mutate(changed, rng)  # of a document that may be broken already
    return changed


def _mutate(document: Document, rng: random.Random) -> None:
    if rng.random() < 0.15 and not is_list(document):
        _mutate_rows(document, rng)
        return
    holder, key = _place(document, rng)
    value = holder[key]
    chance = rng.random()
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = rng.choice((value + 1, value - 1, 0, 1, 2, -value, value + 7))
    elif isinstance(value, str):
        holder[key] = _other_text(key, value, rng)
    elif isinstance(value, list) and chance < 0.7:
        _mutate_list(value, rng)
    elif isinstance(value, dict) and value and chance < 0.7:
        value.pop(rng.choice(list(value)))
    else:
        holder[key] = rng.choice((None, None, "any", "none", [], {}, "1", 1, [[]]))


def _place(document: Document, rng: random.Random) -> tuple[Any, Any]:
    """Descend to a random place: every branch of an object or a list is as likely as the others."""
    holder: Any = document
    while True:
        keys = [key for key in holder if key not in REMARKS] if isinstance(holder, dict) else range(len(holder))
        key = rng.choice(list(keys))
        value = holder[key]
        if not isinstance(value, dict | list) or not value or rng.random() < 0.08:
            return holder, key
        if isinstance(value, dict) and all(name in REMARKS for name in value):
            return holder, key
        holder = value


def _mutate_list(value: list[Any], rng: random.Random) -> None:
    chance = rng.random()
    if not value or chance < 0.2:
        value.append(copy.deepcopy(value[-1]) if value else rng.choice((1, "1", [])))
    elif chance < 0.5:
        value.pop(rng.randrange(len(value)))
    elif chance < 0.7:
        value.reverse()
    elif all(isinstance(each, int) for each in value):  # a list of sequences
        changed = sorted({*value} ^ {rng.randrange(1 + max(value))})
        value[:] = changed
    else:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        value[i], value[j] = value[j], value[i]


def _other_text(key: Any, text: str, rng: random.Random) -> str | None:
    try:
        number = F(text)
    except (ValueError, ZeroDivisionError):
        return rng.choice((*WORDS.get(key, ()), text + "x", "1", "any", None))
    if rng.random() < 0.05:
        return rng.choice(("0x10", "2/4", "1.0", "", "-0", "any"))
    return str(rng.choice((number + 1, number - 1, -number, 2 * number, number / 2, number + F(1, 7), F(0), F(1))))


def _mutate_rows(document: Document, rng: random.Random) -> None:
    """Change a row, a mark, or a coefficient so that sums stay right."""
    rows = [(player, row) for player, side in enumerate(document.get("strategies") or ()) for row in side]
    certificate = document.get("certificate") or {}
    if not rows:
        return
    player, row = rng.choice(rows)
    if rng.random() < 0.3:
        if row.pop("off_path", None) is None:
            row["off_path"] = True
    elif rng.random() < 0.5 or "X" not in certificate:
        weights = [rng.choice((0, 0, 1, 2, 3)) for _ in row["actions"]]
        weights[rng.randrange(len(weights))] += 1
        for pair, weight in zip(row["actions"], weights, strict=True):
            pair[1] = str(F(weight, sum(weights)))
    else:
        first = 1 + sum(len(r["actions"]) for i, r in rows if i == player and r["infoset"] < row["infoset"])
        width, series = len(row["actions"]), certificate["XY"[player]]
        if width > 1 and series:
            degree, (i, j), step = (
                rng.choice(series),
                rng.sample(range(first, first + width), 2),
                rng.choice((1, 2, -1)),
            )
            degree[i], degree[j] = str(int(degree[i], 0) + step), str(int(degree[j], 0) - step)


def pool_of(seed: int, block: int) -> tuple[GameTree, list[tuple[str, Document]]]:
    """Return the game and the honest documents of a block."""
    rng = random.Random(f"{seed}:{block}")
    game = game_of(rng)
    return game, list(documents_of(game, rng))


def mutation(pool: list[tuple[str, Document]], seed: int, block: int, case: int) -> Document:
    """Return a mutation of a document of the pool, by its number."""
    rng = random.Random(f"{seed}:{block}:{case}")
    return mutated(rng.choice(pool)[1], rng)
