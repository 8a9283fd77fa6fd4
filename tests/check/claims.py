"""Convert documents to claims of the kernel: the only place that knows both sides."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import tremble.check
from tremble import GameTree
from tremble.check import Claim, Strategy, check
from tremble.check.lists import ListClaim, check_list
from tremble.results import Equilibria
from tremble.solution.equilibria import EQUILIBRIA
from tremble.solution.schema import Reader
from tremble.solution.stated import SOLUTION, StatedSolution, nested_solution

__all__ = ["claim_of", "is_list", "lacking", "list_claim_of", "read", "verdict_of"]

_SOURCE = "".join(file.read_text("utf-8") for file in sorted(Path(tremble.check.__path__[0]).rglob("*.py")))

_FIELDS = frozenset(field.name for field in fields(Claim))


def is_list(document: Any) -> bool:
    """Return whether a document is a list of equilibria."""
    return isinstance(document, dict) and str(document.get("schema")).startswith("tremble/equilibria@")


def read(document: Any) -> StatedSolution | Equilibria:
    """Read plain data; raise `FormatError` if it is not of the format."""
    reader = Reader("<forgery>")
    return EQUILIBRIA.read(reader, document) if is_list(document) else nested_solution(reader, document)


def claim_of(stated: StatedSolution) -> Claim:
    """Return what a solution states, as the kernel takes it."""
    rows = stated.beliefs
    beliefs = None if rows is None else [[(row.infoset, row.nodes) for row in side] for side in rows]
    parts = {
        "concept": stated.concept,
        "requested": stated.requested,
        "status": str(stated.status.value),
        "strategies": tuple(map(_strategy, stated.tables)),
        "values": stated.values,
        "certificate": stated.certificate,
        "bounds": stated.bounds,
        "beliefs": beliefs,
        "refutation": stated.refutation,
        "digest": stated.game.digest,
        "kind": "tree",
        "game": stated.game.spec or stated.game.title,
        "stated": frozenset(name for name, value in SOLUTION.parts_of(stated).items() if value),
    }
    return Claim(**{name: part for name, part in parts.items() if name in _FIELDS})  # type: ignore[arg-type]


def _strategy(table: Any) -> Strategy:
    return Strategy(
        table.infosets, table.actions, table.numerator.tolist(), table.denominator.tolist(), table.off_path.tolist()
    )


def verdict_of(game: GameTree, stated: StatedSolution | Equilibria) -> Any:
    """Return the verdict of the kernel."""
    if isinstance(stated, Equilibria):
        return check_list(game, list_claim_of(stated))
    return check(game, claim_of(stated))


def list_claim_of(stated: Equilibria) -> ListClaim:
    """Return what a list states, as the kernel takes it."""
    names = {field.name for field in fields(ListClaim)} - {"members", "digest", "game"}
    return ListClaim(
        members=tuple(map(claim_of, stated.solutions)),
        digest=stated.game.digest,
        game=stated.game.spec or stated.game.title,
        **{name: getattr(stated, name) for name in names},
    )


def lacking(stated: StatedSolution | Equilibria) -> str | None:
    """Return what the kernel cannot check yet; None if it knows every concept and kind that is stated.

    A concept is known if the table of concepts has it; a kind, if the source of the kernel names it.
    """
    if isinstance(stated, Equilibria):
        return next((lack for member in stated if (lack := lacking(member)) is not None), None)
    if stated.concept == "maxmin":
        return "maxmin"
    if stated.concept in _ALL and stated.concept not in tremble.check.CONCEPTS:
        return stated.concept
    kinds = [stated.certificate.get("kind")]
    if stated.refutation is not None:
        concept = stated.refutation.get("concept")
        if concept in _ALL and concept not in tremble.check.CONCEPTS:
            return f"refutations of {concept}"
        kinds.append(stated.refutation.get("kind"))
    return next((kind for kind in kinds if kind in _KINDS and f'"{kind}"' not in _SOURCE), None)


_ALL = ("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect",
        "normal-form-perfect", "proper")  # fmt: skip
_KINDS = ("best-response", "polynomials", "consistent-trembles", "ranked-plans", "backward-induction", "basis",
          "subgame", "dominated", "reply", "mistakes")  # fmt: skip
