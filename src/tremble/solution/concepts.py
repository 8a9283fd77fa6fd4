"""A table of the solution concepts: names, words, kinds of certificates, and properties that methods need.

The methods, the command line, the tables on the terminal and the documentation read this table. The kernel has a
separate table with the checks: ``check/judging.py``.
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
    """A concept that follows from a stronger concept. Each :class:`Concept` lists weaker concepts in ``answers``."""

    words: tuple[str, ...]  # all names of the weaker concept; messages use the first name
    why: str  # why the weaker concept follows from the stronger concept
    judged: str  # how a verdict on the stronger concept answers the question about the weaker concept


@dataclass(frozen=True)
class Concept:
    """A solution concept: its names, its properties, and the kinds of its certificates and refutations."""

    name: str  # the name in --concept and in solution files
    words: str  # the name in a sentence
    summary: str  # a definition in one line
    proofs: tuple[str, ...]  # sentences about what a proof shows beyond a Nash equilibrium
    certificate: str  # the kind of certificate that proves the concept
    other_certificates: tuple[str, ...] = ()  # other kinds of certificate that also prove the concept
    refutations: tuple[str, ...] = ()  # the kinds of refutation that disprove the concept
    of_rules: bool = False  # True if the concept can be proven for games that are not built (no tree)
    bounded: bool = False  # True if a solution of this concept may prove only bounds on the value
    equilibrium: bool = True  # True if the concept implies a Nash equilibrium
    refines: bool = False  # True if the concept refines Nash equilibria by vanishing mistakes, which may have weights
    one_sided: bool = False  # True if one player makes no mistakes; the trembles name this player
    of_plans: bool = False  # True if the concept ignores play at sets that the player's own strategy never reaches
    ranked: bool = False  # True if costlier mistakes are rarer by a factor that vanishes
    own_mistakes: bool = False  # True if players take their own later mistakes into account
    beliefs: bool = False  # True if the concept defines beliefs
    of_player: bool = False  # True if the concept is about one player, who may lack perfect recall; bounds may differ
    aliases: tuple[str, ...] = ()  # other common names; messages show the first two
    answers: tuple[Weaker, ...] = ()  # weaker concepts; a request for a weaker concept gets this concept

    @property
    def defined_off_path(self) -> bool:
        """True if the concept also judges play at sets that a player's own strategy never reaches."""
        return self.equilibrium and not self.of_plans

    @property
    def of_subgames(self) -> bool:
        """True if the concept implies Nash equilibria of all subgames, except after chance moves of probability 0."""
        return SUBGAME in self.refutations

    def proven_player(self, certificate: Mapping[str, Any]) -> int | None:
        """Return the player, 0 or 1, to whom a valid certificate applies; None if it applies to both."""
        if self.of_player:
            return _index(certificate.get("player"))
        sides = certificate.get("trembles")
        if not self.one_sided or not isinstance(sides, list | tuple):
            return None
        return next((i for i, side in enumerate(sides) if isinstance(side, str) and side == NO_MISTAKES), None)

    def disproven_player(self, refutation: Mapping[str, Any]) -> int | None:
        """Return the player, 0 or 1, to whom a valid refutation applies; None if it applies to both."""
        errs = _index(refutation.get("player")) if self.one_sided else None  # the concept is about the other player
        return None if errs is None else 1 - errs

    def words_about(self, player: str) -> str:
        """Return the concept's name in words, with the name ``player`` if the concept applies to only one player."""
        if self.one_sided:
            return f"{self.words} ({player} makes no mistakes)"
        return f"{self.words} of {player}" if self.of_player else self.words


def _index(player: object) -> int | None:
    """Convert a document's player, 1 or 2, to an index, 0 or 1. Return None for any other value."""
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
            summary="no player gains by deviating; play off the path is arbitrary",
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
            summary="no player gains by deviating in any subgame",
            proofs=("Neither player can gain anything by deviating in any subgame that chance can reach.",),
            certificate=BEST_RESPONSE,
            refutations=_OF_SUBGAMES,
            aliases=_SUBGAME_PERFECT[1:],
        ),
        Concept(
            name="quasi-perfect",
            words="quasi-perfect equilibrium",
            summary="also best off the path, if the opponent may make mistakes",
            proofs=(
                "The strategies are limits of completely mixed strategies, and they are best against these at every "
                "information set.",
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
            summary="quasi-perfect for one player, who makes no mistakes; the opponent may (needs trembles)",
            proofs=(
                "One player is faultless: it makes no mistakes. At every information set, its strategy is best against "
                "completely mixed strategies that converge to the other player's strategy.",
                "Nothing is proven about the other player's play after a mistake of the faultless player.",
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
            summary="beliefs at every information set, and best play given these beliefs",
            proofs=(
                "The strategies are limits of completely mixed strategies. The beliefs are limits of the beliefs that "
                "follow from these.",
                "At every information set, no action earns more than a played action, given the belief and the "
                "strategies for later moves.",
            ),
            certificate=POLYNOMIALS,
            other_certificates=(CONSISTENT_TREMBLES,),
            refutations=_OF_REFINEMENTS,
            aliases=("se", "sequential-equilibrium"),
            answers=(
                Weaker(
                    _SUBGAME_PERFECT,
                    why="a sequential equilibrium is an equilibrium of every subgame",
                    judged="the verdict also reports whether the profile is subgame perfect",
                ),
                Weaker(
                    ("perfect Bayesian", "pbe", "wpbe", "perfect-bayesian-equilibrium", "weak-perfect-bayesian"),
                    why="a sequential equilibrium is perfect Bayesian, with consistent beliefs off the path too",
                    judged="a proof holds for perfect Bayesian equilibria too, but a refutation does not",
                ),
            ),
            refines=True,
            beliefs=True,
        ),
        Concept(
            name="perfect",
            words="extensive-form perfect equilibrium",
            summary="extensive-form perfect: also best if the player itself may make mistakes later",
            proofs=(
                "The strategies are limits of equilibria of games in which every action trembles, as the trembles "
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
            summary="no weakly dominated strategies; any play off the player's own path",
            proofs=("Each strategy is a best reply to some completely mixed strategy, so it is not weakly dominated.",),
            certificate=POLYNOMIALS,
            refutations=(*_OF_NASH, DOMINATED),
            aliases=("nfpe", "undominated", "normal-form-perfect-equilibrium", "undominated-equilibrium"),
            refines=True,
            of_plans=True,
        ),
        Concept(
            name="proper",
            words="proper equilibrium",
            summary="normal-form perfect, and costlier mistakes are infinitely rarer (constant sum)",
            proofs=(
                "The strategies are limits of completely mixed strategies in which costlier mistakes are rarer by an "
                "order (Myerson's definition).",
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
            summary="one player's largest guaranteed payoff, for payoffs of any sum; players may forget",
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
"""The table of concepts: name -> concept."""
