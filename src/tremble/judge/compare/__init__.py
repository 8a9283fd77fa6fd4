r"""Compare two profiles: find their differences, and their payoffs against an opponent who makes mistakes.

Two equilibria of a game may have equal values but different strategies. One equilibrium may exploit the mistakes of a
careless opponent, while the other equilibrium does not. The comparison therefore computes the payoffs of a player's two
strategies against the same opponents. There are two kinds of opponents.

*The trembling opponent* plays its strategy :math:`\sigma`, but makes a mistake with probability d at every information
set k. After a mistake, it plays each of the :math:`n_k` actions with equal probability:

.. math::  \sigma^d_k(a) = (1 - d)\,\sigma_k(a) + d / n_k .

*The opponent with a single mistake* plays an action a at an information set k, where a has probability zero in both
profiles. The opponent makes all moves that lead to k, plays a, and otherwise follows its strategy. The module
:mod:`tremble.judge.compare.mistakes` computes the payoffs.
"""

from __future__ import annotations

import numpy as np

from tremble.errors import SpecError
from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.game.requirements import parent_sequence
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.judge.compare.differences import Visits, differences
from tremble.judge.compare.earnings import earned, earnings, trembling
from tremble.judge.compare.mistakes import distinct, mistakes
from tremble.judge.rules_given import rules_given, the_tree
from tremble.solution.comparison import Comparison, Curve, Earning, Mistake, Whose

__all__ = ["compare", "trembling"]

_CURVE = np.linspace(0.0, 1.0, 41)
# Above these limits on the size of the game and of its numbers, payoffs are computed as floats.
_MAX_SEQUENCES = 20_000
_MAX_BITS = 100_000_000  # total length of all numbers in the computation


def compare(
    tree: GameTree | UnbuiltGame,
    first: ProfileLike,
    second: ProfileLike,
    *,
    names: tuple[str, str] = ("first", "second"),
) -> Comparison:
    """Compare two profiles: their differences, and each strategy's payoffs against an opponent who makes mistakes.

    The payoffs of the game may have any sum. The computed payoffs are exact, unless one of these conditions is true:

    * a strategy contains floats;
    * the game is so large, or its numbers are so long, that exact payoffs would take too much time.

    In both cases the payoffs are floats, and :attr:`Comparison.exact` is False.

    Parameters
    ----------
    tree : GameTree or UnbuiltGame
        The game. Games that are not built are not supported, except rivers and turns of Texas Hold'em. Their comparison
        lists at most 10,000 differences and no single mistakes, and its payoffs are floats.
    first, second : object
        Profiles. :func:`tremble.nash_conv` lists the accepted forms.
    names : pair of str
        Names of the profiles, for tables and pictures.

    Returns
    -------
    Comparison

    Raises
    ------
    CertificateError
        A solution belongs to another game.
    GameError
        A strategy belongs to another game.
    SpecError
        ``names`` is not a pair of strings.

    Examples
    --------
    Player 1 never makes the offer, so both answers of player 2 are optimal. If player 1 makes the offer by mistake, the
    answer "yes" loses.

    >>> import tremble
    >>> ace = tremble.load("guess_the_ace")
    >>> stop = tremble.BehaviorStrategy.from_rows(ace, 0, [[1, 0]])
    >>> yes, no = (tremble.BehaviorStrategy.from_rows(ace, 1, [row]) for row in ([1, 0], [0, 1]))
    >>> comparison = tremble.compare(ace, (stop, yes), (stop, no))
    >>> comparison.equal, [(d.player, d.infoset, d.distance) for d in comparison.differences]
    ((1, 0), [(1, 0, Fraction(1, 1))])
    >>> [(row.player, row.infoset, row.action, row.difference) for row in comparison.mistakes]
    [(1, 0, 'offer', Fraction(12500, 13))]
    """
    if not (isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)):
        raise SpecError(f"'names' must be a pair of strings, one name for each profile, not {names!r:.80}")
    rules = rules_given(tree, first, second)
    if rules is not None:
        kind, (one, two) = rules
        compared: Comparison | None = kind.compare(one, two, (names[0], names[1]))
        if compared is None:
            raise not_built()
        return compared
    tree = the_tree(tree)
    given = given_profile(tree, first).strategies, given_profile(tree, second).strategies
    floats = (given[0][0].as_float(), given[0][1].as_float()), (given[1][0].as_float(), given[1][1].as_float())
    exact = _affordable(tree, given)
    profiles = given if exact else floats
    visits = Visits.of(tree, given[0]), Visits.of(tree, given[1])
    remembered = all(parent_sequence(tree, player) is not None for player in (0, 1))
    form = SequenceForm.of(tree) if remembered else None
    rows: list[Earning] = []
    errors: list[Mistake] = []
    curves: list[Curve] = []
    for player in (0, 1):
        own = profiles[0][player], profiles[1][player]
        made: list[Mistake] = []
        for whose, side in _opponents(given, 1 - player):
            opponent = profiles[side][1 - player]
            rows += earnings(tree, form, own, opponent, whose)
            curves.append(_curve(tree, form, floats, player, side, whose))
            if form is not None:
                seen = visits[0].others[1 - player] | visits[1].others[1 - player]
                never = (given[0][1 - player].numerator == 0) & (given[1][1 - player].numerator == 0)
                made += mistakes(tree, form, own, opponent, whose, seen, never)
        errors += distinct(made)
    unlike, equal = differences(tree, given, visits)
    both = names[0], names[1]
    return Comparison(both, exact, equal, unlike, tuple(rows), tuple(errors), tuple(curves), played=tree)


def _affordable(tree: GameTree, profiles: tuple[Profile, Profile]) -> bool:
    """Return True if exact payoffs are cheap, because there are few sequences and the numbers are short."""
    for strategy in (*profiles[0], *profiles[1]):
        if strategy.denominator is None:
            return False
        length = 8 * tree.depth + sum(int(whole).bit_length() for whole in set(strategy.denominator.tolist()))
        size = len(strategy.numerator)
        if size > _MAX_SEQUENCES or size * length > _MAX_BITS:
            return False
    return True


def _opponents(profiles: tuple[Profile, Profile], opponent: int) -> tuple[tuple[Whose, int], ...]:
    """Return (name, profile index) for each strategy of the opponent; only ("both", 0) if the strategies are equal."""
    if all(one == two for one, two in zip(profiles[0][opponent], profiles[1][opponent], strict=True)):
        return (("both", 0),)
    return ("first", 0), ("second", 1)


def _curve(
    tree: GameTree, form: SequenceForm | None, floats: tuple[Profile, Profile], player: int, side: int, whose: Whose
) -> Curve:
    own = floats[0][player], floats[1][player]
    with np.errstate(all="ignore"):  # a payoff may exceed the range of floats
        first, second, best = earned(tree, form, own, floats[side][1 - player], _CURVE.tolist())
    return Curve(player, whose, _CURVE, np.array(first), np.array(second), None if best is None else np.array(best))
