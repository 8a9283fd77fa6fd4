"""Find places in a tree: an information set by its label or number, or a node by the moves that lead to it."""

from __future__ import annotations

from collections.abc import Sequence

from tremble.errors import GameError
from tremble.game.labels import by_label, is_whole, meant, set_index
from tremble.game.tree import GameTree, require_player

__all__ = ["find_node", "find_place_in_words", "find_set", "find_set_in_words"]


def find_set(tree: GameTree, infoset: str | int, player: int | None = None) -> tuple[int, int]:
    """Return the player and the index of an information set; ``infoset`` is its label or, with ``player``, its index.

    Raises
    ------
    GameError
        No set fits, more than one set fits, or an index is given without a player.
    """
    if player is not None:
        require_player(player)
        return player, _index(tree, player, infoset)
    if not isinstance(infoset, str):
        raise GameError(f"{infoset!r:.80} is the index of an information set: also give player=0 or player=1")
    whose = [i for i in (0, 1) if infoset in tree.infoset_labels[i]]
    if len(whose) == 2:
        raise GameError(f"both players have an information set {infoset!r:.80}: choose one by player=0 or player=1")
    if not whose:
        known = [label for labels in tree.infoset_labels for label in dict.fromkeys(labels) if label]
        advice = meant(infoset, known) if known else "no set has a label: give its number from 0, and the player"
        raise GameError(f"no information set is called {infoset!r:.80}; {advice}")
    return whose[0], _index(tree, whose[0], infoset)


def _index(tree: GameTree, player: int, infoset: str | int) -> int:
    """Return the index of a set; ``infoset`` is this index, or a label from the tree (not from a strategy)."""
    labels = tree.infoset_labels[player]
    return set_index(by_label(labels), len(labels), player, infoset)


def find_set_in_words(tree: GameTree, infoset: str, player: int | None = None) -> tuple[int, int]:
    """Return the player and the index of an information set that a command names by label, or by number from 1.

    Raises
    ------
    GameError
        No set fits, or more than one set fits.
    """
    whose = (0, 1) if player is None else (player,)
    if infoset.isdecimal() and not any(infoset in tree.infoset_labels[i] for i in whose):
        there = [i for i in whose if 1 <= int(infoset) <= tree.num_infosets[i]]
        if len(there) == 2:
            raise GameError(f"both players have an information set {infoset}: choose one by --player 1 or --player 2")
        if not there:
            counts = " and ".join(f"player {i + 1} has {tree.num_infosets[i]}" for i in whose)
            raise GameError(f"there is no information set {infoset}: {counts}")
        return there[0], int(infoset) - 1
    called = [
        f"{k} (--player {i + 1})" for i in whose for k, label in enumerate(tree.infoset_labels[i], 1)
        if label == infoset
    ]  # fmt: skip
    if len(called) > 1:
        listed = ", ".join(called[:6]) + (", ..." if len(called) > 6 else "")
        many = f"{len(called)} information sets are called {infoset!r:.80}"
        raise GameError(f"{many}; give its number: {listed}")
    if not called and not any(label for i in whose for label in tree.infoset_labels[i]):
        none = f"no information set is called {infoset!r:.80}: none has a label"
        raise GameError(f"{none}; give its number, from 1")
    return find_set(tree, infoset, player)


def find_node(tree: GameTree, moves: Sequence[str | int]) -> int:
    """Return the node that ``moves`` reach from the root. A move is an action's label, or the action's position from 0.

    Raises
    ------
    GameError
        A move is not possible at its node.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> kuhn.path(find_node(kuhn, ["KQ", "check", 1]))
    ('KQ', 'check', 'bet')
    """
    node = 0
    for count, move in enumerate(moves):
        labels = tree.labels(node)
        if isinstance(move, str) and move in labels:
            action = labels.index(move)
        elif is_whole(move) and 0 <= int(move) < len(labels):
            action = int(move)
        else:
            advice = meant(str(move), labels) if labels else "the game ends there"
            after = f"after {list(moves[:count])!r:.80}" if count else "at the root"
            raise GameError(f"{after} there is no move {move!r:.80}; {advice}")
        node = tree.children(node)[action]
    return node


def find_place_in_words(tree: GameTree, words: str, player: int | None = None) -> tuple[int, int] | int:
    """Find what ``words`` names: an information set (player, index), or the node after moves such as ``KQ / check``.

    Raises
    ------
    GameError
        The text names neither an information set nor a node.
    """
    try:
        return find_set_in_words(tree, words, player)
    except GameError:
        node = _node_after(tree, words)
        if node is None:
            raise
        return node


def _node_after(tree: GameTree, words: str) -> int | None:
    """Return the node after moves such as ``KQ / check``, or None if a move is unknown; labels may contain slashes."""
    node, left = 0, words.strip()
    while left:
        labels = [label for label in tree.labels(node) if label and (left + "/").startswith(label)]
        fits = [label for label in labels if left == label or left[len(label) :].lstrip().startswith("/")]
        if not fits:
            return None
        label = max(fits, key=len)
        node = tree.children(node)[tree.labels(node).index(label)]
        left = left[len(label) :].lstrip().removeprefix("/").strip()
    return node
