(* A checker of sequential equilibria of games with perfect information and the proof that it is sound.
   Every information set is a single node. So every belief is certain, the tree from each node on is a subgame, and the
   checker of subgame-perfect equilibria suffices. No certificate is necessary. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa FMapPositive.
From Tremble Require Import Game Nash Limit Recall SubgamePerfect Sequential View NashCheck Polynomial QuasiPerfectCheck
  SubgameCheck RecallCheck SequentialCheck QuasiPerfectNash Implications SequentialNash BackwardInduction.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- checker ---------- *)

(* The belief at each node is certain, or missing if chance never leads to the node.
   reached: chance leads to t with a positive probability. *)
Fixpoint certain (m : beliefs) (reached : bool) (t : tree) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => forallb (fun qc => certain m (reached && negb (qeqb (fst qc) 0)) (snd qc)) l
  | Node p k l =>
      match m p k with [] => negb reached | [q] => qeqb q 1 | _ => false end && forallb (certain m reached) l
  end.

Definition single_check (t : tree) (s : profile) (m : beliefs) : bool :=
  single t && spe_check t s && certain m true t.

(* ---------- proof ---------- *)

Lemma reach_count s i k : forall t w, (length (reach s i k t w) <= count_occ pk_eq_dec (sets t) (i, k))%nat.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro w; cbn [reach sets].
  - apply le_n.
  - induction IH as [|qc l Hc Hl IH]; simpl; [apply le_n|]. rewrite app_length, count_occ_app. specialize (Hc (w * fst
      qc)). lia.
  - rewrite app_length. cbn [count_occ].
    assert (K : (length (concat (zipw (fun q f => f (w * q)%Qc) (s p k') (map (reach s i k) l)))
                 <= count_occ pk_eq_dec (concat (map sets l)) (i, k))%nat).
    { generalize (s p k') as q. induction IH as [|c l Hc Hl IH]; intros [|x q]; simpl; try apply Nat.le_0_l.
      rewrite app_length, count_occ_app. specialize (Hc (w * x)). specialize (IH q). lia. }
    revert K. generalize (length (concat (zipw (fun q f => f (w * q)%Qc) (s p k') (map (reach s i k) l)))).
    generalize (count_occ pk_eq_dec (concat (map sets l)) (i, k)). intros a n K.
    destruct (peq p i && Pos.eqb k k') eqn:E; cbn [length].
    + apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst.
      destruct (pk_eq_dec (i, k') (i, k')); [lia | congruence].
    + destruct (pk_eq_dec (p, k') (i, k)) as [C|_]; lia.
Qed.

Lemma at_set_count i k : forall t, (length (at_set i k t) <= count_occ pk_eq_dec (sets t) (i, k))%nat.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [at_set sets].
  - apply le_n.
  - induction IH as [|qc l Hc Hl IH]; simpl; [apply le_n|]. rewrite app_length, count_occ_app. lia.
  - rewrite app_length. cbn [count_occ].
    assert (K : (length (concat (map (at_set i k) l)) <= count_occ pk_eq_dec (concat (map sets l)) (i, k))%nat).
    { induction IH as [|c l Hc Hl IH]; simpl; [apply le_n|]. rewrite app_length, count_occ_app. lia. }
    destruct (peq p i && Pos.eqb k k') eqn:E.
    + apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst.
      destruct (pk_eq_dec (i, k') (i, k')); [cbn [length]; lia | congruence].
    + destruct (pk_eq_dec (p, k') (i, k)) as [C|_]; cbn [length]; lia.
Qed.

(* A node that is reached with a positive probability has a certain belief. *)
Lemma certain_reach s m i k : forall t c w, certain m c t = true -> (c = false -> w = 0) ->
  Forall (fun x => x = 0 \/ m i k = [1]) (reach s i k t w).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros c w C Z; cbn [reach certain] in *.
  - constructor.
  - apply Forall_concat. rewrite Forall_map, Forall_forall. rewrite forallb_forall in C. rewrite Forall_forall in IH.
    intros qc Hin. apply (IH _ Hin _ _ (C _ Hin)). intro E. apply andb_false_iff in E. destruct E as [E|E].
    + rewrite (Z E). ring.
    + apply negb_false_iff, qeqb_eq in E. rewrite E. ring.
  - apply andb_true_iff in C. destruct C as [C1 C2]. apply Forall_app. split.
    + destruct (peq p i && Pos.eqb k k') eqn:E; [|constructor]. apply andb_true_iff in E. destruct E as [E1 E2].
      apply peq_eq in E1. apply Pos.eqb_eq in E2. subst. constructor; [|constructor].
      destruct (m i k') as [|q [|]]; try discriminate.
      * left. apply Z. now apply negb_true_iff in C1.
      * right. apply qeqb_eq in C1. now subst.
    + rewrite forallb_forall in C2. rewrite <- Forall_forall in C2. clear C1. revert C2. generalize (s p k') as q.
      induction IH as [|c0 l Hc Hl IH]; intros [|x q] C2; simpl; try constructor. inversion C2; subst.
      apply Forall_app. split; [|apply IH; assumption]. apply (Hc c); auto. intro E. rewrite (Z E). ring.
Qed.

Lemma certain_at_set m i k : forall t c, certain m c t = true -> at_set i k t <> [] -> m i k = [] \/ m i k = [1].
Proof.
  assert (N : forall A (ll : list (list A)), concat ll <> [] -> exists l, In l ll /\ l <> []).
  { induction ll as [|[|a l] ll IH]; simpl; [tauto | |].
    - intro H. destruct (IH H) as [l [A1 A2]]. eauto.
    - intros _. exists (a :: l). split; auto. discriminate. }
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros c C H; cbn [at_set certain] in *.
  - congruence.
  - apply N in H. destruct H as [r [Hr Ne]]. apply in_map_iff in Hr. destruct Hr as [qc [<- Hin]].
    rewrite forallb_forall in C. rewrite Forall_forall in IH. eauto.
  - apply andb_true_iff in C. destruct C as [C1 C2]. destruct (peq p i && Pos.eqb k k') eqn:E.
    + apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst.
      destruct (m i k') as [|q [|]]; auto; try discriminate. apply qeqb_eq in C1. subst. auto.
    + simpl in H. apply N in H. destruct H as [r [Hr Ne]]. apply in_map_iff in Hr. destruct Hr as [c0 [<- Hin]].
      rewrite forallb_forall in C2. rewrite Forall_forall in IH. eauto.
Qed.

(* Mistakes of the same size at all actions. *)
Definition even (s : profile) : profile :=
  fun p k => map (fun x => 1 - sum (map (fun _ => 1) (s p k)) * x) (s p k).

Lemma even_errs q n : dist q n -> erringb q (map (fun x => 1 - sum (map (fun _ => 1) q) * x) q) n = true.
Proof.
  intro D. pose proof D as [L [P S]]. unfold erringb. rewrite !andb_true_iff. repeat split.
  - now apply distb_dist.
  - rewrite map_length. now apply Nat.eqb_eq.
  - apply qeqb_eq. assert (E : forall c r, sum (map (fun x => 1 - c * x) r) = sum (map (fun _ => 1) r) - c * sum r).
    { intro c. induction r as [|x r IH]; simpl; [ring|]. rewrite IH. ring. }
    rewrite E, S. ring.
  - generalize (sum (map (fun _ => 1) q)) as c. intro c. clear. induction q as [|x q IH]; simpl; auto.
    rewrite IH, andb_true_r. destruct (qeqb x 0) eqn:E; auto. apply qeqb_eq in E. subst.
    replace (1 - c * 0) with 1 by ring. reflexivity.
Qed.

Lemma even_nodes s : forall t, (forall i, valid i (s i) t) ->
  nodes (fun p k n => erringb (s p k) (even s p k) n = true) t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro V; cbn [nodes].
  - exact I.
  - apply all_Forall. rewrite Forall_forall in *. intros qc Hin. apply IH; auto. intro i. exact (all_in _ _ _ _ (V i)
      Hin).
  - split; [apply even_errs; now apply (proj1 (V p))|]. apply all_Forall. rewrite Forall_forall in *. intros c Hin.
    apply IH; auto. intro i. exact (all_in _ _ _ _ (proj2 (V i)) Hin).
Qed.

Theorem single_sound t s m : single_check t s m = true -> game t /\ sequential t s m.
Proof.
  unfold single_check. rewrite !andb_true_iff. intros [[O S] C].
  assert (V : forall i, valid i (s i) t).
  { unfold spe_check in S. rewrite !andb_true_iff in S. intros []; apply validb_valid; tauto. }
  apply spe_sound in S. destruct S as [G S]. split; auto.
  split; [apply (recall_sound (fun _ => []) (fun _ => [])); unfold recall_check; now rewrite O|].
  split; auto.
  pose proof (fun pk => single_count t pk O) as U.
  split.
  - destruct (errs_mixed s (even s) t (even_nodes s t V)) as [Mx Te]. eexists. split; [exact Mx|]. split; [exact Te|].
    intros d Hd. apply eventually_true. intros e _ i k. set (b := fun p k0 => erring (s p k0) (even s p k0) e).
    pose proof (certain_reach b m i k t true 1 C ltac:(discriminate)) as F.
    pose proof (Nat.le_trans _ _ _ (reach_count b i k t 1) (U (i, k))) as L.
    destruct (reach b i k t 1) as [|x [|y r]]; [now left | | simpl in L; lia].
    inversion F as [|? ? Hx _]; subst. destruct (Qc_eq_dec x 0) as [->|N]; [left; reflexivity|].
    destruct Hx as [|E]; [contradiction|]. right. rewrite E. unfold bayes. simpl.
    replace (x / (x + 0)) with 1 by (field; replace (x + 0) with x by ring; exact N).
    constructor; [now apply near_self | constructor].
  - intros i k d Vd. unfold given. pose proof (Nat.le_trans _ _ _ (at_set_count i k t) (U (i, k))) as L.
    pose proof (at_set_within i k t) as W. pose proof (certain_at_set m i k t true C) as Ne.
    destruct (at_set i k t) as [|x [|y r]]; [destruct (m i k); apply Qcle_refl | | simpl in L; lia].
    inversion W as [|? ? Wx _]; subst. destruct (Ne ltac:(discriminate)) as [-> | ->]; simpl; [apply Qcle_refl|].
    assert (Nx : nash x s).
    { apply S; auto. intros pk Hin. pose proof (count_within x t pk Wx). pose proof (U pk).
      apply (count_occ_In pk_eq_dec) in Hin. lia. }
    destruct (Nx i) as [_ B]. specialize (B d (valid_within i d x t Wx Vd)).
    replace (1 * ev (deviate s i d) i x + 0) with (ev (deviate s i d) i x) by ring.
    replace (1 * ev s i x + 0) with (ev s i x) by ring. exact B.
Qed.
