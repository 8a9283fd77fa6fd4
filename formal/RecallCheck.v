(* A checker of perfect recall and the proof that it is sound. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia.
From Tremble Require Import Game Recall NashCheck.
Import ListNotations.

(* perfect recall: hist is anything that claims to know what a player did before *)
Definition heqb (a b : history) : bool := if list_eq_dec (fun x y : positive * nat => ltac:(decide equality; [apply
  Nat.eq_dec | apply Pos.eq_dec])) a b then true else false.
Definition foralli {A} (P : nat -> A -> bool) : nat -> list A -> bool :=
  fix go n l := match l with [] => true | x :: r => P n x && go (S n) r end.
Fixpoint recallb (i : player) (hist : positive -> history) (t : tree) (h : history) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => forallb (fun qc => recallb i hist (snd qc) h) l
  | Node p k l =>
      if peq p i then heqb (hist k) h && foralli (fun j c => recallb i hist c ((k, j) :: h)) 0 l
      else forallb (fun c => recallb i hist c h) l
  end.


Lemma recallb_recall i hist : forall t h, recallb i hist t h = true -> recall i hist t h.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h H; simpl in *; auto.
  - apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
  - destruct (peq p i).
    + apply andb_true_iff in H. destruct H as [E H]. split.
      * unfold heqb in E. destruct (list_eq_dec _ _ _); [assumption | discriminate].
      * clear E. revert H. generalize 0%nat as n. induction IH as [|c l Hc Hl IH]; intros n H; simpl in *; auto.
        apply andb_true_iff in H. destruct H. split; auto.
    + apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
Qed.

Definition recall_check (h1 h2 : positive -> history) (t : tree) : bool :=
  recallb P1 h1 t [] && recallb P2 h2 t [].

Theorem recall_sound h1 h2 t : recall_check h1 h2 t = true -> perfect_recall t.
Proof.
  unfold recall_check. rewrite andb_true_iff. intros [A B] []; [exists h1 | exists h2]; now apply recallb_recall.
Qed.
