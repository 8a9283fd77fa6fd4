"""Follow moves through the betting tree of a Hold'em game.

The moves are separated by commas or blanks, with the river card of a turn between them: ``"check, check, 2h, bet 50"``.
Letters may be small or capital. The moves of a round may also be their first letters, as in ``"cc 2h b"``.
"""

from __future__ import annotations

from tremble.arguments import did_you_mean
from tremble.errors import SpecError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.betting import BettingTree, End
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.letters import node_by_letters, words_of

__all__ = ["decision_after", "node_after"]


def node_after(
    tree: BettingTree, deal: Deal, line: str, what: str = "line", *, every_card: bool = False
) -> tuple[int, int]:
    """Return the node after moves, and the number of the river card, or -1 if no river card is named.

    The number is 0 if the river is known from the beginning. With ``every_card``, the moves may omit the river card.

    Raises
    ------
    SpecError
        A move is not possible. The message begins with ``what``.
    """
    if not isinstance(line, str):
        raise SpecError(f"'line' must be moves separated by commas, such as 'check, bet 75', not {line!r:.60}")
    nodes, node = tree.nodes, 0
    river = 0 if len(deal.rivers) == 1 else -1
    cards = [DECK[card] for card in deal.rivers.tolist() if card >= 0]
    words = words_of(line)
    while words:
        here = nodes[node]
        if here.kind == End.DEAL:
            card = words[0][0].upper() + words[0][1:]
            if card in cards:
                node, river, words = here.child[0], cards.index(card), words[1:]
                continue
            if not every_card or card in DECK:
                why = " (it is on the board)" if card in DECK and DECK.index(card) in deal.board else ""
                wrong = f"{what}: {words[0]!r:.40} is not possible here{why}"
                raise SpecError(f"{wrong}; possible: a river card, such as {cards[0]}")
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
    return node, river


def decision_after(tree: BettingTree, deal: Deal, line: str, what: str = "line") -> tuple[int, int]:
    """Return the decision after moves, which may omit the river card, and the number of this card or -1.

    Raises
    ------
    SpecError
        No decision follows the moves.
    """
    node, river = node_after(tree, deal, line, what, every_card=True)
    if tree.nodes[node].kind == End.DEAL:
        node = tree.nodes[node].child[0]
    if not tree.nodes[node].actions:
        raise SpecError(f"{what}: no player moves after {line!r:.60}: play is over")
    return node, river
