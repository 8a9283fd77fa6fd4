"""Classify the recall of a player (:mod:`tremble.game.requirements`); find paths that show what the player forgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.absentminded import first_revisit, revisit_in_words
from tremble.game.requirements import Recall, parent_sequence, require_tree
from tremble.game.sequence_form import Sequences, refined
from tremble.game.tree import GameTree, path_in_words, require_player
from tremble.value import Value

__all__ = ["RecallWitness", "classify_recall", "recall_witness"]

_Paths = tuple[tuple[str, ...], tuple[str, ...]]

_MAX_MOVES = 3_000_000
_MAX_COMPARISONS = 20_000_000_000


@dataclass(frozen=True, eq=False, repr=False)
class RecallWitness(Value):
    """Two paths to one information set that show what a player forgets.

    Attributes
    ----------
    player : {0, 1}
    recall : {"a-loss", "imperfect", "absentminded"}
    infoset : int
        The index of the set, from 0.
    paths : pair of tuples of str
        Action labels from the root to two nodes of the set. If the player is absentminded, the first path is the
        beginning of the second. Otherwise the player's own moves differ between the two paths.
    earlier : tuple of int and two str, optional
        For ``"a-loss"``, the index of an earlier set on both paths, and the action of each path at this set; else
        None. For ``"imperfect"``, both paths have the same action at every common earlier set.
    words : str
        The witness as a sentence.

    Examples
    --------
    >>> import tremble
    >>> witness = tremble.recall.recall_witness(tremble.load("a_loss_counterexample"), 0)
    >>> witness.paths, witness.earlier
    ((('a', 'd'), ('b', 'e')), (0, 'a', 'b'))
    >>> witness.words
    "at information set 2 ('forgotten') the player forgets which action it played at information set 1 ('start'): 'a' \
or 'b'"
    """

    player: int
    recall: Recall
    infoset: int
    paths: tuple[tuple[str, ...], tuple[str, ...]]
    earlier: tuple[int, str, str] | None
    words: str

    def plain(self) -> dict[str, Any]:
        """Return the witness as JSON data for ``tremble info``, with information sets numbered from 1."""
        earlier = None
        if self.earlier is not None:
            earlier = {"infoset": self.earlier[0] + 1, "actions": list(self.earlier[1:])}
        return {"infoset": self.infoset + 1, "paths": [*map(list, self.paths)], "earlier": earlier, "words": self.words}


def classify_recall(tree: GameTree, player: int) -> Recall:
    """Classify the recall of a player: ``"perfect"``, ``"a-loss"``, ``"imperfect"`` or ``"absentminded"``.

    Parameters
    ----------
    tree : GameTree
    player : {0, 1}

    Raises
    ------
    TooLargeError
        The player lacks perfect recall, and its own sequences are too many or too long to compare.

    Examples
    --------
    >>> import tremble
    >>> tremble.classify_recall(tremble.load("a_loss_counterexample"), 0)
    'a-loss'

    References
    ----------
    Bošanský, Čermák, Horák, Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
    imperfect recall, ICAART 2017 (Definition 1: A-loss recall).
    """
    witness = recall_witness(tree, player)
    return "perfect" if witness is None else witness.recall


def recall_witness(tree: GameTree, player: int) -> RecallWitness | None:
    """Find two paths to one information set that show what a player forgets; return None for perfect recall.

    Parameters
    ----------
    tree : GameTree
    player : {0, 1}

    Raises
    ------
    TooLargeError
        The player lacks perfect recall, and its own sequences are too many or too long to compare.

    Examples
    --------
    >>> import tremble
    >>> tremble.recall.recall_witness(tremble.load("absentminded_driver"), 0).words
    "a path reaches information set 1 ('intersection') twice: at the root, and after go on"
    """
    require_tree(tree)
    require_player(player)
    if parent_sequence(tree, player) is not None:
        return None
    revisit = first_revisit(tree, player)
    if revisit is not None:
        k, words = int(tree.infoset[revisit[0]]), revisit_in_words(tree, player, *revisit)
        return RecallWitness(player, "absentminded", k, _paths(tree, revisit), None, words)
    # Each refined set of an information set stands for one list of own moves that leads to this information set.
    own, at_node = refined(tree, player)
    agreeing = _agreeing_sets(own)
    pair = np.flatnonzero(own.infoset == np.argmax(own.forgetful))[:2].tolist() if agreeing is None else agreeing
    here = (tree.player == player) & (tree.infoset == own.infoset[pair[0]])
    paths = _paths(tree, (int(np.argmax(here & (at_node == own.parent[k]))) for k in pair))
    return _a_loss(tree, own, pair, paths) if agreeing is None else _imperfect(tree, own, pair, paths)


def _paths(tree: GameTree, nodes: Iterable[int]) -> _Paths:
    first, second = map(tree.path, nodes)
    return first, second


def _imperfect(tree: GameTree, own: Sequences, pair: Sequence[int], paths: _Paths) -> RecallWitness:
    k = int(own.infoset[pair[0]])
    first, second = (f"after {path_in_words(path)}" for path in paths)
    words = (
        f"at {tree.set_name(own.player, k)} the player forgets whether it moves {first} or {second}; it played the "
        "same action at every earlier set that is on both paths"
    )
    return RecallWitness(own.player, "imperfect", k, paths, None, words)


def _a_loss(tree: GameTree, own: Sequences, pair: Sequence[int], paths: _Paths) -> RecallWitness:
    moves = [_earlier_moves(own, k) for k in pair]
    at = next(k for k, slot in moves[0].items() if moves[1].get(k, slot) != slot)
    first, second = (tree.actions[own.player][at][move[at] - int(own.slot_start[at])] for move in moves)
    k = int(own.infoset[pair[0]])
    words = (
        f"at {tree.set_name(own.player, k)} the player forgets which action it played at "
        f"{tree.set_name(own.player, at)}: {first!r} or {second!r}"
    )
    return RecallWitness(own.player, "a-loss", k, paths, (at, first, second), words)


def _earlier_moves(own: Sequences, k: int) -> dict[int, int]:
    """Return the player's moves before refined set k, in the order of play, as a dict from sets to slots of actions."""
    slots = own.last_moves(int(own.parent[k]), own.num_sequences)
    sets = np.searchsorted(own.slot_start, slots, side="right") - 1
    return dict(zip(sets.tolist(), slots, strict=True))


def _agreeing_sets(own: Sequences) -> tuple[int, int] | None:
    """Return the indices of two refined sets that disprove A-loss recall, or None if the player has A-loss recall.

    Both belong to one information set. At every set that is on the paths to both, the player takes the same action.
    """
    by_set = np.argsort(own.infoset, kind="stable")
    ends = np.cumsum(np.bincount(own.infoset))
    groups = [group for group in np.split(by_set, ends[:-1]) if len(group) > 1]
    if sum(int(own.length[own.parent[group]].sum()) for group in groups) > _MAX_MOVES:
        raise TooLargeError(
            f"player {own.player + 1} lacks perfect recall, and its own sequences are too long to compare "
            f"(more than {_MAX_MOVES:,} moves in all)"
        )
    for group in groups:
        pair = _agreeing_pair([_earlier_moves(own, k) for k in group.tolist()])
        if pair is not None:
            return int(group[pair[0]]), int(group[pair[1]])
    return None


def _agreeing_pair(moves: list[dict[int, int]]) -> tuple[int, int] | None:
    """Return the indices of two dicts (set -> slot) in ``moves`` that agree at all common sets, or None."""
    columns = {k: j for j, k in enumerate({k for move in moves for k in move})}
    if len(moves) ** 2 * len(columns) > _MAX_COMPARISONS:
        raise TooLargeError(
            "a player lacks perfect recall, and one information set has too many own sequences to compare"
        )
    table: NDArray[np.int64] = np.full((len(moves), len(columns)), -1, dtype=np.int64)
    for i, move in enumerate(moves):
        for k, slot in move.items():
            table[i, columns[k]] = slot
    for i in range(len(moves) - 1):
        rest = table[i + 1 :]
        differ = ((rest != table[i]) & (rest >= 0) & (table[i] >= 0)).any(axis=1)
        if not differ.all():
            return i, i + 1 + int(np.argmin(differ))
    return None
