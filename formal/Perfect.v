(* Definition of extensive-form perfect equilibria (Selten 1975), for games with perfect recall.
   Completely mixed profiles b(e) tend to s. For every small e, the choice of s at each single information set is a best
   reply, if everything else is played as in b(e). The player's own mistakes at other information sets count. *)
From Coq Require Import List Bool PArith QArith Qcanon.
From Tremble Require Import Game Limit.
Open Scope Qc_scope.

(* The profile in which player i chooses with the probabilities q at information set k, and all else is as in b. *)
Definition choose (b : profile) (i : player) (k : positive) (q : list Qc) : profile :=
  fun p k' => if peq p i && Pos.eqb k' k then q else b p k'.

(* Selten defines perfect equilibria as limits of equilibria of games with mistakes that cannot be avoided, and proves
   that this is the same. *)
Definition perfect (t : tree) (s : profile) : Prop :=
  (forall i, valid i (s i) t) /\
  exists b : Qc -> profile,
    completely_mixed b t /\
    tends_to b s t /\
    eventually (fun e => forall i k q, valid i (choose (b e) i k q i) t ->
      ev (choose (b e) i k q) i t <= ev (choose (b e) i k (s i k)) i t).
