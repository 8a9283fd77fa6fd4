"""Write a text of the verified checker as a Coq file that proves its claim inside Coq.

Usage: ``python formal/in_coq.py TEXT > formal/Claim.v``, then ``cd formal && coqc -Q . Tremble Claim.v``. Coq's kernel
itself computes the verdict, so this way needs neither OCaml nor zarith nor the translation to OCaml. It is slower: use
it for small games.
"""

import re
import sys
from pathlib import Path

HEADER = """From Coq Require Import String List ZArith QArith Qcanon.
From Tremble Require Import Game Document Checker.
Import ListNotations.
Open Scope string_scope.
Definition n (a : Z) (b : positive) : token := Num (Q2Qc (a # b)).
"""

FOOTER = """
Theorem claim : exists d, text = write_document d /\\ claimed d = {concept} /\\ holds d.
Proof. apply checker_sound. vm_compute. reflexivity. Qed.
Print Assumptions claim.
"""

CONCEPTS = {
    "nash": "CNash",
    "subgame-perfect": "CSubgame",
    "quasi-perfect": "CQuasi",
    "one-sided-quasi-perfect 1": "(COneSided P1)",
    "one-sided-quasi-perfect 2": "(COneSided P2)",
    "sequential": "CSequential",
    "normal-form-perfect": "CNormalForm",
    "perfect": "CPerfect",
}


def coq_of(text: str) -> str:
    """Return the Coq file for a text."""
    lines = [line.split() for line in text.splitlines() if line.split()]
    concept = CONCEPTS[" ".join(lines[0][1:])]
    rows = ";\n".join(f"  [{'; '.join(map(_token, line))}]" for line in lines)
    return f"{HEADER}Definition text : list (list token) := [\n{rows}].\n{FOOTER.format(concept=concept)}"


def _token(word: str) -> str:
    found = re.fullmatch(r"(-?\d+)(?:/(\d+))?", word)
    return f'Word "{word}"' if found is None else f"n ({found[1]}) {found[2] or 1}"


if __name__ == "__main__":
    sys.stdout.write(coq_of(Path(sys.argv[1]).read_text("utf-8")))
