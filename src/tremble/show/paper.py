"""Convert pictures to PDF and PNG with typst (extra ``pictures``).

Converting the same picture again gives the same bytes. PDF files embed their fonts.
"""

from __future__ import annotations

import re
from math import sqrt

from tremble.errors import TrembleError
from tremble.text.theme import Scheme, in_theme

__all__ = ["on_paper"]

_PER_INCH = 96.0  # SVG pixels per inch
_SHARPNESS = 2.0  # PNG pixels per SVG pixel, in each direction
_MOST_PIXELS = 40e6  # greatest number of pixels in a PNG; larger pictures get a lower sharpness
_PAGE = b"""\
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.alt)
"""


def on_paper(svg: str, ending: str, theme: Scheme | None) -> bytes:
    """Convert an SVG picture of this package to ``.pdf`` or ``.png``. The default theme is light.

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
