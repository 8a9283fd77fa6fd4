"""The explorer: an interactive web page for one or two profiles of a game.

At every information set, the page shows the probabilities, beliefs, values and losses of the profiles. Readers can also
play hands against a profile.
"""

from __future__ import annotations

import json
from typing import Any

from tremble.formats.given_profile import GivenProfile, ProfileLike
from tremble.game.hands import Place
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.show.explored_hands import explored_hands
from tremble.show.explored_tree import explored_tree
from tremble.text.markup import escape, page
from tremble.text.theme import asset
from tremble.words import printable_json

__all__ = ["explorer_html"]

_KEYS = (
    ("/", "search"),
    ("j k", "next, previous"),
    ("u", "up to the move before"),
    ("l", "largest loss"),
    ("d", "largest difference"),
    ("1 \N{EN DASH} 9", "follow an action, or play it"),
    ("p", "play a hand"),
    ("e", "exact numbers"),
    ("Esc", "back"),
    ("?", "these keys"),
)

_UNITS = {"tree": "information sets", "hands": "decisions"}

_BODY = """\
<header>
<h1>{title}</h1>
<p>{about}</p>
<div class="tools" role="toolbar" aria-label="tools">
<input id="search" type="search" placeholder="search" aria-label="search by label, action or number">
<select id="who" aria-label="player"><option value="">both players</option></select>
<select id="order" aria-label="order"></select>
<button type="button" id="loss">largest loss</button>
<button type="button" id="difference">largest difference</button>
<button type="button" id="exact" aria-pressed="false">exact numbers</button>
<span class="group"><button type="button" id="play">play a hand</button>
<select id="seat" aria-label="seat"></select><select id="against" aria-label="opponent"></select></span>
<span id="said" role="status"></span>
</div>
</header>
<main>
<div id="side"><div id="count" class="faint" role="status"></div>
<div id="list" role="listbox" tabindex="0" aria-label="{unit}"><div id="space"></div>
<div id="rows" role="presentation"></div></div></div>
<article id="set" tabindex="0" aria-label="the chosen place"></article>
</main>
<footer id="keys" tabindex="-1" aria-label="keys">{keys}</footer>
"""


def explorer_html(
    game: GameTree | UnbuiltGame,
    profile: ProfileLike | GivenProfile | tuple[Any, Any],
    against: ProfileLike | GivenProfile | tuple[Any, Any] | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    place: Place | None = None,
    about: tuple[str, str] = ("", ""),
) -> str:
    """Return the HTML text of a self-contained web page for exploring a profile. Save the text as UTF-8.

    Parameters
    ----------
    game : GameTree or UnbuiltGame
        A tree with up to a million nodes, or an ordered game.
    profile : object
        For a tree, a profile (:func:`tremble.nash_conv` lists the accepted forms). For an ordered game, a pair of
        OrderedStrategy.
    against : object, optional
        A second profile. The page shows it beside the first profile.
    names : pair of str
        The names of the profiles.
    place : Place, optional
        For an ordered game: the place where the page opens. Ignored for a tree.
    about : pair of str
        For an ordered game: a description of each profile's solution. Ignored for a tree.

    Raises
    ------
    TooLargeError
        The game has too many nodes for a page.
    TrembleError
        A profile does not belong to the game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> explorer_html(kuhn, tremble.solve(kuhn)).splitlines()[0]
    '<!doctype html>'
    """
    profiles = [profile] if against is None else [profile, against]
    if isinstance(game, GameTree):
        return _page(explored_tree(game, profiles, names[: len(profiles)]), "explorer_tree.js")
    ordered: Any = profiles
    return _page(explored_hands(game, ordered, names[: len(profiles)], place, about), "explorer_hands.js")


def _page(record: dict[str, Any], script: str) -> str:
    profiles = record["profiles"]
    named = [f"{each['name']}: " if len(profiles) > 1 else "" for each in profiles]
    about = "; ".join(name + each["about"] for name, each in zip(named, profiles, strict=True) if each["about"])
    keys = " ".join(f"<span><kbd>{escape(key)}</kbd> {escape(meaning)}</span>" for key, meaning in _KEYS)
    body = _BODY.format(title=escape(record["title"]), about=escape(about), keys=keys, unit=_UNITS[record["kind"]])
    data = printable_json(json.dumps(record, ensure_ascii=False, separators=(",", ":"))).replace("<", "\\u003c")
    body += f'<script type="application/json" id="data">{data}</script>\n<script>\n{asset(script)}</script>\n'
    return page(record["title"], body, "explorer.css", "explorer.js")
