(* Definition of one-sided quasi-perfect equilibria (Farina and Sandholm 2021).
   Player i makes no mistakes, but expects mistakes of the other player. Completely mixed strategies y(e) of the other
   player tend to its strategy in s. (a) At each information set of player i, its strategy from this set on is a best
   reply to y(e), for every small e. (b) At each information set of the other player that s and chance allow, the other
   player's strategy from this set on is a best reply to s. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game Limit QuasiPerfect.
Import ListNotations.
Open Scope Qc_scope.

(* In (b), player i's moves and chance weight the payoffs in cont. At a set that they do not allow, all payoffs in cont
   are 0, so the condition says nothing there. *)
Definition one_sided (i : player) (t : tree) (s : profile) : Prop :=
  (forall j, valid j (s j) t) /\
  (exists y : Qc -> strategy,
    eventually (fun e => nodes (fun p k n => p = other i -> dist (y e k) n /\ Forall (fun x => 0 < x) (y e k)) t) /\
    (forall d, 0 < d -> eventually (fun e => nodes (fun p k _ => p = other i -> Forall2 (near d) (y e k) (s p k)) t)) /\
    eventually (fun e => let b := deviate s (other i) (y e) in
      forall k d, valid i d t -> cont (deviate b i d) i k t 1 <= cont b i k t 1)) /\
  (forall k d, valid (other i) d t -> cont (deviate s (other i) d) (other i) k t 1 <= cont s (other i) k t 1).
