(* Definition of the plain text form: a claim about a game.
   This file contains only definitions. The function write_document says which text belongs to which document, and the
   statement holds says what the document claims. docs/explanation/formal.md describes the text with an example. *)
From Coq Require Import String List PArith ZArith QArith Qcanon.
From Tremble Require Import Game Nash SubgamePerfect Limit QuasiPerfect OneSided NormalForm
  Perfect Sequential Recall Polynomial.
Import ListNotations.
Open Scope string_scope.
Open Scope list_scope.

(* A text is a list of lines, and a line is a list of words and exact numbers. *)
Inductive token := Word (w : string) | Num (q : Qc).

(* The player of a one-sided equilibrium is the player without mistakes. *)
Inductive concept := CNash | CSubgame | CQuasi | COneSided (p : player) | CSequential | CNormalForm | CPerfect.

(* A set is a player and the number of an information set. *)
Record document := Document {
  claimed : concept;
  values : Qc * Qc;                                       (* expected payoffs of players 1 and 2 *)
  root_node : tree;
  plays : list (player * positive * list Qc);             (* the strategies: for each set, a probability per action *)
  belief_rows : list (player * positive * list Qc);       (* for each set, a probability per node, in preorder *)
  mistake_rows : list (player * positive * list Qc);      (* for each set, a number m per action: with mistakes, the *)
                                                          (* action has its probability plus e m *)
  roots : list (player * poly);                           (* the weight of the empty sequence in each plan *)
  weights : list (player * positive * poly) }.            (* for each set, the weight of each action's sequence *)

Inductive line :=
| LClaim (c : concept)
| LValues (v1 v2 : Qc)
| LLeaf (u1 u2 : Qc)
| LChance (ps : list Qc)
| LMove (p : player) (k : positive) (n : Z)
| LPlay (p : player) (k : positive) (ps : list Qc)
| LBelief (p : player) (k : positive) (ps : list Qc)
| LMistake (p : player) (k : positive) (ms : list Qc)
| LRoot (p : player) (cs : poly)
| LWeight (p : player) (k : positive) (cs : poly).

Definition whole (z : Z) : Qc := Q2Qc (z # 1).
Definition write_player (p : player) : token := Num (whole (match p with P1 => 1 | P2 => 2 end)).
Definition write_set (p : player) (k : positive) : list token := [write_player p; Num (whole (Zpos k))].

Definition write_concept (c : concept) : list token :=
  match c with
  | CNash => [Word "nash"]
  | CSubgame => [Word "subgame-perfect"]
  | CQuasi => [Word "quasi-perfect"]
  | COneSided p => [Word "one-sided-quasi-perfect"; write_player p]
  | CSequential => [Word "sequential"]
  | CNormalForm => [Word "normal-form-perfect"]
  | CPerfect => [Word "perfect"]
  end.

Definition write_line (l : line) : list token :=
  match l with
  | LClaim c => Word "claim" :: write_concept c
  | LValues v1 v2 => [Word "values"; Num v1; Num v2]
  | LLeaf u1 u2 => [Word "leaf"; Num u1; Num u2]
  | LChance ps => Word "chance" :: map Num ps
  | LMove p k n => Word "move" :: write_set p k ++ [Num (whole n)]
  | LPlay p k ps => Word "play" :: write_set p k ++ map Num ps
  | LBelief p k ps => Word "belief" :: write_set p k ++ map Num ps
  | LMistake p k ms => Word "mistake" :: write_set p k ++ map Num ms
  | LRoot p cs => Word "root" :: write_player p :: map Num cs
  | LWeight p k cs => Word "weight" :: write_set p k ++ map Num cs
  end.

(* The nodes in preorder. Subtrees follow the line of their node. *)
Fixpoint write_tree (t : tree) : list line :=
  match t with
  | Leaf u1 u2 => [LLeaf u1 u2]
  | Chance l => LChance (map fst l) :: concat (map (fun qc => write_tree (snd qc)) l)
  | Node p k l => LMove p k (Z.of_nat (length l)) :: concat (map write_tree l)
  end.

Definition write_lines (d : document) : list line :=
  LClaim (claimed d) :: LValues (fst (values d)) (snd (values d)) :: write_tree (root_node d) ++
  map (fun r => LPlay (fst (fst r)) (snd (fst r)) (snd r)) (plays d) ++
  map (fun r => LBelief (fst (fst r)) (snd (fst r)) (snd r)) (belief_rows d) ++
  map (fun r => LMistake (fst (fst r)) (snd (fst r)) (snd r)) (mistake_rows d) ++
  map (fun r => LRoot (fst r) (snd r)) (roots d) ++
  map (fun r => LWeight (fst (fst r)) (snd (fst r)) (snd r)) (weights d).

Definition write_document (d : document) : list (list token) := map write_line (write_lines d).

(* The row of a set in a list of rows: the first one, if the list contains more than one. *)
Fixpoint row (l : list (player * positive * list Qc)) (p : player) (k : positive) : list Qc :=
  match l with
  | [] => []
  | (p', k', x) :: r => if peq p p' && Pos.eqb k k' then x else row r p k
  end.

(* What a document claims. s: the profile with the document's rows. m: the beliefs with the document's rows. *)
Definition holds (d : document) : Prop :=
  exists (s : profile) (m : beliefs),
    (forall p k, s p k = row (plays d) p k) /\
    (forall p k, m p k = row (belief_rows d) p k) /\
    let t := root_node d in
    game t /\
    ev s P1 t = fst (values d) /\
    ev s P2 t = snd (values d) /\
    match claimed d with
    | CNash => nash t s
    | CSubgame => subgame_perfect t s
    | CQuasi => perfect_recall t /\ quasi_perfect t s
    | COneSided p => perfect_recall t /\ one_sided p t s
    | CSequential => sequential t s m
    | CNormalForm => perfect_recall t /\ normal_form_perfect t s
    | CPerfect => perfect_recall t /\ perfect t s
    end.
