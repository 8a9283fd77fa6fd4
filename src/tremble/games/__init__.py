"""The built-in games: a table of names, and a parser for specs such as ``"leduc:ranks=5"``.

To add a game: one file in this folder with a frozen dataclass derived from
:class:`tremble.games.parameters.Rules`, one row in the table below, one row in ``tests/known.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tremble.capabilities import registered, require_installed
from tremble.errors import SpecError
from tremble.games.parameters import Parameter, Rules, parameters
from tremble.lazy import at
from tremble.spelling import did_you_mean

__all__ = ["Parameter", "Rules", "is_built_in", "names", "parameters", "parse_spec", "rules_class", "suggestions"]

_IN_THIS_FOLDER: Mapping[str, str] = {
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
    "kuhn_raise": "kuhn:KuhnRaise",
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
"""Name of a game -> module in this folder and class."""


@cache
def _classes() -> dict[str, str]:
    """Return the module and class of each game, those of capabilities included, sorted by name."""
    here = {name: f"tremble.games.{place}" for name, place in _IN_THIS_FOLDER.items()}
    elsewhere = {name: place for capability in registered() for name, place in capability.games.items()}
    return dict(sorted({**here, **elsewhere}.items()))


def names() -> tuple[str, ...]:
    """Return the names of all built-in games, sorted."""
    return tuple(_classes())


def rules_class(name: str) -> type[Rules]:
    """Import the class of the rules of a game; ``parameters`` lists its parameters."""
    rules: type[Rules] = at(_classes()[name])
    return rules


def is_built_in(text: str) -> bool:
    """Check that the text before the first colon names a built-in game."""
    return text.partition(":")[0] in _classes()


def suggestions(name: str) -> str:
    """Suggest, in words, built-in games with names similar to this one; empty if no name is similar."""
    return did_you_mean(name, _classes())


def parse_spec(text: str) -> tuple[Rules, str]:
    """Read ``NAME[:KEY=VALUE,...]``.

    A piece without ``=`` continues the previous value. Double quotes are optional; booleans are ``true`` and ``false``.
    Return the rules, and the same spec with keys sorted and defaults left out.

    Raises
    ------
    SpecError
        The game or a key is unknown, a key is repeated, or a value is not allowed. The message lists what is allowed.

    Examples
    --------
    >>> rules, canonical = parse_spec("goofspiel:order=increasing,cards=3")
    >>> rules.cards, canonical
    (3, 'goofspiel:order=increasing')
    """
    name, _, rest = text.partition(":")
    if name not in _classes():
        require_installed(name)
        raise SpecError(f"no built-in game {name!r:.80}; {suggestions(name) or 'known: ' + ', '.join(_classes())}")
    cls = rules_class(name)
    known = {parameter.name: parameter for parameter in parameters(cls)}
    given: dict[str, int | float | bool | str] = {}
    for key, value in _pairs(name, rest):
        if key not in known:
            listed = f"ts parameters: {', '.join(known)}" if known else "t has none"
            question = did_you_mean(key, known)
            raise SpecError(f"{name} has no parameter {key!r:.80}; {f'{question} I' if question else 'i'}{listed}")
        if key in given:
            raise SpecError(f"{name}: parameter {key!r} is given twice")
        try:
            given[key] = known[key].parse(value)
        except SpecError as error:
            raise SpecError(f"{name}: {error}") from None
    try:
        rules = cls(**{known[key].field: value for key, value in given.items()})
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from None
    chosen = [f"{key}={Parameter.format(given[key])}" for key in sorted(given) if given[key] != known[key].default]
    return rules, f"{name}:{','.join(chosen)}" if chosen else name


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    """Split ``KEY=VALUE,...`` at commas and first equality signs outside double quotes."""
    pieces, quoted = [""], False
    for character in text:
        quoted ^= character == '"'
        if character == "," and not quoted:
            pieces.append("")
        else:
            pieces[-1] += character
    if quoted:
        raise SpecError(f"{name}: a double quote is not closed in {text!r:.80}")
    pairs: list[tuple[str, str]] = []
    for piece in pieces if text else []:
        key, equals, value = piece.partition("=")
        if equals and '"' not in key:
            pairs.append((key.strip(), value.strip().replace('"', "")))
        elif pairs:
            before, value = pairs[-1]
            pairs[-1] = before, value + "," + piece.strip().replace('"', "")
        else:
            raise SpecError(f"{name}: expected KEY=VALUE, found {piece!r:.60}")
    return pairs
