(* Print the assumptions of the theorems. The Makefile fails if one of them has any. *)
From Tremble Require Import Checker NashCheck NashComplete SubgameCheck QuasiPerfectCheck QuasiPerfectNash OneSidedCheck
  OneSidedNash NormalFormCheck NormalFormNash SequentialCheck BackwardInduction PerfectInformation RecallCheck
  Implications SequentialNash Reader.

(* The main theorems: an accepted text is the text of a document whose claim is true, and of no other document. *)
Print Assumptions checker_sound.
Print Assumptions nash_decided.
Print Assumptions read_sound.
Print Assumptions read_write.
Print Assumptions write_injective.

(* The checker of each concept. *)
Print Assumptions recall_sound.
Print Assumptions check_sound.
Print Assumptions check_decides.
Print Assumptions spe_sound.
Print Assumptions qp_sound.
Print Assumptions one_sided_sound.
Print Assumptions normal_form_sound.
Print Assumptions seq_sound.
Print Assumptions induction_quasi_perfect.
Print Assumptions induction_perfect.
Print Assumptions single_sound.

(* Tests of the definitions. *)
Print Assumptions qp_nash.
Print Assumptions one_sided_nash.
Print Assumptions quasi_perfect_subgame_perfect.
Print Assumptions sequential_nash.
Print Assumptions sequential_subgame_perfect.
Print Assumptions normal_form_perfect_undominated.
