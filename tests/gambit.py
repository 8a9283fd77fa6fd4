"""What Gambit says of games: recorded, so that nobody compiles it for minutes to run the tests; asked anew as well.

Each question is a function of a game's text that asks pygambit. A test asks through the fixture ``gambit``, so there
are two of it: one reads ``gambit_answers.json``; the other has the marker ``peers`` and asks Gambit itself. Answers are
kept by the question and a digest of what is asked about, never by what our solvers found: of equilibria there are many.

``python tests/record_gambit.py`` records all answers anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest

ANSWERS = Path(__file__).with_name("gambit_answers.json")
Rows = Sequence[Sequence[Sequence[Fraction]]]  # for each player, for each information set, a probability of each action


class Gambit:
    """Gambit's answers to questions, as they were recorded or, if live, as it gives them now."""

    newly_asked: ClassVar[dict[str, dict[str, Any]]] = {}  # what was asked live in this process, to be recorded

    def __init__(self, live: bool) -> None:
        self.live = live

    def ask(self, question: Callable[..., Any], *about: Any) -> Any:
        """The answer, in texts, integers and lists."""
        key = hashlib.sha256("\0".join(map(str, about)).encode()).hexdigest()[:16]
        if self.live:
            answer = json.loads(json.dumps(question(*about)))
            self.newly_asked.setdefault(question.__name__, {})[key] = answer
            return answer
        recorded = _recorded()["answers"].get(question.__name__, {})
        assert key in recorded, (
            f"no recorded answer of Gambit to {question.__name__}: with pygambit (pip install -e '.[test,peers]'), "
            "python tests/record_gambit.py asks it everything"
        )
        return recorded[key]


@cache
def _recorded() -> Any:
    return json.loads(ANSWERS.read_text("utf-8"))


def pygambit() -> Any:
    """Gambit itself, for tests with the marker ``peers``."""
    return pytest.importorskip("pygambit", reason="needs Gambit: pip install -e '.[peers]'")


def read_by_gambit(text: str) -> Any:
    """Gambit's game of an .efg or .nfg text."""
    read = pygambit().read_efg if text.lstrip("\ufeff \n").startswith("EFG") else pygambit().read_nfg
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(io.BytesIO(text.encode()))


def profile_of_gambit(game: Any, rows: Rows) -> Any:
    """A profile as Gambit's object."""
    profile = game.mixed_behavior_profile(rational=True)
    for player, sets in zip(game.players, rows, strict=True):
        for infoset, row in zip(player.infosets, sets, strict=True):
            for action, p in zip(infoset.actions, row, strict=True):
                profile[action] = pygambit().Rational(p.numerator, p.denominator)
    return profile


# -- the questions -----------------------------------------------------------------------------------


def written_back(text: str) -> str:
    """The file that Gambit writes of a game that it has read."""
    game = read_by_gambit(text)
    return str(game.to_efg() if game.is_tree else game.to_nfg())


def catalog() -> list[str]:
    """The games that Gambit comes with, as it writes them, without the words about them."""
    texts = []
    for path in catalog_files():
        game = read_by_gambit(path.read_text("utf-8"))
        game.description = ""
        texts.append(str(game.to_efg() if game.is_tree else game.to_nfg()))
    return texts


def catalog_files() -> list[Path]:
    return sorted((Path(pygambit().__file__).parent / "catalog_data").rglob("*.?fg"))


def numbers_of_sets(text: str) -> list[int]:
    """How many information sets each player has."""
    return [len(player.infosets) for player in read_by_gambit(text).players]


def payoffs(text: str, rows: Rows) -> list[str]:
    """What a profile earns each player."""
    game = read_by_gambit(text)
    profile = profile_of_gambit(game, rows)
    return [str(profile.payoff(player)) for player in game.players]


def assessment(text: str, rows: Rows) -> list[list[list[Any]]]:
    """Of each information set: how likely it is, beliefs, values of its actions and of its nodes to its player."""
    game = read_by_gambit(text)
    profile = profile_of_gambit(game, rows)
    return [
        [
            [
                str(profile.infoset_prob(infoset)),
                [str(profile.belief(node)) for node in infoset.members],
                [str(profile.action_value(action)) for action in infoset.actions],
                [str(profile.node_value(player, node)) for node in infoset.members],
            ]
            for infoset in player.infosets
        ]
        for player in game.players
    ]


def regret(text: str, rows: Rows) -> str:
    """The greatest gain of anybody from deviating; takes time exponential in the size of the game."""
    return str(profile_of_gambit(read_by_gambit(text), rows).max_regret())


def value_by_linear_program(text: str) -> str:
    """What player 1 earns in the profile of Gambit's rational linear program."""
    game, profile = _linear_program(text)
    return str(profile.payoff(next(iter(game.players))))


def regret_of_its_own(text: str) -> str:
    """The regret of that profile by Gambit's own account, in rational numbers."""
    return str(_linear_program(text)[1].max_regret())


def _linear_program(text: str) -> tuple[Any, Any]:
    """The profile of the rational lp_solve, completed: it leaves forced moves at probability 0."""
    game = read_by_gambit(text)
    (profile,) = pygambit().nash.lp_solve(game, rational=True).equilibria
    for player in game.players:
        for infoset in player.infosets:
            if all(profile[action] == 0 for action in infoset.actions):
                for action in infoset.actions:
                    profile[action] = pygambit().Rational(1, len(infoset.actions))
    return game, profile


def complementary_pivots(text: str, rational: bool) -> list[str]:
    """The equilibrium that lcp_solve finds, as numbers in the order of the information sets."""
    game = read_by_gambit(text)
    profile = pygambit().nash.lcp_solve(game, rational=rational).equilibria[0]
    return [str(profile[action]) for player in game.players for s in player.infosets for action in s.actions]


def payoffs_of_complementary_pivots(text: str) -> list[str]:
    """What the equilibrium that lcp_solve finds in rational numbers earns each player."""
    game = read_by_gambit(text)
    profile = pygambit().nash.lcp_solve(game, rational=True).equilibria[0]
    return [str(profile.payoff(player)) for player in game.players]


def extreme_equilibria(text: str) -> Sequence[Sequence[Sequence[str]]]:
    """All extreme equilibria of a one-shot game, for each player the probabilities of the strategies, sorted."""
    game = read_by_gambit(text)
    mixed = pygambit().nash.enummixed_solve(game, rational=True).equilibria  # repeats some where strategies do
    return sorted({tuple(tuple(str(e[s]) for s in player.strategies) for player in game.players) for e in mixed})
