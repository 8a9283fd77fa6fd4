(* Definition of Nash equilibria (Nash 1951).
   No player gains by any deviation to another behavior strategy. The payoffs may have any sum. *)
From Coq Require Import Qcanon.
From Tremble Require Import Game.
Open Scope Qc_scope.

Definition nash (t : tree) (s : profile) : Prop :=
  forall i, valid i (s i) t /\
  forall d, valid i d t -> ev (deviate s i d) i t <= ev s i t.
