(* Definition of subgame-perfect equilibria (Selten 1965).
   The strategies form a Nash equilibrium of every subgame. A subgame is the tree from a node on, if each information
   set with a node in this tree has all its nodes in this tree. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game Nash.
Import ListNotations.

(* x is the tree from some node of t on. *)
Inductive within : tree -> tree -> Prop :=
| W_here t : within t t
| W_chance x c q l : In (q, c) l -> within x c -> within x (Chance l)
| W_node x c p k l : In c l -> within x c -> within x (Node p k l).

Definition pk_eq_dec : forall a b : player * positive, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

(* The player and the information set of each decision node, in preorder. *)
Fixpoint sets (t : tree) : list (player * positive) :=
  match t with
  | Leaf _ _ => []
  | Chance l => concat (map (fun qc => sets (snd qc)) l)
  | Node p k l => (p, k) :: concat (map sets l)
  end.

(* Each information set with a node in x has as many nodes in x as in t. *)
Definition closed (x t : tree) : Prop :=
  forall pk, In pk (sets x) -> count_occ pk_eq_dec (sets x) pk = count_occ pk_eq_dec (sets t) pk.

Definition subgame_perfect (t : tree) (s : profile) : Prop := forall x, within x t -> closed x t -> nash x s.
