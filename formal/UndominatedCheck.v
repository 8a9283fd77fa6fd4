(* A checker of Nash equilibria in undominated strategies and the proof that it is sound.
   A strategy that is a best reply to a completely mixed strategy of the other player is not dominated. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Recall Limit Undominated View NashCheck Polynomial QuasiPerfectCheck RecallCheck
  NashComplete SubgamePerfect QuasiPerfectNash Implications OneSidedCheck.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- checker ---------- *)

(* The payoff of a strategy in a decision tree with polynomials. *)
Fixpoint pval (s : strategy) (d : dt poly) : poly :=
  match d with
  | DT r l => padd r (psum (map (fun ka => psum (zipw pscale (s (fst ka)) (map (pval s) (snd ka)))) l))
  end.

(* The limit of a plan, as e tends to 0: the ratios of the coefficients of the lowest power of e in the sum. *)
Fixpoint lowest (q p : poly) : Qc :=
  match q, p with
  | b :: q, a :: p => if qeqb b 0 then lowest q p else a / b
  | _, _ => 0
  end.
Definition limit_of (Y : plan) : strategy := fun k => map (lowest (psum (Y k))) (Y k).

(* X: the plan of player i. It need not tend to the strategy of player i. *)
Definition mixed_plan (t : tree) (i : player) (X : full_plan) : bool :=
  ppos (root X) && planb i (limit_of (rows X)) (rows X) t (root X).

(* Y: the plan of the other player. *)
Definition best_reply_to (t : tree) (i : player) (s : strategy) (Y : full_plan) : bool :=
  let d := pview i (rows Y) t 1 (root Y) in pleb (best PO d) (pval s d).

Definition undominated_check (h1 h2 : positive -> history) (t : tree) (s : profile) (X Y : full_plan) : bool :=
  recall_check h1 h2 t && gain_free t s P1 && gain_free t s P2 && mixed_plan t P1 X && mixed_plan t P2 Y &&
  best_reply_to t P1 (s P1) Y && best_reply_to t P2 (s P2) X.

(* ---------- proof ---------- *)

Lemma pval_eval e s : forall d, eval e (pval s d) = val s (dmap (eval e) d).
Proof.
  induction d as [r l IH] using dt_ind'. cbn [pval dmap val]. rewrite eval_add, psum_eval. f_equal. f_equal.
  rewrite !map_map. apply map_ext_in. intros [k a] Hin. rewrite Forall_forall in IH. specialize (IH _ Hin).
  cbn [fst snd] in *. rewrite psum_eval. clear Hin. generalize (s k) as q.
  induction IH as [|x a Hx Ha IHa]; intros [|q0 q]; simpl; auto. rewrite eval_scale, Hx, IHa. reflexivity.
Qed.

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

Lemma side_undominated t i s Y h1 h2 : recall_check h1 h2 t = true -> validb i (s i) t = true ->
  mixed_plan t (other i) Y = true -> best_reply_to t i (s i) Y = true -> forall d, ~ dominates i d t s.
Proof.
  unfold mixed_plan, best_reply_to. rewrite !andb_true_iff. intros R V [Ry Py] B. apply recall_sound in R. apply
    validb_valid in V.
  pose proof (planb_nodes _ _ _ _ _ Py) as N.
  assert (M : eventually (fun e => nodes (fun p k n => p = other i ->
     dist (behave e (rows Y) k) n /\ Forall (fun x => 0 < x) (behave e (rows Y) k)) t)).
  { apply (nodes_eventually (fun p k n e => p = other i -> dist (behave e (rows Y) k) n /\ Forall (fun x => 0 < x)
    (behave e (rows Y) k))).
    eapply nodes_imp; [|exact N]. intros p k n H. destruct (peq p (other i)) eqn:E.
    - apply peq_eq in E. eapply eventually_imp; [|apply (planned_mixed _ _ _ _ (H E))]. auto.
    - apply eventually_true. intros e _ ->. rewrite (proj2 (peq_eq _ _) eq_refl) in E. discriminate. }
  destruct (eventually_exists _ (eventually_and _ _ M (eventually_and _ _ (ppos_eval _ Ry)
     (eventually_and _ _ (pview_eval _ _ _ _ _ Py) (eventually_and _ _ (best_eval (pview i (rows Y) t 1 (root Y)))
        (pleb_eval (best PO (pview i (rows Y) t 1 (root Y))) (pval (s i) (pview i (rows Y) t 1 (root Y))))))))) as
    [e [_ [Me [Re [E [Be Le]]]]]].
  set (y := behave e (rows Y)) in *.
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
  assert (A2 : forall d, ev (deviate (deviate s (other i) y0) i d) i t = ev (deviate (deviate s (other i) y) i d) i t).
  { intro d0. apply ev_agree. intros p k Hin. unfold deviate at 1 3. destruct (peq p i); auto. apply (A s p k Hin). }
  rewrite A2, (ev_agree _ _ i t (A s)).
  assert (Es : ev (deviate s (other i) y) i t = ev (deviate (deviate s (other i) y) i (s i)) i t).
  { apply ev_agree. intros p k _. unfold deviate. destruct p, i; reflexivity. }
  rewrite Es. apply (cancel_le (eval e (root Y))); auto.
  assert (Vw : forall d, eval e (root Y) * ev (deviate (deviate s (other i) y) i d) i t = val d (view QO i y t (eval e
    (root Y)))).
  { intro d0. pose proof (view_val (deviate (deviate s (other i) y) i d0) i t (eval e (root Y))) as X0.
    rewrite dev_self, dev_other, dev_self in X0. now rewrite X0. }
  rewrite !Vw. unfold y in *. specialize (E 1). replace (1 * eval e (root Y)) with (eval e (root Y)) in E by ring.
    rewrite <- E in *.
  eapply Qcle_trans; [apply best_ge; rewrite E; now apply view_dok|]. rewrite Be, <- pval_eval.
  destruct Le as [Le|Le].
  - apply qleb_le. rewrite Le. exact B.
  - rewrite Le. apply Qcle_refl.
Qed.

Theorem undominated_sound h1 h2 t s X Y : undominated_check h1 h2 t s X Y = true ->
  perfect_recall t /\ undominated_nash t s.
Proof.
  unfold undominated_check. rewrite !andb_true_iff. intros [[[[[[R G1] G2] M1] M2] B1] B2].
  pose proof G1 as H1. pose proof G2 as H2. unfold gain_free in H1, H2. apply andb_true_iff in H1, H2.
  split; [now apply recall_sound in R|]. split; [intros []; now apply gain_free_sound|].
  intros []; [eapply (side_undominated t P1 s Y) | eapply (side_undominated t P2 s X)]; try tauto; eauto.
Qed.
