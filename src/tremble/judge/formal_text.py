"""Writer for the plain text form: a claim about a game, for the checker that is proven in Coq (folder ``formal``).

A text has three parts: the game, the strategies (with beliefs for ``sequential``), and the certificate. Two lines come
first, the concept and the expected payoffs. Numbers are decimal integers or fractions. The certificate consists of a
plan of each player whose weights are polynomials in an infinitesimal, or of the mistakes at each information set. The
concepts ``nash`` and ``subgame-perfect`` have none. See ``docs/explanation/formal.md`` for an example, and
``formal/Document.v`` for the definition.

The text of a game alone consists of the lines of the first part, exactly as in the text of a claim about the game.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tremble.errors import CertificateError, SpecError, TrembleError
from tremble.exact.optimality import product, total
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.requirements import has_perfect_information, required_parent_sequence
from tremble.game.tree import GameTree
from tremble.numbers import parse_fraction
from tremble.run.whole_file import write_text
from tremble.solution.certificates import BACKWARD_INDUCTION, CONSISTENT_TREMBLES
from tremble.solution.stated import StatedSolution
from tremble.solution.trembling_plan import POLYNOMIALS
from tremble.status import Status

__all__ = ["CLAIMS", "format_claim_text", "format_game_text", "required_claim", "write_game_text"]


@dataclass(frozen=True)
class _Claim:
    """The parts of a text that claims a concept. A claim with neither plans nor induction needs no certificate."""

    plans: bool = False  # True if plans of players who make mistakes can prove the claim
    induction: bool = False  # True if mistakes at each information set can prove it, by backward induction
    beliefs: bool = False
    one_sided: bool = False  # True if the claim names the player who makes no mistakes


CLAIMS = {
    "nash": _Claim(),
    "subgame-perfect": _Claim(),
    "quasi-perfect": _Claim(plans=True, induction=True),
    "one-sided-quasi-perfect": _Claim(plans=True, one_sided=True),
    "sequential": _Claim(plans=True, beliefs=True),
    "normal-form-perfect": _Claim(plans=True),
    "perfect": _Claim(induction=True),
}
"""A dict from the concepts that a text can claim to the parts of such a text."""

_SUPPORTED = (
    f"the plain text form supports single certified solutions of game trees, for the concepts {', '.join(CLAIMS)}; "
    "refinements need a certificate of kind polynomials, consistent-trembles or backward-induction, "
    "and 'perfect' needs backward-induction"
)
_MOST_COEFFICIENTS = 2_000_000  # greatest number of coefficients of a computed plan
_MOST_BITS = 10_000  # Python refuses to write much longer integers with `str`


def required_claim(claim: str | None) -> None:
    """Raise ``SpecError`` if a text cannot claim the concept.

    Examples
    --------
    >>> required_claim("proper")
    Traceback (most recent call last):
    tremble.errors.SpecError: a text cannot claim 'proper'; choose nash, subgame-perfect, quasi-perfect, \
one-sided-quasi-perfect, sequential, normal-form-perfect, perfect
    """
    if claim is not None and claim not in CLAIMS:
        raise SpecError(f"a text cannot claim {claim!r:.80}; choose {', '.join(CLAIMS)}")


# -- the game ----------------------------------------------------------------------------------------------------------


def write_game_text(tree: GameTree, path: str | os.PathLike[str]) -> None:
    """Write the text of a game to a file, completely or not at all; raise ``FormatError`` if this fails."""
    write_text(path, format_game_text(tree))


def format_game_text(tree: GameTree) -> str:
    """Return the text of a game: a line for each node, in preorder.

    Examples
    --------
    >>> import tremble
    >>> print(format_game_text(tremble.load("entry_deterrence")), end="")
    move 1 1 2
    leaf 1 5
    move 2 1 2
    leaf 2 2
    leaf 0 0
    """
    return "".join(f"{line}\n" for line in _nodes(tree))


def _nodes(tree: GameTree) -> Iterator[str]:
    order = [0] * tree.num_nodes
    for node, position in enumerate(tree.preorder.tolist()):
        order[position] = node
    mover, infoset, children = tree.player.tolist(), tree.infoset.tolist(), tree.num_children.tolist()
    for node in order:
        if mover[node] == TERMINAL:
            yield _line("leaf", tree.payoff_at(infoset[node]))
        elif mover[node] == CHANCE:
            yield _line("chance", tree.chance_tables[infoset[node]].probabilities)
        else:
            yield f"move {mover[node] + 1} {infoset[node] + 1} {children[node]}"


# -- the strategies and the certificate --------------------------------------------------------------------------------


def format_claim_text(game: object, solution: object, claim: str | None = None) -> str:
    """Return the text of a solution.

    Parameters
    ----------
    game : GameTree
    solution : StatedSolution
    claim : str, optional
        The concept to claim. The default is the concept of the solution. A weaker concept can also be proven.

    Raises
    ------
    CertificateError
        There is no text for such a solution, or the solution is malformed.
    SpecError
        A text cannot claim the concept ``claim``.
    """
    required_claim(claim)
    if not isinstance(game, GameTree) or not isinstance(solution, StatedSolution):
        raise _unsupported("this solution is a list, or it belongs to a game that is not built as a tree")
    if solution.status != Status.CERTIFIED:
        raise _unsupported(f"the status {str(solution.status)!r} claims no equilibrium")
    claim = solution.concept if claim is None else claim
    if claim not in CLAIMS:
        raise _unsupported(f"the concept {claim!r:.80} has no text form")
    try:
        lines = [*_head(solution, claim), *_nodes(game), *_strategies(solution, claim)]
        if CLAIMS[claim].plans or CLAIMS[claim].induction:
            lines += _certificate(game, solution, claim)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, TrembleError):
            raise
        raise CertificateError(f"the solution is malformed, so there is no text for it ({error!r:.200})") from error
    return "".join(f"{line}\n" for line in lines)


def _unsupported(reason: str) -> CertificateError:
    return CertificateError(f"{reason}; {_SUPPORTED}")


def _head(solution: StatedSolution, claim: str) -> Iterator[str]:
    """Yield the claim, and the expected payoffs."""
    player = ""
    if CLAIMS[claim].one_sided:
        trembles = solution.certificate.get("trembles")
        players = [i for i in (1, 2) if isinstance(trembles, list) and trembles[i - 1] == "none"]
        if len(players) != 1:
            raise _unsupported("the certificate must name one player without mistakes")
        player = f" {players[0]}"
    yield f"claim {claim}{player}"
    yield _line("values", solution.values)


def _strategies(solution: StatedSolution, claim: str) -> Iterator[str]:
    for player, table in enumerate(solution.tables, 1):
        for infoset, (row, whole) in zip(table.infosets, table.integers(), strict=True):
            yield _line(f"play {player} {infoset + 1}", (Fraction(p, whole) for p in row))
    if CLAIMS[claim].beliefs:
        if solution.beliefs is None:
            raise _unsupported("the solution has no beliefs, and this claim needs them")
        for player, rows in enumerate(solution.beliefs, 1):
            for belief in rows:
                yield _line(f"belief {player} {belief.infoset + 1}", (p for _, p in belief.nodes))


def _certificate(tree: GameTree, solution: StatedSolution, claim: str) -> Iterator[str]:
    kind: Any = solution.certificate.get("kind")
    if kind == BACKWARD_INDUCTION and CLAIMS[claim].induction:
        yield from _mistakes(solution)
    elif kind == CONSISTENT_TREMBLES and CLAIMS[claim].beliefs and _is_certain(tree):
        pass  # the checker needs no certificate, because all beliefs are certain
    elif kind in _PLANS and CLAIMS[claim].plans:
        yield from _plans(tree, solution, _PLANS[kind])
    else:
        raise _unsupported(f"the certificate of this solution for {claim!r} is of kind {kind!r:.80}")


def _is_certain(tree: GameTree) -> bool:
    """Return True if every information set is one node, and chance makes every move with a positive probability."""
    return has_perfect_information(tree) and all(p for table in tree.chance_tables for p in table.probabilities)


def _mistakes(solution: StatedSolution) -> Iterator[str]:
    """Yield a line for each information set: a number m for each action.

    With mistakes, the probability p of an action becomes p + m e. The number m is the weight w of the action in the
    certificate, minus p times the sum of the weights at the set. So the numbers of a set have the sum 0.
    """
    for player, table in enumerate(solution.tables):
        for k, (infoset, (row, whole)) in enumerate(zip(table.infosets, table.integers(), strict=True)):
            weight = _tremble(solution.certificate["trembles"], player, k, len(row))
            total = sum(weight)
            numbers = (w - Fraction(p, whole) * total for w, p in zip(weight, row, strict=True))
            yield _line(f"mistake {player + 1} {infoset + 1}", numbers)


def _plans(tree: GameTree, solution: StatedSolution, plan: _Plan) -> Iterator[str]:
    """Yield the weights of all sequences: a polynomial in e for each action of each information set."""
    weights = [plan(tree, solution, player) for player in (0, 1)]
    for player, (root, *_) in enumerate(weights, 1):
        yield _line(f"root {player}", root)
    for player, (_, *sequences) in enumerate(weights):
        sets = [k for k, actions in enumerate(tree.actions[player], 1) for _ in actions]
        for k, polynomial in zip(sets, sequences, strict=True):
            yield _line(f"weight {player + 1} {k}", polynomial)


def _stated(_tree: GameTree, solution: StatedSolution, player: int) -> list[list[Fraction]]:
    """Return the plan of a certificate of kind `polynomials`: integers, with their denominator as the root's weight."""
    degrees = [[_number(v) for v in row] for row in solution.certificate["XY"[player]]]
    return [_trimmed(column) for column in zip(*degrees, strict=True)]


def _computed(tree: GameTree, solution: StatedSolution, player: int) -> list[list[Fraction]]:
    """Return a plan with the mistakes of a certificate of kind `consistent-trembles`.

    An action that the strategy does not play has the probability w e^k, with the weight w and the order k of the
    certificate. The other actions have the probability of the strategy times 1 minus these probabilities. A sequence
    has the product of the probabilities of its actions.
    """
    result = [[Fraction(1)]]
    size = 0
    before = required_parent_sequence(tree, player).tolist()
    for k, (row, whole) in enumerate(solution.tables[player].integers()):
        weight, order = (_tremble(solution.certificate[name], player, k, len(row)) for name in ("trembles", "orders"))
        mistakes = [[] if p else [*[Fraction(0)] * int(o), w] for p, w, o in zip(row, weight, order, strict=True)]
        rest = total([[1], *([-c for c in mistake] for mistake in mistakes)])
        prior = result[before[k]]
        for p, mistake in zip(row, mistakes, strict=True):
            result.append(_trimmed(product(prior, [Fraction(p, whole) * c for c in rest] if p else mistake)))
            size += len(result[-1])
            if size > _MOST_COEFFICIENTS:
                raise _unsupported(f"the plan of the mistakes has more than {_MOST_COEFFICIENTS:,} coefficients")
    return result


_Plan = Callable[[GameTree, StatedSolution, int], list[list[Fraction]]]
_PLANS: dict[Any, _Plan] = {POLYNOMIALS: _stated, CONSISTENT_TREMBLES: _computed}


def _tremble(stated: Any, player: int, k: int, count: int) -> list[Fraction]:
    """Return the stated weights or orders of a set's actions; they are 1 if the certificate states none."""
    return [Fraction(1)] * count if stated is None else [_number(v) for v in stated[player][k]]


def _trimmed(p: Sequence[Fraction | int]) -> list[Fraction]:
    """Return a list of coefficients without the zeros at its end."""
    length = max((k for k, c in enumerate(p, 1) if c), default=0)
    return [Fraction(c) for c in p[:length]]


def _number(value: Any) -> Fraction:
    return parse_fraction(value) if isinstance(value, str) else Fraction(value)


def _line(start: str, numbers: Iterable[Fraction]) -> str:
    return " ".join([start, *map(_decimal, numbers)])


def _decimal(value: Fraction) -> str:
    text = _digits(value.numerator)
    return text if value.denominator == 1 else f"{text}/{_digits(value.denominator)}"


def _digits(value: int) -> str:
    """Return all decimal digits of an integer; the length is not limited."""
    return str(value) if value.bit_length() <= _MOST_BITS else str(Decimal(value))
