(* A test of the definitions: with perfect recall, every normal-form perfect equilibrium is a Nash equilibrium in
   undominated strategies. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Recall Limit NormalForm Undominated View NashCheck Polynomial QuasiPerfectCheck
  NashComplete SubgamePerfect QuasiPerfectNash Implications OneSidedCheck.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- a best reply to a completely mixed strategy is not dominated ---------- *)

(* The game in which the players have exchanged their payoffs. *)
Fixpoint swap (t : tree) : tree :=
  match t with
  | Leaf u1 u2 => Leaf u2 u1
  | Chance l => Chance (map (fun qc => (fst qc, swap (snd qc))) l)
  | Node p k l => Node p k (map swap l)
  end.

Lemma ev_swap s i : forall t, ev s (other i) (swap t) = ev s i t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [swap ev].
  - destruct i; reflexivity.
  - f_equal. rewrite map_map. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. cbn [fst snd]. now rewrite
      IH.
  - f_equal. rewrite map_map. apply map_ext_in. rewrite Forall_forall in IH. auto.
Qed.

Lemma valid_swap i s : forall t, valid i s t -> valid i s (swap t).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [swap valid]; auto.
  - rewrite !all_Forall, Forall_map, !Forall_forall. rewrite Forall_forall in IH. intros A x Hx. exact (IH x Hx (A x
      Hx)).
  - rewrite map_length, !all_Forall, Forall_map, !Forall_forall. rewrite Forall_forall in IH. intros [A B]. auto.
Qed.

Lemma recall_swap i hist : forall t h, recall i hist t h -> recall i hist (swap t) h.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h; cbn [swap recall]; auto.
  - rewrite !all_Forall, Forall_map, !Forall_forall. rewrite Forall_forall in IH. intros A x Hx. exact (IH x Hx _ (A x
      Hx)).
  - destruct (peq p i).
    + intros [E R]. split; auto. clear E. revert R. generalize 0%nat as n.
      induction IH as [|c l Hc Hl IH]; intros n R; simpl in *; auto. destruct R. split; auto.
    + rewrite !all_Forall, Forall_map, !Forall_forall. rewrite Forall_forall in IH. auto.
Qed.

Lemma dot_equal m : forall p v, Forall (fun x => 0 < x) p -> length p = length v -> Forall (fun x => x <= m) v ->
  sum p * m <= dot p v -> Forall (fun x => x = m) v.
Proof.
  induction p as [|q p IH]; intros [|y v] Hp L Hv Le; try discriminate L; [constructor|].
  inversion Hp; inversion Hv; subst. injection L as L. simpl in Le.
  assert (D : dot p v <= sum p * m).
  { apply dot_le; auto. eapply Forall_impl; [|eassumption]. intros x. apply Qclt_le_weak. }
  assert (E : y = m).
  { apply Qcle_antisym; auto. destruct (Qclt_le_dec y m) as [Lt|]; auto. exfalso.
    assert (S : q * y < q * m) by (match goal with Hq : 0 < q |- _ => clear - Lt Hq end; qc; nra).
    revert Le D S. generalize (dot p v), (sum p). intros a c Le D S.
    replace ((q + c) * m) with (q * m + c * m) in Le by ring. revert Le D S. generalize (q * y), (q * m), (c * m).
    intros u v0 w Le D S. clear - Le D S. qc. lra. }
  subst. constructor; auto. apply IH; auto. replace ((q + sum p) * m) with (q * m + sum p * m) in Le by ring.
  clear - Le. revert Le. generalize (q * m), (sum p * m), (dot p v). intros. qc. lra.
Qed.

(* If a completely mixed strategy earns the maximum, then every strategy earns it. *)
Lemma mixed_best y : (forall k, Forall (fun x => 0 < x) (y k)) -> forall d, dok y d -> best QO d <= val y d ->
  forall o, dok o d -> val o d = best QO d.
Proof.
  intro Pos. induction d as [r l IH] using dt_ind'. cbn -[maxl]. intros Dy Le o Do. f_equal.
  assert (G : Forall (fun ka => dot (y (fst ka)) (map (val y) (snd ka)) <= maxl QO (map (best QO) (snd ka))) l).
  { apply all_Forall in Dy. rewrite Forall_forall in *. intros [k a] Hin. specialize (Dy _ Hin). cbn [fst snd] in *.
    destruct Dy as [D1 D2]. apply dot_le_max; [now rewrite map_length|]. apply all_Forall in D2.
    pose proof (maxl_le (map (best QO) a)) as M. rewrite Forall_map, Forall_forall in *.
    intros x Hx. eapply Qcle_trans; [apply best_ge; auto | apply M; assumption]. }
  assert (Eq : Forall (fun ka => maxl QO (map (best QO) (snd ka)) <= dot (y (fst ka)) (map (val y) (snd ka))) l).
  { assert (Le2 : sum (map (fun ka => maxl QO (map (best QO) (snd ka))) l) <= sum (map (fun ka => dot (y (fst ka))
    (map (val y) (snd ka))) l)).
    { change (sumr QO) with sum in Le. qc. lra. }
    clear - G Le2. induction G as [|ka l H G IH]; [constructor|]. cbn [map sum] in Le2.
    assert (S : sum (map (fun ka => dot (y (fst ka)) (map (val y) (snd ka))) l) <= sum (map (fun ka => maxl QO (map
      (best QO) (snd ka))) l)).
    { apply sum_mono. clear - G. induction G; constructor; auto. }
    constructor; [|apply IH]; qc; lra. }
  clear Le. change (sumr QO) with sum. f_equal. apply map_ext_in. intros [k a] Hin.
  apply all_Forall in Dy, Do. rewrite Forall_forall in *. specialize (G _ Hin). specialize (Eq _ Hin).
  specialize (IH _ Hin). specialize (Dy _ Hin). specialize (Do _ Hin). cbn [fst snd] in *.
  destruct Dy as [D1 D2], Do as [O1 O2]. apply all_Forall in D2, O2.
  set (m := maxl QO (map (best QO) a)) in *.
  assert (Lv : Forall (fun x => x <= m) (map (val y) a)).
  { pose proof (maxl_le (map (best QO) a)) as M. rewrite Forall_map, Forall_forall in *.
    intros x Hx. eapply Qcle_trans; [apply best_ge; auto | apply M; assumption]. }
  assert (E : Forall (fun x => x = m) (map (val y) a)).
  { apply (dot_equal m (y k)); auto.
    - destruct D1 as [L _]. now rewrite map_length.
    - destruct D1 as [_ [_ S]]. rewrite S. replace (1 * m) with m by ring. exact Eq. }
  assert (E2 : map (val o) a = map (fun _ => m) a).
  { apply map_ext_in. intros x Hx. pose proof (maxl_le (map (best QO) a)) as M.
    rewrite Forall_map, Forall_forall in *. assert (B : best QO x <= val y x) by (rewrite (E x Hx); now apply M).
    rewrite (IH x Hx (D2 x Hx) B o (O2 x Hx)). apply Qcle_antisym; [now apply M|]. rewrite <- (E x Hx). apply best_ge;
      auto. }
  rewrite E2. destruct O1 as [L [_ S]]. clear - L S. clearbody m. transitivity (sum (o k) * m); [|rewrite S; ring].
  clear S. revert L. generalize (o k) as q.
  induction a as [|x a IH]; intros [|q0 q] L; try discriminate L; simpl; [ring|]. rewrite IH by auto. ring.
Qed.

Lemma respond_valid i s0 hist t d : loc hist d [] -> dok s0 d -> valid i s0 t -> valid i (respond s0 d) t.
Proof.
  intros L D V. eapply valid_other; [|exact V]. intros k n Hn. unfold respond.
  destruct (find _ (flat d)) as [[k' a]|] eqn:E; [|exact Hn].
  apply find_some in E. destruct E as [Hin E]. apply Pos.eqb_eq in E. cbn [fst] in E. subst k'.
  pose proof (dok_flat _ _ D _ _ Hin) as Ha. assert (En : length a = n) by (destruct Hn, Ha; congruence).
  rewrite <- En, <- (map_length (best QO) a). apply pick_dist, maxl_in.
  intro Z. apply map_eq_nil in Z. subst a. exact (dist_nil _ Ha).
Qed.

(* A best reply to a completely mixed strategy y is not dominated. *)
Lemma best_reply_undominated i t (s : profile) y :
  perfect_recall t -> valid (other i) y t -> (forall k, Forall (fun x => 0 < x) (y k)) ->
  (forall d, valid i d t -> ev (deviate (deviate s (other i) y) i d) i t <= ev (deviate s (other i) y) i t) ->
  forall d, ~ dominates i d t s.
Proof.
  intros R Vy Pos Best d [Vd [Dom [o [Vo Lt]]]]. destruct (R (other i)) as [hist Rh].
  set (j := other i) in *. set (T := swap t).
  set (D := merge QO (view QO j (s i) T 1) (view QO j d T (-(1)))).
  assert (Val : forall x, val x D = ev (deviate s j x) i t - ev (deviate (deviate s j x) i d) i t).
  { intro x. unfold D. rewrite merge_val.
    pose proof (view_val (deviate s j x) j T 1) as E1. pose proof (view_val (deviate (deviate s j x) i d) j T (-(1)))
      as E2.
    unfold T in *. unfold j in E1 at 7, E2 at 7. rewrite ev_swap in E1, E2.
    assert (X1 : deviate s j x j = x) by (unfold j; destruct i; reflexivity).
    assert (X2 : deviate s j x (other j) = s i) by (unfold j; destruct i; reflexivity).
    assert (X3 : deviate (deviate s j x) i d j = x) by (unfold j; destruct i; reflexivity).
    assert (X4 : deviate (deviate s j x) i d (other j) = d) by (unfold j; destruct i; reflexivity).
    rewrite X1, X2 in E1. rewrite X3, X4 in E2. rewrite E1, E2. ring. }
  assert (Dk : forall x, valid j x t -> dok x D).
  { intros x Vx. apply merge_dok; apply view_dok; now apply valid_swap. }
  assert (L : loc hist D []) by (apply merge_loc; apply view_loc; now apply recall_swap).
  assert (B0 : best QO D <= 0).
  { eapply Qcle_trans; [exact (attains hist y D [] L (Dk _ Vy) D (fun _ x => x))|]. rewrite Val.
    pose proof (Dom _ (respond_valid j y hist t D L (Dk _ Vy) Vy)) as H. qc. lra. }
  assert (By : best QO D <= val y D).
  { rewrite Val. specialize (Best d Vd). qc. lra. }
  pose proof (mixed_best y Pos D (Dk _ Vy) By o (Dk _ Vo)) as E.
  pose proof (best_ge y D (Dk _ Vy)) as G. rewrite (Val o) in E. pose proof (Val y) as Ey. specialize (Best d Vd).
  assert (0 <= best QO D) by (eapply Qcle_trans; [|exact G]; rewrite Ey; qc; lra).
  rewrite <- E in H. qc. lra.
Qed.

Lemma mixed_reply_undominated i t (s : profile) y : perfect_recall t ->
  nodes (fun p k n => p = other i -> dist (y k) n /\ Forall (fun x => 0 < x) (y k)) t ->
  (forall d, valid i d t -> ev (deviate (deviate s (other i) y) i d) i t <= ev (deviate s (other i) y) i t) ->
  forall d, ~ dominates i d t s.
Proof.
  intros R Me Best.
  set (y0 := fun k => if in_dec pk_eq_dec (other i, k) (sets t) then y k else []).
  assert (A : forall b : profile, agree (deviate b (other i) y0) (deviate b (other i) y) t).
  { intros b p k Hin. unfold deviate. destruct (peq p (other i)) eqn:Ep; auto. apply peq_eq in Ep. subst. unfold y0.
    destruct (in_dec pk_eq_dec (other i, k) (sets t)); tauto. }
  assert (Vy : valid (other i) y t).
  { clear - Me. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [nodes valid] in *; auto.
    - rewrite all_Forall, Forall_forall in *. auto.
    - destruct Me as [A B]. split; [intro Ep; now apply A|]. rewrite all_Forall, Forall_forall in *. auto. }
  assert (Py0 : forall k, Forall (fun x => 0 < x) (y0 k)).
  { intro k. unfold y0. destruct (in_dec pk_eq_dec (other i, k) (sets t)) as [Hin|]; [|constructor].
    clear - Me Hin. induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [nodes sets] in *.
    - destruct Hin.
    - apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [qc [<- Hc]].
      rewrite Forall_forall in IH. apply (IH _ Hc); auto. exact (all_in _ _ _ _ Me Hc).
    - destruct Me as [Me1 Me2]. destruct Hin as [Eq|Hin].
      + injection Eq as -> ->. now apply Me1.
      + apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [c [<- Hc]].
        rewrite Forall_forall in IH. apply (IH _ Hc); auto. exact (all_in _ _ _ _ Me2 Hc). }
  assert (Vy0 : valid (other i) y0 t).
  { assert (K : forall u, incl (sets u) (sets t) -> valid (other i) y u -> valid (other i) y0 u).
    { clear. induction u as [u1 u2|l IH|p k l IH] using tree_ind'; intros I V; cbn [valid sets] in *; auto.
      - rewrite all_Forall, Forall_forall in *. intros qc Hin. apply IH; auto. intros pk Hpk. apply I. apply in_concat.
        exists (sets (snd qc)). split; auto. apply in_map_iff. eauto.
      - destruct V as [V1 V2]. split.
        + intros ->. unfold y0. destruct (in_dec pk_eq_dec (other i, k) (sets t)) as [_|C]; auto.
          exfalso. apply C, I. now left.
        + rewrite all_Forall, Forall_forall in *. intros c Hin. apply IH; auto. intros pk Hpk. apply I. right. apply
            in_concat.
          exists (sets c). split; auto. now apply in_map. }
    apply K; auto. intros pk H; exact H. }
  apply (best_reply_undominated i t s y0 R Vy0 Py0). intros d Vd.
  assert (A2 : ev (deviate (deviate s (other i) y0) i d) i t = ev (deviate (deviate s (other i) y) i d) i t).
  { apply ev_agree. intros p k Hin. unfold deviate at 1 3. destruct (peq p i); auto. apply (A s p k Hin). }
  rewrite A2, (ev_agree _ _ i t (A s)). now apply Best.
Qed.

(* ---------- payoffs are continuous in the plans ---------- *)

Lemma near_scale q : exists C, 0 < C /\ forall d x y, 0 < d -> near d x y -> near (C * d) (q * x) (q * y).
Proof.
  exists (1 + q * q). split; [qc; nra|]. intros d x y Hd [A B]. unfold near. qc.
  destruct (prod_bound (this x - this y) (this q) (this d) (1 + this q * this q)) as [U1 U2]; nra.
Qed.

Lemma Forall2_split A B (R : A -> B -> Prop) : forall l1 l1' l2 l2', length l1 = length l1' ->
  Forall2 R (l1 ++ l2) (l1' ++ l2') -> Forall2 R l1 l1' /\ Forall2 R l2 l2'.
Proof.
  induction l1 as [|x l1 IH]; intros [|y l1'] l2 l2' L H; try discriminate L; simpl in *; auto.
  inversion H; subst. destruct (IH l1' l2 l2') as [I1 I2]; auto.
Qed.

Definition fit (j : player) (f s : strategy) (t : tree) : Prop :=
  nodes (fun p k n => p = j -> length (f k) = n /\ length (s k) = n) t.

Lemma plan_length j f s : forall t, fit j f s t -> forall w w',
  length (plan_of f j t w) = length (plan_of s j t w').
Proof.
  unfold fit. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros F w w'; cbn [plan_of nodes] in *.
  - reflexivity.
  - induction IH as [|qc l Hc Hl IH]; simpl in *; auto. destruct F. rewrite !app_length. auto.
  - destruct F as [F1 F2]. destruct (peq p j) eqn:E.
    + apply peq_eq in E. destruct (F1 E) as [L1 L2]. revert L1 L2. generalize (f k) as fk, (s k) as sk. clear F1.
      induction IH as [|c l Hc Hl IH]; intros [|x fk] [|u sk] L1 L2; try discriminate; simpl in *; auto. destruct F2.
      rewrite !app_length. f_equal; auto.
    + clear F1. induction IH as [|c l Hc Hl IH]; simpl in *; auto. destruct F2. rewrite !app_length. f_equal; auto.
Qed.

Lemma plan_continuous o i j s : forall t, exists C, 0 < C /\ forall d f w w', 0 < d -> fit j f s t ->
  Forall2 (near d) (plan_of f j t w) (plan_of s j t w') ->
  near (C * d) (w * ev (deviate o j f) i t) (w' * ev (deviate o j s) i t).
Proof.
  assert (Null : forall d, 0 < d -> near (1 * d) 0 0).
  { intros d Hd. apply near_self. replace (1 * d) with d by ring. exact Hd. }
  assert (Mean : forall (l : list tree), Forall (fun t => exists C, 0 < C /\ forall d f w w', 0 < d -> fit j f s t ->
      Forall2 (near d) (plan_of f j t w) (plan_of s j t w') ->
      near (C * d) (w * ev (deviate o j f) i t) (w' * ev (deviate o j s) i t)) l ->
    forall q, exists C, 0 < C /\ forall d f w w', 0 < d -> Forall (fit j f s) l ->
      Forall2 (near d) (concat (map (fun c => plan_of f j c w) l)) (concat (map (fun c => plan_of s j c w') l)) ->
      near (C * d) (w * dot q (map (ev (deviate o j f) i) l)) (w' * dot q (map (ev (deviate o j s) i) l))).
  { induction 1 as [|t l [C1 [H1 K1]] Hl IH]; intros [|x q]; simpl;
      try (exists 1; split; [reflexivity|]; intros d f w w' Hd _ _; rewrite !Qcmult_0_r; now apply Null).
    destruct (IH q) as [C2 [H2 K2]]. destruct (near_scale x) as [C3 [H3 K3]]. exists (C3 * C1 + C2).
    split; [qc; nra|]. intros d f w w' Hd F N. inversion F as [|? ? F1 F2]; subst.
    apply Forall2_split in N; [|now apply plan_length]. destruct N as [N1 N2].
    specialize (K1 d f w w' Hd F1 N1). specialize (K2 d f w w' Hd F2 N2).
    assert (Hd1 : 0 < C1 * d) by (qc; nra). specialize (K3 _ _ _ Hd1 K1). revert K2 K3.
    generalize (dot q (map (ev (deviate o j f) i) l)), (dot q (map (ev (deviate o j s) i) l)). intros A B K2 K3.
    replace ((C3 * C1 + C2) * d) with (C3 * (C1 * d) + C2 * d) by ring.
    replace (w * (x * ev (deviate o j f) i t + A)) with (x * (w * ev (deviate o j f) i t) + w * A) by ring.
    replace (w' * (x * ev (deviate o j s) i t + B)) with (x * (w' * ev (deviate o j s) i t) + w' * B) by ring.
    now apply near_add. }
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'.
  - destruct (near_scale (pay i u1 u2)) as [C [HC K]]. exists C. split; auto. intros d f w w' Hd _ N.
    simpl in *. inversion N; subst. rewrite !(Qcmult_comm _ (pay i u1 u2)). now apply K.
  - assert (E : forall z, ev (deviate o j z) i (Chance l) = dot (map fst l) (map (ev (deviate o j z) i) (map snd l))).
    { intro z. cbn [ev]. clear. induction l as [|[q c] l IH]; simpl; [reflexivity | now rewrite IH]. }
    destruct (Mean (map snd l) ltac:(rewrite Forall_map; exact IH) (map fst l)) as [C [HC K]].
    exists C. split; auto. intros d f w w' Hd F N. rewrite !E. apply K; auto.
    + rewrite Forall_map. unfold fit in F. cbn [nodes] in F. now apply all_Forall in F.
    + rewrite !map_map. exact N.
  - destruct (peq p j) eqn:Ep.
    + cbn [ev plan_of]. rewrite Ep. apply peq_eq in Ep. subst p.
      enough (X : forall sk, exists C, 0 < C /\ forall d f w w' fk, 0 < d -> Forall (fit j f s) l ->
        length fk = length l -> length sk = length l ->
        Forall2 (near d) (concat (zipw (fun q g => g (w * q)) fk (map (plan_of f j) l)))
                         (concat (zipw (fun q g => g (w' * q)) sk (map (plan_of s j) l))) ->
        near (C * d) (w * dot fk (map (ev (deviate o j f) i) l)) (w' * dot sk (map (ev (deviate o j s) i) l))).
      { destruct (X (s k)) as [C [HC K]]. exists C. split; auto. intros d f w w' Hd F N. rewrite !dev_self.
        destruct F as [F1 F2]. destruct (F1 eq_refl) as [L1 L2]. apply all_Forall in F2. apply K; auto. }
      induction IH as [|t l [C1 [H1 K1]] Hl IH]; intros [|u sk];
        try (exists 1; split; [reflexivity|]; intros d f w w' [|x fk] Hd _ L1 L2 _; try discriminate; simpl;
             rewrite !Qcmult_0_r; now apply Null).
      destruct (IH sk) as [C2 [H2 K2]]. exists (C1 + C2). split; [qc; lra|].
      intros d f w w' [|x fk] Hd F L1 L2 N; try discriminate. inversion F as [|? ? F1 F2]; subst.
      cbn [map zipw concat] in N.
      apply Forall2_split in N; [|now apply plan_length]. destruct N as [N1 N2].
      specialize (K1 d f _ _ Hd F1 N1). specialize (K2 d f w w' fk Hd F2 ltac:(simpl in L1; congruence)
        ltac:(simpl in L2; congruence) N2). simpl. revert K1 K2.
      generalize (dot fk (map (ev (deviate o j f) i) l)), (dot sk (map (ev (deviate o j s) i) l)). intros A B K1 K2.
      replace ((C1 + C2) * d) with (C1 * d + C2 * d) by ring.
      replace (w * (x * ev (deviate o j f) i t + A)) with (w * x * ev (deviate o j f) i t + w * A) by ring.
      replace (w' * (u * ev (deviate o j s) i t + B)) with (w' * u * ev (deviate o j s) i t + w' * B) by ring.
      now apply near_add.
    + destruct (Mean l IH (o p k)) as [C [HC K]]. exists C. split; auto. intros d f w w' Hd F N.
      cbn [ev plan_of] in *. rewrite Ep in N. unfold deviate at 1 3. rewrite Ep. apply K; auto.
      unfold fit in F. cbn [nodes] in F. destruct F as [_ F]. now apply all_Forall in F.
Qed.

(* ---------- the theorem ---------- *)

Lemma valid_length_nodes j z : forall t, valid j z t -> nodes (fun p k n => p = j -> length (z k) = n) t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [nodes valid]; auto.
  - rewrite !all_Forall, !Forall_forall. rewrite Forall_forall in IH. auto.
  - rewrite !all_Forall, !Forall_forall. rewrite Forall_forall in IH. intros [D V]. split; auto. intro E.
    now destruct (D E).
Qed.

Theorem normal_form_perfect_undominated t s : perfect_recall t -> normal_form_perfect t s -> undominated_nash t s.
Proof.
  intros R [V [b [Mx [Te Best]]]]. split.
  - intro i. split; [apply V|]. intros d Hd.
    destruct (Qclt_le_dec (ev s i t) (ev (deviate s i d) i t)) as [L|L]; [exfalso | assumption].
    set (j := other i). destruct (plan_continuous (deviate s i d) i j (s j) t) as [C1 [P1 K1]].
    destruct (plan_continuous (deviate s i (s i)) i j (s j) t) as [C2 [P2 K2]].
    destruct (small_times (C1 + C2) (ev (deviate s i d) i t - ev s i t)) as [g [G0 [G1 G2]]];
      [qc; lra | qc; lra |].
    destruct (eventually_exists _ (eventually_and _ _ Mx (eventually_and _ _ (Te j g G0) Best))) as [e [_ [M [N B]]]].
    assert (F : fit j (b e j) (s j) t).
    { unfold fit. eapply nodes_imp; [|exact (nodes_and _ _ _ M (valid_length_nodes j (s j) t (V j)))].
      intros p k n [[[A _] _] D] E. subst p. auto. }
    specialize (K1 g _ _ _ G0 F N). specialize (K2 g _ _ _ G0 F N). specialize (B i d Hd).
    assert (E : forall z, ev (deviate (deviate s i z) j (b e j)) i t = ev (deviate (b e) i z) i t).
    { intro z. apply ev_agree. intros p k _. unfold deviate, j. destruct p, i; reflexivity. }
    assert (E2 : forall z, ev (deviate (deviate s i z) j (s j)) i t = ev (deviate s i z) i t).
    { intro z. apply ev_agree. intros p k _. unfold deviate, j. destruct p, i; reflexivity. }
    assert (E3 : ev (deviate s i (s i)) i t = ev s i t).
    { apply ev_agree. intros p k _. unfold deviate. destruct p, i; reflexivity. }
    rewrite E, E2 in K1, K2. rewrite E3 in K2. destruct K1 as [_ K1], K2 as [K2 _]. clear - B G2 K1 K2. qc. lra.
  - intro i. destruct (eventually_exists _ (eventually_and _ _ Mx Best)) as [e [_ [M B]]].
    apply (mixed_reply_undominated i t s (b e (other i)) R).
    + eapply nodes_imp; [|exact M]. intros p k n [D P] ->. auto.
    + intros d Hd. specialize (B i d Hd).
      assert (E : forall z, ev (deviate (deviate s (other i) (b e (other i))) i z) i t = ev (deviate (b e) i z) i t).
      { intro z. apply ev_agree. intros p k _. unfold deviate. destruct p, i; reflexivity. }
      rewrite E. eapply Qcle_trans; [exact B|]. rewrite <- E.
      rewrite (ev_agree _ (deviate s (other i) (b e (other i)))); [apply Qcle_refl|].
      intros p k _. unfold deviate. destruct p, i; reflexivity.
Qed.
