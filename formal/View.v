(* Decision trees: a game as one player sees it if the strategy of the other player is fixed.
   All checkers use them: the best reply is the maximum at each node of a decision tree. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia.
From Tremble Require Import Game.
Import ListNotations.
Open Scope Qc_scope.
Set Implicit Arguments.

(* numbers to compute with: Qc here, polynomials in an infinitesimal for quasi-perfect equilibria *)
Record ops (R : Type) := Ops { zero : R; add : R -> R -> R; mul : R -> R -> R; inj : Qc -> R; leb : R -> R -> bool }.

(* what one player sees if all others are fixed: payoff so far, and for each next information set a tree per action *)
Inductive dt (R : Type) := DT (r : R) (l : list (positive * list (dt R))).

Section Generic.
Variable R : Type.
Variable O : ops R.
Notation D := (dt R).

Fixpoint zipl (a : list (D * (D -> D))) (b : list D) : list D :=
  match a, b with
  | (_, f) :: a, y :: b => f y :: zipl a b
  | [], b => b
  | a, [] => map fst a
  end.

Fixpoint insert (k : positive) (a : list (D * (D -> D))) (l : list (positive * list D)) :=
  match l with
  | [] => [(k, map fst a)]
  | (k', b) :: r =>
      match Pos.compare k k' with
      | Eq => (k', zipl a b) :: r
      | Lt => (k, map fst a) :: l
      | Gt => (k', b) :: insert k a r
      end
  end.

Fixpoint merge (a b : D) {struct a} : D :=
  match a, b with
  | DT r l, DT r' l' =>
      DT (add O r r')
         (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
            (map (fun ka => (fst ka, map (fun x => (x, merge x)) (snd ka))) l))
  end.

Fixpoint msum (l : list D) : D := match l with [] => DT (zero O) [] | x :: r => merge x (msum r) end.

(* the decision tree of player i against strategy s of the other, all payoffs times w *)
Fixpoint view (i : player) (s : positive -> list R) (t : tree) (w : R) : D :=
  match t with
  | Leaf u1 u2 => DT (mul O w (inj O (pay i u1 u2))) []
  | Chance l => msum (map (fun qc => view i s (snd qc) (mul O w (inj O (fst qc)))) l)
  | Node p k l =>
      if peq p i then DT (zero O) [(k, map (fun c => view i s c w) l)]
      else msum (zipw (fun q f => f (mul O w q)) (s k) (map (view i s) l))
  end.

Definition maxr (a b : R) := if leb O a b then b else a.
Definition maxl (l : list R) : R :=
  match l with [] => zero O | x :: r => fold_left maxr r x end.
Fixpoint sumr (l : list R) : R := match l with [] => zero O | x :: r => add O x (sumr r) end.

Fixpoint best (d : D) : R :=
  match d with DT r l => add O r (sumr (map (fun ka => maxl (map best (snd ka))) l)) end.
End Generic.

Definition qleb (a b : Qc) : bool := Qle_bool (this a) (this b).
Definition qeqb (a b : Qc) : bool := Qeq_bool (this a) (this b).
Definition QO : ops Qc := Ops 0 Qcplus Qcmult (fun x => x) qleb.
