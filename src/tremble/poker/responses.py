"""The values of best responses in games whose strategies are arrays."""

from __future__ import annotations

import time
from math import inf

from tremble.check.claim import Claim
from tremble.check.limits import Limits, TooLarge
from tremble.errors import CertificateError
from tremble.game.adapter import Listener, Responses
from tremble.game.rules import UnbuiltGame
from tremble.poker.check import outcome_of_ordered
from tremble.poker.strategy import OrderedStrategy
from tremble.status import Status

__all__ = ["responses"]

_SECONDS_PER_REPORT = 0.2


def responses(
    game: UnbuiltGame, profile: tuple[OrderedStrategy, OrderedStrategy], not_listed: str, progress: Listener | None
) -> Responses:
    """Compute the values of both players' best responses to a profile, but not the actions of the responses.

    Parameters
    ----------
    not_listed : str
        The reason why the result does not list the actions.

    Raises
    ------
    CertificateError
        The strategies do not belong to this game, or their numbers are too long.
    """
    claim = Claim("nash", Status.BOUNDED, profile, None, {}, kind="ordered")
    try:
        outcome = outcome_of_ordered(game, claim, Limits(inf, inf, _Reporter(progress)), values_only=False)
    except TooLarge as error:
        raise CertificateError(str(error)) from error
    if outcome.values is None or outcome.best_response_values is None:
        raise CertificateError("; ".join(outcome.faults))
    return Responses(outcome.values, outcome.best_response_values, (None, None), (not_listed, not_listed))


class _Reporter:
    """A progress reporter, which calls a listener at most once in 0.2 seconds.

    The listener may raise an exception to stop the work.
    """

    def __init__(self, progress: Listener | None) -> None:
        self._progress, self._next = progress, time.monotonic() + _SECONDS_PER_REPORT

    def __call__(self) -> None:
        """Call the listener if enough time has passed since the last report."""
        if self._progress is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_PER_REPORT
            self._progress("verification: best responses")
