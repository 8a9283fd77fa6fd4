"""Exact, certified equilibria of two-player games with hidden information.

Load a game, solve it, and let an independent checker prove the answer:

>>> import tremble
>>> kuhn = tremble.load("kuhn")
>>> solution = tremble.solve(kuhn, concept="quasi-perfect")
>>> solution.value, str(solution.status)
(Fraction(-1, 18), 'certified')
>>> tremble.verify(kuhn, solution).proven
'quasi-perfect'

Load games by name or from Gambit's files (``tremble.read_efg``), or define them by payoff tables or by your own rules
(``tremble.Game`` lists the methods that rules need):

>>> chicken = tremble.matrix_game([[0, -1], [1, -10]], [[0, 1], [-1, -10]])
>>> len(tremble.all_equilibria(chicken))
3

Evaluate strategies from any source:

>>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
>>> tremble.nash_conv(kuhn, uniform)
Fraction(11, 12)

Read ``help(tremble.solve)``, ``help(tremble.methods)`` and the pages in ``docs`` next. This module has the most common
names. The following public modules, which are loaded on first use, have all other names:

tremble.methods      methods with their options: ``solve(game, method=tremble.methods.Lp())``
tremble.results      classes of results, for annotations: verifications, audits, comparisons, lists
tremble.strategies   realization plans, the sequence form, trembles, strategies of games without a tree
tremble.poker        ordered games, such as poker: write one, abstract it, play its hands
tremble.recall       players without perfect recall: what they forget, and games made smaller by forgetting
tremble.large        the double oracle, a method for games too large to build; its parts can be replaced
tremble.batch        many games at a time, and one game for many values of a parameter
tremble.show         pictures of games and solutions, and plots of the convergence of methods
tremble.check        the kernel: the independent checker of claims, which imports no solver
tremble.io           games and strategies in the formats of Gambit, OpenSpiel and JSON
tremble.errors       the exceptions that tremble raises on purpose

All other modules are internal and may change in any version.
"""

from __future__ import annotations

from typing import Any

from tremble.lazy import attach_stub as _attach_stub
from tremble.lazy import explained as _explained
from tremble.shown import show_by as _show_by

__version__ = "0.1.0"

_public, __dir__, __all__ = _attach_stub(__name__, __file__)  # __init__.pyi lists the names

_show_by("tremble.text.forms")


def __getattr__(name: str) -> Any:
    try:
        return _public(name)
    except ModuleNotFoundError as error:
        raise _explained(error, f"tremble.{name}") from None
    except AttributeError:
        if name.startswith("_") or not __all__:
            raise
        from tremble.arguments import did_you_mean

        advice = f"{did_you_mean(name, __all__)} help(tremble) lists the modules with more names".strip()
        raise AttributeError(f"module 'tremble' has no attribute {name!r}; {advice}", name=name) from None
