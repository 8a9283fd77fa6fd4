"""The trusted kernel: the only code that can say that a claim about a game is proven.

It reads the arrays of a game tree and plain data, computes with exact integers, and imports the standard library and
NumPy only. Read it in this order:

    limits          what long numbers may cost
    claim           what is claimed
    tree            sequences, perfect recall, payoffs
    best_response   expected payoffs and best responses
    case            what a check receives; problems
    nash            Nash equilibria and bounds
    subgame_perfect, quasi_perfect, one_sided, sequential, maxmin       one concept each
    normal_form_perfect, proper, perfect, backward_induction            further concepts
    refute, mistakes, dominated, reply                                  proofs that a profile is not of a concept
    verdict         the result
    judged          what strategies deserve; joined profiles
    questions       the order in which a claim is checked: `check`, `judge`, `judge_values`, `join`
    lists, subsets  lists of equilibria: `check_list`

Each file begins with its theorem and the proof.

Trusted besides these files: the reader that made the tree's arrays and the digest, Python's integers, and NumPy's
indexing, sorting and int64 sums. For games that are not trees, and for players without perfect recall: the functions
that the caller gives as `extra`.
"""

from tremble.check.best_response import Deviation, Outcome, worst_deviation
from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Strategy
from tremble.check.judged import JudgedProfile
from tremble.check.limits import Limits
from tremble.check.lists import ListClaim, Plans, check_list
from tremble.check.questions import CONCEPTS, check, join, judge, judge_values, outcome_of, subgames_with_gains
from tremble.check.verdict import FieldProof, Verdict, Verification
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
    "ListClaim",
    "Outcome",
    "Plans",
    "Status",
    "Strategy",
    "Verdict",
    "Verification",
    "check",
    "check_list",
    "join",
    "judge",
    "judge_values",
    "outcome_of",
    "subgames_with_gains",
    "worst_deviation",
]
