"""The verdict on a list of equilibria."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.run.clock import Clock, required_time_limit
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import Status
from tremble.solution.strategies import of_rules
from tremble.solution.verification import FieldProof, Verification
from tremble.verifier import CONCEPTS, allowance, check_list, common_concept, common_player, other_game, verify
from tremble.verifier.budget import Listener, spending
from tremble.verifier.context import Problems

__all__ = ["verify_list"]


def verify_list(
    game: GameTree | UnbuiltGame,
    equilibria: Equilibria,
    *,
    time_limit: float | None,
    progress: Callable[[str], None] | None,
) -> Verification:
    """Prove each equilibrium of a list, then what the list states about them: see :mod:`tremble.verifier.several`."""
    clock = Clock(required_time_limit(time_limit))
    problems, gains, notes = Problems(), list[Fraction | None](), dict[str, None]()
    concept_of_all = common_concept(equilibria)
    other = other_game(game, equilibria.game, not any(map(of_rules, equilibria)))
    if other is not None:
        return Verification(False, concept_of_all, Status.CERTIFIED, None, None, (other,))
    if not len(equilibria) and not equilibria.pure:
        problems.add("equilibria: there is none")
    allowed = allowance(game)  # of the file, not of each of its solutions
    for k, solution in enumerate(equilibria.solutions):
        clock.check()
        verification = verify(game, solution, time_limit=clock.left, progress=progress, allowed=allowed)
        gains.append(verification.nash_conv)
        notes |= dict.fromkeys(verification.notes)
        concept = CONCEPTS.get(solution.concept)
        if concept is not None and not concept.equilibrium:
            problems.add(f"equilibria[{k}].concept: {solution.concept!r} is no equilibrium, and only such are listed")
        for problem in verification.problems:
            problems.add(f"equilibria[{k}]: {problem}")
        if verification.ok and verification.status != Status.CERTIFIED:
            problems.add(f"equilibria[{k}].status: {str(verification.status)!r}, but every equilibrium is certified")
        if type(solution.rows[0]) is not type(equilibria[0].rows[0]):
            problems.add(f"equilibria[{k}].strategies: of another kind than those of equilibria[0]")
    fields: tuple[FieldProof, ...] = ()
    if not problems:
        if isinstance(game, GameTree):
            allowed.grant(game.num_nodes * len(equilibria))  # for what pairs of them have in common
        with spending(allowed.heard_by(Listener(clock.left, progress))):
            proofs = check_list(game, equilibria, problems)
        fields = () if problems else proofs
    one_sided = not problems and CONCEPTS[concept_of_all].one_sided
    known = [gain for gain in gains if gain is not None]
    believed = [f"{field.name}: that {field.believed} is stated, not proven" for field in fields if field.believed]
    return Verification(
        ok=not problems,
        concept=concept_of_all,
        status=Status.CERTIFIED,
        proven=None if problems else concept_of_all,
        nash_conv=max(known) if known and len(known) == len(gains) else None,
        problems=problems.listed(),
        notes=(*notes, *(believed or ["whether there are other equilibria is neither stated nor proven"])),
        proven_player=common_player(equilibria) if one_sided else None,
        fields=fields,
    )
