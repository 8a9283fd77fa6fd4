"""The trusted kernel: the only code that can report that a claim about a game is proven.

The kernel reads the arrays of a game tree, and a claim as plain data, as in JSON. It computes with exact integers, and
imports only the standard library, NumPy, `tremble.status` and `tremble.shown`. Read its files in this order:

    limits                  limits on the cost of long numbers
    claim                   the data of a claim, and functions that read plain data
    tree                    sequences, perfect recall, payoffs
    best_response           expected payoffs and best responses
    case                    the input of a check, and the problems found so far
    nash, maxmin            Nash equilibria, bounds, maxmin strategies
    subgame_perfect         subgame perfect equilibria
    backward_induction      equilibria of games of perfect information
    quasi_perfect           best responses to an opponent who trembles
    one_sided               equilibria in which only one of the two players trembles
    normal_form_perfect     strategies that are not weakly dominated
    perfect                 extensive-form perfect equilibria; one of the proofs is in the folder `basis`
    sequential              consistent beliefs
    proper                  equilibria in which costlier mistakes are rarer
    dominated, mistakes     refutations: proofs that a profile does not satisfy a concept
    refute                  the other refutations
    verdict                 the result of a check; profiles with their verdicts
    judging, joining        the table of concepts; `check` and `judge`; `join` and `judge_values`

Each file begins with its theorem and the proof, and imports only files that are earlier in this list. The kernel also
works without the folders `basis` and `lists`. The function `check_list` in `lists` checks lists of equilibria.

In all files, a *set* is an information set, and a *plan* is a realization plan. A game is *built* if a tree of it is in
memory. A proof also relies on the code that turned the game into arrays, on the game's digest, on Python's integers,
and on NumPy's indexing, sorting and int64 sums. If a game is not built, or if a player does not have perfect recall, a
proof also relies on the functions in the argument `extra` of `check`.

A mutation test put 3,735 small faults into these files and both folders, one at a time. The tests find 3,636 of them.
The other 99 change no verdict; `benchmarks/results/mutants.json` in the repository gives the reason for each.
"""

from tremble.check.best_response import Outcome
from tremble.check.case import Case, Deviation, worst_deviation
from tremble.check.claim import TREE, Claim, Strategy
from tremble.check.joining import join, judge_values, subgames_with_gains
from tremble.check.judging import CONCEPTS, check, judge, outcome_of
from tremble.check.limits import Limits
from tremble.check.verdict import FieldProof, JudgedProfile, Verdict, Verification
from tremble.status import Status

__all__ = [
    "CONCEPTS",
    "TREE",
    "Case",
    "Claim",
    "Deviation",
    "FieldProof",
    "JudgedProfile",
    "Limits",
    "Outcome",
    "Status",
    "Strategy",
    "Verdict",
    "Verification",
    "check",
    "join",
    "judge",
    "judge_values",
    "outcome_of",
    "subgames_with_gains",
    "worst_deviation",
]
