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
    """Return the Coq file for a text, which is split into words and numbers as in ``main.ml``.

    A word contains only letters and ``-``, so that no text can end the definition in the file and begin another one.
    """
    lines = [line.strip(" \t\r\f").split(" ") for line in text.split("\n")]
    lines = [words for line in lines if (words := [word for word in line if word])]
    rows = ";\n".join(f"  [{'; '.join(map(_token, words))}]" for words in lines)
    claim = " ".join(lines[0][1:]) if lines else ""
    if claim not in CONCEPTS:
        raise ValueError(f"the text must begin with a claim, of one of these concepts: {', '.join(CONCEPTS)}")
    return f"{HEADER}Definition text : list (list token) := [\n{rows}].\n{FOOTER.format(concept=CONCEPTS[claim])}"


def _token(word: str) -> str:
    found = re.fullmatch(r"(-?[0-9]+)(?:/([0-9]+))?", word)
    if found is None and re.fullmatch("[a-z-]+", word) is None:
        raise ValueError(f"neither a word nor a number: {word!r:.80}")
    return f'Word "{word}"' if found is None else f"n ({found[1]}) {found[2] or 1}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.stdout.write(coq_of(Path(sys.argv[1]).read_text("ascii")))
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
