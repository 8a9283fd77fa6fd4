"""The explorer's data of ordered games: probabilities and losses of every hand are those of the exact functions."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from hands_as_trees import random_profile
from random_ordered import RandomOrdered
from tremble.errors import SpecError
from tremble.game.protocol import TERMINAL
from tremble.game.rules import UnbuiltGame
from tremble.poker.choices import line_number, own_node, probabilities
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.panels import OrderedProfile, place_of, spot_of
from tremble.poker.payoffs import histories
from tremble.show import explored_hands
from tremble.show.explorer import explorer_html
from tremble.show.playable import Line, PlayableOrdered

GAME = RhodeIsland(ranks=3, suits=2, raises=1)


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def array(text: str, kind: str) -> Any:
    return np.frombuffer(gzip.decompress(base64.b64decode(text)), dtype=kind)


def floats(halves: Any) -> Any:
    return (halves.astype(np.uint32) << 16).view(np.float32)


def decisions(game: OrderedGame, count: int, seed: int) -> list[Line]:
    """Lines that end where a player moves, of hands in which everything is drawn evenly."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        h = game.root()
        histories, actions = [h], []
        while game.player(h) != TERMINAL:
            if game.player(h) >= 0:
                found.append(Line(tuple(histories), tuple(actions)))
            actions.append(rng.randrange(len(game.actions(h))))
            h = game.child(h, actions[-1])
            histories.append(h)
    return found


def check(game: OrderedGame, profile: OrderedProfile, data: Any, number: int, *, exact: bool) -> None:
    stated, playable = data["profiles"][number], PlayableOrdered(UnbuiltGame.of(game), profile)
    unknown = 0
    for line in decisions(game, 60, 7):
        h = line.here
        player = game.player(h)
        node = own_node(game, h.round, h.public, h.private[player])
        before = line_number(game.rounds, h.nodes[:-1])
        round_, side = data["rounds"][h.round], game.rounds[h.round].stage.side(player)
        assert data["held"][array(round_["held"], "<i4")[node]] == list(h.private[player])
        k = side.nodes.index(h.nodes[-1])
        slots = slice(side.start[k] - 1, side.start[k + 1] - 1)
        shape = (-1, side.num_sequences - 1, round_["before"])
        told = stated["players"][player][h.round]
        own = array(told["classes"], "<i4")[node]
        expected = probabilities(game, profile[player], h.public, h.private[player], h.nodes)
        if exact:
            places = np.array(told["places"]).reshape(shape)[own, slots, before]
            assert tuple(Fraction(data["numbers"]["exact"][place]) for place in places) == expected
        else:
            shares = array(told["rounded"], "<u2").reshape(shape)[own, slots, before] / data["steps"]
            assert np.allclose(shares, [float(p) for p in expected], atol=1 / data["steps"])
            assert [share in (0, 1) for share in shares] == [p in (0, 1) for p in expected]
        costs = stated["losses"][player][h.round]
        row = array(costs["rows"], "<i4")[node]
        losses = floats(array(costs["losses"], "<u2")).reshape(shape)[row, slots, before]
        known = playable.losses(line)
        unknown += known is None
        if known is None:
            assert np.isnan(losses).all()
        else:
            assert np.allclose(losses, [float(loss) for loss in known], rtol=1 / 128)
    assert unknown < 40


@pytest.mark.parametrize("exact", [True, False])
def test_probabilities_and_losses_of_all_hands(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exact:
        monkeypatch.setattr(explored_hands, "_MOST_EXACT", 0)
    one, two = random_profile(GAME, 1), random_profile(GAME, 2)
    data = data_of(explorer_html(UnbuiltGame.of(GAME), one, two))
    check(GAME, one, data, 0, exact=exact)
    check(GAME, two, data, 1, exact=exact)


@pytest.mark.parametrize("seed", [0, 2, 5, 9])
def test_games_with_weights_of_all_kinds(seed: int) -> None:
    game = RandomOrdered(seed)
    profile = random_profile(game, seed)
    check(game, profile, data_of(explorer_html(UnbuiltGame.of(game), profile)), 0, exact=True)


def test_the_page_opens_where_it_is_to() -> None:
    profile = random_profile(GAME, 1)
    place = place_of(GAME, "Qd", "cc:b")
    start = data_of(explorer_html(UnbuiltGame.of(GAME), profile, place=place))["start"]
    assert start == f"2.{place.line}.{place.node}@{place.state}"
    likeliest = place_of(GAME, "Qd", None)
    spot = spot_of(GAME, profile, likeliest)
    start = data_of(explorer_html(UnbuiltGame.of(GAME), profile, place=likeliest))["start"]
    assert start == f"2.{histories(GAME, 1).index(spot.lines)}.0@{place.state}"


def test_the_command_and_the_function(tmp_path: Path) -> None:
    file, page, kuhn = tmp_path / "river.json", tmp_path / "river.html", tmp_path / "kuhn.json"
    spec = "holdem_river:range1=AA,range2=KK,bets=100,raises=0"
    assert run("solve", spec, "-o", str(file), "--quiet").exit_code == 0
    done = run("draw", spec, str(file), "--against", str(file), "-o", str(page))
    assert done.exit_code == 0, done.output
    assert re.search(r"river.html: all rounds, [\d.]+ MB", done.output)
    assert len(data_of(page.read_text("utf-8"))["profiles"]) == 2
    assert run("solve", "kuhn", "-o", str(kuhn), "--quiet").exit_code == 0
    assert run("draw", "kuhn", str(kuhn), "--against", str(kuhn), "-o", str(tmp_path / "kuhn.tex")).exit_code == 2
    with pytest.raises(SpecError, match="'against' is the second of two profiles"):
        tremble.draw(tremble.load("kuhn"), against=str(kuhn))


@pytest.mark.parametrize("pot", [20, 60])
def test_the_page_knows_which_losses_are_too_small_to_show(pot: int) -> None:
    """A millionth of the pot: what a folding player has put in is half of it."""
    spec = f"holdem_river:range1=AA,range2=KK,bets=100,raises=0,pot={pot}"
    solution = tremble.solve(tremble.load_rules(spec))
    assert data_of(tremble.draw(tremble.load_rules(spec), solution).html())["least"] == pytest.approx(pot * 1e-6)
