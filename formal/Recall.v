(* Definition of perfect recall (Kuhn 1953).
   A player remembers all its earlier information sets and actions: for each information set there is one list of
   earlier moves, and the path to each node of the set contains these moves of the player and no others. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game.
Import ListNotations.

(* Every element of a list has the property P of its index and itself. The first index is n. *)
Definition alli {A} (P : nat -> A -> Prop) : nat -> list A -> Prop :=
  fix go n l := match l with [] => True | x :: r => P n x /\ go (S n) r end.

(* The moves of one player on a path, the last move first: information set and index of the action. *)
Definition history := list (positive * nat).

(* h: the moves of player i on the path to t. hist: the list of moves for each information set. *)
Fixpoint recall (i : player) (hist : positive -> history) (t : tree) (h : history) : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => all (fun qc => recall i hist (snd qc) h) l
  | Node p k l =>
      if peq p i then hist k = h /\ alli (fun j c => recall i hist c ((k, j) :: h)) 0 l
      else all (fun c => recall i hist c h) l
  end.

Definition perfect_recall (t : tree) := forall i, exists hist, recall i hist t [].
