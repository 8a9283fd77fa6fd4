(* Two-player extensive-form games and what strategies earn in them.
   This file contains only definitions. A reader has to check that they say the right thing. *)
From Coq Require Import List PArith QArith Qcanon.
Import ListNotations.
Open Scope Qc_scope.
Set Implicit Arguments.

(* All numbers are exact rational numbers. Qc is Coq's type of fractions in lowest terms. *)

Inductive player := P1 | P2.
Definition other p := match p with P1 => P2 | P2 => P1 end.
Definition peq a b := match a, b with P1, P1 | P2, P2 => true | _, _ => false end.

(* A game is a tree. A leaf contains the payoffs of both players. A chance node contains the probability of each branch.
   A decision node contains the player who moves, the number k of the information set, and one subtree for each action.
   Two nodes of a player with the same number k are in the same information set. *)
Inductive tree :=
| Leaf (u1 u2 : Qc)
| Chance (l : list (Qc * tree))
| Node (p : player) (k : positive) (l : list tree).

(* A behavior strategy contains a probability for each action at each information set.
   A profile contains a strategy for each player. *)
Definition strategy := positive -> list Qc.
Definition profile := player -> strategy.

Fixpoint sum (l : list Qc) : Qc := match l with [] => 0 | x :: r => x + sum r end.
Fixpoint dot (p v : list Qc) : Qc :=
  match p, v with a :: p, b :: v => a * b + dot p v | _, _ => 0 end.

Definition pay (i : player) (u1 u2 : Qc) := match i with P1 => u1 | P2 => u2 end.

(* The expected payoff of player i from the root of t on, if both players play the profile s. *)
Fixpoint ev (s : profile) (i : player) (t : tree) : Qc :=
  match t with
  | Leaf u1 u2 => pay i u1 u2
  | Chance l => sum (map (fun qc => fst qc * ev s i (snd qc)) l)
  | Node p k l => dot (s p k) (map (ev s i) l)
  end.

(* The list p is a probability distribution on n actions. *)
Definition dist (p : list Qc) (n : nat) := length p = n /\ Forall (fun x => 0 <= x) p /\ sum p = 1.

(* Every element of a list has the property P. *)
Definition all {A} (P : A -> Prop) : list A -> Prop :=
  fix go l := match l with [] => True | x :: r => P x /\ go r end.

(* The strategy s of player i contains a distribution on the actions at every decision node of player i in t. *)
Fixpoint valid (i : player) (s : strategy) (t : tree) : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => all (fun qc => valid i s (snd qc)) l
  | Node p k l => (p = i -> dist (s k) (length l)) /\ all (valid i s) l
  end.

(* The probabilities at every chance node form a distribution. *)
Fixpoint game (t : tree) : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => dist (map fst l) (length l) /\ all (fun qc => game (snd qc)) l
  | Node _ _ l => all game l
  end.

(* The profile in which player i plays d and the other player plays as in s. *)
Definition deviate (s : profile) (i : player) (d : strategy) : profile :=
  fun j => if peq j i then d else s j.

(* Every decision node has the property P of its player, its information set and its number of actions. *)
Fixpoint nodes (P : player -> positive -> nat -> Prop) (t : tree) : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => all (fun qc => nodes P (snd qc)) l
  | Node p k l => P p k (length l) /\ all (nodes P) l
  end.

(* Apply f to the first elements of both lists, to the second elements, and so on. *)
Fixpoint zipw {A B C} (f : A -> B -> C) (p : list A) (v : list B) : list C :=
  match p, v with a :: p, b :: v => f a b :: zipw f p v | _, _ => [] end.
