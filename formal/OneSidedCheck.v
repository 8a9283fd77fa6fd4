(* A checker of one-sided quasi-perfect equilibria and the proof that it is sound. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit QuasiPerfect OneSided View NashCheck Polynomial QuasiPerfectCheck.
Import ListNotations.
Open Scope Qc_scope.

(* ---------- checker ---------- *)

(* Every action that s plays is best, at each node of the decision tree. *)
Definition best_played (p : list Qc) (v : list Qc) : bool :=
  let m := maxl QO v in forallb (fun b => b) (zipw (fun q x => qeqb q 0 || qleb m x) p v).
Fixpoint best_everywhere (s : strategy) (d : dt Qc) : bool :=
  match d with
  | DT r l => forallb (fun ka => best_played (s (fst ka)) (map (best QO) (snd ka)) && forallb (best_everywhere s) (snd
    ka)) l
  end.

(* Y: the plan of the player who makes mistakes. *)
Definition one_sided_check (i : player) (t : tree) (s : profile) (Y : full_plan) : bool :=
  gameb t && validb i (s i) t && mixedb t (other i) (s (other i)) Y &&
  optb (s i) (pview i (rows Y) t 1 (root Y)) &&
  best_everywhere (s (other i)) (view QO (other i) (s i) t 1).

(* ---------- proof ---------- *)

Lemma best_everywhere_optd s : forall d, best_everywhere s d = true -> optd s d.
Proof.
  induction d as [r l IH] using dt_ind'. cbn -[maxl best_played]. intro H. apply all_Forall.
  rewrite forallb_forall in H. rewrite Forall_forall in *. intros [k a] Hin. specialize (H _ Hin). specialize (IH _
    Hin).
  cbn [fst snd] in *. apply andb_true_iff in H. destruct H as [H1 H2]. split.
  - unfold best_played in H1. cbv zeta in H1. revert H1. generalize (maxl QO (map (best QO) a)) as m. generalize (map
      (best QO) a) as v, (s k) as p.
    intros v p m. revert v. induction p as [|q p IHp]; intros [|x v]; simpl; auto.
    rewrite andb_true_iff, orb_true_iff, qeqb_eq, qleb_le. intros [A B]. split; [exact A | apply IHp, B].
  - apply all_Forall. rewrite forallb_forall in H2. rewrite Forall_forall in *. auto.
Qed.

Lemma other_other i : other (other i) = i.
Proof. destruct i; reflexivity. Qed.

Lemma cont_same s s' i k : forall t w, (forall p k, s p k = s' p k) -> cont s i k t w = cont s' i k t w.
Proof.
  intros t w E. revert w.
  assert (Ev : forall t, ev s i t = ev s' i t).
  { induction t0 as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [ev]; auto.
    - f_equal. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. now rewrite IH.
    - rewrite E. f_equal. apply map_ext_in. rewrite Forall_forall in IH. auto. }
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro w; cbn [cont]; auto.
  - f_equal. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. auto.
  - rewrite Ev, E. destruct (peq p i).
    + destruct (Pos.eqb k k'); auto. f_equal. apply map_ext_in. intros c Hin. rewrite Forall_forall in IH. auto.
    + f_equal. generalize (s' p k') as q. induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; auto.
      rewrite Hc. f_equal. apply IH.
Qed.

Theorem one_sided_sound i t s Y : one_sided_check i t s Y = true -> game t /\ one_sided i t s.
Proof.
  unfold one_sided_check. rewrite !andb_true_iff. intros [[[[G V] M] O] B].
  pose proof M as M0. unfold mixedb in M. rewrite !andb_true_iff in M. destruct M as [[V2 R] X].
  pose proof (planb_nodes _ _ _ _ _ X) as N.
  split; [now apply gameb_game|]. split; [|split].
  - intro j. destruct (peq j i) eqn:E.
    + apply peq_eq in E. subst. now apply validb_valid.
    + apply peq_other in E. subst. now apply validb_valid.
  - exists (fun e => behave e (rows Y)). split; [|split].
    + apply (nodes_eventually (fun p k n e => p = other i -> dist (behave e (rows Y) k) n /\ Forall (fun x => 0 < x)
        (behave e (rows Y) k))).
      eapply nodes_imp; [|exact N]. intros p k n H. destruct (peq p (other i)) eqn:E.
      * apply peq_eq in E. eapply eventually_imp; [|apply (planned_mixed _ _ _ _ (H E))]. auto.
      * apply eventually_true. intros e _ ->. rewrite (proj2 (peq_eq _ _) eq_refl) in E. discriminate.
    + intros d Hd.
      apply (nodes_eventually (fun p k n e => p = other i -> Forall2 (near d) (behave e (rows Y) k) (s p k))).
      eapply nodes_imp; [|exact N]. intros p k n H. destruct (peq p (other i)) eqn:E.
      * apply peq_eq in E. subst. eapply eventually_imp; [|apply (planned_near _ _ _ _ _ Hd (H eq_refl))]. auto.
      * apply eventually_true. intros e _ ->. rewrite (proj2 (peq_eq _ _) eq_refl) in E. discriminate.
    + eapply eventually_imp; [|exact (side_best t i (s (other i)) (root Y) (rows Y) R X (s i) V O)].
      intros e _ K b k d Hd. eapply Qcle_trans; [apply K; auto|].
      * unfold b. apply dev_self.
      * erewrite cont_same; [apply Qcle_refl|]. intros p k0. unfold b, deviate. destruct p, i; reflexivity.
  - intros k d Hd. apply best_everywhere_optd in B. apply validb_valid in V2.
    pose proof (view_cont (deviate s (other i) d) (other i) k t 1) as E1. rewrite dev_self, dev_other, other_other in
      E1.
    pose proof (view_cont s (other i) k t 1) as E2. rewrite other_other in E2.
    rewrite <- E1, <- E2. apply contd_opt; auto; now apply view_dok.
Qed.
