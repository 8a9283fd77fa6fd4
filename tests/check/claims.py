"""Claims for the kernel, made from the public objects of the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction as F
from typing import Any

from tremble import check
from tremble.check.lists import ListClaim
from tremble.formats.tables import table_of_rows
from tremble.game.table import StrategyTable
from tremble.results import Equilibria
from tremble.solution.claims import pair_of
from tremble.solution.equilibria import EQUILIBRIA
from tremble.solution.reading import SOLUTION
from tremble.solution.schema import Reader
from tremble.solution.stated import StatedSolution

__all__ = [
    "believed",
    "claim_of",
    "honest",
    "is_list",
    "list_claim_of",
    "listed",
    "read",
    "refused",
    "strategies_of",
    "strategy_of",
]


def strategy_of(table: StrategyTable) -> check.Strategy:
    """Return a strategy for the kernel."""
    return check.Strategy(
        table.infosets, table.actions, table.numerator.tolist(), table.denominator.tolist(), table.off_path.tolist()
    )


def claim_of(solution: StatedSolution) -> check.Claim:
    """Return the claim that a solution makes."""
    tables = pair_of(StrategyTable, solution.rows)
    beliefs: Any = solution.beliefs
    if beliefs is not None:
        beliefs = [[(row.infoset, row.nodes) for row in side] for side in beliefs]
    strategies: Any = solution.rows if tables is None else tuple(map(strategy_of, tables))
    return check.Claim(
        concept=solution.concept,
        status=str(solution.status),
        strategies=strategies,
        values=solution.values,
        certificate=solution.certificate,
        bounds=solution.bounds,
        beliefs=beliefs,
        refutation=solution.refutation,
        digest=solution.game.digest,
        requested=solution.requested,
        kind="tree" if tables is not None else "rules",
        game=solution.game.spec or solution.game.title,
        stated=frozenset(key for key, name, _ in SOLUTION.shapes if getattr(solution, name)),
    )


def strategies_of(game: Any, *rows: Any, marked: bool = False) -> tuple[check.Strategy, check.Strategy]:
    """Return strategies from rows of integer weights; marked off the path where the own strategy never leads."""
    pair = []
    for player in (0, 1):
        probabilities = [[F(w, sum(row)) for w in row] for row in rows[player]]
        strategy = strategy_of(table_of_rows(game, player, probabilities))
        pair.append(strategy if marked else replace(strategy, off_path=[False] * len(strategy.infosets)))
    return pair[0], pair[1]


def honest(
    game: Any, strategies: Any, concept: str = "nash", certificate: Mapping[str, Any] | None = None, **more: Any
) -> check.Claim:
    """Return a certified claim whose derived numbers are all right; only the concept may be wrong."""
    claim = check.Claim(concept, "certified", strategies, None, certificate or {}, digest=game.digest, **more)
    _, outcome = check.outcome_of(game, replace(claim, certificate={"kind": "best-response"}))
    if certificate is None:
        assert outcome.best_response_values is not None
        most = list(map(str, outcome.best_response_values))
        certificate = {"kind": "best-response", "nash_conv": str(outcome.nash_conv), "best_response_values": most}
    return replace(claim, values=outcome.values, bounds=outcome.certified_bounds, certificate=certificate)


# -- documents ------------------------------------------------------------------------------------------


def is_list(document: Any) -> bool:
    """Return whether a document is a list of equilibria."""
    return isinstance(document, dict) and str(document.get("schema")).startswith("tremble/equilibria@")


def read(document: Any) -> StatedSolution | Equilibria:
    """Read plain data; raise `FormatError` if it is not of the format."""
    reader = Reader("<forgery>")
    return EQUILIBRIA.read(reader, document) if is_list(document) else StatedSolution(**SOLUTION.read(reader, document))


def list_claim_of(stated: Equilibria) -> ListClaim:
    """Return what a list states, as the kernel takes it."""
    names = {field.name for field in fields(ListClaim)} - {"members", "digest", "game"}
    return ListClaim(
        members=tuple(map(claim_of, stated.solutions)),
        digest=stated.game.digest,
        game=stated.game.spec or stated.game.title,
        **{name: getattr(stated, name) for name in names},
    )


# -- lists of equilibria --------------------------------------------------------------------------------


def listed(*members: StatedSolution, **fields: Any) -> Equilibria:
    """Return a list of equilibria of one game, with stated fields."""
    return Equilibria(game=members[0].game, solutions=members, **fields)


def believed(found: check.Verification) -> dict[str, bool]:
    """Return for each field of a list whether a part of it is believed."""
    assert found.ok, found.problems
    return {field.name: field.believed is not None for field in found.fields}


def refused(found: check.Verification, start: str) -> None:
    """Check that a list is not proven, for a reason that starts with these words."""
    assert not found.ok
    assert found.proven is None
    assert found.fields == ()
    assert any(text.startswith(start) for text in found.problems), found.problems
