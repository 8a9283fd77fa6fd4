"""Reader and writer for Gambit's strategic-form files, ``.nfg``.

A file contains a prologue and then either all payoffs, or a list of outcomes and an outcome number for each cell::

    NFG 1 R "title" { "Ann" "Bob" } { 2 3 }                             numbers of strategies
    1 -1   2 -2   0 0   3 -3   4 -4   5 -5                              payoffs of both, cell by cell

    NFG 1 R "title" { "Ann" "Bob" } { { "top" "bottom" } { "left" "right" } }
    "an optional comment"
    { { "win" 1, -1 } { "lose" -1, 1 } }
    1 2 0 1                                                             outcome numbers; outcome 0 pays nothing

In both forms, the cells (pairs of strategies) are ordered so that player 1's strategy changes fastest. If a file
contains only the numbers of strategies, and not their names, Gambit uses the names ``1``, ``2``, ....

The reader returns a tree in which player 1 moves first and player 2 then moves without seeing player 1's move. The
writer converts a tree of any other shape to its reduced normal form. The modules :mod:`tremble.formats.gambit_text` and
:mod:`tremble.formats.gambit_labels` handle tokens, numbers and labels.
"""

from __future__ import annotations

import os
import re
from array import array
from fractions import Fraction

from tremble.errors import TooLargeError
from tremble.formats.gambit_labels import distinct_labels, quote, warn_of_unwritable_labels
from tremble.formats.gambit_text import (
    Notes,
    Numbers,
    Payoffs,
    Tokens,
    format_number,
    format_prologue,
    read_game_source,
    read_prologue,
    shown_list,
    write_game,
)
from tremble.formats.origin import with_origin
from tremble.game.matrix_game import matrix_game
from tremble.game.normal_form import reduced_normal_form
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.numbers import required_max_nodes
from tremble.run.text_file import SourceText

__all__ = ["format_nfg", "read_nfg", "write_nfg"]

_BEGINS = re.compile(r'\s*NFG(?=\s+[0-9]|\s*\Z|[^"{\n]*["{\n])', re.ASCII)
_RENAMED = "empty or repeated strategy labels were renamed for {0} player(s), such as {1}"


def read_nfg(
    source: str | os.PathLike[str], *, max_nodes: int = DEFAULT_MAX_NODES, name: str | None = None
) -> GameTree:
    """Read a two-player game in Gambit's strategic form.

    Parameters
    ----------
    source : str or path
        A path, or the text itself, which begins with ``NFG``.
    max_nodes : int
        Raise ``TooLargeError`` if the tree has more nodes.
    name : str, optional
        Name of the source in errors. The default is the path.

    Returns
    -------
    GameTree
        Each player has one information set.

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
        The reader renamed duplicate or empty strategy labels.

    Examples
    --------
    >>> tree = read_nfg('NFG 1 R "pennies" { "Ann" "Bob" } { 2 2 }  1 -1  -1 1  -1 1  1 -1')
    >>> tree.num_infosets, tree.actions[0], tree.payoff.tolist()
    ((1, 1), (('1', '2'),), [[1, -1], [-1, 1], [-1, 1], [1, -1]])
    """
    # Read the prologue and the strategies.
    expected = 'a file name, or a text that begins with NFG 1 R "'
    text = read_game_source(source, begins=_BEGINS, expected=expected, name=name)
    tokens, notes = Tokens(text, Numbers()), Notes(text.name)
    title, players = read_prologue(tokens, "NFG", "1")
    sizes, names = _strategies(tokens, text, notes)
    nodes = 1 + sizes[0] + sizes[0] * sizes[1]
    most = required_max_nodes(max_nodes)
    if nodes > most:
        raise TooLargeError(f"{text.name}: the game has {nodes:,} nodes as a tree, more than {most:,}")
    if tokens.at_string():
        tokens.string("the comment")
    # Read the payoffs cell by cell.
    outcomes = _outcomes(tokens) if tokens.token == "{" else None
    places, cells = array("q"), []
    for _ in range(sizes[0] * sizes[1]):
        places.append(tokens.offset)
        cells.append(_cell(tokens, outcomes))
    if tokens.token:
        raise tokens.fail(f"the end of the file after the payoffs of {sizes[0]} x {sizes[1]} cells")
    # Make the tree. Store the positions of the cells, so that errors about the tree can name a place in the file.
    matrices = [
        [[cells[j * sizes[0] + i][player] for j in range(sizes[1])] for i in range(sizes[0])] for player in (0, 1)
    ]
    labels = names or (None, None)
    tree = matrix_game(*matrices, rows=labels[0], columns=labels[1], title=title, players=players, max_nodes=max_nodes)
    notes.warn(stacklevel=2)

    def place(leaf: int) -> str:
        i, j = divmod(int(tree.infoset[leaf]), sizes[1])
        return f"{text.name}:{text.place(places[j * sizes[0] + i])}"

    return with_origin(tree, text.name, place)


def _strategies(
    tokens: Tokens, text: SourceText, notes: Notes
) -> tuple[tuple[int, int], tuple[tuple[str, ...], ...] | None]:
    """Read each player's number of strategies, and the labels of the strategies if the file has labels."""
    tokens.expect("{", "and the strategies of the players")
    if tokens.token != "{":
        counts = []
        for player in (1, 2):
            place = tokens.offset
            counts.append(tokens.integer(f"the number of strategies of player {player}"))
            if counts[-1] < 1:
                raise text.error(f"expected a positive number of strategies, found {counts[-1]}", place)
            tokens.skip(",")
        tokens.expect("}", "after the numbers of strategies of two players")
        return (counts[0], counts[1]), None
    labels = []
    for player in (1, 2):
        place = tokens.offset
        tokens.expect("{", f"and the strategies of player {player}")
        written = tokens.strings("a strategy label", "another strategy label")
        labels.append(distinct_labels(written))
        if labels[-1] != written:
            became = f"{shown_list(written)} became {shown_list(labels[-1])} at {text.place(place)}"
            notes.add(_RENAMED, became.__str__)
    tokens.expect("}", "after the strategies of two players")
    return (len(labels[0]), len(labels[1])), tuple(labels)


def _outcomes(tokens: Tokens) -> list[Payoffs]:
    """Read the payoffs of the outcomes, which are numbered from 1. Entry 0 is an added outcome that pays nothing."""
    outcomes: list[Payoffs] = [(0, 0)]
    tokens.expect("{", "and the outcomes")
    while tokens.token != "}":
        tokens.expect("{", "and an outcome, or } after the last one")
        if tokens.at_string():
            tokens.string("the name of the outcome")
        outcomes.append(tokens.pair("a payoff", "a payoff"))
        tokens.expect("}", "after two payoffs")
        tokens.skip(",")
    tokens.advance()
    return outcomes


def _cell(tokens: Tokens, outcomes: list[Payoffs] | None) -> Payoffs:
    """Return the payoffs of the next cell. If there is a list of outcomes, the cell contains only an outcome number."""
    if outcomes is None:
        return tokens.pair("the payoff of player 1 in a cell", "the payoff of player 2 in a cell")
    place = tokens.offset
    number = tokens.integer("the outcome number of a cell")
    if not 0 <= number < len(outcomes):
        raise tokens.source.error(f"expected an outcome from 0 to {len(outcomes) - 1}, found {number}", place)
    tokens.skip(",")
    return outcomes[number]


# -- writing -------------------------------------------------------------------------------------------


def format_nfg(tree: GameTree) -> str:
    """Return a one-shot game, or the reduced normal form of any other game, as the text of an .nfg file.

    If all strategies have the names ``1``, ``2``, ..., the text contains how many strategies each player has, and all
    payoffs. OpenSpiel can read this form too. Otherwise the text contains labels and a list of outcomes.

    The function raises ``TooLargeError`` if the game has too many strategies, and ``ImperfectRecallError`` if a player
    does not have perfect recall. A ``TrembleWarning`` reports empty labels. Programs that read the file rename them.

    Examples
    --------
    >>> text = 'NFG 1 R "pennies" { "Ann" "Bob" } { 2 2 }  1 -1  -1 1  -1 1  1 -1'
    >>> print(format_nfg(read_nfg(text)), end="")
    NFG 1 R "pennies" { "Ann" "Bob" } { 2 2 }
    <BLANKLINE>
    1 -1 -1 1
    -1 1 1 -1
    """
    tree = reduced_normal_form(tree)
    warn_of_unwritable_labels(tree, stacklevel=2)
    labels = tree.actions[0][0], tree.actions[1][0]
    rows, columns = map(len, labels)
    values, texts = tree.payoff.tolist(), {}
    for value in {value for pair in values for value in pair}:
        texts[value] = format_number(Fraction(value, tree.payoff_denominator))
    cells = [[values[i * columns + j] for i in range(rows)] for j in range(columns)]
    prologue = format_prologue(tree, "NFG 1")
    if all(label == str(i + 1) for group in labels for i, label in enumerate(group)):
        lines = [f"{prologue} {{ {rows} {columns} }}", ""]
        lines += [" ".join(f"{texts[one]} {texts[two]}" for one, two in column) for column in cells]
        return "\n".join([*lines, ""])
    lists = "\n".join(f"{{ {' '.join(map(_quoted, group, range(len(group))))} }}" for group in labels)
    numbers: dict[tuple[int, int], int] = {}
    body = [" ".join(str(numbers.setdefault((a, b), len(numbers) + 1)) for a, b in column) for column in cells]
    outcomes = [f'{{ "" {texts[one]}, {texts[two]} }}' for one, two in numbers]
    return "\n".join([prologue, "", f"{{ {lists}", "}", '""', "", "{", *outcomes, "}", *body, ""])


def _quoted(label: str, i: int) -> str:
    """Quote a strategy label so that Gambit does not change it.

    Gambit first names the strategies 1, 2, ..., and then gives them their labels one by one. It rejects a label
    that equals the name of a later strategy. So if a label is a number other than the strategy's own number, the
    function writes the label's first digit as a character reference.
    """
    if label.isdecimal() and label.isascii() and label.lstrip("0") == label and label != str(i + 1):
        return f'"&#{ord(label[0])};{label[1:]}"'
    return quote(label)


def write_nfg(tree: GameTree, path: str | os.PathLike[str]) -> None:
    """Write a one-shot game, or the reduced normal form of any other game, to an .nfg file.

    In the reduced normal form, each player chooses a reduced pure strategy once, and the payoffs are expected payoffs
    (see :func:`tremble.strategies.reduced_normal_form`). This form keeps the Nash equilibria of the tree, but not the
    order of moves. An error leaves the file unchanged.

    Raises
    ------
    TooLargeError
        The game has more than a million pairs of strategies.
    GameError
        A player does not have perfect recall (``ImperfectRecallError``), or a number has more than 4,300 digits.
    FormatError
        The file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> tree = read_nfg('NFG 1 R "" { "Ann" "Bob" } { { "stay" } { "left" "right" } } 1 2 3 4')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_nfg(tree, os.path.join(folder, "a.nfg"))
    ...     read_nfg(os.path.join(folder, "a.nfg")).digest == tree.digest
    True
    """
    write_game(tree, path, format_nfg)
