"""Follow moves through the betting tree of a Hold'em game.

The moves are separated by commas or blanks. Between them are the cards that are dealt: ``"check, check, 2h, bet 50"``.
Letters may be small or capital.
"""

from __future__ import annotations

from tremble.arguments import did_you_mean
from tremble.errors import SpecError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.betting import BettingTree, End
from tremble.poker.holdem.deal import Deal

__all__ = ["decision_after", "node_after"]


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
    words = line.replace(",", " ").lower().split()
    while words:
        here = nodes[node]
        if here.kind == End.DEAL:
            card = words[0][0].upper() + words[0][1:]
            public = {DECK[known] for known in (*deal.board, *deal.cards_of(state))}
            missing = len(deal.positions(state)) < here.street  # an earlier card is not named
            if card in cards and card not in public and not missing:
                node, state, words = here.child[0], (state + 1) * len(cards) + cards.index(card), words[1:]
                continue
            if not every_card or card in DECK:
                why = " (it is on the board)" if card in public else ""
                why = " (name all cards or none)" if missing else why
                wrong = f"{what}: {words[0]!r:.40} is not possible here{why}"
                example = next(other for other in cards if other not in public)
                raise SpecError(f"{wrong}; possible: a {tree.next_card(node)}, such as {example}")
            node, here = here.child[0], nodes[here.child[0]]
        moves = [action.lower().split() for action in here.actions]
        fits = [k for k, move in enumerate(moves) if words[: len(move)] == move]
        if not fits:
            said, possible = " ".join(words[:2]), ", ".join(here.actions) or "nothing, play is over"
            near = did_you_mean(said, here.actions, quoted=True)
            raise SpecError(f"{what}: {said!r:.40} is not possible here; possible: {possible}{near and f'; {near}'}")
        taken, k = max((len(moves[k]), k) for k in fits)
        node, words = here.child[k], words[taken:]
    return node, state


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
