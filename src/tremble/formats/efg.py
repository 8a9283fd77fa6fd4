r"""Reader and writer for Gambit's extensive-form files, ``.efg``.

A file contains a prologue and then one entry per node in depth-first preorder::

    EFG 2 R "title" { "Player 1" "Player 2" }
    "an optional comment"
    c "node" 1 "set" { "heads" 1/2 "tails" 1/2 } 0        chance: label, set, its name, actions, outcome
    p "node" 1 1 "set" { "left" "right" } 0               player 1: label, player, set, name, actions, outcome
    t "node" 1 "outcome" { 1, -1 }                        leaf: label, outcome, its name, payoffs

Entries with equal outcome numbers refer to the same outcome. Two entries with the same player and the same set number
refer to the same information set. Later mentions of a set or an outcome may omit its name and its list of actions or
payoffs. Outcome 0 pays nothing. The payoffs of an outcome at an inner node are added to the payoffs of all leaves below
the node.

The reader is tolerant. It reads every text that has only one sensible meaning, and issues a ``TrembleWarning`` for each
kind of repair. For other texts it raises ``FormatError`` with line and column. The writer is strict: it writes exact
fractions, complete lists at every mention, and payoffs only at leaves.

For speed, one regular expression matches a node up to the tag (c, p or t) of the next node. The text after a node's
label is its *entry*. Nodes of an information set usually have equal entries, so the reader caches parsed entries. The
module :mod:`tremble.formats.efg_entries` parses new entries, and :mod:`tremble.formats.gambit_text` reads the tokens.
"""

from __future__ import annotations

import os
import re
from fractions import Fraction
from itertools import count
from typing import NoReturn

import numpy as np

from tremble.errors import TooLargeError
from tremble.formats.efg_entries import NO_PAYOFFS, Entries
from tremble.formats.gambit_labels import distinct_labels, quote, warn_of_unwritable_labels
from tremble.formats.gambit_text import (
    STRING,
    Number,
    Payoffs,
    format_number,
    format_prologue,
    read_game_source,
    read_prologue,
    write_game,
)
from tremble.formats.origin import with_origin
from tremble.formats.tolerance import repair_limit
from tremble.game.protocol import CHANCE
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.game.tree_builder import DEFAULT_MAX_NODES, TreeBuilder
from tremble.notation import integral
from tremble.run.text_file import SourceText

__all__ = ["format_efg", "read_efg", "write_efg"]

_BEGINS = re.compile(r'\s*EFG(?=\s+[0-9]|\s*\Z|[^"{\n]*["{\n])', re.ASCII)
_NODE = re.compile(rf'\s*+([cpt])\s*+{STRING}((?:[^"cpt]++|{STRING})*+)', re.DOTALL | re.ASCII)
_TRAILING = "the text after the end of the tree, from {1} on, was ignored"
_SUM_WORK = 5_000_000_000  # greatest number of operations on machine words for adding up the payoffs along paths


def read_efg(
    source: str | os.PathLike[str],
    *,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    name: str | None = None,
) -> GameTree:
    """Read a two-player game in Gambit's extensive form.

    Parameters
    ----------
    source : str or path
        A path, or the text itself, which begins with ``EFG``.
    repair : bool
        Repair chance probabilities that do not sum to one because they were rounded. Each probability changes by at
        most one unit of its last digit or 1e-9, whichever is larger. A ``TrembleWarning`` reports repairs.
    repair_tolerance : Fraction, int or str, optional
        Repair probabilities as described for ``repair``, but with this number instead of 1e-9.
    max_nodes : int
        Raise ``TooLargeError`` if the tree has more nodes.
    name : str, optional
        Name of the source in errors. The default is the path.

    Returns
    -------
    GameTree

    Raises
    ------
    FormatError
        The file is missing, unreadable or malformed. The message contains the position and what was expected.
    PlayersError
        The game does not have two players.
    TooLargeError
        The tree has too many nodes, or its numbers need too much memory.

    Warns
    -----
    TrembleWarning
        The reader renamed duplicate or empty action labels, repaired probabilities, or ignored text after the tree. A
        warning is also issued if an information set has more than one name.

    Examples
    --------
    >>> tree = read_efg('''EFG 2 R "take it or leave it" { "Ann" "Bob" }
    ... p "" 1 1 "" { "take" "leave" } 0
    ... t "" 1 "" { 1/2 -.5 }
    ... t "" 0''')
    >>> tree.num_leaves, tree.payoff_at(0)
    (2, (Fraction(1, 2), Fraction(-1, 2)))
    >>> read_efg('EFG 2 R "" { "Ann" "Bob" } t "" 1 "" { 1 }')
    Traceback (most recent call last):
    tremble.errors.FormatError: <text>:1:42: expected a payoff (a number such as 3, 0.25, 1e-3 or -1/18), found }
    """
    expected = 'a file name, or a text that begins with EFG 2 R "'
    text = read_game_source(source, begins=_BEGINS, expected=expected, name=name)
    reader = _Reader(text, repair=repair_limit(repair, repair_tolerance), max_nodes=max_nodes)
    tree = reader.read()
    reader.notes.warn(stacklevel=2)
    return tree


class _Reader:
    """A reader for one file. It stores the entries parsed so far, and notes on repairs for warnings."""

    def __init__(self, source: SourceText, *, repair: Fraction | None, max_nodes: int) -> None:
        self._source = source
        self._max_nodes = max_nodes
        self._entries = Entries(source, repair=repair)
        self._tokens = self._entries.tokens
        self.notes = self._entries.notes
        self._work = 0

    def read(self) -> GameTree:
        title, players = read_prologue(self._tokens, "EFG", "2")
        if self._tokens.at_string():
            self._tokens.string("the comment")
        builder = TreeBuilder(title=title, players=players, max_nodes=self._max_nodes)
        start = self._tokens.offset
        self._tokens.jump(self._nodes(builder, start))
        if self._tokens.token:
            self.notes.add(_TRAILING, lambda: self._source.place(self._tokens.offset))
        tree = builder.finish()
        keys = pair(np.array(keys, dtype=np.int64) for keys in builder.set_keys)
        return with_origin(
            tree, self._source.name, lambda leaf: self._place_of_node(start, int(tree.preorder[leaf])), keys
        )

    def _place_of_node(self, place: int, position: int) -> str:
        """Return the file, line and column of a node from its position in preorder, by parsing the file again."""
        for _ in range(position):
            match = _NODE.match(self._source.text, place)
            assert match is not None
            place = match.end()
        self._tokens.jump(place)
        return f"{self._source.name}:{self._source.place(self._tokens.offset)}"

    def _nodes(self, builder: TreeBuilder, place: int) -> int:
        """Read all nodes, from the offset ``place``, into the builder; return the offset of the end of the tree."""
        text, entries, match_node = self._source.text, self._entries, _NODE.match
        leaves: dict[str, Payoffs] = {}
        decisions: dict[str, tuple[int, int, tuple[str, ...], str, Payoffs]] = {}
        chances: dict[str, tuple[tuple[str, ...], tuple[Number, ...], Payoffs]] = {}
        missing: list[int] = []  # number of missing children, for each incomplete node on the path
        inherited: list[Payoffs | None] = []  # sum of the payoffs on the path to each of these nodes; None if zero
        # Read one node per iteration. `match` covers the node up to the tag of the next node.
        while True:
            match = match_node(text, place)
            if match is None:
                self._fail_without_node(place, sum(missing) or 1)
            place = match.end()
            above = None
            if missing:
                above = inherited[-1]
                missing[-1] -= 1
                if not missing[-1]:
                    missing.pop()
                    inherited.pop()
            kind, entry = match.groups()
            # Parse the entry if it is new, and add the node.
            if kind == "t":
                payoffs = leaves.get(entry)
                if payoffs is None:
                    payoffs, end = entries.leaf(match.start(2), place)
                    if missing:
                        self._check_entry_ends(end, place)
                    else:
                        place = end
                    leaves[entry] = payoffs
                if above is not None:
                    payoffs = self._added(above, payoffs)
                builder.leaf(*payoffs)
                if not missing:
                    return place
                continue
            if kind == "p":
                decision = decisions.get(entry)
                if decision is None:
                    decision, end = entries.decision(match.start(2), place)
                    self._check_entry_ends(end, place)
                    decisions[entry] = decision
                player, number, labels, name, payoffs = decision
                builder.decision(player, number, labels, name)
            else:
                chance = chances.get(entry)
                if chance is None:
                    chance, end = entries.chance(match.start(2))
                    self._check_entry_ends(end, place)
                    chances[entry] = chance
                labels, probabilities, payoffs = chance
                builder.chance(labels, probabilities)
            missing.append(len(labels))
            if payoffs is not NO_PAYOFFS:
                above = payoffs if above is None else self._added(above, payoffs)
            inherited.append(above)

    def _fail_without_node(self, place: int, missing: int) -> NoReturn:
        tokens = self._tokens
        tokens.jump(place)
        if tokens.token in ("c", "p", "t"):
            tokens.advance()
            tokens.string("the label of the node")
        raise tokens.fail(f"a node (p, c or t; the tree lacks at least {missing:,} more)")

    def _check_entry_ends(self, end: int, place: int) -> None:
        if end < place:
            raise self._tokens.fail("a node (p, c or t)")

    def _added(self, above: Payoffs, payoffs: Payoffs) -> Payoffs:
        """Return ``above`` plus ``payoffs``. Raise ``TooLargeError`` if the sums of this file take too much work."""
        player1, player2 = above[0] + payoffs[0], above[1] + payoffs[1]
        words = (player1.denominator.bit_length() + player2.denominator.bit_length()) // 30
        if words > 50:
            self._work += words * words
            if self._work > _SUM_WORK:
                raise TooLargeError(f"{self._source.name}: the sums of payoffs along the paths have too many digits")
        return integral(player1), integral(player2)


# -- writing -------------------------------------------------------------------------------------------


def format_efg(tree: GameTree) -> str:
    """Return a game as the text of an .efg file, which Gambit, OpenSpiel and :func:`read_efg` can read.

    Information sets have the same numbers as in the tree, but counted from 1. Each chance node has its own set. Leaves
    with equal payoffs share an outcome. Readers of the format rename empty action labels, for example to ``_1``, so a
    ``TrembleWarning`` reports empty labels.

    Examples
    --------
    >>> tree = read_efg('EFG 2 D "coin" {"A" "B"} c""9""{"h" .5 "t" 1/2} 0 t""0 t""7{1,-1}')
    >>> print(format_efg(tree), end="")
    EFG 2 R "coin" { "A" "B" }
    ""
    <BLANKLINE>
    c "" 1 "" { "h" 1/2 "t" 1/2 } 0
    t "" 1 "" { 0, 0 }
    t "" 2 "" { 1, -1 }
    """
    require_tree(tree)
    warn_of_unwritable_labels(tree, stacklevel=2)
    names = [distinct_labels(labels, empty_too=False) for labels in tree.infoset_labels]
    movers = [
        [
            f'p "" {i + 1} {k + 1} {quote(names[i][k])} {{ {" ".join(map(quote, labels))} }} 0'
            for k, labels in enumerate(tree.actions[i])
        ]
        for i in range(2)
    ]
    tables = [
        " ".join(f"{quote(a)} {format_number(p)}" for a, p in zip(t.labels, t.probabilities, strict=True))
        for t in tree.chance_tables
    ]
    outcomes, chance_nodes = count(1), count(1)
    nodes = tree.in_words(
        movers, tables, lambda one, two: f't "" {next(outcomes)} "" {{ {format_number(one)}, {format_number(two)} }}'
    )
    lines = [
        f'c "" {next(chance_nodes)} "" {{ {node} }} 0' if mover == CHANCE else node
        for mover, node in zip(tree.player[tree.in_preorder].tolist(), nodes, strict=True)
    ]
    return "\n".join([format_prologue(tree, "EFG 2"), '""', "", *lines, ""])


def write_efg(tree: GameTree, path: str | os.PathLike[str]) -> None:
    """Write a game, as formatted by :func:`format_efg`, to an .efg file. An error leaves the file unchanged.

    Raises
    ------
    GameError
        A number has more than 4,300 digits.
    FormatError
        The file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> tree = read_efg('EFG 2 R "nothing happens" { "A" "B" } t "" 0')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_efg(tree, os.path.join(folder, "a.efg"))
    ...     read_efg(os.path.join(folder, "a.efg")).digest == tree.digest
    True
    """
    write_game(tree, path, format_efg)
