"""Parser for the entries of nodes in an .efg file. The entry of a node is the text after the node's label.

An entry contains a set number, actions, probabilities or an outcome. The parser reads an entry token by token, so that
errors include the position of a token. But files with a million nodes contain many entries of the same form. So each
kind of entry has a shortcut: one regular expression matches the whole entry or its list of actions, and dicts contain
the lists and numbers that were parsed before. A shortcut raises no error. If it fails, the entry is read by tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from tremble.formats.chance_repair import exact_sum, last_digit, mend_probabilities, repair_advice
from tremble.formats.gambit_labels import distinct_labels, unquote
from tremble.formats.gambit_text import REPAIRED, STRING, Notes, Number, Numbers, Payoffs, Tokens, shown, shown_list
from tremble.notation import NUMBER
from tremble.run.text_file import SourceText

__all__ = ["NO_PAYOFFS", "Entries"]

Labels = tuple[str, ...]
Probabilities = tuple[Number, ...]

_Table = tuple[Labels, Probabilities, Probabilities]  # labels, probabilities as written, probabilities after a repair

NO_PAYOFFS: Payoffs = (0, 0)

_RENAMED = "empty or repeated action labels were renamed at {0} information set(s), such as {1}"
_MISNAMED = "at {0} node(s), the name of the information set differs from the name at its first node, such as {1}"

_LIST_TEXT = rf'\{{(?:[^"{{}}]++|{STRING})*+\}}'
_LIST = re.compile(_LIST_TEXT, re.DOTALL)
_FULL_LEAF = re.compile(
    rf"\s*+([0-9]{{1,18}})\s*+(?:{STRING})?+\s*+\{{\s*+({NUMBER})\s*+,?+\s*+({NUMBER})\s*+\}}\s*+", re.DOTALL | re.ASCII
)
_FULL_DECISION = re.compile(
    rf"\s*+([12])\s++([0-9]{{1,18}}+)\s*+({STRING})?+\s*+({_LIST_TEXT})\s*+0\s*+", re.DOTALL | re.ASCII
)


class Entries:
    """A parser for the entries of one file. It stores the sets and outcomes defined so far, and notes on repairs.

    ``repair`` is the tolerance for the repair of probabilities, or None. ``tokens`` reads the file token by token. Each
    method that reads an entry also returns the offset where the entry ends.
    """

    def __init__(self, source: SourceText, *, repair: Fraction | None) -> None:
        self._source = source
        self._repair = repair
        self._numbers = Numbers()
        self.tokens = Tokens(source, self._numbers)
        self.notes = Notes(source.name)
        self._sets: dict[tuple[int, int], tuple[Labels, Labels, str]] = {}  # labels, labels as written, name
        self._chance_sets: dict[int, _Table] = {}
        self._outcomes: dict[int, Payoffs] = {0: NO_PAYOFFS}
        self._lists: dict[str, Labels] = {}  # text of a list whose labels are distinct -> labels
        self._tables: dict[str, _Table] = {}  # text of the list -> table

    # -- a leaf ----------------------------------------------------------------------------------

    def leaf(self, start: int, stop: int) -> tuple[Payoffs, int]:
        """Read the entry of a leaf; return the payoffs and the offset of the end of the entry.

        ``start`` is the offset of the entry, and ``stop`` is the offset of the tag of the next node.
        """
        match = _FULL_LEAF.fullmatch(self._source.text, start, stop)
        if match is not None:
            number = int(match[1])
            if number not in self._outcomes:
                try:
                    payoffs = self._numbers.value(match[2]), self._numbers.value(match[3])
                except ValueError:
                    pass  # reading by tokens raises the error with its place
                else:
                    payoffs = self._outcomes[number] = payoffs if any(payoffs) else NO_PAYOFFS
                    return payoffs, stop
        self.tokens.jump(start)
        return self._outcome(), self.tokens.offset

    def _outcome(self) -> Payoffs:
        """Read an outcome (number, name, payoffs) and return its payoffs. A later mention may omit the payoffs."""
        tokens = self.tokens
        place = tokens.offset
        number = tokens.integer("the number of an outcome")
        if tokens.at_string():
            tokens.string("the name of the outcome")
        known = self._outcomes.get(number)
        if tokens.token != "{":
            if known is None:
                raise tokens.fail(f"{{ and the payoffs, because outcome {number} is not yet defined")
            return known
        tokens.advance()
        payoffs = tokens.pair("a payoff", "a payoff")
        tokens.expect("}", "after two payoffs")
        if known is None:
            known = self._outcomes[number] = payoffs if any(payoffs) else NO_PAYOFFS
        elif known != payoffs:
            written, before = (" ".join(map(shown, pair)) for pair in (payoffs, known))
            reason = "outcome 0 pays nothing" if number == 0 else f"it was defined with {before}"
            raise self._source.error(f"outcome {number} has payoffs {written} here, but {reason}", place)
        return known

    # -- a decision ------------------------------------------------------------------------------

    def decision(self, start: int, stop: int) -> tuple[tuple[int, int, Labels, str, Payoffs], int]:
        """Read the entry of a player's node; return (player's index, set, labels, name, payoffs) and the end offset."""
        match = _FULL_DECISION.fullmatch(self._source.text, start, stop)
        if match is not None:
            key = int(match[1]), int(match[2])
            labels = self._lists.get(match[4])
            if labels is not None and key not in self._sets:
                name = unquote(match[3]) if match[3] else ""
                self._sets[key] = labels, labels, name
                return (key[0] - 1, key[1], labels, name, NO_PAYOFFS), stop
        return self._decision(start), self.tokens.offset

    def _decision(self, start: int) -> tuple[int, int, Labels, str, Payoffs]:
        tokens = self.tokens
        tokens.jump(start)
        place = tokens.offset
        player = tokens.integer("the number of the player")
        if player not in (1, 2):
            raise self._source.error(f"expected player 1 or 2, found {player}", place)
        number_place = tokens.offset
        number = tokens.integer("the number of the information set")
        name = tokens.string("the name of the information set") if tokens.at_string() else ""
        known = self._sets.get((player, number))
        list_place = tokens.offset
        if tokens.token == "{":
            written = self._labels()
            if known is None:
                labels = distinct_labels(written)
                if labels != written:
                    self._note(_RENAMED, written, labels, list_place)
                known = self._sets[player, number] = labels, written, name
            elif written not in known[:2]:
                message = f"information set {number} of player {player} has actions {shown_list(written)} here"
                raise self._source.error(f"{message}, but {shown_list(known[0])} where it first appears", list_place)
        elif known is None:
            what = f"information set {number} of player {player}"
            raise tokens.fail(f"{{ and the actions, because {what} is not yet defined")
        if name and name != known[2]:
            example = f"{name!r} for {known[2]!r}"
            self.notes.add(_MISNAMED, lambda: f"{example} at {self._source.place(number_place)}")
        return player - 1, number, known[0], known[2], self._outcome()

    def _labels(self) -> Labels:
        tokens = self.tokens
        match = _LIST.match(self._source.text, tokens.offset)
        tokens.advance()
        written = tokens.strings("an action label", "another action label")
        if match is not None and distinct_labels(written) == written:
            return self._lists.setdefault(match[0], written)
        return written

    # -- a chance move ---------------------------------------------------------------------------

    def chance(self, start: int) -> tuple[tuple[Labels, Probabilities, Payoffs], int]:
        """Read the entry of a chance node; return (labels, probabilities, payoffs) and the end offset."""
        tokens = self.tokens
        tokens.jump(start)
        number = tokens.integer("the number of the chance information set")
        if tokens.at_string():
            tokens.string("the name of the information set")
        known = self._chance_sets.get(number)
        if tokens.token == "{":
            place = tokens.offset
            table = self._table()
            if known is not None and known[:2] != table[:2]:
                message = f"chance information set {number} has other actions or probabilities here than before"
                raise self._source.error(message, place)
            known = self._chance_sets[number] = table
        elif known is None:
            raise tokens.fail(f"{{ and actions with probabilities, because chance set {number} is not yet defined")
        labels, _, probabilities = known
        return (labels, probabilities, self._outcome()), tokens.offset

    def _table(self) -> _Table:
        """Read the actions of a chance move with their probabilities."""
        tokens = self.tokens
        place = tokens.offset
        match = _LIST.match(self._source.text, place)
        if match is not None and match[0] in self._tables:
            tokens.jump(match.end())
            return self._tables[match[0]]
        tokens.advance()
        labels: list[str] = []
        probabilities: list[Number] = []
        texts: list[str] = []
        while tokens.token != "}" or not labels:
            labels.append(tokens.string("a chance action label" + (" or }" if labels else "")))
            where = tokens.offset
            texts.append(tokens.token)
            probabilities.append(tokens.number("a probability"))
            if probabilities[-1] < 0:
                raise self._source.error(f"the probability {shown(probabilities[-1])} is negative", where)
            tokens.skip(",")
        tokens.advance()
        distinct = distinct_labels(labels)
        if distinct != tuple(labels):
            self._note(_RENAMED, labels, distinct, place)
        written = tuple(probabilities)
        table = distinct, written, self._summing_to_one(written, texts, place)
        if match is not None:
            self._tables[match[0]] = table
        return table

    def _summing_to_one(self, probabilities: Probabilities, texts: list[str], place: int) -> Probabilities:
        """Return the probabilities; if they do not sum to one, repair them, or raise an error if this is impossible."""
        total = exact_sum(probabilities)
        if total == 1:
            return probabilities
        units = [last_digit(text) for text in texts]
        mended = None if self._repair is None else mend_probabilities(probabilities, units, tolerance=self._repair)
        if mended is None:
            advice = repair_advice(probabilities, units, self._repair)
            raise self._source.error(f"the probabilities sum to {shown(total)}, not to one; {advice}", place)
        self._note(REPAIRED, texts, map(shown, mended), place)
        return mended

    def _note(self, sentence: str, before: Iterable[str], after: Iterable[str], place: int) -> None:
        became = f"{shown_list(before)} became {shown_list(after)}"
        self.notes.add(sentence, lambda: f"{became} at {self._source.place(place)}")
