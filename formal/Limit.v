(* Limits for a positive rational number e that tends to 0. Only definitions. *)
From Coq Require Import List Qcanon.
From Tremble Require Import Game.
Open Scope Qc_scope.

(* P holds for all sufficiently small positive e. *)
Definition eventually (P : Qc -> Prop) := exists e0, 0 < e0 /\ forall e, 0 < e -> e < e0 -> P e.

(* The distance between x and y is less than d. *)
Definition near (d : Qc) (x y : Qc) := x - y < d /\ y - x < d.

(* For small e, every probability in b(e) is positive, and the probabilities of each set form a distribution. *)
Definition completely_mixed (b : Qc -> profile) (t : tree) : Prop :=
  eventually (fun e => nodes (fun p k n => dist (b e p k) n /\ Forall (fun x => 0 < x) (b e p k)) t).

(* The profiles b(e) tend to s: for each distance d > 0, they are nearer than d for all small e. *)
Definition tends_to (b : Qc -> profile) (s : profile) (t : tree) : Prop :=
  forall d, 0 < d -> eventually (fun e => nodes (fun p k _ => Forall2 (near d) (b e p k) (s p k)) t).
