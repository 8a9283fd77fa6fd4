"""The rules of Kuhn poker and Rhode Island Hold'em are those of PokerKit: hands, moves and payoffs.

The ranks of hands of Texas Hold'em are those of PokerKit, too.
"""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.poker.game import OrderedGame
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.games.rhode_island import RhodeIsland

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def pokerkit() -> Any:
    return pytest.importorskip("pokerkit")


def begun(pokerkit: Any, game: str, **options: Any) -> Any:
    """Begin a game in which a program deals and moves, and PokerKit does the rest."""
    steps = pokerkit.Automation
    automatic = (
        steps.ANTE_POSTING, steps.BET_COLLECTION, steps.BLIND_OR_STRADDLE_POSTING,
        steps.HOLE_CARDS_SHOWING_OR_MUCKING, steps.HAND_KILLING, steps.CHIPS_PUSHING, steps.CHIPS_PULLING,
    )  # fmt: skip
    return getattr(pokerkit, game).create_state(automatic, **options)


def moves(state: Any) -> dict[str, Any]:
    """Return the moves that PokerKit allows, by the labels of tremble."""
    facing = state.checking_or_calling_amount
    found = {"fold": state.fold} if facing else {}
    found["call" if facing else "check"] = state.check_or_call
    if state.can_complete_bet_or_raise_to():
        found["raise" if facing else "bet"] = state.complete_bet_or_raise_to
    return found


def test_every_hand_of_rhode_island_has_the_same_rank(pokerkit: Any) -> None:
    game = RhodeIsland()
    hands = list(combinations(range(52), 3))
    public, private = np.array([hand[:2] for hand in hands]), np.array([[hand[2:]] for hand in hands])
    ours = game.strengths(public, private).ravel().tolist()
    lookup = pokerkit.RhodeIslandHoldemLookup()
    theirs = [lookup.get_entry("".join(game.signals[card] for card in hand)).index for hand in hands]
    pairs = sorted(set(zip(ours, theirs, strict=True)))
    assert len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs})  # equal hands are equal
    assert [two for _, two in pairs] == sorted(two for _, two in pairs)  # better hands are better
    assert len(pairs) > 500


def test_hands_of_texas_holdem_have_the_same_ranks(pokerkit: Any) -> None:
    """Random hands of seven cards, and all hands of two cards on a few boards on which straights and flushes occur."""
    rng = random.Random(1)
    cards = [rng.sample(range(52), 7) for _ in range(6_000)]
    for board in ("QhJhTh2c3d", "9s9h5c5d9c", "6d7d8d9dAs"):
        known = [DECK.index(board[k : k + 2]) for k in range(0, 10, 2)]
        cards += [[*known, *pair] for pair in combinations([card for card in range(52) if card not in known], 2)]
    ours = hand_scores(np.array(cards)).tolist()
    names = ["".join(DECK[card] for card in hand) for hand in cards]
    theirs = [pokerkit.StandardHighHand.from_game(name[:4], name[4:]).entry.index for name in names]
    pairs = sorted(set(zip(ours, theirs, strict=True)))
    assert len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs})  # equal hands are equal
    assert [two for _, two in pairs] == sorted(two for _, two in pairs)  # better hands are better
    assert len(pairs) > 1_000


def played(pokerkit: Any, game: OrderedGame, cards: list[str], rng: random.Random) -> tuple[int, ...]:
    """Play Rhode Island Hold'em at random in both programs; compare moves, and return the payoffs."""
    state = begun(pokerkit, "RhodeIslandHoldem", raw_starting_stacks=1000)
    for card in cards[:2]:
        state.deal_hole(card)
    lines: list[tuple[str, ...]] = []
    for number, round_ in enumerate(game.rounds):
        if number:
            state.burn_card(cards[3 + number])  # tremble burns no cards
            state.deal_board(cards[1 + number])
        stage, node = round_.stage, 0
        while stage.actions[node]:
            asked = moves(state)
            assert (state.actor_index, set(asked)) == (stage.mover[node], set(stage.actions[node]))
            label = rng.choice(sorted(set(asked) - {"fold"})) if rng.random() < 0.9 else rng.choice(sorted(asked))
            asked[label]()
            node = stage.child[node][stage.actions[node].index(label)]
        lines.append(stage.line[node])
        if node in stage.ending:
            break
    assert not state.status
    at = {card: number for number, card in enumerate(game.signals)}
    one, two, *public = (at[card] for card in cards[:4])
    strengths = [game.strength(tuple(public), (card,)) for card in (one, two)]
    ranks = tuple(sum(strength > other for other in strengths) for strength in strengths)
    paid = tuple(game.utility(tuple(lines), ranks))
    assert paid == tuple(stack - 1000 for stack in state.stacks)
    return paid


def test_plays_of_rhode_island_have_the_same_moves_and_payoffs(pokerkit: Any) -> None:
    game, rng = RhodeIsland(), random.Random(0)
    payoffs = {played(pokerkit, game, rng.sample(game.signals, 6), rng) for _ in range(300)}
    assert len(payoffs) > 20
    assert (0, 0) in {played(pokerkit, game, ["As", "Ah", "2c", "7d", "3c", "3d"], rng) for _ in range(20)}


def test_all_plays_of_kuhn_have_the_same_moves_and_payoffs(pokerkit: Any) -> None:
    tree, compared = tremble.load("kuhn"), 0
    for number, deal in enumerate(tree.chance_tables[0].labels):
        pending: list[tuple[int, tuple[str, ...]]] = [(tree.children(0)[number], ())]
        while pending:
            node, line = pending.pop()
            state = begun(pokerkit, "KuhnPoker")
            for rank in deal:
                state.deal_hole(f"{rank}s")
            for label in line:
                moves(state)[label]()
            mover, index = int(tree.player[node]), int(tree.infoset[node])
            if mover == tremble.TERMINAL:
                assert tree.payoff_at(index) == tuple(stack - 2 for stack in state.stacks)
                compared += 1
                continue
            labels = tree.actions[mover][index]
            assert (state.actor_index, set(moves(state))) == (mover, set(labels))
            pending += [(child, (*line, label)) for child, label in zip(tree.children(node), labels, strict=True)]
    assert compared == 30
