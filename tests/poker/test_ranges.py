"""Ranges of two-card hands against an expansion written for these tests, and back to text."""

from __future__ import annotations

import random
import re
import time
import warnings
from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

import tremble
from tremble.errors import SpecError, TrembleWarning
from tremble.games.parameters import parse_spec
from tremble.poker import HoldemRiver, parse_range, range_text
from tremble.poker.game import OrderedGame

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "ranges.md"
BOARD = "Qs9h7s4d2s"
ORDER = "23456789TJQKA"
CLASSES = [a + a for a in ORDER]
CLASSES += [high + low + kind for low, high in combinations(ORDER, 2) for kind in ("", "s", "o")]
HANDS = [b + a for a, b in combinations([rank + suit for rank in ORDER for suit in "cdhs"], 2)]


# -- an expansion that asks of each hand whether a part contains it ----------------------------------


def ranks(text: str) -> tuple[int, int]:
    return ORDER.index(text[0]), ORDER.index(text[1])


def kind_fits(kind: str, hand: str) -> bool:
    return not kind or (kind == "s") == (hand[1] == hand[3])


def is_in(hand: str, part: str) -> bool:
    high, low = ORDER.index(hand[0]), ORDER.index(hand[2])
    if "-" in part:
        (h1, l1), (h2, l2) = map(ranks, part.split("-"))
        lows = min(l1, l2) <= low <= max(l1, l2)
        fits = lows and (high == h1 if h1 == h2 else high - low == h1 - l1)
        return fits and kind_fits(part.partition("-")[0][2:], hand)
    h, l = ranks(part)  # noqa: E741
    kind = part[2:].removesuffix("+")
    if not part.endswith("+"):
        return (high, low) == (h, l) and kind_fits(kind, hand)
    if h - l < 2:
        return high - low == h - l and high >= h and kind_fits(kind, hand)
    return high == h and l <= low < h and kind_fits(kind, hand)


def expanded(part: str) -> set[str]:
    return {hand for hand in HANDS if is_in(hand, part)}


def spans() -> list[str]:
    """All spans of two different classes."""
    found = []
    for one, other in product(CLASSES, CLASSES):
        (h1, l1), (h2, l2) = ranks(one), ranks(other)
        pairs = (h1 == l1) + (h2 == l2)
        if one != other and one[2:] == other[2:] and pairs != 1 and (h1 == h2 or h1 - l1 == h2 - l2):
            found.append(f"{one}-{other}")
    return found


def test_classes_and_pluses() -> None:
    for part in (*CLASSES, *(name + "+" for name in CLASSES)):
        assert parse_range(part).keys() == expanded(part), part


def test_spans() -> None:
    rng = random.Random(1)
    for part in rng.sample(spans(), 150):
        assert parse_range(part).keys() == expanded(part), part


@pytest.mark.slow
def test_all_spans() -> None:
    for part in spans():
        assert parse_range(part).keys() == expanded(part), part


def test_what_is_no_span_is_refused() -> None:
    known = set(spans())
    rng = random.Random(2)
    for one, other in (rng.sample(CLASSES, 2) for _ in range(400)):
        if f"{one}-{other}" not in known:
            with pytest.raises(SpecError, match="is not a span"):
                parse_range(f"{one}-{other}")


def test_single_hands() -> None:
    for hand in HANDS:
        assert list(parse_range(hand)) == list(parse_range(hand[2:] + hand[:2])) == [hand]
    assert len(HANDS) == 1326


@pytest.mark.parametrize("text", ["", "  \n", "random", "ANY", "100%", "100.0%", "22+ 32+ 42+,52+ 62+ 72+ 82+ 92+ "
                                  "T2+ J2+ Q2+ K2+ A2+"])  # fmt: skip
def test_all_hands(text: str) -> None:
    assert parse_range(text) == dict.fromkeys(HANDS, F(1))


# -- readings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("akS", "AKs"), ("AKO", "AKo"), ("aK", "KA"), ("tt+", "TT+"), ("AHKD", "AhKd"), ("ahkd", "KdAh"),
        ("QQ-22", "22-QQ"), ("T9s-QJs", "QJs-T9s"), ("A6s-A9s", "A9s-A6s"), ("9Ts-JQs", "T9s-QJs"), ("9Ts+", "T9s+"),
        ("JJ - 88", "JJ-88"), ("JJ\N{EN DASH}88", "JJ-88"), ("AA :.5", "AA:1/2"), ("AA: 50%", "AA:0.5"),
        ("AA KK", "AA,KK"), ("AA; KK\r\nQQ\tJJ,", "AA,KK,QQ,JJ"), (",AA,,KK", "AA,KK"), ("TT+,AA", "TT+"),
        ("AKs:0.5,AhKh:50%", "AKs:0.5"), ("[50]AKs,QQ[/50]", "AKs:0.5,QQ:0.5"), ("[50.0]AA[/50],KK", "AA:.5,KK"),
        ("[ 12.5 ] AhKh [/12.5]", "AhKh:0.125"), ("[100]AA[/100]", "AA"), ("[0]AA[/0] KK", "KK"), ("KK,AA:0", "KK"),
        ("[1/3]AA[/1/3]", "AA:1/300"), ("AA:1.", "AA"), ("AA:1e-3", "AA:0.1%"), ("random:0.25", "22+:1/4 32+:1/4 "
         "42+:1/4 52+:1/4 62+:1/4 72+:1/4 82+:1/4 92+:1/4 T2+:1/4 J2+:1/4 Q2+:1/4 K2+:1/4 A2+:1/4"),
    ],
)  # fmt: skip
def test_other_ways_to_write_the_same(text: str, same: str) -> None:
    assert parse_range(text) == parse_range(same)


def test_weights_are_exact() -> None:
    found = parse_range("AA:0.1,KhKd:1e-3,22:0,33:1/3,44:12.5%,[33.3]55[/33.3],66:0.00000000000000000001")
    assert {weight for hand, weight in found.items()} == {
        F(1, 10), F(1, 1000), F(1, 3), F(1, 8), F(333, 1000), F(1, 10**20)
    }  # fmt: skip
    assert all(type(weight) is F for weight in found.values())
    assert "2d2c" not in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA,AK,Qx", "'Qx' (character 7) is not a hand; write a part like AA, TT+, JJ-88, AKs"),
        ("AA AAs", "'AAs' (character 4) is not a hand, because a pair is always offsuit; write AA"),
        ("22-", "'22-' (character 1) is not a hand"),
        ("22-K", "'22-K' (character 1) is not a hand"),
        ("TT++", "'TT++' (character 1) is not a hand"),
        ("76s+-54s", "'76s+-54s' (character 1) is not a hand"),
        ("+", "'+' (character 1) is not a hand"),
        ("A10s", "'A10s' (character 1) is not a hand; write T for a ten, as in ATs"),
        ("AhAH", "'AhAH' (character 1) has the same card twice"),
        ("A9s-K6s", "'A9s-K6s' (character 1) is not a span; its ends must be two pairs (JJ-88)"),
        ("AKs-ATo", "'AKs-ATo' (character 1) is not a span"),
        ("A9s-A6", "'A9s-A6' (character 1) is not a span"),
        ("AA-AK", "'AA-AK' (character 1) is not a span"),
        ("top 20%", "'top' (character 1) asks for the best hands, but programs disagree about the order of hands"),
        ("AA,20%", "'20%' (character 4) asks for the best hands"),
        ("5%-15%", "'5%-15%' (character 1) asks for the best hands"),
        ("AKs 0.5", "'0.5' (character 5) is not a hand"),
        ("AK\u017f", "'AK\u017f' (character 1) is not a hand"),  # a long s
        ("\u212aQs", "'\u212aQs' (character 1) is not a hand"),  # the sign of the kelvin
        (" , ", "' , ' contains no hand"),
        ("KK, AA:-1", "'AA:-1' (character 5) has the weight -1; weights are from 0 to 1"),
        ("AA:50", "'AA:50' (character 1) has the weight 50; weights are from 0 to 1; write 50 percent as 0.5 or 50%"),
        ("AA:1.0001", "has the weight 1.0001; weights are from 0 to 1"),
        ("AA:101%", "has the weight 101%; weights are from 0 to 1; write at most 100 percent"),
        ("AA:x", "'AA:x' (character 1) has 'x' instead of a weight; write a weight like 0.5, 1/3 or 50%"),
        ("AA:", "'AA:' (character 1) has '' instead of a weight"),
        ("AA:1/0", "has '1/0' instead of a weight"),
        ("AA:nan", "has 'nan' instead of a weight"),
        ("AA:0.5:0.5", "has '0.5:0.5' instead of a weight"),
        ("AA:1e-99999999", "instead of a weight"),
        ("[x]AA[/x]", "'[x]' (character 1) has 'x' instead of a weight; write a weight in percent"),
        ("[101]AA[/101]", "'[101]' (character 1) has the weight 101; weights are from 0 to 1"),
        ("[50]AA", "'[50]' (character 1) is not closed; write [/50] after its last part"),
        ("[50]AA[/40]", "'[/40]' (character 7) closes [50]; write [/50]"),
        ("[50][25]AA[/25][/50]", "'[25]' (character 5) does not match another tag"),
        ("AA[/50]", "'[/50]' (character 3) does not match another tag"),
        ("AA[", "'[' (character 3) does not match another tag"),
        ("AA]", "']' (character 3)"),
        ("[50]AA:0.5[/50]", "'AA:0.5' (character 5) has a second weight within [50]; write one of them"),
        ("TT+,AA:0.5", "'AA:0.5' (character 5) gives AdAc the weight 1/2, but 'TT+' (character 1) gives it 1"),
        ("AA:0,AA", "'AA' (character 6) gives AdAc the weight 1, but 'AA:0' (character 1) gives it 0"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_range(text, what="range2")
    assert str(caught.value).startswith("range2: ")
    assert message in str(caught.value)


def test_other_types_are_refused() -> None:
    with pytest.raises(SpecError, match="range must be text, such as 'TT\\+,AKs', not"):
        parse_range(["AA"])  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="'weights' must be a mapping from hands to weights, not"):
        range_text("AA")  # type: ignore[arg-type]


def test_long_texts_take_linear_time() -> None:
    began = time.process_time()
    for text in ("A" + " " * 10**5, "- " * 10**5, "[" * 10**5, ": " * 10**5, "A" * 10**5, "AA" + ":1" * 10**5):
        with pytest.raises(SpecError):
            parse_range(text)
    assert time.process_time() - began < 5


# -- boards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [("AA", 6), ("QQ", 3), ("TT+", 27), ("AKs", 4), ("AK", 16), ("AQs", 3), ("AJs+", 11), ("", 47 * 46 // 2)],
)
def test_classes_lose_hands_on_the_board_silently(text: str, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = parse_range(text, BOARD)
    assert len(found) == count
    assert not any(hand[:2] in BOARD or hand[2:] in BOARD for hand in found)


def test_single_hands_on_the_board_are_reported() -> None:
    with pytest.warns(TrembleWarning, match="^range1: hands with a card of the board are left out: QsQh$"):
        game = HoldemRiver(board=BOARD, range1="AA,QsQh")
    assert len(game.ranges[0]) == 6  # type: ignore[index]
    with pytest.warns(TrembleWarning, match="^range: hands .*: QsJh, QsTh, Qs8h and 1 more$"):
        assert not parse_range("QsJh,QsTh,Qs8h,Qs6h,Qs5h:0", ["Qs", "9h"])


def test_lists_of_all_hands_are_fast() -> None:
    rng = random.Random(3)
    weights = {hand: F(rng.randrange(10**6), 10**6) for hand in HANDS}
    text = ",".join(f"{hand}:{float(weight)}" for hand, weight in weights.items())
    seconds = []
    for _ in range(5):
        began = time.process_time()
        found = parse_range(text)
        seconds.append(time.process_time() - began)
    assert found == {hand: weight for hand, weight in weights.items() if weight}
    assert min(seconds) < 0.1  # 0.013 on a quiet machine


# -- back to text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("AA,KK", "KK+"), ("KK,QQ", "KK-QQ"), ("66-22,TT+", "TT+,66-22"), ("AK,AQ,AJs", "AJs+,AQo+"),
        ("AA:0.5,KK,QQ,JJ:50%", "AA:0.5,KK-QQ,JJ:0.5"), ("KQs,KTs,K9s,K8s,K6s", "KQs,KTs-K8s,K6s"),
        ("T9s+", "AKs,KQs,QJs,JTs,T9s"), ("AhKd,AKs:1/3", "AKs:1/3,AhKd"), ("QhQd,AsKh:0.25", "QhQd,AsKh:0.25"),
        ("any", "random"), ("random:.125", "random:0.125"), ("AA:0", "random:0"), ("A2s+", "A2s+"),
        ("AA:0.000000000001", "AA:0.000000000001"), ("AA:1e-13", "AA:1/10000000000000"),
    ],
)  # fmt: skip
def test_short_texts(text: str, short: str) -> None:
    assert range_text(parse_range(text)) == short
    assert parse_range(short) == parse_range(text)


def random_weights(rng: random.Random) -> dict[str, F]:
    """Weights of whole classes, of spans, and of single hands."""
    drawn: dict[str, F] = {}
    for part in rng.sample(CLASSES, 8) + rng.sample(spans(), 8) + rng.sample(HANDS, rng.randrange(30)):
        hands = [part] if len(part) == 4 else expanded(part)
        weight = rng.choice((F(0), F(1), F(1), F(1, 2), F(rng.randrange(1, 100), 100), F(1, rng.randrange(1, 99))))
        drawn.update(dict.fromkeys(hands, weight))
    return drawn


@pytest.mark.parametrize("seed", range(12))
def test_ranges_come_back_from_their_text(seed: int) -> None:
    rng = random.Random(seed)
    weights = random_weights(rng)
    positive = {hand: weight for hand, weight in weights.items() if weight}
    text = range_text(weights)
    assert parse_range(text) == positive
    assert range_text(parse_range(text)) == text
    for written in (text.upper(), text.lower(), text.replace(",", " "), text.replace(",", " ;\n").replace(":", " : ")):
        assert parse_range(written) == positive
    cards = rng.sample([rank + suit for rank in ORDER for suit in "cdhs"], 5)
    live = {hand: weight for hand, weight in positive.items() if not {hand[:2], hand[2:]} & {*cards}}
    short = range_text(live, cards)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_range(short, cards) == live
    assert len(short) <= len(range_text(live))


def test_any_weights_come_back_from_their_text() -> None:
    rng = random.Random(5)
    for denominator in (2, 10**30, 3**40, 2**53):
        weights = {hand: F(rng.randrange(denominator + 1), denominator) for hand in HANDS}
        assert parse_range(range_text(weights)) == {hand: value for hand, value in weights.items() if value}
    assert range_text({}) == "random:0"
    assert not parse_range("random:0")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"AKs": 1}, "'AKs' is not a hand; write two cards, as in 'AhKd'"),
        ({("Ah", "Kd"): 1}, "is not a hand"),
        ({"AhKd": 1, "KdAh": 1}, "the hand AhKd is listed twice, the second time as 'KdAh'"),
        ({"AhKd": 2}, "the weight of AhKd is 2; weights are from 0 to 1"),
    ],
)
def test_weights_that_are_no_range_are_refused(weights: dict[Any, int], message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        range_text(weights)


def test_a_float_is_read_as_its_decimal() -> None:
    assert range_text({"AhKd": 0.1}) == "AhKd:0.1"
    with pytest.raises(tremble.GameError, match="the weight of AhKd nan is not a finite number"):
        range_text({"AhKd": float("nan")})


# -- games -------------------------------------------------------------------------------------------


def test_a_river_takes_texts_lists_and_mappings() -> None:
    wanted = HoldemRiver(board=BOARD, range1="AA:0.5,AhKd:1/3,KK:0.25")
    for given in (
        {"AA": 0.5, "AhKd": F(1, 3), "KK": "25%"},
        ["AA:0.5", "AhKd:1/3", "KK:0.25"],
        "aa:50% \n ahkd:1/3 [25]KK[/25]",
    ):
        game = HoldemRiver(board="qs 9h 7s 4d 2s", range1=given)  # type: ignore[arg-type]
        assert game.ranges == wanted.ranges
        assert game.board == wanted.board
    assert HoldemRiver(range1="AA KK ; QQ:.5").identity() == HoldemRiver(range1="AA,KK,QQ:.5").identity()
    with pytest.raises(SpecError, match="range1: the range of player 1 has no hand"):
        HoldemRiver(range1={})  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="range1: 'AA:None' "):
        HoldemRiver(range1={"AA": None})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["random", "any", "100%", "random:0.5"])
def test_all_hands_are_as_no_range(text: str) -> None:
    assert HoldemRiver(range1=text, range2=text).ranges is None
    assert HoldemRiver(range1=text).title == HoldemRiver().title
    ranges = HoldemRiver(range1=text, range2="AA").ranges
    assert ranges is not None
    assert [len(range_) for range_ in ranges] == [1081, 6]


@pytest.mark.parametrize(
    "text", ["QQ-22,AKs:.5,[50]T9s-76s,AQo[/50],AhKd", "QQ-22 AKs:.5 [50]T9s-76s AQo[/50] AhKd", "22 - QQ; aks : 50%, "
             "[50]t9s-76s aqo[/50] ahkd"],
)  # fmt: skip
def test_pasted_ranges_in_a_spec(text: str) -> None:
    rules, canonical = parse_spec(f"holdem_river:range2=random,range1={text},bets=50,100,board={BOARD}")
    assert isinstance(rules, OrderedGame)
    assert rules.ranges == HoldemRiver(board=BOARD, range1=text).ranges
    assert parse_spec(canonical)[0] == rules


# -- the page, and PokerKit --------------------------------------------------------------------------


def test_the_table_of_readings() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([0-9,]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 20
    for text, meaning, count in rows:
        found = parse_range(text)
        assert len(found) == int(count.replace(",", "")), text
        written = re.search(r"`([^`]+)`", meaning)
        if written:
            assert found == parse_range(written[1]), text


@pytest.mark.peers
def test_the_hands_are_those_of_pokerkit() -> None:
    parse: Callable[[str], Any] = pytest.importorskip("pokerkit").parse_range

    def hands(text: str) -> set[frozenset[str]]:
        return {frozenset(repr(card) for card in cards) for cards in parse(text)}

    rng = random.Random(6)
    for part in (*CLASSES, *(name + "+" for name in CLASSES), *rng.sample(spans(), 200)):
        ends = [ranks(end) for end in part.split("-")]
        if part.endswith("+") and ends[0][0] - ends[0][1] == 1:
            assert len(hands(part)) == len(parse_range(part[:-1]))  # only the lower card rises: T9s+ is T9s
        elif "-" in part and ends[0][0] == ends[1][0]:
            with pytest.raises(ValueError, match="shifted version"):  # no spans like A9s-A6s
                parse(part)
        else:
            assert {frozenset((hand[:2], hand[2:])) for hand in parse_range(part)} == hands(part), part
    assert hands("AhKd") == hands("KdAh") == {frozenset(("Ah", "Kd"))}
