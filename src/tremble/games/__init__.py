"""The built-in games. :mod:`tremble.games.parameters` finds them by name.

To add a game, write a file in this folder with a frozen dataclass derived from
:class:`tremble.games.parameters.Rules`. Then add the game to the table below and to ``tests/known.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["IN_THIS_FOLDER"]

IN_THIS_FOLDER: Mapping[str, str] = {
    "a_loss_counterexample": "teaching:ALossCounterexample",
    "absentminded_driver": "teaching:AbsentmindedDriver",
    "battle_outside": "classics:BattleOutside",
    "beer_quiche": "classics:BeerQuiche",
    "centipede": "classics:Centipede",
    "dare_or_decline": "teaching:DareOrDecline",
    "double_oracle_example": "teaching:DoubleOracleExample",
    "entry_deterrence": "classics:EntryDeterrence",
    "goofspiel": "goofspiel:Goofspiel",
    "guess_the_ace": "teaching:GuessTheAce",
    "job_market": "classics:JobMarket",
    "kuhn": "kuhn:Kuhn",
    "kuhn_raise": "kuhn_raise:KuhnRaise",
    "leduc": "leduc:Leduc",
    "liars_dice": "liars_dice:LiarsDice",
    "matching_pennies": "teaching:MatchingPennies",
    "mertens": "classics:Mertens",
    "ordered_trembles": "classics:OrderedTrembles",
    "poker": "poker:Poker",
    "random_imperfect_recall": "random_imperfect_recall:RandomImperfectRecall",
    "random_tree": "random_tree:RandomTree",
    "safe_or_risky": "teaching:SafeOrRisky",
    "selten_horse_two": "classics:SeltenHorseTwo",
    "wichardt": "teaching:Wichardt",
}
"""A dict from the name of each game to its module in this folder and its class."""
