"""Show on a terminal the result of ``verify``: OK or FAILED, and the proven facts or the problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.check import Verification
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import short_text
from tremble.solution.concepts import CONCEPTS
from tremble.solution.equilibria import Equilibria
from tremble.solution.stated import StatedSolution
from tremble.status import Status
from tremble.text.solutions import to_its_player
from tremble.text.theme import NOTE, OK, WRONG
from tremble.text.view import exact_and_decimal
from tremble.words import called, infosets_words, odds, one, printable

__all__ = ["NO_GAIN", "about", "disproven", "marked", "numbered", "refuted", "verdict", "verification_view"]


def verification_view(
    game: GameTree | UnbuiltGame, solution: StatedSolution | Equilibria, verification: Verification
) -> RenderableType:
    """Show the verification of a solution or of a list: OK or FAILED, and the proven facts or the problems."""
    title, name = printable(game.title) or "the game", partial(called, game)
    concept = about(verification.concept, verification.proven_player, name)
    several = isinstance(solution, Equilibria)
    if not verification.ok and solution.game.digest != game.digest:  # it causes all other problems
        return verdict("FAILED", WRONG, printable(verification.problems[0].removeprefix("game.digest: ")))
    if not verification.ok:
        what = "these are not proven equilibria" if several else f"this is not a proven {concept}"
        return Group(verdict("FAILED", WRONG, f"{what} of {title}"), *marked("✗", verification.problems))
    if isinstance(solution, Equilibria):
        claim, facts = f"an empty list of equilibria of {title}", list[str]()
        if len(solution):
            claim = f"equilibria of {title}, each a {concept}"
            facts = [f"Each of the {len(solution):,} profiles is an exact equilibrium: no player gains by deviating."]
            facts += _proofs(verification.concept, max(map(odds, solution), key=len), "each result is wrong")
            facts += _members(solution)
        facts += [f"{field.name}: {field.proven}." for field in verification.fields if field.proven]
    else:
        bounded = solution.status == Status.BOUNDED
        guarantee = None  # for a maxmin strategy: the payoff that it guarantees, and an upper bound on any guarantee
        if "player" in solution.certificate and verification.bounds is not None:
            guarantee = to_its_player(game, solution, verification.bounds)
        bounds = "bounds" if solution.bounds is not None else "gains"
        claim = f"the claimed {bounds} hold in {title}" if bounded else f"{one(concept)} of {title}"
        if guarantee is not None and not bounded:
            claim = f"{one(concept)}, within {short_text(guarantee[1] - guarantee[0], 40)}, of {title}"
        facts = [*_play_facts(game, solution, verification)]
        if verification.bounds is not None and (bounded or verification.best_response_values is None):
            facts.append(_bounds_fact(game, solution, verification.bounds, guarantee))
        if bounded and solution.bounds is None:
            facts += gains_facts(verification, name)
        if verification.proven is None and verification.disproven is not None:
            claim = f"the strategies are no {refuted(verification, name)} of {title}"
        elif not bounded:
            facts += [NO_GAIN] * (verification.nash_conv == 0)
            facts += _proofs(verification.concept, odds(solution), "the result is wrong")
        facts += disproven(verification, name)
    head = verdict("OK", OK, f"{claim}, proven from the game alone")
    return Group(head, *marked("✓", facts), *marked("!", verification.notes, NOTE))


def _members(solution: Equilibria) -> Iterator[str]:
    """Count proofs and disproofs of each concept not proven for every equilibrium. Yield one sentence per concept."""
    refuted = (str(member.refutation["concept"]) for member in solution if member.refutation is not None)
    proven, disproven = Counter(member.concept for member in solution), Counter(refuted)
    for concept in dict.fromkeys((*proven, *disproven)):
        if CONCEPTS[concept].proofs and proven[concept] < len(solution):
            words, whole = one(about(concept, None, numbered)), len(solution)
            yield f"{proven[concept]:,} of {whole:,} are proven to be {words}; {disproven[concept]:,} are disproven."


NO_GAIN = "Neither player can gain anything by deviating: the exact NashConv is 0."


def gains_facts(verification: Verification, name: Callable[[int], str]) -> Iterator[str]:
    """Yield a sentence for each player: what the player can gain by deviating."""
    if verification.values is not None and verification.best_response_values is not None:
        both = zip(verification.best_response_values, verification.values, strict=True)
        for player, gain in enumerate(best - value for best, value in both):
            yield f"By deviating, {name(player)} can gain at most {exact_and_decimal(gain)}."


def disproven(verification: Verification, name: Callable[[int], str]) -> Iterator[str]:
    """Yield a sentence about the disproven concept, if the verification disproves one."""
    if verification.disproven is not None:
        yield f"The strategies are not {one(refuted(verification, name))}: the refutation holds."


def refuted(verification: Verification, name: Callable[[int], str]) -> str:
    """Return the words for the disproven concept, with the player's name if the concept is about one player."""
    player = verification.disproven_player
    row = CONCEPTS[verification.disproven or ""]
    return row.words_about("whoever" if player is None else name(player))


def about(concept: str, player: int | None, name: Callable[[int], str]) -> str:
    """Return the words for ``concept``, with the name of ``player`` if the concept is about one player."""
    if concept not in CONCEPTS:
        return printable(concept[:80])
    return CONCEPTS[concept].words if player is None else CONCEPTS[concept].words_about(name(player))


def numbered(player: int) -> str:
    """Return the words for a player's index in a sentence: ``player 1`` for index 0, ``player 2`` for index 1."""
    return f"player {player + 1}"


def _play_facts(game: GameTree | UnbuiltGame, solution: StatedSolution, verification: Verification) -> Iterator[str]:
    if game.digest is not None:
        yield f"The solution belongs to this game: {game.digest}."
    if isinstance(game, GameTree):
        sizes = infosets_words(game.num_infosets)
    elif solution.ordered is not None:
        sizes = " and ".join(strategy.sizes_in_words for strategy in solution.ordered)
    else:
        sizes = f"{infosets_words([len(s.rows) for s in solution.unbuilt or ()])} and a default elsewhere"
    yield f"Both strategies are complete: {sizes}. No probability is negative, and every sum is exactly 1."
    if verification.values is not None:
        value1, value2 = (short_text(value, 40) for value in verification.values)
        yield f"The expected payoffs are {value1} to {called(game, 0)} and {value2} to {called(game, 1)}."


def _its_player(game: GameTree | UnbuiltGame, solution: StatedSolution) -> str:
    """Return the name of the player whose maxmin strategy is certified."""
    return called(game, 1 if solution.certificate["player"] == 2 else 0)


def _bounds_fact(
    game: GameTree | UnbuiltGame,
    solution: StatedSolution,
    bounds: tuple[Fraction, Fraction],
    guarantee: tuple[Fraction, Fraction] | None,
) -> str:
    low, high = (short_text(bound, 40) for bound in guarantee or bounds)
    if guarantee is not None:
        return (
            f"The strategy of {_its_player(game, solution)} guarantees {low}; no behavior strategy of "
            f"this player guarantees more than {high}."
        )
    # In a game given by rules, a constant sum is known only for the plays that the strategies reach.
    one = called(game, 0)
    what = f"the most that {one} can guarantee" if solution.unbuilt else f"the value to {one}"
    return f"The two strategies prove that {what} is between {low} and {high}."


def _proofs(concept: str, odds_of_error: str, wrong: str) -> Iterator[str]:
    """Yield a sentence for each fact that a proof of the concept shows. If errors are possible, state the odds."""
    yield from CONCEPTS[concept].proofs
    if odds_of_error:
        yield f"Functions were tested for zero at new random points; {wrong} with a probability below {odds_of_error}."


def verdict(word: str, style: str, about: str) -> Text:
    """Return a line with the result of a check (``word``, such as OK), and then what was checked (``about``)."""
    return Text(word, style=style).append(f"  {about}", style="default")


def marked(mark: str, lines: Iterable[str], style: str = "") -> Iterator[Text]:
    """Yield each line with ``mark`` before it: the sign for proven, wrong or undecided."""
    for line in lines:
        yield Text(f"  {mark} {printable(line)}", style=style)
