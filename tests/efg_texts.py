"""Texts of .efg files, good and bad, and what Gambit says of them."""

# ruff: noqa: E501 (tables of texts)

from __future__ import annotations

import random
from fractions import Fraction

from tremble.game.tree import GameTree
from tremble.game.tree_builder import TreeBuilder

HEAD = 'EFG 2 R "t" { "A" "B" }\n""\n'


def random_game(seed: int, *, plain: bool = False) -> GameTree:
    """A game of up to some dozens of nodes, any recall; ``plain`` keeps to labels that all programs read alike."""
    rng = random.Random(seed)
    words = ["a", "b", "c d", "1/2", "x_1", "{", "p"] + (
        [] if plain else ['say "x"', "é", " out", "two  gaps", "\\", "&#38;", "→\n"]
    )
    sets: dict[int, list[tuple[object, tuple[str, ...]]]] = {0: [], 1: []}
    builder = TreeBuilder(title=rng.choice(words), players=("Ann", rng.choice(words)))

    def labels() -> tuple[str, ...]:
        return tuple(rng.sample(words, rng.randint(1, 3)))

    def number() -> Fraction | int:
        return rng.choice(
            [0, 1, -1, rng.randint(-99, 99), Fraction(rng.randint(-9, 9), rng.randint(1, 9)), Fraction(1, 2**40)]
        )

    pending, budget = 1, rng.randint(0, 25)
    while pending:
        pending -= 1
        kind = rng.choice(["p", "p", "c", "t"])
        if kind == "t" or budget <= 0:
            builder.leaf(number(), number())
            continue
        budget -= 1
        if kind == "c":
            names = labels()
            weights = [rng.randint(0, 5) for _ in names]
            weights[rng.randrange(len(names))] += 1
            builder.chance(names, [Fraction(w, sum(weights)) for w in weights])
        else:
            player = rng.randrange(2)
            if not sets[player] or rng.random() < 0.5:
                sets[player].append((rng.choice(["", "s", f"set {len(sets[player])}"]) or len(sets[player]), labels()))
            key, names = rng.choice(sets[player])
            names = next(group for known, group in sets[player] if known == key)
            builder.decision(player, key, names)
        pending += len(names)
    return builder.finish()


# Texts that Gambit reads too, and that have to mean the same.
JUDGED_BY_GAMBIT = {
    "payoffs at inner nodes": 'p "" 1 1 "" {"a" "b"} 1 "x" {1 2} t "" 1 p "" 2 1 "" {"c" "d"} 2 "y" {.5 -1/3} t "" 0 t "" 3 "" {1e2, 4,}',
    "short second mentions": 'p "" 1 1 "S" {"a" "b"} 0 t "" 7 "x" {1 2} p "" 1 1 0 t "" 7 t "" 7 {1 2}',
    "short chance": 'c "" 1 "S" {"a" 1/2 "b" 1/2} 0 t "" 0 c "" 1 0 t "" 0 t "" 0',
    "zero and negative numbers": 'p "" 1 0 "S" {"a"} 0 p "" 1 -5 "T" {"a"} 0 p "" 1 0 "S" {"a"} 0 t "" -1 "x" {1 2}',
    "one set twice on a path": 'p "" 1 1 "S" {"a" "b"} 0 p "" 1 1 "S" {"a" "b"} 0 t "" 0 t "" 0 t "" 0',
    "zero probability": 'c "" 1 "S" {"a" 1 "b" 0} 0 t "" 0 t "" 0',
    "repeated labels once more": 'p "" 1 1 "S" {"a" "a"} 0 t "" 0 p "" 1 1 "S" {"a" "a"} 0 t "" 0 t "" 0',
    "quotes": r'p "" 1 1 "S" {"\"" "a\b"} 0 t "" 0 t "" 0',
    "a line break in a label of a node": 't\t""\v0\f',
    "text after the tree": 't "" 0 \n t "" 0',
}


# What is beyond Gambit, beside the same in words that Gambit reads.
TOLERATED = {
    "no spaces": ('c""1""{"a"1/2"b"1/2}0t""1""{1 2}t""0', 'c "" 1 "" {"a" 1/2 "b" 1/2} 0 t "" 1 "" {1 2} t "" 0'),
    "equal values": ('c "" 1 "" {"a" .5 "b" 1/2} 0 t "" 1 "" {.5 2} t "" 1 "" {1/2, 2.0}', 'c "" 1 "" {"a" .5 "b" .5} 0 t "" 1 "" {.5 2} t "" 1'),
    "equal chance": ('c "" 1 "" {"a" .5 "b" .5} 0 t "" 0 c "" 1 "" {"a" 1/2 "b" 1/2} 0 t "" 0 t "" 0', 'c "" 1 "" {"a" .5 "b" .5} 0 t "" 0 c "" 1 0 t "" 0 t "" 0'),
    "name alone": ('p "" 1 1 "S" {"a" "b"} 0 t "" 0 p "" 1 1 "S" 0 t "" 0 t "" 0', 'p "" 1 1 "S" {"a" "b"} 0 t "" 0 p "" 1 1 0 t "" 0 t "" 0'),
    "list alone": ('p "" 1 1 {"a" "b"} 0 t "" 0 p "" 1 1 {"a" "b"} 0 t "" 0 t "" 0', 'p "" 1 1 "" {"a" "b"} 0 t "" 0 p "" 1 1 0 t "" 0 t "" 0'),
    "commas": ('c "" 1 "" {"a" 1/2, "b" 1/2,} 0 p "" 1 1 "" {"c", "d"} 0 t "" 0 t "" 0 t "" 0', 'c "" 1 "" {"a" 1/2 "b" 1/2} 0 p "" 1 1 "" {"c" "d"} 0 t "" 0 t "" 0 t "" 0'),
    "outcome 0 with zero payoffs": ('t "" 0 "nothing" { 0, 0.0 }', 't "" 0'),
    "an outcome by name": ('p "" 1 1 "" {"a" "b"} 0 t "" 1 "x" {1 2} t "" 1 "y"', 'p "" 1 1 "" {"a" "b"} 0 t "" 1 "x" {1 2} t "" 1'),
    "renamed labels": ('p "" 1 1 "S" {"a" "a"} 0 t "" 0 p "" 1 1 "S" {"a_1" "a_2"} 0 t "" 0 t "" 0', 'p "" 1 1 "S" {"a" "a"} 0 t "" 0 p "" 1 1 "S" {"a" "a"} 0 t "" 0 t "" 0'),
}  # fmt: skip


def one_shot_game(seed: int) -> GameTree:
    rng = random.Random(seed)
    words = ["a", "b", "é", 'say "x"', " out", "1", "2", "{"]
    rows, columns = rng.randint(1, 4), rng.randint(1, 4)
    counted = rng.random() < 0.5
    labels = [[str(i + 1) for i in range(n)] if counted else rng.sample(words, n) for n in (rows, columns)]
    builder = TreeBuilder(title=rng.choice(words), players=("Ann", rng.choice(words)))
    builder.decision(0, "one", labels[0])
    for _ in range(rows):
        builder.decision(1, "two", labels[1])
        for _ in range(columns):
            builder.leaf(rng.randint(-2, 2), Fraction(rng.randint(-9, 9), rng.randint(1, 9)))
    return builder.finish()
