"""Exact, certified equilibria of two-player games with hidden information.

Load a game, solve it, and let an independent checker prove the answer:

>>> import tremble
>>> kuhn = tremble.load("kuhn")
>>> solution = tremble.solve(kuhn, concept="quasi-perfect")
>>> solution.value, str(solution.status)
(Fraction(-1, 18), 'certified')
>>> tremble.verify(kuhn, solution).proven
'quasi-perfect'

Games come from names, from Gambit's files (``tremble.read_efg``), from tables of payoffs, or from rules of your own
(``tremble.Game`` says which methods they need):

>>> chicken = tremble.matrix_game([[0, -1], [1, -10]], [[0, 1], [-1, -10]])
>>> len(tremble.all_equilibria(chicken))
3

Strategies from anywhere can be judged:

>>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
>>> tremble.nash_conv(kuhn, uniform)
Fraction(11, 12)

Where next: ``help(tremble.solve)``, ``help(tremble.methods)``, and the pages in ``docs``. The names below are those
used most. The others stand in public modules, which are loaded when first used:

tremble.methods      methods and their options as values: ``solve(game, method=tremble.methods.Lp())``
tremble.results      what functions return, for annotations: verifications, audits, comparisons, lists
tremble.strategies   realization plans, the sequence form, trembles, strategies of games that are not built
tremble.poker        ordered games: write one, abstract it, play its hands
tremble.recall       players who forget: what they forget, and games made smaller by forgetting
tremble.show         pictures of games and solutions, and plots of how methods converge
tremble.io           strategies and games of Gambit and OpenSpiel, JSON
tremble.errors       everything that tremble raises on purpose

All other modules are inner ones, which may change in any version, but for ``tremble.large``, the parts
of which can be replaced.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

from tremble.shown import show_by as _show_by

__version__ = "0.1.0"

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # the names stand in __init__.pyi

_show_by("tremble.text.forms")


def __getattr__(name: str) -> Any:
    try:
        return _public(name)
    except ModuleNotFoundError as error:
        from tremble.capabilities import explained

        raise explained(error, f"tremble.{name}") from None
    except AttributeError:
        if name.startswith("_"):
            raise
        from tremble.words import did_you_mean

        advice = f"{did_you_mean(name, __all__)} help(tremble) lists the modules with more names".strip()
        raise AttributeError(f"module 'tremble' has no attribute {name!r}; {advice}", name=name) from None
