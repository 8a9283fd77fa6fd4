"""Weight, equity and EV of each hand, beside an enumeration of all deals and moves."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from poker.test_holdem_engine import RIVER, TURN, by_label, learned, profile_of
from tremble.errors import SpecError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.poker import HoldemTurn
from tremble.poker.holdem.values import values_at


def enumerated(rules: HoldemTurn, rows: list[dict[str, dict[str, F]]]) -> dict[str, list[Any]]:
    """Return for each label: sums of the reach, of the wins (a tie is half), and of the payoffs after each action.

    The reach is the probability of chance and of the opponent, without the player's own moves.
    """
    sums: dict[str, list[Any]] = defaultdict(lambda: [F(0), F(0), defaultdict(F)])

    def wins(h: Any, player: int) -> F:
        """The chance to win a showdown from here on."""
        if rules.tree.nodes[h.node].street == 0 and h.state < 0:
            each = [h._replace(state=k) for k, card in enumerate(rules.deal.rivers.tolist()) if card not in
                    {*rules.deal.cards[0][h.hand1].tolist(), *rules.deal.cards[1][h.hand2].tolist()}]  # fmt: skip
        else:
            each = [h]
        show = next(n for n, node in enumerate(rules.tree.nodes) if node.kind == 3)
        found = [rules.payoff(g._replace(node=show))[player] for g in each]
        return sum((F(1) if x > 0 else F(1, 2) if x == 0 else F(0) for x in found), F(0)) / len(found)

    def visit(h: Any, reach: tuple[F, F]) -> tuple[F, F]:
        """Return the payoffs, times the reach of each player's opponent and of chance."""
        player = rules.player(h)
        if player == TERMINAL:
            payoffs = rules.payoff(h)
            return payoffs[0] * reach[0], payoffs[1] * reach[1]
        if player == CHANCE:
            found = [visit(rules.child(h, i), (reach[0] * p, reach[1] * p)) for i, p in enumerate(rules.chance(h))]
            return sum((a for a, _ in found), F(0)), sum((b for _, b in found), F(0))
        label = rules.infoset(h)
        entry = sums[label]
        entry[0] += reach[player]
        entry[1] += reach[player] * wins(h, player)
        total = [F(0), F(0)]
        for i, action in enumerate(rules.actions(h)):
            p = rows[player][label][action]
            further = (reach[0] * p, reach[1]) if player == 1 else (reach[0], reach[1] * p)
            after = visit(rules.child(h, i), further)
            entry[2][action] += after[player]
            total[player] += p * after[player]
            total[1 - player] += after[1 - player]
        return total[0], total[1]

    visit(rules.root(), (F(1), F(1)))
    return sums


def test_values_of_a_turn_are_those_of_an_enumeration() -> None:
    profile = profile_of(learned(TURN, 12))
    every = {label for label, _ in ((TURN.label(p, h, n, river), 0) for p in (0, 1) for n, node in
             enumerate(TURN.tree.nodes) if node.kind == p for h in range(len(TURN.deal.cards[p])) for river in
             ([-1] if not node.street else range(48)))}  # fmt: skip
    sums = enumerated(TURN, [by_label(TURN, side, every) for side in profile])
    compared = 0
    for n, node in enumerate(TURN.tree.nodes):
        if node.kind > 1:
            continue
        for river in range(0, 48, 7) if node.street else [-1]:
            found = values_at(TURN, profile, n, river)
            for hand in range(len(TURN.deal.cards[node.kind])):
                reach, wins, after = sums.get(TURN.label(node.kind, hand, n, river), (F(0), F(0), {}))
                if not reach:
                    assert np.isnan(found.ev[hand])
                    continue
                paid = TURN.betting.pot / 2 + node.paid[node.kind]
                assert found.equity[hand] == pytest.approx(float(wins / reach))
                evs = [float(after[action] / reach + paid) for action in node.actions]
                assert found.evs[hand] == pytest.approx(evs, abs=1e-6)
                assert found.ev[hand] == pytest.approx(float(np.dot(found.frequencies[hand], evs)), abs=1e-6)
                compared += 1
    assert compared > 100


def test_a_fold_has_the_ev_zero_and_the_root_has_the_value() -> None:
    profile = profile_of(learned(RIVER, 40))
    fold = next(n for n, node in enumerate(RIVER.tree.nodes) if "fold" in node.actions)
    assert np.nanmax(np.abs(values_at(RIVER, profile, fold).evs[:, 0])) < 1e-9


def test_hands_of_a_solution() -> None:
    solution = tremble.solve(TURN, gap=2)
    rows = solution.hands("check, check, 2h")
    assert len(rows) == 3 - sum("2h" in row["hand"] for row in rows) == len({row["hand"] for row in rows})
    assert set(rows[0]) == {"hand", "weight", "equity", "ev", "check", "ev check", "bet 50", "ev bet 50"}
    for row in rows:
        assert row["check"] + row["bet 50"] == pytest.approx(1)
        assert row["ev"] == pytest.approx(row["check"] * row["ev check"] + row["bet 50"] * row["ev bet 50"])
    for line, named in (
        ("check, check", "add the river card"), ("check, fold", "possible: check, bet 50"),
        ("check, check, Kh", "a river card, such as"), ("bet 50, fold", "play is over"),
    ):  # fmt: skip
        with pytest.raises(SpecError, match=named):
            solution.hands(line)
    with pytest.raises(tremble.GameError, match="tables of hands"):
        tremble.solve(tremble.load("kuhn")).hands()
