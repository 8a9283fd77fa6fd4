"""The trusted kernel: the only code that can say that a claim about a game is proven.

It reads the arrays of a game tree and plain data, and computes with exact integers. It imports the standard library,
NumPy, `tremble.status` and `tremble.shown` only. Read it in this order:

    limits                  what long numbers may cost
    claim                   what is claimed, and how plain data is read
    tree                    sequences, perfect recall, payoffs
    best_response           expected payoffs and best responses
    case                    what a check receives; problems
    nash, maxmin            Nash equilibria, bounds, maxmin strategies
    subgame_perfect         first refinement
    backward_induction      games of perfect information
    quasi_perfect           best responses to an opponent who trembles
    one_sided               one player makes no mistakes
    normal_form_perfect     no strategy is weakly dominated
    perfect                 extensive-form perfection; one of its proofs is in the folder `basis`
    sequential              consistent beliefs
    proper                  costlier mistakes are rarer
    dominated, mistakes     proofs that a profile is not of a concept
    refute                  all such proofs
    verdict                 the result; profiles with their verdicts
    questions               the order in which a claim is checked: `check`, `judge`, `judge_values`, `join`

Each file begins with its theorem and the proof, and imports only files that stand before it. Two folders can be read,
or left out, by themselves: `basis`, and `lists` with the function `check_list` for lists of equilibria.

Trusted besides these files: the reader that made the tree's arrays and the digest, Python's integers, and NumPy's
indexing, sorting and int64 sums. For other games, and without perfect recall: the functions in the argument `extra`.
"""

from tremble.check.best_response import Deviation, Outcome, worst_deviation
from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Strategy
from tremble.check.limits import Limits
from tremble.check.questions import CONCEPTS, check, join, judge, judge_values, outcome_of, subgames_with_gains
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
