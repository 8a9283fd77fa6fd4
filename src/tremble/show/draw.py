"""Pictures of games, and of profiles on games. Notebooks show them, and they can be saved in multiple formats."""

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
from tremble.game.hands import Place, Spot
from tremble.game.kinds import hands_kind, has_hands
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.judge.compare import compare
from tremble.numbers import required_flag
from tremble.run.text_file import write_bytes, write_text
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
from tremble.solution.parts import of_rules, pair_of
from tremble.solution.stated import StatedSolution
from tremble.text.captions import statement
from tremble.text.theme import FAINT, Scheme, in_theme
from tremble.value import Value

__all__ = ["ComparedPicture", "HandsPicture", "Picture", "TreePicture", "draw", "picture_view"]

_MOST_NODES = 3000
_MOST_ON_A_PAGE = 100  # limit on nodes; if a tree with a profile has more, its page is an explorer
_MOST_ON_PAPER = 300  # limit on the nodes of a TikZ picture


@dataclass(frozen=True, eq=False, repr=False)
class Picture(Value):
    """A picture of a game. :func:`tremble.draw` returns it, and notebooks show it.

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
            The picture has no format with this ending, or the format has no such theme.
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
            raise SpecError(f"expected the path of a file, not {path!r:.80}")
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in self.forms:
            *most, last = self.forms
            raise SpecError(
                f"{os.fspath(path)!r:.200}: the picture has no format with this ending; use {', '.join(most)} or {last}"
            )
        if theme not in (None, "light", "dark"):
            raise SpecError(f"theme must be 'light' or 'dark', not {theme!r:.80}")
        if theme is not None and ending == ".tex":
            raise SpecError(
                "theme: a .tex file has the colors of its document; omit theme, or write .svg, .html, .pdf or .png"
            )
        if self.forms[ending] == "paper":
            write_bytes(path, on_paper(self.svg(), ending, theme))
        else:
            make: Callable[[], str] = getattr(self, self.forms[ending])
            write_text(path, in_theme(make(), theme))


def picture_view(picture: Picture) -> Text:
    """Return a line of text with the formats of a picture."""
    return Text(f"save(path) writes this picture as {', '.join(picture.forms)}", style=FAINT)


@dataclass(frozen=True, eq=False, repr=False)
class TreePicture(Picture):
    """A picture of a tree.

    Attributes
    ----------
    tree : GameTree
    profile : GivenProfile, Audit or None
        A profile with the data of its file, or an audit. None draws the game without a profile.
    start : tuple of int
        The first nodes that are drawn.
    depth : int or None
        The number of levels that are drawn below the start nodes. None draws as many levels as possible.
    explorer : bool
        If True, the page is an explorer even for a small tree.
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
            raise SpecError("explorer needs a profile: give a profile, not an audit")
        if self.explorer and (self.start != (0,) or self.depth is not None):
            raise SpecError("explorer shows the whole tree: omit root and depth")

    def scene(self, max_nodes: int = _MOST_NODES) -> Scene:
        """Choose the part of the tree to draw, and compute the numbers for it."""
        return Scene.of(self.tree, self.profile, max_nodes=max_nodes, start=self.start, depth=self.depth)

    def svg(self) -> str:
        """Draw the tree as SVG. If the tree has more than 3,000 nodes, draw its first levels."""
        return tree_svg(self.scene())

    def html(self) -> str:
        """Return a web page with the drawing, exact numbers under the pointer and a table of the information sets.

        The page is an explorer if there is a profile and one of these conditions is true: the tree has more than a
        hundred nodes, or ``explorer`` is True. A page for a part of the tree or for an audit is never an explorer.
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
        """Return the drawing as TikZ code for LaTeX. If the tree has more than 300 nodes, draw its first levels."""
        return tree_tikz(self.scene(_MOST_ON_PAPER))

    def drawn(self, ending: str = ".svg") -> int:
        """Return the number of nodes that a file with this ending shows."""
        if ending == ".html" and self.explores:
            return self.tree.num_nodes
        most = _MOST_ON_PAPER if ending == ".tex" else _MOST_NODES
        return excerpt(self.tree, most, start=self.start, depth=self.depth).num_nodes


@dataclass(frozen=True, eq=False, repr=False)
class ComparedPicture(Picture):
    """A picture of two profiles of one tree.

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
        """Draw the differences and the payoffs of both profiles with :func:`tremble.show.draw_comparison_svg`."""
        compared = compare(self.tree, self.profile.strategies, self.against.strategies, names=self.names)
        return draw_comparison_svg(self.tree, compared)

    def html(self) -> str:
        """Return an explorer page with both profiles side by side."""
        return explorer_html(self.tree, self.profile, self.against, names=self.names)


@dataclass(frozen=True, eq=False, repr=False)
class HandsPicture(Picture):
    """A picture of the play of each hand in an ordered game that is not built.

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
        A description of each profile's solution, or an empty string.
    """

    forms: ClassVar[Mapping[str, str]] = {".svg": "svg", ".html": "html", ".pdf": "paper", ".png": "paper"}

    game: UnbuiltGame
    profile: tuple[Any, Any]
    place: Place | None
    against: tuple[Any, Any] | None = None
    names: tuple[str, str] = ("first", "second")
    about: tuple[str, str] = ("", "")

    def svg(self) -> str:
        """Draw the decisions of the first profile at the place, and below them the decisions of the second profile."""
        if self.against is None:
            return strategy_svg(self.game, [self.profile], self.place, self.about[:1])
        about = [": ".join(filter(None, pair)) for pair in zip(self.names, self.about, strict=True)]
        return strategy_svg(self.game, [self.profile, self.against], self.place, about)

    def html(self) -> str:
        """Return an explorer page of all decisions, boards and hands. The page opens at the place."""
        return explorer_html(
            self.game, self.profile, self.against, names=self.names, place=self.place, about=self.about
        )

    def spot(self) -> Spot:
        """Return the decisions that are drawn."""
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
    """Draw a game, or a profile on a game.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
        The game to draw. An ordered game that is not built needs a profile.
    profile : object, optional
        A profile, or an audit. :func:`tremble.nash_conv` lists the accepted forms of a profile. If an audit is given,
        its blunders are marked.
    root : str, pair or sequence of str, optional
        The place where the drawing begins. The default is the root of the tree. The place is one of these:

        * An information set, given by its label or by a pair ``(player, set)``. The player is an index from 0, and the
          set is an index from 0 or a label. The set is drawn with the paths to all of its nodes.
        * A node, given by the list of moves from the root to the node, such as ``["KQ", "check"]``.
    depth : int, optional
        The number of levels that are drawn below this place.
    against : object, optional
        A second profile of the whole game, to compare with the first. For a tree, the picture shows the differences and
        the payoffs of both profiles (:func:`tremble.show.draw_comparison_svg`). For an ordered game that is not built,
        the picture shows the decisions of both profiles. The web page is an explorer with both profiles side by side.
    board, line : str, optional
        Only for an ordered game that is not built: its public signals, such as ``"Qd"``, and the moves so far, such as
        ``"cbc:cb"``.
    explorer : bool
        If True, the web page is an explorer even for a small tree. Readers can explore the profile and play hands in
        it. By default, the page is an explorer in these cases: for two profiles, for an ordered game, and for a profile
        on a tree of more than a hundred nodes.

    Returns
    -------
    tremble.show.Picture
        Notebooks show the picture. ``save(path)`` writes it to a file. The ending of the file determines the format.

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
        raise SpecError("against is a second profile: give the first profile as well")
    if against is not None and (isinstance(profile, Audit) or isinstance(against, Audit)):
        raise SpecError("against compares two profiles: in place of an audit, give the profile that was audited")
    hands = None if profile is None else of_rules(profile)
    played = game_of(game, from_rules=hands is not None)
    # For a tree, draw the tree, one profile on it, or two profiles.
    if isinstance(played, GameTree):
        if board is not None or line is not None:
            raise SpecError("board and line are for an ordered game that is not built: for a tree, use root")
        if depth is not None and required_integer(depth, "depth, the number of levels,") < 1:
            raise SpecError(f"depth: at least one level must be drawn, not {depth}")
        if against is not None and (root is not None or depth is not None):
            raise SpecError("against compares two profiles on the whole tree: omit root and depth")
        given = None if profile is None else given_profile(played, profile)
        if given is not None and against is not None:
            return ComparedPicture(played, given, given_profile(played, against))
        shown = profile if isinstance(profile, Audit) else given
        return TreePicture(played, shown, start_of(played, root), depth, explorer)
    # For an ordered game that is not built, draw the play of each hand.
    if not has_hands(played):
        raise GameError("this game is not built, so it cannot be drawn: build its tree with tremble.build(game)")
    kind = hands_kind(played)
    strategies = None if hands is None else pair_of(kind.strategy, hands)
    others = None if against is None else pair_of(kind.strategy, of_rules(against) or ())
    if strategies is None or (against is not None and others is None):
        raise GameError(
            "a picture of an ordered game that is not built needs a solution: give it as profile, or build the tree "
            "with tremble.build(game)"
        )
    if root is not None or depth is not None:
        raise SpecError("root and depth are for trees: for an ordered game that is not built, use board and line")
    for pair in filter(None, (strategies, others)):
        for fault in kind.faults(pair):
            raise CertificateError(fault)
    place = None if board is None and line is None else kind.place(board, line)
    about = statement(_solution_of(profile)), statement(_solution_of(against))
    return HandsPicture(played, strategies, place, others, about=about)


def _solution_of(profile: object) -> StatedSolution | None:
    return profile if isinstance(profile, StatedSolution) else getattr(profile, "solution", None)
