(* Print the assumptions of the main theorems. The Makefile fails if one of them has any. *)
From Tremble Require Import Checker NashCheck NashComplete SubgameCheck QuasiPerfectCheck QuasiPerfectNash SequentialCheck Reader.
Print Assumptions checker_sound.
Print Assumptions read_sound.
Print Assumptions check_sound.
Print Assumptions check_decides.
Print Assumptions spe_sound.
Print Assumptions qp_sound.
Print Assumptions seq_sound.
Print Assumptions qp_nash.
