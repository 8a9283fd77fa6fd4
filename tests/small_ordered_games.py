"""Small ordered games of many shapes, and strategies by classes for them and for their trees."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from typing import Any

import numpy as np

from tremble import BehaviorStrategy, GameTree
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree
from tremble.poker.strategy import OrderedStrategy

Draw = tuple[int, int]  # public and private signals of a round


class SmallGame(OrderedGame):
    """Random stage trees, payoffs, weights or ranges; payoffs never fall in the own hand."""

    def __init__(
        self,
        seed: int,
        signals: int,
        draws: Sequence[Draw],
        *,
        compares: bool = True,
        weighted: bool = False,
        ranged: bool = False,
        constant: bool = True,
    ) -> None:
        self.rng = random.Random(seed)
        self._signals = tuple("ABCDEFGHIJ"[:signals])
        last = len(draws) - 1
        self._rounds = tuple(
            Round(self._stage(number == last), public=public, private=private)
            for number, (public, private) in enumerate(draws)
        )
        self.compares, self.constant = compares, constant
        self.worth = [self.rng.randrange(3) for _ in range(signals)]
        self.paid: dict[tuple[Any, ...], tuple[Fraction, ...]] = {}
        if weighted:
            raw = [self.rng.randint(1, 5) for _ in range(signals)]
            self.weights = tuple(Fraction(w, sum(raw)) for w in raw)
        if ranged:
            hands = list(combinations(range(signals), draws[0][1]))
            self.ranges = tuple(self._range(hands) for _ in (0, 1))

    def _range(self, hands: list[Signals]) -> Mapping[Signals, Fraction]:
        found = {hand: Fraction(self.rng.randint(0, 3), self.rng.randint(1, 3)) for hand in hands}
        return found | {self.rng.choice(hands): Fraction(1), hands[0]: Fraction(1), hands[-1]: Fraction(2)}

    def _stage(self, last: bool) -> StageTree:
        kinds: dict[Line, Move | Leaf] = {}

        def after(line: Line) -> Move | Leaf:
            if line not in kinds:
                grow = not line or (len(line) < 3 and self.rng.random() < 0.55)
                if grow:
                    kinds[line] = Move(self.rng.randrange(2), tuple("abc"[: self.rng.choice((1, 2, 2, 3))]))
                else:
                    kinds[line] = OVER if self.rng.random() < 0.4 else GO_ON
            return kinds[line]

        while True:
            kinds.clear()
            stage = StageTree.grow(after)
            if (stage.going_on or last) and len(stage.mover) < 16 and len(stage.going_on) < 5:
                return stage

    @property
    def signals(self) -> tuple[str, ...]:
        return self._signals

    @property
    def rounds(self) -> tuple[Round, ...]:
        return self._rounds

    def strength(self, public: Signals, private: Signals) -> int:
        return sum(self.worth[s] for s in private) + (max(self.worth[s] for s in public) if public else 0) % 2

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Fraction, ...]:
        if lines not in self.paid:
            here = random.Random(str(lines))
            self.paid[lines] = tuple(Fraction(here.randint(-6, 6), here.choice((1, 1, 2))) for _ in range(4))
        one, two, steep, other = self.paid[lines]
        share = abs(steep) * (ranks[0] - ranks[1])
        if self.constant:
            return one + share, 3 - one - share
        return one + share, two - abs(other) * (ranks[0] - ranks[1])


def own_nodes(rules: OrderedGame) -> list[list[tuple[Signals, Signals]]]:
    """Round -> public and own private signals of every own node, by the definition of their numbers."""
    found: list[list[tuple[Signals, Signals]]] = []
    publics: list[Signals] = [()]
    hands: list[list[Signals]] = [[()]]
    every = range(len(rules.signals))
    for round_ in rules.rounds:

        def draws(size: int, gone: Signals) -> list[Signals]:
            return sorted((s for s in combinations(every, size) if not set(s) & set(gone)), key=lambda s: s[::-1])

        new_publics, new_hands = [], []
        for public, here in zip(publics, hands, strict=True):
            for new in draws(round_.public, public):
                new_publics.append(public + new)
                new_hands.append(
                    [h + n for h in here if not set(h) & set(new) for n in draws(round_.private, public + new + h)]
                )
        publics, hands = new_publics, new_hands
        found.append([(p, h) for p, hs in zip(publics, hands, strict=True) for h in hs])
    return found


def earlier_nodes(rules: OrderedGame) -> list[list[int]]:
    """Round -> own node of the round before, of every own node."""
    nodes, found, public, private = own_nodes(rules), [], 0, 0
    for number, here in enumerate(nodes):
        if number == 0:
            found.append([0] * len(here))
        else:
            index = {node: i for i, node in enumerate(nodes[number - 1])}
            found.append([index[p[:public], h[:private]] for p, h in here])
        public, private = public + rules.rounds[number].public, private + rules.rounds[number].private
    return found


def random_classes(rules: OrderedGame, rng: random.Random, blur: int) -> list[np.ndarray[Any, Any]]:
    """Classes that preserve information: at most ``blur`` for each of the round before; 0 for one a node."""
    found: list[np.ndarray[Any, Any]] = []
    for number, earlier in enumerate(earlier_nodes(rules)):
        numbers: dict[tuple[int, int], int] = {}
        classes = []
        for node, before in enumerate(earlier):
            came = int(found[-1][before]) if number else 0
            part = rng.randrange(blur) if blur else node
            classes.append(numbers.setdefault((came, part), len(numbers)))
        found.append(np.array(classes, dtype=np.int64))
    return found


def random_strategy(
    rules: OrderedGame, player: int, rng: random.Random, *, blur: int = 2, bits: int = 3, zeros: float = 0.2
) -> OrderedStrategy:
    """A plan over random classes, some actions of which are never played; probabilities of so many bits."""
    classes = random_classes(rules, rng, blur)
    earlier = earlier_nodes(rules)
    lead: list[list[Fraction]] = [[Fraction(1)]]
    plans: list[list[list[list[Fraction]]]] = []
    for number, round_ in enumerate(rules.rounds):
        side = round_.stage.side(player)
        count = int(classes[number].max()) + 1
        came = [0] * count
        for node, c in enumerate(classes[number].tolist()):
            came[c] = int(classes[number - 1][earlier[number][node]]) if number else 0
        plan = []
        for c in range(count):
            rows = [list(lead[came[c]])]
            for k, parent in enumerate(side.parent):
                actions = side.start[k + 1] - side.start[k]
                shares = []
                for _ in rows[0]:
                    raw = [0 if rng.random() < zeros else rng.randint(1, 2**bits) for _ in range(actions)]
                    raw = raw if any(raw) else [1] * actions
                    shares.append([Fraction(w, sum(raw)) for w in raw])
                for a in range(actions):
                    rows.append([rows[parent][h] * shares[h][a] for h in range(len(rows[0]))])
            plan.append(rows)
        plans.append(plan)
        last = [side.last[leaf] for leaf in round_.stage.going_on]
        lead = [[rows[s][h] for h in range(len(rows[0])) for s in last] for rows in plan]
    whole = lcm(*(w.denominator for plan in plans for rows in plan for row in rows for w in row))
    weights = []
    for plan, round_ in zip(plans, rules.rounds, strict=True):
        numbers = [[[int(w * whole) for w in row] for row in rows[1:]] for rows in plan]
        shape = (len(plan), round_.stage.side(player).num_sequences - 1, len(plan[0][0]))
        kind: Any = np.int64 if whole < 2**60 else object
        weights.append(np.array(numbers, dtype=kind).reshape(shape))
    return OrderedStrategy(player, tuple(classes), tuple(weights), whole)


def behavior(rules: OrderedGame, tree: GameTree, strategy: OrderedStrategy) -> BehaviorStrategy:
    """The same strategy for the tree, by the labels of its information sets."""
    player, rows = strategy.player, {}
    lines: list[tuple[int, ...]] = [()]
    nodes = own_nodes(rules)
    for number, round_ in enumerate(rules.rounds):
        side, stage = round_.stage.side(player), round_.stage
        weight = strategy.weight[number]
        for node, (public, private) in enumerate(nodes[number]):
            c = int(strategy.class_of[number][node])
            for h, k in product(range(len(lines)), range(len(side.nodes))):
                label = rules.hand_text(public, private, (*lines[h], side.nodes[k]))
                row = [int(weight[c, s - 1, h]) for s in range(side.start[k], side.start[k + 1])]
                total = sum(row)
                rows[label] = [Fraction(w, total) if total else Fraction(1, len(row)) for w in row]
        lines = [(*line, leaf) for line in lines for leaf in stage.going_on]
    found = [rows[label] for label in tree.infoset_labels[player]]
    return BehaviorStrategy.from_rows(tree, player, found)
