"""Make matplotlib figures (extra ``plot``) in the colors and fonts of tremble, on given or new axes.

Equal data give SVG files with equal bytes. Their colors follow the light or dark setting of the reader's system.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tremble.errors import FormatError, SpecError, TrembleError
from tremble.run.whole_file import write_whole
from tremble.text.theme import PLOT, plot_in_the_dark, plot_sheet
from tremble.words import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["File", "drawn_on", "legend", "named", "new_figure"]

_LONG = 24  # greatest number of characters of a name in a figure

File = str | PathLike[str]


def named(label: str) -> str:
    r"""Shorten and escape a label, so that matplotlib neither reads it as a formula nor omits it from legends.

    Examples
    --------
    >>> named("$1$"), named("_bet"), named("")
    ('\\$1\\$', ' _bet', '(no name)')
    """
    text = printable(label).strip() or "(no name)"
    text = text if len(text) <= _LONG else f"{text[: _LONG - 1]}\N{HORIZONTAL ELLIPSIS}"
    return " " * text.startswith("_") + text.replace("$", r"\$")


@contextmanager
def drawn_on(ax: Any, path: File | None, width: float, height: float, count: int = 1) -> Iterator[list[Axes]]:
    """Yield the axes to draw on in a ``with`` block: the given ``ax``, or ``count`` axes of a new figure.

    After the block, add a legend. If ``path`` is given, write the new figure to it.

    Raises
    ------
    SpecError
        Both ``path`` and ``ax`` are given, or ``ax`` does not contain ``count`` axes.
    """
    if ax is not None:
        if path is not None:
            raise SpecError("'path' and 'ax' exclude each other; to save your own figure, call ax.figure.savefig(path)")
        given = [ax] if count == 1 else list(ax) if isinstance(ax, Iterable) and getattr(ax, "ndim", 1) != 0 else []
        if len(given) != count or not all(hasattr(each, "plot") for each in given):
            raise SpecError(
                f"'ax' must be {'axes' if count == 1 else f'a sequence of {count} axes'} of matplotlib, not {ax!r:.80}"
            )
        before = [set(axes.findobj()) for axes in given]
        yield given
        for axes, old in zip(given, before, strict=True):
            if _is_dark(axes):
                _lighten(artist for artist in axes.findobj() if artist not in old)
        if given[0].get_legend_handles_labels()[0]:
            below: Any = {"loc": "upper center", "bbox_to_anchor": (1.1, 0.0), "frameon": False}
            given[0].legend(**(below if count > 1 else {}))  # two axes share a legend below and between them
        return
    with new_figure(path, width, height) as figure:
        made = [figure.add_subplot(1, count, k + 1) for k in range(count)]
        yield made
        legend(figure, made[0])


def _is_dark(axes: Axes) -> bool:
    """Return True if the axes have a dark background. Transparent axes have the background of their figure."""
    from matplotlib.colors import to_rgba

    grounds = [to_rgba(axes.get_facecolor()), to_rgba(axes.figure.get_facecolor())]
    red, green, blue, _ = next((ground for ground in grounds if ground[3] > 0.5), (1.0, 1.0, 1.0, 1.0))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def _lighten(artists: Iterable[Any]) -> None:
    """Change the colors of texts, lines and areas to their versions for a dark background."""
    from matplotlib.colors import is_color_like, to_hex, to_rgba

    for artist in artists:
        for name in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            get = getattr(artist, f"get_{name}", None)
            colour = None if get is None else get()
            if not isinstance(colour, str | tuple) or not is_color_like(colour) or not to_rgba(colour)[3]:
                continue
            if name == "color" and to_hex(colour) == "#ffffff":  # the user's dark style has already set this color
                continue
            light = to_rgba(plot_in_the_dark(to_hex(colour)), to_rgba(colour)[3])
            getattr(artist, f"set_{name}")(light)
        if getattr(artist, "get_bbox_patch", lambda: None)():  # the box behind a text
            _lighten([artist.get_bbox_patch()])


@contextmanager
def new_figure(path: File | None, width: float, height: float) -> Iterator[Figure]:
    """Yield a new figure of ``width`` by ``height`` inches. After the ``with`` block, write the figure to ``path``.

    Without ``path``, the figure belongs to pyplot, which shows it.
    """
    try:
        import matplotlib
        import matplotlib.style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise TrembleError("matplotlib is not installed: pip install 'tremble[plot]'") from error
    figure = Figure(figsize=(width, height), layout="constrained") if path is not None else _shown(width, height)
    with matplotlib.rc_context(), matplotlib.style.context("default"):
        matplotlib.rcParams.update(PLOT)
        figure.set_facecolor(matplotlib.rcParams["figure.facecolor"])
        try:
            yield figure
        except BaseException:
            if path is None:
                _let_go(figure)
            raise
        if path is not None:
            _save(figure, path)


def _shown(width: float, height: float) -> Figure:
    """Make a pyplot figure. Do not call this function in ``style.context``, where pyplot would reset its backend."""
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def _let_go(figure: Figure) -> None:
    from matplotlib import pyplot

    pyplot.close(figure)


def _save(figure: Figure, path: File) -> None:
    if not isinstance(path, str | PathLike):
        raise SpecError(f"'path' must be the path of a file, not {path!r:.80}")
    ending = Path(path).suffix.removeprefix(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise FormatError(f"the name of a picture must end in one of .{', .'.join(sorted(known))}", file=fspath(path))
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # the font may lack letters of a label
        try:
            figure.savefig(drawn, format=ending, metadata={"Date": None, "Creator": None} if ending == "svg" else None)
        except ValueError as error:  # matplotlib reads text between dollar signs as a formula
            raise SpecError(
                f"matplotlib cannot read a formula in the picture: {' '.join(str(error).split()):.200}"
            ) from error
    data = drawn.getvalue()
    if ending == "svg":
        data = data.replace(b"</style>", plot_sheet().encode() + b"</style>", 1)
    write_whole((path, lambda stream: stream.write(data)))


def legend(figure: Figure, axes: Axes) -> None:
    """Add a legend below the axes, in as many columns as fit into the width."""
    handles, labels = axes.get_legend_handles_labels()
    wide = max((len(label) for label in labels), default=0)
    columns = max(1, min(len(labels), int(figure.get_figwidth() * 13 / (wide + 8))))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handlelength=3.2)
