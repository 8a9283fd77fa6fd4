"""Write a solution of a game tree as a plain text that the verified checker reads.

Usage: ``python formal/convert.py GAME SOLUTION [--claim CONCEPT] > FILE``. GAME is an argument of `tremble.load`, and
SOLUTION is a solution file. The converter is not verified. The main theorem is about the text that it writes:
docs/explanation/formal.md describes this text, and how to compare it with the game.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import tremble
from tremble import CHANCE, TERMINAL, GameTree
from tremble.game.requirements import has_perfect_information

CLAIMS = (
    *("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential"),
    *("normal-form-perfect", "perfect"),
)
MOST_COEFFICIENTS = 2_000_000


class UnsupportedError(ValueError):
    """The solution has a concept or a certificate that the verified checker cannot check."""


def text_of(game: GameTree, document: dict[str, Any], claim: str | None = None) -> str:
    """Return the plain text of a solution file's content, with the claim of the file or a weaker claim."""
    return "\n".join(lines_of(game, document, claim)) + "\n"


def lines_of(game: GameTree, document: dict[str, Any], claim: str | None = None) -> Iterator[str]:
    """Yield the lines of the text in the order that the checker expects."""
    claim = document["concept"] if claim is None else claim
    if claim not in CLAIMS:
        raise UnsupportedError(f"the verified checker has no concept {claim!r}; it has {', '.join(CLAIMS)}")
    if claim == "one-sided-quasi-perfect":
        yield f"claim {claim} {_without_mistakes(document)}"
    else:
        yield f"claim {claim}"
    yield _line("values", map(number, document["values"]))
    yield from nodes(game)
    for player, rows in enumerate(document["strategies"], 1):
        for row in rows:
            yield _line(f"play {player} {row['infoset']}", (number(p) for _, p in row["actions"]))
    if claim == "sequential":
        if "beliefs" not in document:
            raise UnsupportedError("the solution has no beliefs; the claim 'sequential' needs them")
        for player, rows in enumerate(document["beliefs"], 1):
            for row in rows:
                yield _line(f"belief {player} {row['infoset']}", (number(p) for _, p in row["nodes"]))
    kind = document["certificate"].get("kind")
    if claim in ("quasi-perfect", "perfect") and kind == "backward-induction":
        yield from mistakes(document)
    elif claim == "sequential" and kind == "consistent-trembles" and _is_certain(game):
        pass  # the checker needs no certificate, because all beliefs are certain
    elif claim == "perfect":
        raise UnsupportedError(f"the verified checker proves 'perfect' by 'backward-induction', not by {kind!r}")
    elif claim not in ("nash", "subgame-perfect"):
        yield from plans(game, document)


def _is_certain(game: GameTree) -> bool:
    """Return True if every information set is one node, and chance makes every move with a positive probability."""
    return has_perfect_information(game) and all(p for table in game.chance_tables for p in table.probabilities)


def _without_mistakes(document: dict[str, Any]) -> int:
    """Return the number of the player who makes no mistakes in a one-sided equilibrium."""
    trembles = document["certificate"].get("trembles")
    players = [i for i in (1, 2) if isinstance(trembles, list) and trembles[i - 1] == "none"]
    if len(players) != 1:
        raise UnsupportedError("the certificate must name one player without mistakes")
    return players[0]


def nodes(game: GameTree) -> Iterator[str]:
    """Yield a line for each node of the tree, in preorder."""
    order = [0] * game.num_nodes
    for node, position in enumerate(game.preorder.tolist()):
        order[position] = node
    mover, infoset, children = game.player.tolist(), game.infoset.tolist(), game.num_children.tolist()
    for node in order:
        if mover[node] == TERMINAL:
            u1, u2 = (Fraction(int(u), game.payoff_denominator) for u in game.payoff[infoset[node]])
            yield f"leaf {u1} {u2}"
        elif mover[node] == CHANCE:
            yield _line("chance", game.chance_tables[infoset[node]].probabilities)
        else:
            yield f"move {mover[node] + 1} {infoset[node] + 1} {children[node]}"


def mistakes(document: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each information set: a number m for each action.

    With mistakes, the probability p of an action becomes p + m e, where m is the weight w of the action in the
    certificate, minus p times the sum of the weights at the set. So the numbers m have the sum 0.
    """
    stated = document["certificate"]["trembles"]
    for player, rows in enumerate(document["strategies"]):
        for k, row in enumerate(rows):
            played = [number(p) for _, p in row["actions"]]
            weight = _tremble(stated, player, k, len(played))
            total = sum(weight)
            numbers = (w - p * total for w, p in zip(weight, played, strict=True))
            yield _line(f"mistake {player + 1} {row['infoset']}", numbers)


def plans(game: GameTree, document: dict[str, Any]) -> Iterator[str]:
    """Yield the weights of all sequences: a polynomial in e for each action of each information set."""
    certificate = document["certificate"]
    kind = certificate.get("kind")
    if kind == "polynomials":
        weights = [_stated(certificate, player) for player in (0, 1)]
    elif kind == "consistent-trembles":
        weights = [_computed(game, document, player) for player in (0, 1)]
    else:
        raise UnsupportedError(f"the verified checker cannot use a certificate of kind {kind!r}")
    for player, (root, _) in enumerate(weights, 1):
        yield _line(f"root {player}", root)
    for player, (_, rows) in enumerate(weights, 1):
        at = 0
        for k, actions in enumerate(game.actions[player - 1], 1):
            for polynomial in rows[at : at + len(actions)]:
                yield _line(f"weight {player} {k}", polynomial)
            at += len(actions)


def _stated(certificate: dict[str, Any], player: int) -> tuple[list[Any], list[list[Any]]]:
    """Return the plan of a certificate of kind `polynomials`: integers, and their denominator as the root's weight."""
    degrees = [[number(v) for v in row] for row in certificate["XY"[player]]]
    empty, *sequences = (_trimmed(list(column)) for column in zip(*degrees, strict=True))
    return empty, sequences


def _computed(game: GameTree, document: dict[str, Any], player: int) -> tuple[list[Any], list[list[Any]]]:
    """Return a plan with the mistakes of a certificate of kind `consistent-trembles`.

    An action that the strategy does not play has the probability w e^k, with the weight w and the order k of the
    certificate. The other actions have the probability of the strategy times 1 minus these probabilities. A sequence
    has the product of the probabilities of its actions.
    """
    certificate = document["certificate"]
    before = _sequence_before(game, player)
    result: list[list[Any]] = []
    start: list[int] = []
    size = 0
    for k, row in enumerate(document["strategies"][player]):
        start.append(len(result))
        played = [number(p) for _, p in row["actions"]]
        weight, order = (_tremble(certificate[name], player, k, len(played)) for name in ("trembles", "orders"))
        mistakes = [[*[0] * int(o), w] if not p else [] for p, w, o in zip(played, weight, order, strict=True)]
        rest = [1]
        for mistake in mistakes:
            rest = _plus(rest, [-c for c in mistake])
        prior = [1] if before[k] is None else result[start[before[k][0]] + before[k][1]]
        for p, mistake in zip(played, mistakes, strict=True):
            product = _times(prior, [p * c for c in rest] if p else mistake)
            size += len(product)
            if size > MOST_COEFFICIENTS:
                raise UnsupportedError(f"the plan has more than {MOST_COEFFICIENTS:,} coefficients")
            result.append(product)
    return [1], result


def _sequence_before(game: GameTree, player: int) -> list[Any]:
    """Return the player's last set and action before each of its information sets; None if there is no earlier move."""
    last: list[Any] = [None] * game.num_nodes
    result: list[Any] = [None] * len(game.actions[player])
    mover, infoset, parent = game.player.tolist(), game.infoset.tolist(), game.parent.tolist()
    for node, action in enumerate(game.action.tolist()):
        if node:
            up = parent[node]
            last[node] = (infoset[up], action) if mover[up] == player else last[up]
        if mover[node] == player:
            result[infoset[node]] = last[node]
    return result


def _tremble(stated: Any, player: int, k: int, count: int) -> list[Any]:
    """Return the stated weights or orders of a set's actions; they are 1 if the certificate states none."""
    return [1] * count if stated is None else [number(v) for v in stated[player][k]]


def _plus(p: list[Any], q: list[Any]) -> list[Any]:
    longer, shorter = (p, q) if len(p) >= len(q) else (q, p)
    return [c + (shorter[i] if i < len(shorter) else 0) for i, c in enumerate(longer)]


def _times(p: list[Any], q: list[Any]) -> list[Any]:
    result = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return _trimmed(result)


def _trimmed(p: list[Any]) -> list[Any]:
    """Remove the zeros at the end of a list of coefficients."""
    while p and not p[-1]:
        p.pop()
    return p


def number(value: Any) -> Fraction:
    """Return the exact number that a solution file states as text, or as an integer."""
    if isinstance(value, str) and "0x" in value:
        numerator, _, denominator = value.partition("/")
        return Fraction(int(numerator, 16), int(denominator or "0x1", 16))
    return Fraction(value)


def _line(start: str, numbers: Iterable[Any]) -> str:
    return " ".join([start, *map(str, numbers)])


def main() -> None:
    """Convert the files named on the command line."""
    parser = argparse.ArgumentParser(description="Write a solution as a text that the verified checker reads.")
    parser.add_argument("game", help="a game, as for tremble.load")
    parser.add_argument("solution", help="a solution file")
    parser.add_argument("--claim", choices=CLAIMS, help="the concept to claim; default: the concept of the solution")
    given = parser.parse_args()
    sys.set_int_max_str_digits(0)
    game = tremble.load(given.game)
    document = json.loads(Path(given.solution).read_text("utf-8"))
    try:
        sys.stdout.write(text_of(game, document, given.claim))
    except UnsupportedError as error:
        sys.exit(f"convert.py: {error}")


if __name__ == "__main__":
    main()
