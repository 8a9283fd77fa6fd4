"""Follow moves through the betting tree of a Hold'em game.

The moves are separated by commas or blanks. Between them are the cards that are dealt: ``"check, check, 2h, bet 50"``.
Letters may be small or capital. The moves of a round may also be their first letters, as in ``"cc 2h b"``.
"""

from __future__ import annotations

from tremble.arguments import did_you_mean
from tremble.errors import SpecError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.betting import BettingTree, End
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.letters import node_by_letters, words_of

__all__ = ["decision_after", "moves_before", "node_after"]


def node_after(
    tree: BettingTree, deal: Deal, line: str, what: str = "line", *, every_card: bool = False
) -> tuple[int, int]:
    """Return the node after moves, and the state of the board: -1 if no card is named.

    With ``every_card``, the moves may omit all cards.

    Raises
    ------
    SpecError
        A move is not possible. The message begins with ``what``.
    """
    if not isinstance(line, str):
        raise SpecError(f"'line' must be moves separated by commas, such as 'check, bet 75', not {line!r:.60}")
    nodes, node = tree.nodes, 0
    state = -1
    cards = [DECK[card] for card in deal.rivers.tolist() if card >= 0]
    words = words_of(line)
    while words:
        here = nodes[node]
        if here.kind == End.DEAL:
            card = words[0][0].upper() + words[0][1:]
            public = {DECK[known] for known in (*deal.board, *deal.cards_of(state))}
            known = len(deal.positions(state))
            mixed = known < here.street or (known and card not in cards)  # some cards are named, others are not
            if card in cards and card not in public and not mixed:
                node, state, words = here.child[0], deal.with_cards(state, [DECK.index(card)]), words[1:]
                continue
            if not every_card or card in DECK or mixed:
                why = " (it is on the board)" if card in public else ""
                why = " (name all cards or none)" if mixed and every_card else why
                wrong = f"{what}: {words[0]!r:.40} is not possible here{why}"
                example = next(other for other in cards if other not in public)
                raise SpecError(f"{wrong}; possible: a {tree.next_card(node)}, such as {example}")
            node, here = here.child[0], nodes[here.child[0]]
        moves = [action.lower().split() for action in here.actions]
        fits = [k for k, move in enumerate(moves) if words[: len(move)] == move]
        lettered = None if fits else node_by_letters(tree, node, words[0], what)
        if lettered is not None:
            node, words = lettered, words[1:]
            continue
        if not fits:
            said, possible = " ".join(words[:2]), ", ".join(here.actions) or "nothing, play is over"
            near = did_you_mean(said, here.actions, quoted=True)
            raise SpecError(f"{what}: {said!r:.40} is not possible here; possible: {possible}{near and f'; {near}'}")
        taken, k = max((len(moves[k]), k) for k in fits)
        node, words = here.child[k], words[taken:]
    return node, state


def moves_before(tree: BettingTree, deal: Deal, node: int, state: int) -> list[str]:
    """Return the moves before a node, and between the rounds the cards of a state (none for the state -1)."""
    first, *later = tree.lines[node]
    cards = [[DECK[card]] for card in deal.cards_of(state)] or [[]] * len(later)
    return [*first, *(word for card, line in zip(cards, later, strict=False) for word in (*card, *line))]


def decision_after(tree: BettingTree, deal: Deal, line: str, what: str = "line") -> tuple[int, int]:
    """Return the decision after moves, which may omit all cards, and the state of the board (-1 without cards).

    Raises
    ------
    SpecError
        No decision follows the moves.
    """
    node, state = node_after(tree, deal, line, what, every_card=True)
    if tree.nodes[node].kind == End.DEAL:
        node = tree.nodes[node].child[0]
    if not tree.nodes[node].actions:
        raise SpecError(f"{what}: no player moves after {line!r:.60}: play is over")
    return node, state
