"""Strategies of an ordered game as a web page: pictures to choose from, with numbers under the pointer."""

from __future__ import annotations

from tremble.kinds.ordered import OrderedKind
from tremble.model.ordered.payoffs import histories
from tremble.model.printable import escape
from tremble.model.rules import UnbuiltGame
from tremble.show.markup import page
from tremble.show.panels import OrderedProfile, Place, board_classes
from tremble.show.strategy_svg import StrategyPicture

__all__ = ["strategy_html"]

_MOST = 60  # pictures of a round


def strategy_html(game: UnbuiltGame, profile: OrderedProfile, place: Place | None = None) -> str:
    """Draw strategies of an ordered game as a self-contained web page: HTML, to be written with UTF-8.

    Parameters
    ----------
    game : UnbuiltGame
        Of an ordered game.
    profile : pair of OrderedStrategy
    place : Place, optional
        Where; by default the first round, and of later rounds every public state that differs, if they are not too
        many, after the likeliest line. A place that says nothing of the rounds before is shown after all their lines.
    """
    rules = OrderedKind(game).rules
    note = ""
    if place is None:
        places = []
        for number in range(len(rules.rounds)):
            states = board_classes(rules, profile, number)
            if number and len(states) > _MOST:
                note += f" Round {number + 1} has {len(states):,} public states that differ: --board chooses one."
                continue
            places += [Place(number, state, None) for state in states]
    elif place.line is not None:
        places = [place]
    else:
        lines = range(len(histories(rules, place.round)))
        places = [Place(place.round, place.state, line) for line in lines[:_MOST]]
    pictures = [StrategyPicture.of(game, profile, here) for here in places]
    options = "".join(f"<option>{escape(picture.where())}</option>\n" for picture in pictures)
    sections = "".join(
        f"<section{' hidden' * (number > 0)}>\n{picture.draw()}</section>\n" for number, picture in enumerate(pictures)
    )
    chooser = (
        f'<nav><select aria-label="where">\n{options}</select> <button id="before" title="the one before">&lsaquo;'
        f'</button> <button id="after" title="the next">&rsaquo;</button></nav>\n'
    )
    about = (
        "From the weakest hand to the strongest. A bar is as high as a probability; the grey one below it says how "
        "often play comes here with that hand. Pale: the own strategy never does."
    )
    several = len(pictures) > 1
    body = f"{chooser * several}<p>{about}{escape(note)}</p>\n{sections}"
    return page(game.title, body, "plan_page.css", "plan_page.js" if several else "")
