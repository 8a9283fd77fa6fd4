"""Pictures of games, alone or with one or two profiles. A picture appears in notebooks and can be saved to a file."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text

from tremble.arguments import required_integer
from tremble.errors import CertificateError, GameError, SpecError
from tremble.formats.foreign import game_of
from tremble.formats.given_profile import GivenProfile, ProfileLike, given_profile
from tremble.formats.profile import read_profile
from tremble.game.hands import Place, Spot, hands_kind, has_hands
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.judge.compare import compare
from tremble.numbers import required_flag
from tremble.run.whole_file import write_bytes, write_text
from tremble.show.comparison_svg import draw_comparison_svg
from tremble.show.explorer import explorer_html
from tremble.show.html import tree_html
from tremble.show.latex import tree_tikz
from tremble.show.layout import excerpt
from tremble.show.paper import on_paper
from tremble.show.scene import Root, Scene, start_of
from tremble.show.strategy_svg import strategy_svg
from tremble.show.svg import tree_svg
from tremble.solution.audit import Audit
from tremble.solution.claims import of_rules, pair_of
from tremble.solution.stated import StatedSolution
from tremble.text.captions import statement
from tremble.text.theme import FAINT, Scheme, in_theme
from tremble.value import Value

__all__ = ["ComparedPicture", "HandsPicture", "Picture", "TreePicture", "draw", "picture_view"]

_MOST_NODES = 3000
_MOST_ON_A_PAGE = 100  # if a tree with a profile has more nodes, its web page is an explorer
_MOST_ON_PAPER = 300  # greatest number of nodes in a TikZ picture


@dataclass(frozen=True, eq=False, repr=False)
class Picture(Value):
    """A picture of a game, as returned by :func:`tremble.draw`. A notebook shows the picture if a cell returns it.

    Examples
    --------
    >>> import tremble
    >>> picture = tremble.draw(tremble.load("matching_pennies"))
    >>> picture.svg()[:4], picture.html()[:15]
    ('<svg', '<!doctype html>')
    """

    forms: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def svg(self) -> str:
        """Return the picture as a standalone SVG document."""

    @abstractmethod
    def html(self) -> str:
        """Return the picture as a self-contained web page."""

    def save(self, path: str | os.PathLike[str], theme: Scheme | None = None) -> None:
        """Write the picture to a file.

        Parameters
        ----------
        path : str or path
            The ending of the file name determines the format: ``.svg``, ``.html``, ``.pdf`` or ``.png``, and for a tree
            also ``.tex``. The formats ``.pdf`` and ``.png`` need the extra ``pictures``.
        theme : {"light", "dark"}, optional
            The colors of the picture. By default, ``.svg`` and ``.html`` follow the reader's system, and ``.pdf`` and
            ``.png`` are light.

        Raises
        ------
        SpecError
            The picture cannot be written in the format of this ending, or this format does not support ``theme``.
        FormatError
            The file cannot be written.
        TrembleError
            The package typst, which writes ``.pdf`` and ``.png``, is not installed.

        Examples
        --------
        >>> import tempfile, tremble
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tremble.draw(tremble.load("kuhn")).save(Path(folder, "kuhn.svg"))
        """
        if not isinstance(path, str | os.PathLike):
            raise SpecError(f"'path' must be the path of a file, not {path!r:.80}")
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in self.forms:
            *most, last = self.forms
            raise SpecError(
                f"{os.fspath(path)!r:.200}: the picture has no format with this ending; use {', '.join(most)} or {last}"
            )
        if theme not in (None, "light", "dark"):
            raise SpecError(f"'theme' must be 'light' or 'dark', not {theme!r:.80}")
        if theme is not None and ending == ".tex":
            raise SpecError(
                "'theme': a .tex file has the colors of its document; omit 'theme', or write .svg, .html, .pdf or .png"
            )
        if self.forms[ending] == "paper":
            write_bytes(path, on_paper(self.svg(), ending, theme))
        else:
            make: Callable[[], str] = getattr(self, self.forms[ending])
            write_text(path, in_theme(make(), theme))


def picture_view(picture: Picture) -> Text:
    """Return a line of text that lists the file formats of a picture."""
    return Text(f"save(path) writes this picture as {', '.join(picture.forms)}", style=FAINT)


@dataclass(frozen=True, eq=False, repr=False)
class TreePicture(Picture):
    """A picture of a tree, with or without a profile.

    Attributes
    ----------
    tree : GameTree
    profile : GivenProfile, Audit or None
        A profile with the data of its file, or an audit of a profile. If None, draw the tree alone.
    start : tuple of int
        The nodes at which the drawing begins.
    depth : int or None
        The number of levels to draw below the start nodes. If None, draw as many levels as possible.
    explorer : bool
        If True, the web page is an explorer (:mod:`tremble.show.explorer`) even for a small tree.
    """

    forms: ClassVar[Mapping[str, str]] = {
        ".svg": "svg", ".html": "html", ".pdf": "paper", ".png": "paper", ".tex": "tikz",
    }  # fmt: skip

    tree: GameTree
    profile: GivenProfile | Audit | None
    start: tuple[int, ...]
    depth: int | None
    explorer: bool = False

    def __post_init__(self) -> None:
        if self.explorer and not isinstance(self.profile, GivenProfile):
            raise SpecError("explorer=True needs a profile, not an audit: pass the audited profile")
        if self.explorer and (self.start != (0,) or self.depth is not None):
            raise SpecError("explorer=True shows the whole tree: omit 'root' and 'depth'")

    def scene(self, max_nodes: int = _MOST_NODES) -> Scene:
        """Choose the nodes to draw, about ``max_nodes`` at most, and compute the numbers to show at these nodes."""
        return Scene.of(self.tree, self.profile, max_nodes=max_nodes, start=self.start, depth=self.depth)

    def svg(self) -> str:
        """Draw the tree as SVG. If the tree has more than 3,000 nodes, draw only its first levels."""
        return tree_svg(self.scene())

    def html(self) -> str:
        """Return a web page with the drawing, exact numbers under the pointer and a table of the information sets.

        If the picture has a profile, return an explorer instead in two cases: ``explorer`` is True, or the tree has
        more than a hundred nodes. A page for a part of the tree or for an audit is never an explorer.
        """
        if self.explores:
            assert isinstance(self.profile, GivenProfile)
            return explorer_html(self.tree, self.profile)
        return tree_html(self.scene())

    @property
    def explores(self) -> bool:
        """True if the web page is an explorer."""
        large = self.explorer or self.tree.num_nodes > _MOST_ON_A_PAGE
        return isinstance(self.profile, GivenProfile) and large and self.start == (0,) and self.depth is None

    def tikz(self) -> str:
        """Return the drawing as TikZ code for LaTeX, with only the first levels if the tree has more than 300 nodes."""
        return tree_tikz(self.scene(_MOST_ON_PAPER))

    def drawn(self, ending: str = ".svg") -> int:
        """Return how many nodes a saved file shows. ``ending`` is the ending of the file's name."""
        if ending == ".html" and self.explores:
            return self.tree.num_nodes
        most = _MOST_ON_PAPER if ending == ".tex" else _MOST_NODES
        return excerpt(self.tree, most, start=self.start, depth=self.depth).num_nodes


@dataclass(frozen=True, eq=False, repr=False)
class ComparedPicture(Picture):
    """A picture that compares two profiles of one tree.

    Attributes
    ----------
    tree : GameTree
    profile, against : GivenProfile
    names : pair of str
        The names of the profiles.
    """

    forms: ClassVar[Mapping[str, str]] = {".svg": "svg", ".html": "html", ".pdf": "paper", ".png": "paper"}

    tree: GameTree
    profile: GivenProfile
    against: GivenProfile
    names: tuple[str, str] = ("first", "second")

    def svg(self) -> str:
        """Draw the two profiles' differences and payoffs with :func:`tremble.show.draw_comparison_svg`."""
        compared = compare(self.tree, self.profile.strategies, self.against.strategies, names=self.names)
        return draw_comparison_svg(self.tree, compared)

    def html(self) -> str:
        """Return an explorer page with both profiles side by side."""
        return explorer_html(self.tree, self.profile, self.against, names=self.names)


@dataclass(frozen=True, eq=False, repr=False)
class HandsPicture(Picture):
    """A picture of how each hand is played in an ordered game that has no tree in memory.

    In an *ordered game*, such as Rhode Island hold'em, players hold private signals and bet in rounds.

    Attributes
    ----------
    game : UnbuiltGame
    profile : pair of OrderedStrategy
    place : Place or None
        The round, the public signals and the moves so far. None shows the first round.
    against : pair of OrderedStrategy, or None
        A second profile. A picture shows it below the first profile, and a page shows it beside the first profile.
    names : pair of str
        The names of the profiles.
    about : pair of str
        For each profile, a description of its solution, or an empty string.
    """

    forms: ClassVar[Mapping[str, str]] = {".svg": "svg", ".html": "html", ".pdf": "paper", ".png": "paper"}

    game: UnbuiltGame
    profile: tuple[Any, Any]
    place: Place | None
    against: tuple[Any, Any] | None = None
    names: tuple[str, str] = ("first", "second")
    about: tuple[str, str] = ("", "")

    def svg(self) -> str:
        """Draw the decisions of ``profile`` at ``place``, and below them the decisions of ``against``, if given."""
        if self.against is None:
            return strategy_svg(self.game, [self.profile], self.place, self.about[:1])
        about = [": ".join(filter(None, pair)) for pair in zip(self.names, self.about, strict=True)]
        return strategy_svg(self.game, [self.profile, self.against], self.place, about)

    def html(self) -> str:
        """Return an explorer of all decisions, public signals and hands. The page opens at ``place``."""
        return explorer_html(
            self.game, self.profile, self.against, names=self.names, place=self.place, about=self.about
        )

    def spot(self) -> Spot:
        """Return the action probabilities of ``profile`` for all hands, from ``place`` to the end of the round."""
        return hands_kind(self.game).spot(self.profile, self.place or Place(0, 0, None))


def draw(
    game: object,
    profile: ProfileLike | GivenProfile | Audit | None = None,
    root: Root = None,
    depth: int | None = None,
    *,
    against: ProfileLike | GivenProfile | None = None,
    board: str | None = None,
    line: str | None = None,
    explorer: bool = False,
) -> Picture:
    """Draw a game, alone or with one or two profiles.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
        The game to draw. An ordered game without a tree, such as ``load_rules("rhode_island")``, needs a profile.
    profile : object, optional
        A profile, or an audit of a profile. :func:`tremble.nash_conv` lists the accepted forms of a profile. The
        picture of an audit marks the blunders.
    root : str, pair or sequence of str, optional
        The place where the drawing begins. The default is the root of the tree. The place is one of these:

        * An information set, given by its label or by a pair ``(player, set)``. The player is an index from 0, and the
          set is an index from 0 or a label. The set is drawn with the paths to all of its nodes.
        * A node, given by the list of moves from the root to the node, such as ``["KQ", "check"]``.
    depth : int, optional
        The number of levels to draw below ``root``.
    against : object, optional
        A second profile of the whole game, to compare with the first. A web page (``.html``) shows both profiles side
        by side. For a tree, an image shows the differences and payoffs (:func:`tremble.show.draw_comparison_svg`). For
        an ordered game without a tree, an image shows the decisions of both profiles.
    board, line : str, optional
        Only for an ordered game without a tree: the place to draw, given by the public signals (``board``), such as
        ``"Qd"``, and by the moves so far (``line``), such as ``"cbc:cb"``.
    explorer : bool
        If True, the web page is an explorer even for a small tree. In an explorer, readers can visit every information
        set and play hands. By default, the page is an explorer in these cases: for two profiles, for an ordered game
        without a tree, and for a profile on a tree of more than a hundred nodes.

    Returns
    -------
    tremble.show.Picture
        Notebooks show the picture. ``save(path)`` writes a file; the ending of ``path`` determines the format.

    Raises
    ------
    TrembleError
        The profile does not belong to this game, the place does not exist, or the game cannot be drawn.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> picture = tremble.draw(kuhn, tremble.solve(kuhn), root="Q:cb")
    >>> picture.svg()[:4]
    '<svg'
    """
    # Read profiles from files, and reject combinations of arguments that no picture supports.
    explorer = required_flag(explorer, "explorer")
    if isinstance(profile, str | os.PathLike):
        profile = read_profile(profile)
    if isinstance(against, str | os.PathLike):
        against = read_profile(against)
    if against is not None and profile is None:
        raise SpecError("'against' is the second of two profiles: also give the first, as 'profile'")
    if against is not None and (isinstance(profile, Audit) or isinstance(against, Audit)):
        raise SpecError("'against' cannot be combined with an audit: pass the audited profile instead of the audit")
    hands = None if profile is None else of_rules(profile)
    played = game_of(game, from_rules=hands is not None)
    # For a tree, draw the tree alone, with one profile, or with two profiles.
    if isinstance(played, GameTree):
        if board is not None or line is not None:
            raise SpecError("'board' and 'line' are for ordered games without a tree: for a tree, use 'root'")
        if depth is not None and required_integer(depth, "depth, the number of levels,") < 1:
            raise SpecError(f"'depth', the number of levels to draw, must be at least 1, not {depth}")
        if against is not None and (root is not None or depth is not None):
            raise SpecError("'against' compares two profiles on the whole tree: omit 'root' and 'depth'")
        given = None if profile is None else given_profile(played, profile)
        if given is not None and against is not None:
            return ComparedPicture(played, given, given_profile(played, against))
        shown = profile if isinstance(profile, Audit) else given
        return TreePicture(played, shown, start_of(played, root), depth, explorer)
    # For an ordered game that is not built, draw the play of each hand.
    if not has_hands(played):
        raise GameError("this game is not built as a tree, so it cannot be drawn: build it with tremble.build(game)")
    kind = hands_kind(played)
    strategies = None if hands is None else pair_of(kind.strategy, hands)
    others = None if against is None else pair_of(kind.strategy, of_rules(against) or ())
    if strategies is None or (against is not None and others is None):
        raise GameError(
            "a picture of an ordered game that is not built needs a solution: pass a solution as 'profile', or build "
            "the tree with tremble.build(game)"
        )
    if root is not None or depth is not None:
        raise SpecError("'root' and 'depth' are for trees: for an ordered game without a tree, use 'board' and 'line'")
    for pair in filter(None, (strategies, others)):
        for fault in kind.faults(pair):
            raise CertificateError(fault)
    place = None if board is None and line is None else kind.place(board, line)
    about = statement(_solution_of(profile)), statement(_solution_of(against))
    return HandsPicture(played, strategies, place, others, about=about)


def _solution_of(profile: object) -> StatedSolution | None:
    return profile if isinstance(profile, StatedSolution) else getattr(profile, "solution", None)
