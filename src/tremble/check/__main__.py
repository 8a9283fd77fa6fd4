"""Verify a solution of a tree game: ``python -m tremble.check GAME SOLUTION``.

Only this file of the kernel imports code that reads files of games and solutions. The file prints a verdict, but leaves
all checks to the kernel. The command needs only the standard library and NumPy. GAME and SOLUTION are as for
``tremble verify``, but GAME must be a tree. The exit codes are also those of ``tremble verify``: 0 proven, 1 not
proven, 2 bad usage, 3 bad file, 4 wrong kind of game.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tremble.errors import FormatError, GameError, SpecError, TooLargeError, TrembleError
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.games.named import load_tree
from tremble.solution.claims import verdict
from tremble.solution.equilibria import EQUILIBRIA, Equilibria
from tremble.solution.list_claims import verdict_on_list
from tremble.solution.reading import read_stated
from tremble.solution.stated import StatedSolution

EXIT: tuple[tuple[type[TrembleError], int], ...] = ((FormatError, 3), (SpecError, 2), (GameError, 4), (TrembleError, 1))
"""Pairs of an error type and an exit code; the first pair whose type matches an error gives the exit code."""

ADVICE = "this command verifies only solutions of game trees; use `tremble verify` for other games"


def main(arguments: Sequence[str]) -> int:
    """Verify a solution file, print the verdict, and return the exit code."""
    if len(arguments) != 2:
        print(f"usage: python -m tremble.check GAME SOLUTION\nerror: {len(arguments)} arguments", file=sys.stderr)
        return 2
    text, file = arguments
    try:
        stated = read_stated(file, StatedSolution, EQUILIBRIA)
        if (stated.game.digest or "").startswith("rules:"):
            raise GameError(f"{file}: this solution belongs to a game that is not built as a tree; {ADVICE}")
        game = load_tree(text, repair=None, max_nodes=DEFAULT_MAX_NODES, progress=None)
        found = verdict_on_list(game, stated) if isinstance(stated, Equilibria) else verdict(game, stated)
    except TrembleError as error:
        reason = str(error)
        if isinstance(error, TooLargeError):
            reason = f"{reason.partition(';')[0]}; {ADVICE}"
        print(f"error: {reason}", file=sys.stderr)
        return next(code for kind, code in EXIT if isinstance(error, kind))
    print(f"proven: {found.proven}" if found.proven else "proven: nothing")
    if found.disproven is not None:
        print(f"disproven: {found.disproven}")
    for problem in found.problems:
        print(f"problem: {problem}")
    for note in found.notes:
        print(f"note: {note}")
    return 0 if found.ok else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
