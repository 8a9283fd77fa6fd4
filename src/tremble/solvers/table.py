"""The methods, one row each."""

from __future__ import annotations

from tremble.errors import GameError, SpecError
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.trembles import Trembles
from tremble.solvers.double_oracle.method import DoubleOracle, PublishedDoubleOracle
from tremble.solvers.general_sum.method import Lemke
from tremble.solvers.interior_point.method import InteriorPoint
from tremble.solvers.lp.method import Lp
from tremble.solvers.maxmin.method import BranchAndBound
from tremble.solvers.method import Method, options_of
from tremble.solvers.published.maxmin_method import BnbDigits, Milp, PublishedMaxmin
from tremble.solvers.published.method import Halving, Npp, PublishedRefinement, SymbolicSimplex
from tremble.solvers.regret.method import Cfr, CfrPlus, Dcfr, PcfrPlus
from tremble.verifier.concepts.table import CONCEPTS

__all__ = [
    "BASELINES",
    "METHODS",
    "choose",
    "method_of",
    "needs_tree",
    "require_concept",
    "require_trembles_fit",
    "solvable",
]

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        Lp,
        Lemke,
        DoubleOracle,
        BranchAndBound,
        Cfr,
        CfrPlus,
        PcfrPlus,
        Dcfr,
        InteriorPoint,
        Halving,
        SymbolicSimplex,
        Npp,
        PublishedDoubleOracle,
        Milp,
        BnbDigits,
    )
}
"""Name -> method. Where several are recommended, the first is chosen."""

BASELINES = tuple(
    name
    for name, method in METHODS.items()
    if issubclass(method, PublishedRefinement | PublishedDoubleOracle | PublishedMaxmin)
)
"""All algorithms of others."""


def choose(game: GameTree | UnbuiltGame, concept: str = "nash") -> tuple[str, str]:
    """The default method for a game and a concept, and why.

    Raises
    ------
    SpecError
        Unknown concept.
    GameError
        No method finds such equilibria of the game.

    Examples
    --------
    >>> import tremble
    >>> choose(tremble.load("kuhn"))[0]
    'lp'
    """
    require_concept(concept)
    for name, method in METHODS.items():
        reason = method().recommended(game, concept) if method.requirement(game, concept) is not None else None
        if reason is not None:
            return name, reason
    raise GameError(
        f"{concept} needs the tree of the game, and this game is not built; see tremble.build(rules), and "
        "--max-nodes on the command line"
    )


def needs_tree(concept: str, method: str = "auto") -> bool:
    """Whether the method, or every one that finds such equilibria, works on trees only."""
    asked = [row for name, row in METHODS.items() if method in ("auto", name)]
    return not any(concept in taken for row in asked for kind, taken in row.takes.items() if kind != "tree")


def solvable() -> tuple[str, ...]:
    """The concepts that some method computes, in the order of their table."""
    return tuple(name for name in CONCEPTS if any(name in method.concepts() for method in METHODS.values()))


def require_concept(concept: str) -> None:
    """Raise ``SpecError`` unless some method finds such equilibria."""
    known = solvable()
    if not isinstance(concept, str) or concept not in known:
        raise SpecError(f"unknown concept {concept!r:.80}; built so far: {', '.join(known)}")


def require_trembles_fit(trembles: object, concept: str) -> None:
    """Raise ``SpecError`` unless these are weights of mistakes, and the concept has mistakes; None always does."""
    if trembles is None:
        return
    if not isinstance(trembles, Trembles):
        raise SpecError(f"trembles are tremble.Trembles, not {trembles!r:.80}: Trembles.read(file, tree) reads them")
    if not CONCEPTS[concept].refines:
        *most, last = (name for name, row in CONCEPTS.items() if row.refines)
        raise SpecError(f"trembles are for refinements: ask for {', '.join(most)} or {last}, not {concept}")


def method_of(name: str, options: dict[str, object]) -> Method:
    """A method by name, with options; those that are None keep their defaults.

    Raises
    ------
    SpecError
        There is no such method, or it has no such option.
    """
    if name not in METHODS:
        raise SpecError(f"unknown method {name!r}; built so far: auto, {', '.join(METHODS)}")
    given = {option: value for option, value in options.items() if value is not None}
    known = {option.name for option in options_of(METHODS[name])}
    for option in given:
        if option not in known:
            owners = [owner for owner, method in METHODS.items() if option in {o.name for o in options_of(method)}]
            if not owners:
                raise SpecError(f"unknown option {option!r} of the method {name}")
            raise SpecError(f"{option} is an option of the method {owners[0]}, not of {name}: ask for that method")
    return METHODS[name](**given)
