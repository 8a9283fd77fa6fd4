"""Dominated actions: what goes, that the value stays, and that refinements are not touched."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import tremble
from ordered_games import in_tree
from random_ordered import RandomOrdered
from tremble.errors import GameError, SpecError
from tremble.poker.abstraction import dominance
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.dominance import dominance_report, undominated
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.filter import Filter
from tremble.poker.game import Signals
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.solution.judgements import prove


@cache
def shrunk(game: RhodeIsland | JkFourCards, mode: str = "lossless") -> Abstraction:
    return tremble.shrink(game, mode)


def test_the_best_hand_never_folds() -> None:
    """With two jacks and two kings: a king never folds to a bet, and bets rather than lets player 1's check pass."""
    abstraction = shrunk(JkFourCards())
    left = undominated(abstraction.filtered)
    stage = abstraction.filtered.rounds[0].stage
    gone = []
    for player, kept in enumerate(left.kept):
        side = stage.side(player)
        names = {side.last[child]: "-".join(stage.line[child]) for child in range(1, len(stage.line))}
        hands = abstraction.rules.names[player][0]
        gone += [(player + 1, hands[c], names[s + 1]) for c, s, _ in np.argwhere(~kept).tolist()]
    assert set(gone) == {(1, "K1+1", "check-bet-fold"), (2, "K1+1", "bet-fold"), (2, "K1+1", "check-check")}


def test_the_published_figures() -> None:
    """The paper states 1,190,443 rows and 1,181,084 columns after elimination; its program is that of player 2."""
    left = undominated(shrunk(RhodeIsland(), "published").filtered)
    assert left.filtered.sizes.rows == 1_237_238
    assert (left.columns, left.rows) == (1_190_443, 1_181_084)


@pytest.mark.slow
def test_the_published_figures_without_shrinking() -> None:
    """The paper states 89,471,986 rows and 89,121,538 columns; its program is that of player 2."""
    left = undominated(shrunk(RhodeIsland(), "full").filtered)
    assert left.filtered.sizes.rows == 91_224_226
    assert (left.columns, left.rows) == (89_471_986, 89_121_538)


@pytest.mark.slow
def test_the_recorded_figures_of_the_lossless_game() -> None:
    left = undominated(shrunk(RhodeIsland()).filtered)
    assert left.eliminated == (104_860, 125_832)
    assert (left.columns, left.rows) == (5_393_908, 5_372_936)


def test_figures_without_shrinking() -> None:
    assert dominance_report(shrunk(RhodeIsland(ranks=3), "full").filtered) == {
        "sequences": [656_161, 656_161],
        "eliminated_sequences": [94_080, 112_896],
        "rows": 805_730,
        "columns": 824_546,
    }


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", ["lossless", "full"])
def test_public_states_are_looked_at_by_themselves(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes is the same whether public states come one by one or all at once."""
    filtered = shrunk(RhodeIsland(ranks=3, suits=2), mode).filtered
    monkeypatch.setattr(dominance, "_PAIRS", 1)
    alone = undominated(filtered)
    monkeypatch.setattr(dominance, "_PAIRS", 2**40)
    together = undominated(filtered)
    assert min(alone.eliminated) > 0
    for player in (0, 1):
        assert (alone.kept[player] == together.kept[player]).all()
        assert (alone.reached[player] == together.reached[player]).all()


def test_figures_of_the_lossless_game() -> None:
    filtered = shrunk(RhodeIsland(ranks=5)).filtered
    assert dominance_report(filtered) == {
        "sequences": [191851, 191851],
        "eliminated_sequences": [15680, 18816],
        "rows": 249776,
        "columns": 252912,
    }


@pytest.mark.sample(12)
@pytest.mark.parametrize("kind", ["lossless", "told little", "full"])
@pytest.mark.parametrize("sum_", ["zero", "general"])
@pytest.mark.parametrize("seed", [0, 3, 7, 12, 31, 33])  # at 31 it matters what is played where no play comes
def test_equilibria_of_what_is_left_are_equilibria(seed: int, sum_: str, kind: str) -> None:
    game = RandomOrdered(seed, sum_=sum_, depth=3)

    def seen(public: Signals, private: Signals) -> int:
        return random.Random(f"{seed}{public}{private}").randrange(3)

    filters = {"lossless": lossless_filter, "told little": lambda game: Filter.of(game, seen), "full": Filter.full}
    abstraction = Abstraction(game, filters[kind](game), kind)
    whole, left = abstraction.apply(), undominated(abstraction.filtered)
    tree = left.apply()
    assert tremble.strategies.SequenceForm.of(tree).num_sequences == left.sequences != abstraction.sizes.sequences
    assert tree.num_infosets == left.information_sets
    solution = tremble.solve(tree)
    plans = left.lift(solution.profile(tree))
    for plan, kept in zip(plans, left.kept, strict=True):
        assert not plan.weight[-1][~kept].any()
    found = prove(whole, in_tree(abstraction, plans, whole))
    assert (found.nash_conv, found.values) == (0, solution.values)
    if sum_ == "zero":
        assert tremble.solve(whole).value == solution.value
    if kind != "told little":
        original = tremble.build(game)
        assert prove(original, in_tree(abstraction, plans, original)).nash_conv == 0


def test_refinements_are_refused() -> None:
    left = undominated(shrunk(JkFourCards()).filtered)
    left.accepts("nash")
    for concept in ("quasi-perfect", "sequential", "perfect"):
        with pytest.raises(SpecError, match="elimination may delete the equilibria"):
            left.apply(concept)


def test_strategies_of_other_games_are_refused() -> None:
    left = undominated(shrunk(JkFourCards()).filtered)
    whole = shrunk(JkFourCards()).apply()
    with pytest.raises(GameError, match="does not belong to the filtered game"):
        left.lift(tremble.solve(whole).profile(whole))


def test_solving_eliminates() -> None:
    game = tremble.load_rules("rhode_island:ranks=3,raises=1,suits=2")
    solution = tremble.solve(game, method="lp")
    assert str(solution.status) == "certified"
    assert solution.stats["eliminated_sequences"] == list(undominated(tremble.shrink(game).filtered).eliminated)
    assert min(solution.stats["eliminated_sequences"]) > 0
    assert solution.value == tremble.solve(tremble.shrink(game).apply()).value


def test_solving_eliminates_without_shrinking() -> None:
    game = tremble.load_rules("rhode_island:ranks=2,raises=1,suits=2")
    full = tremble.shrink(game, "full")
    method = tremble.methods.Lp(abstraction="full")
    solution = tremble.solve(game, method=method)
    assert str(solution.status) == "certified"
    assert solution.stats["shrunk_rows"] == full.sizes.rows > tremble.shrink(game).sizes.rows
    assert solution.stats["eliminated_sequences"] == list(undominated(full.filtered).eliminated)
    assert solution.value == tremble.solve(game, method="lp").value
    with pytest.raises(SpecError, match="the abstraction 'full' is only for Nash equilibria of ordered games"):
        tremble.solve(tremble.load("kuhn"), "quasi-perfect", method=method)
