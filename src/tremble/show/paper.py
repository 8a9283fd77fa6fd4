"""Pictures as PDF and PNG, made with typst (extra ``pictures``). Equal pictures give equal bytes; PDF embeds fonts."""

from __future__ import annotations

import re
from math import sqrt

from tremble.errors import TrembleError
from tremble.text.theme import Scheme, in_theme

__all__ = ["on_paper"]

_PER_INCH = 96.0  # pixels of SVG
_SHARPNESS = 2.0  # pixels of PNG for each pixel of SVG, in each direction
_MOST_PIXELS = 40e6  # a PNG with more pixels is made less sharp
_PAGE = b"""\
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.alt)
"""


def on_paper(svg: str, ending: str, theme: Scheme | None) -> bytes:
    """Convert a picture of this package to ``.pdf`` or ``.png``, light by default.

    Raises
    ------
    TrembleError
        The package typst is not installed, or cannot write the picture.
    """
    try:
        import typst
    except ImportError:
        raise TrembleError(
            f"{ending} is written with typst, which is not installed: pip install 'tremble[pictures]'"
        ) from None
    size = re.search(r' width="([\d.]+)" height="([\d.]+)"', svg)
    title = re.search(r"<title[^>]*>([^<]*)</title>", svg)
    assert size is not None
    pixels = float(size[1]) * float(size[2])
    sharpness = min(_SHARPNESS, sqrt(_MOST_PIXELS / pixels))
    inputs = {"svg": in_theme(svg, theme or "light"), "alt": title[1] if title else ""}
    try:
        made = typst.compile(
            _PAGE,
            format="pdf" if ending == ".pdf" else "png",
            ppi=_PER_INCH * sharpness,
            sys_inputs=inputs,
            timestamp=0,
        )
    except (RuntimeError, ValueError) as error:
        raise TrembleError(f"typst cannot write the picture as {ending}: {error}") from None
    return bytes(made)
