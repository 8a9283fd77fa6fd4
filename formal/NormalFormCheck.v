(* A checker of normal-form perfect equilibria and the proof that it is sound.
   The certificate states completely mixed strategies as plans in e. Each player's strategy must be a best reply to the
   other player's strategy in the profile, and to the other player's completely mixed strategy at a small e. Then it is
   a best reply to each mixture of the two, and the mixtures tend to the profile. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Recall Limit NormalForm View NashCheck Polynomial QuasiPerfectCheck RecallCheck
  QuasiPerfectNash Implications SequentialNash Blend.
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

Definition normal_form_check (h1 h2 : positive -> history) (t : tree) (s : profile) (X Y : full_plan) : bool :=
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

(* The strategy of player i is a best reply to a completely mixed strategy. *)
Lemma side_reply t i s Y : mixed_plan t (other i) Y = true -> best_reply_to t i (s i) Y = true ->
  exists y, nodes (fun p k n => p = other i -> dist (y k) n /\ Forall (fun x => 0 < x) (y k)) t /\
    forall d, valid i d t ->
      ev (deviate (deviate s (other i) y) i d) i t <= ev (deviate (deviate s (other i) y) i (s i)) i t.
Proof.
  unfold mixed_plan, best_reply_to. rewrite !andb_true_iff. intros [Ry Py] B.
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
  set (y := behave e (rows Y)) in *. exists y. split; [exact Me|]. intros d Vd.
  apply (cancel_le (eval e (root Y))); auto.
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

Lemma near_mixture d : 0 < d -> forall p q, length p = length q ->
  eventually (fun e => Forall2 (near d) (zipw Qcplus (map (Qcmult (1 - e)) p) (map (Qcmult e) q)) p).
Proof.
  intro Hd. induction p as [|x p IH]; intros [|z q] L; try discriminate L; [apply eventually_true; constructor|].
  set (r := z - x). assert (HM : 0 < 1 + r * r) by (qc; nra).
  destruct (small_times (1 + r * r) d HM Hd) as [e0 [H0 [_ H1]]].
  assert (K : eventually (fun e => e < e0)) by (exists e0; split; auto).
  eapply eventually_imp; [|exact (eventually_and _ _ K (IH q ltac:(simpl in L; congruence)))].
  intros e He [Hl F]. simpl. constructor; auto.
  replace ((1 - e) * x + e * z) with (x + e * r) by (unfold r; ring). clear - He Hl H0 H1.
  assert (Y1 : 0 < 1 + r * r - r) by (qc; nra). assert (Y2 : 0 < 1 + r * r + r) by (qc; nra).
  unfold near. split; qc; nra.
Qed.

Lemma plan_scale s i v : forall t w, plan_of s i t (v * w) = map (Qcmult v) (plan_of s i t w).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro w; cbn [plan_of].
  - reflexivity.
  - induction IH as [|qc l Hc Hl IH]; simpl; auto. rewrite map_app, IH, Hc. reflexivity.
  - destruct (peq p i).
    + generalize (s k) as q. induction IH as [|c l Hc Hl IH]; intros [|x q]; simpl; auto.
      rewrite map_app, IH, <- Hc. do 2 f_equal. ring.
    + induction IH as [|c l Hc Hl IH]; simpl; auto. rewrite map_app, IH, Hc. reflexivity.
Qed.

(* If each player's strategy is a best reply to the other's strategy and to a completely mixed strategy, then the
   profile is normal-form perfect. *)
Lemma replies_normal_form t s (y : player -> strategy) : perfect_recall t -> nash t s ->
  (forall i, nodes (fun p k n => p = i -> dist (y i k) n /\ Forall (fun x => 0 < x) (y i k)) t) ->
  (forall i d, valid i d t -> ev (deviate (deviate s (other i) (y (other i))) i d) i t <=
                             ev (deviate (deviate s (other i) (y (other i))) i (s i)) i t) ->
  normal_form_perfect t s.
Proof.
  intros R N M B. split; [intro i; apply (N i)|].
  destruct (R P1) as [h1 R1], (R P2) as [h2 R2].
  set (hist := fun i => match i with P1 => h1 | P2 => h2 end).
  assert (Rh : forall i, recall i (hist i) t []) by (intros []; assumption).
  set (b := fun e i => blend (hist i) (s i) (y i) e).
  assert (S : eventually (fun e => e < 1)) by (exists 1; split; [reflexivity | auto]).
  assert (K : eventually (fun e => forall i, blended i (b e i) (s i) (y i) t (1 - e) e /\
    nodes (fun p k n => p = i -> dist (b e i k) n /\ Forall (fun x => 0 < x) (b e i k)) t)).
  { eapply eventually_imp; [|exact S]. intros e He H1 i.
    pose proof (blend_blended i (hist i) (s i) (y i) e He H1 t [] (Rh i) (proj1 (N i)) (M i)) as X. cbn [own] in X.
    replace ((1 - e) * 1) with (1 - e) in X by ring. replace (e * 1) with e in X by ring.
    apply X; [discriminate | reflexivity]. }
  exists b. split; [|split].
  - eapply eventually_imp; [|exact K]. intros e _ H. destruct (H P1) as [_ A], (H P2) as [_ C].
    eapply nodes_imp; [|exact (nodes_and _ _ _ A C)]. intros [] k n [X Y]; auto.
  - intros i d Hd. assert (L : length (plan_of (s i) i t 1) = length (plan_of (y i) i t 1)).
    { destruct (eventually_exists _ (eventually_and _ _ S K)) as [e [_ [_ H]]]. destruct (H i) as [Bl _].
      destruct (blended_plan _ _ _ _ _ _ _ Bl) as [L _].
      replace (1 - e) with ((1 - e) * 1) in L by ring. replace e with (e * 1) in L at 2 by ring.
      rewrite !plan_scale, !map_length in L. exact L. }
    eapply eventually_imp; [|exact (eventually_and _ _ K (near_mixture d Hd _ _ L))].
    intros e _ [H Ne]. destruct (H i) as [Bl _]. destruct (blended_plan _ _ _ _ _ _ _ Bl) as [_ E].
    replace (1 - e + e) with 1 in E by ring. rewrite E. rewrite <- !plan_scale in Ne.
    replace ((1 - e) * 1) with (1 - e) in Ne by ring. replace (e * 1) with e in Ne by ring. exact Ne.
  - eapply eventually_imp; [|exact (eventually_and _ _ S K)]. intros e He [H1 H] i d Vd.
    destruct (H (other i)) as [Bl _].
    assert (E : forall d, ev (deviate (b e) i d) i t = (1 - e) * ev (deviate s i d) i t +
                e * ev (deviate (deviate s (other i) (y (other i))) i d) i t).
    { intro d0. pose proof (blended_ev (deviate s i d0) i _ _ _ _ _ _ _ Bl) as X.
      replace (1 - e + e) with 1 in X by ring.
      rewrite (ev_agree (deviate (b e) i d0) (deviate (deviate s i d0) (other i) (b e (other i)))),
        (ev_agree (deviate s i d0) (deviate (deviate s i d0) (other i) (s (other i)))),
        (ev_agree (deviate (deviate s (other i) (y (other i))) i d0)
          (deviate (deviate s i d0) (other i) (y (other i)))).
      - rewrite <- X. ring.
      - intros p k _. unfold deviate. destruct p, i; reflexivity.
      - intros p k _. unfold deviate. destruct p, i; reflexivity.
      - intros p k _. unfold deviate. destruct p, i; reflexivity. }
    rewrite !E. destruct (N i) as [_ Ni]. specialize (Ni d Vd). specialize (B i d Vd).
    rewrite (ev_agree (deviate s i (s i)) s) by (intros p k _; unfold deviate; destruct p, i; reflexivity).
    apply Qcplus_le_compat; rewrite !(Qcmult_comm _ (ev _ _ _)); apply Qcmult_le_compat_r; auto.
    + clear - H1. qc. lra.
    + now apply Qclt_le_weak.
Qed.

Theorem normal_form_sound h1 h2 t s X Y : normal_form_check h1 h2 t s X Y = true ->
  perfect_recall t /\ normal_form_perfect t s.
Proof.
  unfold normal_form_check. rewrite !andb_true_iff. intros [[[[[[R G1] G2] M1] M2] B1] B2].
  apply recall_sound in R. split; auto.
  destruct (side_reply t P1 s Y M2 B1) as [y2 [N2 K1]]. destruct (side_reply t P2 s X M1 B2) as [y1 [N1 K2]].
  apply (replies_normal_form t s (fun i => match i with P1 => y1 | P2 => y2 end)); auto.
  - intros []; now apply gain_free_sound.
  - intros []; assumption.
  - intros []; assumption.
Qed.
