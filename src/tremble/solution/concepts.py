"""The concepts, one row each: names, words, kinds of certificates, and what methods need to know about them.

The methods, the command line, the tables on the terminal and the documentation read these rows. The kernel has a
separate table with the checks: ``check/questions.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tremble.solution.certificates import (
    BACKWARD_INDUCTION,
    BASIS,
    BEST_RESPONSE,
    BRANCHING,
    CONSISTENT_TREMBLES,
    DOMINATED,
    GUARANTEE,
    MISTAKES,
    NO_MISTAKES,
    RANKED_PLANS,
    REPLY,
    SUBGAME,
)
from tremble.solution.trembling_plan import POLYNOMIALS

__all__ = ["CONCEPTS", "Concept", "Weaker"]


@dataclass(frozen=True)
class Weaker:
    """A weaker concept, which a solution of a row's concept satisfies too."""

    words: tuple[str, ...]  # all its names; messages use the first
    why: str  # why it follows from the row's concept
    judged: str  # how a verdict on the row's concept answers the question about this one


@dataclass(frozen=True)
class Concept:
    """A solution concept."""

    name: str  # as in --concept and in solution files
    words: str  # its name in a sentence
    summary: str  # a definition in one line
    proofs: tuple[str, ...]  # sentences about what a verification proves beyond the equilibrium
    certificate: str  # kind of certificate that proves it
    other_certificates: tuple[str, ...] = ()  # further kinds of certificate, each of which also proves it
    refutations: tuple[str, ...] = ()  # kinds of refutation that disprove it
    of_rules: bool = False  # True if it can be proven for games that are not built
    bounded: bool = False  # True if a solution that proves only bounds may state it
    equilibrium: bool = True  # True if it implies a Nash equilibrium
    refines: bool = False  # True if it refines Nash equilibria by vanishing mistakes, which may have weights
    one_sided: bool = False  # True if one player, whom the trembles name, makes no mistakes
    of_plans: bool = False  # True if it ignores play at sets that the player's own strategy never reaches
    ranked: bool = False  # True if costlier mistakes are rarer by an order
    own_mistakes: bool = False  # True if players take their own later mistakes into account
    beliefs: bool = False  # True if it defines beliefs
    of_player: bool = False  # True if it is about one player, who may lack perfect recall, up to an epsilon
    aliases: tuple[str, ...] = ()  # other common names; messages show the first two
    answers: tuple[Weaker, ...] = ()  # weaker concepts; requests for them get this concept

    @property
    def defined_off_path(self) -> bool:
        """True if play off the player's own path distinguishes equilibria with equal realization plans."""
        return self.equilibrium and not self.of_plans

    @property
    def of_subgames(self) -> bool:
        """True if the concept implies a Nash equilibrium of every subgame that chance can reach."""
        return SUBGAME in self.refutations

    def proven_player(self, certificate: Mapping[str, Any]) -> int | None:
        """Return the player, 0 or 1, whom a certificate that holds is about; None if it is about both."""
        if self.of_player:
            return _index(certificate.get("player"))
        sides = certificate.get("trembles")
        if not self.one_sided or not isinstance(sides, list | tuple):
            return None
        return next((i for i, side in enumerate(sides) if isinstance(side, str) and side == NO_MISTAKES), None)

    def disproven_player(self, refutation: Mapping[str, Any]) -> int | None:
        """Return the player, 0 or 1, whom a refutation that holds is about; None if it is about both."""
        errs = _index(refutation.get("player")) if self.one_sided else None  # the other one makes no mistakes
        return None if errs is None else 1 - errs

    def words_about(self, player: str) -> str:
        """Return the words of the concept, with the player whom it is about."""
        if self.one_sided:
            return f"{self.words} ({player} makes no mistakes)"
        return f"{self.words} of {player}" if self.of_player else self.words


def _index(player: object) -> int | None:
    """Return 0 or 1 for the player 1 or 2 of a document; None for anything else."""
    return player - 1 if isinstance(player, int) and player in (1, 2) else None


_OF_NASH = (BEST_RESPONSE,)
_OF_SUBGAMES = (*_OF_NASH, SUBGAME)
_OF_REFINEMENTS = (*_OF_SUBGAMES, MISTAKES)

_SUBGAME_PERFECT = ("subgame-perfect", "spe", "spne", "subgame-perfect-equilibrium")

CONCEPTS: dict[str, Concept] = {
    concept.name: concept
    for concept in (
        Concept(
            name="nash",
            words="Nash equilibrium",
            summary="nobody gains by deviating; off the path anything goes",
            proofs=(),
            certificate=BEST_RESPONSE,
            refutations=_OF_NASH,
            aliases=(
                "ne",
                "bne",
                "nash-equilibrium",
                "bayesian-nash",
                "bayesian-nash-equilibrium",
                "bayes-nash",
                "bayes-nash-equilibrium",
            ),
            of_rules=True,
            of_plans=True,
            bounded=True,
        ),
        Concept(
            name="subgame-perfect",
            words="subgame perfect equilibrium",
            summary="nobody gains by deviating in any subgame",
            proofs=("Neither player can gain anything by deviating in any subgame that chance lets happen.",),
            certificate=BEST_RESPONSE,
            refutations=_OF_SUBGAMES,
            aliases=_SUBGAME_PERFECT[1:],
        ),
        Concept(
            name="quasi-perfect",
            words="quasi-perfect equilibrium",
            summary="also best, off the path, against others who may err",
            proofs=(
                "The strategies are limits of completely mixed ones, against which they are best at every information "
                "set.",
            ),
            certificate=POLYNOMIALS,
            other_certificates=(BACKWARD_INDUCTION,),
            refutations=_OF_REFINEMENTS,
            aliases=("qpe", "quasi-perfect-equilibrium"),
            refines=True,
        ),
        Concept(
            name="one-sided-quasi-perfect",
            words="one-sided quasi-perfect equilibrium",
            summary="also best, off the path, for one who never errs, against another who may (needs trembles)",
            proofs=(
                "One player makes no mistakes: at every information set its strategy is best against completely mixed "
                "strategies of the other, whose limit the other's strategy is.",
                "Where only a mistake of that player leads, nothing is said of what the other does.",
            ),
            certificate=POLYNOMIALS,
            refutations=(*_OF_NASH, REPLY, MISTAKES),
            aliases=("osqpe", "one-sided-qpe", "one-sided-quasi-perfect-equilibrium"),
            refines=True,
            one_sided=True,
        ),
        Concept(
            name="sequential",
            words="sequential equilibrium",
            summary="beliefs at every information set, and play that is best given them",
            proofs=(
                "Strategies and beliefs are limits of completely mixed strategies and of the beliefs that follow from "
                "them.",
                "At every information set no action is better, given the belief and the strategies from there on.",
            ),
            certificate=POLYNOMIALS,
            other_certificates=(CONSISTENT_TREMBLES,),
            refutations=_OF_REFINEMENTS,
            aliases=("se", "sequential-equilibrium"),
            answers=(
                Weaker(
                    _SUBGAME_PERFECT,
                    why="a sequential equilibrium is an equilibrium of every subgame",
                    judged="that verdict also says whether the profile is one",
                ),
                Weaker(
                    ("perfect Bayesian", "pbe", "wpbe", "perfect-bayesian-equilibrium", "weak-perfect-bayesian"),
                    why="a sequential equilibrium is one whose beliefs are consistent off the path as well",
                    judged="if that is proven, so is this; a profile that is disproven there may still be one",
                ),
            ),
            refines=True,
            beliefs=True,
        ),
        Concept(
            name="perfect",
            words="extensive-form perfect equilibrium",
            summary="extensive-form perfect: best if the player itself may err later, too",
            proofs=(
                "The strategies are limits of equilibria of the games in which every action trembles, as trembles "
                "vanish.",
            ),
            certificate=BASIS,
            other_certificates=(POLYNOMIALS, BACKWARD_INDUCTION),
            refutations=_OF_REFINEMENTS,
            own_mistakes=True,
            aliases=(
                "efpe",
                "thpe",
                "extensive-form-perfect",
                "extensive-form-perfect-equilibrium",
                "trembling-hand-perfect",
                "trembling-hand-perfect-equilibrium",
            ),
            refines=True,
        ),
        Concept(
            name="normal-form-perfect",
            words="normal-form perfect equilibrium",
            summary="nobody plays what is weakly dominated; off the own path anything goes",
            proofs=("Each strategy is a best reply to a completely mixed one of the other: none weakly dominates it.",),
            certificate=POLYNOMIALS,
            refutations=(*_OF_NASH, DOMINATED),
            aliases=("nfpe", "undominated", "normal-form-perfect-equilibrium", "undominated-equilibrium"),
            refines=True,
            of_plans=True,
        ),
        Concept(
            name="proper",
            words="proper equilibrium",
            summary="normal-form perfect where costlier mistakes are rarer by an order (constant sum)",
            proofs=(
                "The strategies are limits of mistakes of which the costlier are rarer by an order, as Myerson's "
                "definition has it.",
            ),
            certificate=RANKED_PLANS,
            refutations=(*_OF_NASH, DOMINATED),
            aliases=("myerson", "proper-equilibrium", "normal-form-proper", "normal-form-proper-equilibrium"),
            of_plans=True,
            ranked=True,
        ),
        Concept(
            name="maxmin",
            words="maxmin strategy",
            summary="guarantees one player the most, whatever the other earns; players may forget",
            proofs=(
                "Against every strategy of the opponent, the strategy earns at least the lower bound.",
                "No strategy of the player guarantees more than the upper bound.",
            ),
            certificate=BRANCHING,
            other_certificates=(BEST_RESPONSE, GUARANTEE),
            bounded=True,
            equilibrium=False,
            of_player=True,
        ),
    )
}
"""Name -> concept."""
