(* Definition of sequential equilibria (Kreps and Wilson 1982), for games with perfect recall.
   An assessment consists of strategies and beliefs. It is consistent if it is the limit of completely mixed profiles
   and of their beliefs by Bayes' rule. It is rational if, at each information set, the player's strategy from this set
   on is a best reply, given the belief. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game Limit Recall.
Import ListNotations.
Open Scope Qc_scope.

(* The belief at an information set contains a probability for each node of the set, in preorder. *)
Definition beliefs := player -> positive -> list Qc.

(* The trees from the nodes of information set k of player i on, in preorder. *)
Fixpoint at_set (i : player) (k : positive) (t : tree) : list tree :=
  match t with
  | Leaf _ _ => []
  | Chance l => concat (map (fun qc => at_set i k (snd qc)) l)
  | Node p k' l => (if peq p i && Pos.eqb k k' then [t] else []) ++ concat (map (at_set i k) l)
  end.

(* The probabilities with which the nodes of information set k of player i are reached, in the same order.
   w: this probability for the root. *)
Fixpoint reach (s : profile) (i : player) (k : positive) (t : tree) (w : Qc) : list Qc :=
  match t with
  | Leaf _ _ => []
  | Chance l => concat (map (fun qc => reach s i k (snd qc) (w * fst qc)) l)
  | Node p k' l =>
      (if peq p i && Pos.eqb k k' then [w] else []) ++
      concat (zipw (fun q f => f (w * q)) (s p k') (map (reach s i k) l))
  end.

(* The beliefs by Bayes' rule, if the nodes of a set are reached with the probabilities r. *)
Definition bayes (r : list Qc) : list Qc := map (fun x => x / sum r) r.

(* If chance never leads to a set, completely mixed profiles do not reach it either. Such a set has no belief. *)
Definition consistent (t : tree) (s : profile) (m : beliefs) : Prop :=
  exists b : Qc -> profile,
    completely_mixed b t /\
    tends_to b s t /\
    forall d, 0 < d -> eventually (fun e => forall i k,
      sum (reach (b e) i k t 1) = 0 \/ Forall2 (near d) (bayes (reach (b e) i k t 1)) (m i k)).

(* The expected payoff of player i from information set k on, given the belief. *)
Definition given (s : profile) (m : beliefs) (i : player) (k : positive) (t : tree) : Qc :=
  dot (m i k) (map (ev s i) (at_set i k t)).

Definition rational (t : tree) (s : profile) (m : beliefs) : Prop :=
  forall i k d, valid i d t -> given (deviate s i d) m i k t <= given s m i k t.

Definition sequential (t : tree) (s : profile) (m : beliefs) : Prop :=
  perfect_recall t /\ (forall i, valid i (s i) t) /\ consistent t s m /\ rational t s m.
