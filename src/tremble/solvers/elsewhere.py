"""List concepts and methods that tremble does not compute, and the programs that compute them.

Error messages and the table in docs/compared.md show entries of the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from tremble.arguments import plain
from tremble.errors import SpecError
from tremble.words import for_reader

__all__ = ["ELSEWHERE", "Elsewhere", "require_here"]


@dataclass(frozen=True)
class Elsewhere:
    """A concept or method that tremble does not compute, and the programs that do."""

    words: tuple[str, ...]  # all names; the first is the name for the table
    what: str  # a sentence with the definition
    programs: tuple[tuple[str, str], ...]  # pairs of a program and its module, function or method
    instead: str = ""  # a sentence about the closest feature of tremble; "{lists}" becomes a function or option

    @property
    def where(self) -> str:
        """Text with the programs and functions that compute the concept: ``program (function) and ...``."""
        return " and ".join(f"{program} ({function})" for program, function in self.programs)


ELSEWHERE: tuple[Elsewhere, ...] = (
    Elsewhere(
        ("correlated", "ce", "correlated-equilibrium"),
        "A mediator draws a pair of strategies and tells each player its own strategy. No player gains by disobeying.",
        (("OpenSpiel", "open_spiel.python.algorithms.jpsro"),),
        "Every Nash equilibrium is also a correlated equilibrium.",
    ),
    Elsewhere(
        ("coarse-correlated", "cce", "coarse-correlated-equilibrium"),
        "A mediator draws a pair of strategies. No player gains by deciding before the draw to ignore the mediator.",
        (("OpenSpiel", "open_spiel.python.algorithms.jpsro"),),
        "Every Nash equilibrium is also a coarse correlated equilibrium.",
    ),
    Elsewhere(
        ("qre", "logit", "quantal-response", "quantal-response-equilibrium", "logit-equilibrium"),
        "In a quantal response equilibrium the players err, and costly errors are less likely.",
        (("Gambit", "pygambit.qre"),),
        "Quasi-perfect and perfect equilibria are limits of play with errors that vanish.",
    ),
    Elsewhere(
        ("stackelberg", "commitment", "leader-follower", "stackelberg-equilibrium", "strong-stackelberg"),
        "A leader commits to a mixed strategy, and the follower learns that strategy before it moves.",
        (("OpenSpiel", "open_spiel.python.algorithms.stackelberg_lp"),),
        "If the payoffs have a constant sum, every Nash strategy of the leader is its best commitment.",
    ),
    Elsewhere(
        ("ess", "evolutionarily-stable", "evolutionarily-stable-strategy", "evolutionary-stable-strategy"),
        "A strategy of a symmetric game is evolutionarily stable if no small group with another strategy can invade.",
        (("the R package EvolutionaryGames", "ESS, up to three strategies"),),
        "Every such strategy is played in a symmetric equilibrium: see the option symmetric of the method lemke.",
    ),
    Elsewhere(
        ("rationalizable", "rationalizability", "iterated-dominance", "iesds"),
        "With two players, a strategy is rationalizable if repeated removal of strictly dominated strategies keeps it.",
        (("OpenSpiel", "open_spiel.python.algorithms.lp_solver.iterated_dominance"),),
        "Every strategy that a Nash equilibrium uses is rationalizable.",
    ),
    Elsewhere(
        ("support-enumeration",),
        "Support enumeration searches for an equilibrium with each pair of supports of a bimatrix game.",
        (("Nashpy", "nashpy.Game.support_enumeration"),),
        "tremble lists all extreme equilibria by other means: {lists}.",
    ),
    Elsewhere(
        ("fictitious-play", "fp", "brown-robinson"),
        "Each player repeatedly plays a best response to the average of the other player's past strategies.",
        (
            ("Nashpy", "nashpy.Game.fictitious_play"),
            ("OpenSpiel", "open_spiel.python.algorithms.fictitious_play"),
        ),
        "Iterative methods of tremble for games with a constant sum are cfr, cfr+, pcfr+ and dcfr.",
    ),
)


def require_here(word: object) -> None:
    """Raise ``SpecError`` if only other programs have the concept or method ``word``. The message names the programs.

    Examples
    --------
    >>> require_here("nash")
    >>> require_here("support enumeration")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tremble.errors.SpecError: tremble does not compute 'support enumeration'; Nashpy (nashpy.Game.support_...
    """
    if not isinstance(word, str):
        return
    for row in ELSEWHERE:
        if plain(word) in map(plain, row.words):
            does = "does" if len(row.programs) == 1 else "do"
            instead = row.instead.format(lists=for_reader("tremble.all_equilibria", "--all"))
            raise SpecError(f"tremble does not compute {word!r:.80}; {row.where} {does}. {row.what} {instead}".strip())
