"""List the methods, and find methods and concepts by name."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from pkgutil import resolve_name
from types import MappingProxyType

from tremble.arguments import chosen, described, did_you_mean, plain
from tremble.capabilities import registered, require_installed
from tremble.errors import GameError, SpecError, TrembleWarning
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.games.loading import has_positions, is_from_rules
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.elsewhere import require_here
from tremble.solvers.general_sum_method import Lemke
from tremble.solvers.lp import Lp
from tremble.solvers.method import Method, options_of
from tremble.solvers.published_method import Halving, Npp, SymbolicSimplex
from tremble.solvers.regret_method import Cfr, CfrPlus, Dcfr, PcfrPlus
from tremble.words import for_reader

__all__ = [
    "BASELINES",
    "METHODS",
    "choose",
    "concept_choices",
    "concept_named",
    "method_named",
    "method_of",
    "needs_tree",
    "require_method",
    "require_trembles_fit",
    "solvable",
    "wants_rules",
]

_ORDER = (
    "lp", "lemke", "double-oracle", "branch-and-bound", "cfr", "cfr+", "pcfr+", "dcfr", "interior-point", "halving",
    "symbolic-simplex", "npp", "published-double-oracle", "milp", "bnb-digits",
)  # fmt: skip
"""Names of the methods, in the order of help texts. If multiple methods are recommended, the first is chosen."""

_OF_THE_CORE: tuple[type[Method], ...] = (Lp, Lemke, Cfr, CfrPlus, PcfrPlus, Dcfr, Halving, SymbolicSimplex, Npp)


def _position(method: type[Method]) -> int:
    return _ORDER.index(method.name) if method.name in _ORDER else len(_ORDER)


METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in sorted(
        (*_OF_THE_CORE, *(resolve_name(place) for capability in registered() for place in capability.methods)),
        key=_position,
    )
}
"""The class of each method by name, including the methods of capabilities."""

BASELINES = tuple(name for name, method in METHODS.items() if method.published)
"""Names of the methods that are published algorithms, for comparison."""


def choose(
    game: GameTree | UnbuiltGame, concept: str = "nash", options: Mapping[str, object] = MappingProxyType({})
) -> tuple[str, str]:
    """Return the name of the default method for a game and a concept, and the reason. ``options`` can select a method.

    Raises
    ------
    SpecError
        The concept is unknown.
    GameError
        No method computes the concept for the game.

    Examples
    --------
    >>> import tremble
    >>> choose(tremble.load("kuhn"))[0]
    'lp'
    """
    concept = concept_named(concept)
    for name, option in _decided(options):
        return name, f"{option} is asked for"
    for name, method in METHODS.items():
        reason = method().recommended(game, concept) if method.requirement(game, concept) is not None else None
        if reason is not None:
            return name, reason
    if CONCEPTS[concept].of_player:
        require_installed("branch-and-bound")  # no other method works without perfect recall
    for method in METHODS.values():
        if method.requirement(game, concept) is not None:
            method().accepts(game, concept)  # raises an error that says what the game lacks
    raise GameError(
        f"{concept} needs the tree of the game, and this game is not built: "
        f"{for_reader('tremble.build(rules)', '--max-nodes')} builds it"
    )


def _decided(options: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield a pair (method, option) for each of the given options that selects a method."""
    for name, method in METHODS.items():
        yield from ((name, option) for option in method.decisive if options.get(option))


def needs_tree(concept: str, method: str = "auto", options: Mapping[str, object] = MappingProxyType({})) -> bool:
    """Return True if ``method`` needs a tree for a concept. ``"auto"`` needs a tree if every possible method does."""
    if method == "auto":
        method = next((name for name, _ in _decided(options)), method)
    asked = [row for name, row in METHODS.items() if method in ("auto", name)]
    further = (row for capability in registered() for row in capability.method_extensions if row.concept == concept)
    if any(row.kind != "tree" and method in ("auto", row.method) for row in further):
        return False
    return not any(concept in taken for row in asked for kind, taken in row.takes.items() if kind != "tree")


def wants_rules(text: str, method: str) -> bool:
    """Return True if ``text`` names rules that the method should solve without building their tree."""
    return is_from_rules(text) or (method != "auto" and has_positions(text))


def solvable() -> tuple[str, ...]:
    """Return the concepts that some method computes, in the order of ``CONCEPTS``."""
    computed = {name for method in METHODS.values() for name in method.concepts()}
    return tuple(name for name in CONCEPTS if name in computed)


def concept_named(word: object, known: Collection[str] | None = None) -> str:
    """Return the concept that a word names, among the known concepts.

    By default, the known concepts are the concepts that methods compute. Case, hyphens and blanks do not matter.
    :data:`tremble.solution.concepts.CONCEPTS` lists the short names.

    Warns
    -----
    TrembleWarning
        The word names a weaker concept than the returned concept. Equilibria of the returned concept satisfy both.

    Raises
    ------
    SpecError
        The concept is unknown. If other programs compute it, the message names them.

    Examples
    --------
    >>> concept_named("QPE"), concept_named("Quasi perfect")
    ('quasi-perfect', 'quasi-perfect')
    """
    names = solvable() if known is None else known
    if isinstance(word, str) and word in names:
        return word
    rows = [CONCEPTS[name] for name in names]
    of_player = {plain(name) for row in CONCEPTS.values() if row.of_player for name in (row.name, *row.aliases)}
    if isinstance(word, str) and plain(word) in of_player and not any(row.of_player for row in rows):
        raise SpecError(
            f"{word:.80} is a concept for one strategy, so profiles cannot be judged by it. solve computes such a "
            "strategy, and proves its guarantee. To compute the guarantee of your own strategy if the payoffs have a "
            "constant sum, use respond (best_response)"
        )
    for row in rows:
        for weaker in row.answers:
            asked = weaker.words[0]
            if (
                (known is None or asked not in known)
                and isinstance(word, str)
                and plain(word) in map(plain, weaker.words)
            ):
                if known is not None:
                    raise SpecError(
                        f"{asked} cannot be judged directly; ask for {row.name}: {weaker.why}; {weaker.judged}"
                    )
                warnings.warn(f"{asked} is answered by {row.name}: {weaker.why}", TrembleWarning, stacklevel=3)
                return row.name
    require_installed(word)
    require_here(word)
    return chosen("concept", word, concept_choices(known))


def concept_choices(known: Collection[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Map the name of each concept to the other names of this concept that :func:`concept_named` accepts.

    Examples
    --------
    >>> list(concept_choices(["nash", "subgame-perfect"]))
    ['nash', 'subgame-perfect']
    """
    choices: dict[str, tuple[str, ...]] = {}
    for name in solvable() if known is None else known:
        choices[name] = CONCEPTS[name].aliases
        if known is None:
            choices |= {weaker.words[0]: weaker.words[1:] for weaker in CONCEPTS[name].answers}
    return choices


def method_named(word: object) -> str:
    """Return the name of the method for which ``word`` stands, or ``"auto"``. Ignore case, hyphens and blanks.

    Raises
    ------
    SpecError
        The word names no method. If it names a method of other programs, the message names these programs.

    Examples
    --------
    >>> method_named("LP"), method_named("double_oracle"), method_named("do")
    ('lp', 'double-oracle', 'double-oracle')
    """
    if word == "auto" or (isinstance(word, str) and word in METHODS):
        return str(word)
    require_installed(word)
    require_here(word)
    return chosen("method", word, {"auto": (), **{name: method.aliases for name, method in METHODS.items()}})


def require_trembles_fit(trembles: object, concept: str, *, judged: bool = False) -> None:
    """Raise ``SpecError`` unless the trembles fit the concept. None means the default trembles.

    ``judged`` means that the trembles are for judging a given profile. Concepts that ignore play at unreached
    information sets then accept no trembles. For solving, they accept trembles, because methods may use them.
    """
    if trembles is None:
        if CONCEPTS[concept].one_sided:
            raise SpecError(
                f"{concept} needs one player who makes no mistakes: give trembles with 'none' for that player"
            )
        return
    if not isinstance(trembles, Trembles):
        raise SpecError(
            f"'trembles' must be tremble.strategies.Trembles, not {described(trembles)}: Trembles.read(file, tree) "
            "reads them from a file"
        )
    fitting = [name for name, row in CONCEPTS.items() if row.refines and not (judged and row.of_plans)]
    if concept not in fitting:
        *most, last = fitting
        raise SpecError(f"{concept} accepts no trembles: omit them, or ask for {', '.join(most)} or {last}")
    if CONCEPTS[concept].one_sided and trembles.faultless is None:
        raise SpecError(f"{concept} needs one player who makes no mistakes: write 'none' for that player's trembles")
    if not CONCEPTS[concept].one_sided and trembles.faultless is not None:
        one_sided = " or ".join(name for name, row in CONCEPTS.items() if row.one_sided)
        raise SpecError(
            f"{concept} needs mistakes of both players, but player {trembles.faultless + 1} makes none in these "
            f"trembles; ask for {one_sided}"
        )


def require_method(method: object, options: Mapping[str, object]) -> None:
    """Raise ``SpecError`` if the method is not a value from ``tremble.methods``, or if ``options`` is not empty."""
    if isinstance(method, type) or not isinstance(method, tuple(METHODS.values())):
        raise SpecError(f"'method' must be a name or a value of tremble.methods, such as Lp(), not {described(method)}")
    if options:
        raise SpecError(f"{next(iter(options))} must be a field of the method object, as in Lp(merge=False)")


def method_of(name: str, options: dict[str, object], others: Iterable[str] = ()) -> Method:
    """Return a method by name, with options. An option with the value None keeps its default.

    Raises
    ------
    SpecError
        The method or an option is unknown. Suggestions for a misspelled option include the names ``others``.
    """
    method = METHODS.get(name) or METHODS[chosen("method", name, {n: row.aliases for n, row in METHODS.items()})]
    given = {option: value for option, value in options.items() if value is not None}
    known = {option.name for option in options_of(method)}
    for option in given:
        if option not in known:
            owners = [owner for owner, row in METHODS.items() if option in {o.name for o in options_of(row)}]
            if not owners:
                question = did_you_mean(option, [*known, *others])
                raise SpecError(f"unknown option {option!r} of the method {method.name}{question and f'; {question}'}")
            raise SpecError(f"'{option}' is an option of the method {owners[0]}, not of {method.name}: use that method")
    return method(**given)
