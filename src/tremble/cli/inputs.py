"""What a command reads: the game it is given, and files of strategies."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click

from tremble.cli.console import say
from tremble.cli.progress import Progress
from tremble.errors import CertificateError, GameError
from tremble.io import loading
from tremble.io.profile import StatedProfile, read_profile
from tremble.model.ordered.game import OrderedGame
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.model.tree_builder import DEFAULT_MAX_NODES
from tremble.show.panels import OrderedProfile
from tremble.solution.heading import GameReference
from tremble.solution.stated import NOT_BUILT
from tremble.verifier.profiles.ordered import ordered_faults
from tremble.verifier.profiles.ordered_deals import deal_all

__all__ = ["GameArgument", "require_one_standard_input", "warn_of_another_game"]


@dataclass(frozen=True)
class GameArgument:
    """GAME as it was typed, and how it is to be read."""

    text: str
    max_nodes: int | None  # larger trees are refused; None for the default
    repair: Fraction | None  # by how much probabilities in files may be moved, so that they sum to one

    @property
    def file(self) -> str | None:
        """The file that the game is read from, if it is."""
        return None if loading.is_named(self.text) else self.text

    def tree(self, progress: Progress) -> GameTree:
        """Load a game that must be built."""
        progress.step("loading the game")
        return loading.load_tree(self.text, repair=self.repair, max_nodes=self._limit, progress=progress.nodes)

    def tree_or_rules(self, progress: Progress, *, from_rules: bool = False) -> GameTree | UnbuiltGame:
        """Load a game that need not be built, or is not to be."""
        progress.step("loading the game")
        return loading.load_any(
            self.text, from_rules=from_rules, repair=self.repair, max_nodes=self._limit, progress=progress.nodes
        )

    def ordered(self, stated: StatedProfile, progress: Progress) -> tuple[UnbuiltGame, OrderedProfile]:
        """The ordered game that strategies are for, and these; what is wrong with them is said.

        Raises
        ------
        GameError
            It is no ordered game.
        CertificateError
            The strategies do not fit it.
        """
        assert stated.ordered is not None
        game = self.tree_or_rules(progress, from_rules=True)
        warn_of_another_game(game, stated.game)
        if not isinstance(game, UnbuiltGame) or not isinstance(game.rules, OrderedGame):
            raise GameError(f"{stated.name} states strategies of an ordered game, which {self.text!r:.80} is not")
        progress.step("the deals")
        deal = deal_all(game.rules)
        for strategy in stated.ordered:
            for fault in ordered_faults(deal, strategy):
                raise CertificateError(f"{stated.name}: {fault}")
        return game, stated.ordered

    @property
    def _limit(self) -> int:
        return DEFAULT_MAX_NODES if self.max_nodes is None else self.max_nodes

    def profile(self, path: str, *, unbuilt: bool = False, ordered: bool = False) -> StatedProfile:
        """Read strategies for the game from a file of any kind; of one not built (or ordered) where that will do."""
        stated = read_profile(Path(path), repair_tolerance=self.repair)
        if stated.not_built and not unbuilt and not (ordered and stated.ordered is not None):
            raise GameError(f"{stated.name}: {NOT_BUILT}")
        return stated


def require_one_standard_input(*paths: str | None) -> None:
    """Refuse to read standard input twice."""
    if paths.count("-") > 1:
        raise click.UsageError("only one argument can be standard input")


def warn_of_another_game(game: GameTree | UnbuiltGame, named: GameReference | None) -> None:
    """Strategies of another game may be meant; that they are is said."""
    if named is not None and named.digest is not None and named.digest != game.digest:
        other = named.spec or named.title
        say(f"warning: the file states strategies of another game ({other!r:.80}): the digests differ")
