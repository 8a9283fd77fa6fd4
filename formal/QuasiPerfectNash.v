(* A test of the definitions: with perfect recall, every quasi-perfect equilibrium is a Nash equilibrium. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Limit Recall QuasiPerfect View NashCheck Polynomial QuasiPerfectCheck
  NashComplete.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

Lemma contd_absent s k : forall d, (forall a, ~ In (k, a) (flat d)) -> contd s k d = 0.
Proof.
  induction d as [r l IH] using dt_ind'. intro N. cbn -[Pos.eqb].
  assert (K : forall ka, In ka l -> Pos.eqb k (fst ka) = false /\ forall x, In x (snd ka) -> forall a, ~ In (k, a)
    (flat x)).
  { intros [k1 a1] Hin. split.
    - apply Pos.eqb_neq. intro E. cbn in E. subst. apply (N a1), in_flat. eauto.
    - intros x Hx a Ha. apply In_nth_error in Hx. destruct Hx as [j Hj]. apply (N a), in_flat.
      exists (k1, a1). eauto 6. }
  clear N. induction IH as [|[k1 a1] l Ha Hl IH]; [reflexivity|]. cbn [map sum fst snd].
  destruct (K _ (or_introl eq_refl)) as [E X]. cbn [fst snd] in *. rewrite E, IH by (intros; apply K; now right).
  clear - Ha X. induction Ha; simpl; [ring|]. rewrite H by (apply X; now left).
  rewrite <- Qcplus_assoc. rewrite IHHa by (intros; apply X; now right). ring.
Qed.

Lemma contd_top hist s r l h k a : loc hist (DT r l) h -> In (k, a) l ->
  contd s k (DT r l) = dot (s k) (map (val s) a).
Proof.
  intros [Hs Hl] Hin. apply all_Forall in Hl. rewrite Forall_forall in Hl.
  assert (Hk : hist k = h) by apply (Hl _ Hin).
  assert (Z : forall ka, In ka l -> sum (map (contd s k) (snd ka)) = 0).
  { intros [k1 a1] H1. destruct (Hl _ H1) as [_ L]. cbn [fst snd] in *.
    assert (X : forall x, In x a1 -> contd s k x = 0).
    { intros x Hx. apply contd_absent. intros a0 Ha0. apply In_nth_error in Hx. destruct Hx as [j Hj].
      destruct (flat_hist _ _ _ _ _ (alli_nth _ _ _ _ _ _ L Hj) Ha0) as [p Hp]. rewrite Hk in Hp.
      apply (f_equal (@length _)) in Hp. rewrite app_length in Hp. simpl in Hp. lia. }
    clear - X. induction a1; simpl; [reflexivity|]. rewrite X, IHa1; [ring| |]; auto with datatypes. }
  clear Hl. cbn -[Pos.eqb]. induction l as [|[k1 a1] l IH]; [destruct Hin|]. cbn [map sum fst snd].
  destruct Hs as [Hb Hs]. destruct Hin as [E|Hin].
  - injection E as -> ->. rewrite Pos.eqb_refl. cbn [fst] in Hb. unfold above in Hb. rewrite all_Forall, Forall_forall
      in Hb.
    replace (sum _) with 0; [ring|]. symmetry. clear IH Hs. induction l as [|[k2 a2] l IH]; [reflexivity|]. cbn [map
      sum fst snd].
    assert (N : Pos.eqb k k2 = false).
    { apply Pos.eqb_neq. specialize (Hb _ (or_introl eq_refl)). simpl in Hb. lia. }
    pose proof (Z (k2, a2) (or_intror (or_introl eq_refl))) as Z2. cbn [snd] in Z2. rewrite N, Z2, IH; [ring | |].
    + intros; apply Hb; now right.
    + intros ka [E|H]; apply Z; [now left | right; now right].
  - rewrite IH by (auto; intros; apply Z; now right).
    unfold above in Hb. rewrite all_Forall, Forall_forall in Hb. specialize (Hb _ Hin). cbn [fst] in Hb.
    assert (N : Pos.eqb k k1 = false) by (apply Pos.eqb_neq; lia). pose proof (Z (k1, a1) (or_introl eq_refl)) as Z1.
      cbn [snd] in Z1. rewrite N, Z1. ring.
Qed.

Lemma local_global hist x y d : loc hist d [] -> (forall k, contd x k d <= contd y k d) -> val x d <= val y d.
Proof.
  destruct d as [r l]. intros L H. cbn. apply Qcplus_le_compat; [apply Qcle_refl|].
  apply sum_mono, Forall2_map. rewrite Forall_forall. intros [k a] Hin. cbn [fst snd].
  rewrite <- !(contd_top _ _ _ _ _ _ _ L Hin). apply H.
Qed.

(* ---------- payoffs are continuous ---------- *)

Lemma near_add d1 d2 x y x' y' : near d1 x y -> near d2 x' y' -> near (d1 + d2) (x + x') (y + y').
Proof. unfold near. intros [A B] [C D]. split; qc; lra. Qed.

Lemma bound x : exists B, 0 < B /\ - B < x /\ x < B.
Proof.
  destruct (Qclt_le_dec x 0).
  - exists (1 - x). repeat split; qc; lra.
  - exists (1 + x). repeat split; qc; lra.
Qed.

Lemma prod_bound (a b A B : Q) : (- A < a -> a < A -> - B < b -> b < B -> - (A * B) < a * b /\ a * b < A * B)%Q.
Proof. intros. split; nra. Qed.

Lemma near_mul C p' x' : 0 < C -> exists C', 0 < C' /\ forall d p x, 0 < d -> d <= 1 ->
  near d p p' -> near (C * d) x x' -> near (C' * d) (p * x) (p' * x').
Proof.
  intros HC. destruct (bound x') as [X [X0 [X1 X2]]]. destruct (bound p') as [P [P0 [P1 P2]]].
  exists (X + P * C + C). split.
  { qc. assert (0 < this P * this C)%Q by nra. lra. }
  intros d p x Hd Hd1 [A1 A2] [B1 B2]. unfold near. qc.
  destruct (prod_bound (this p - this p') (this x') (this d) (this X)) as [U1 U2]; try lra.
  destruct (prod_bound (this p') (this x - this x') (this P) (this C * this d)) as [V1 V2]; try lra.
  destruct (prod_bound (this p - this p') (this x - this x') (this d) (this C * this d)) as [W1 W2]; try lra.
  assert (S : (this d * (this C * this d) <= this C * this d)%Q).
  { assert (0 <= this C * this d)%Q by nra. nra. }
  split; nra.
Qed.

Definition close_at d (b s : profile) := nodes (fun p k _ => Forall2 (near d) (b p k) (s p k)).

Lemma near_self d x : 0 < d -> near d x x.
Proof. intro H. unfold near. replace (x - x) with 0 by ring. auto. Qed.

Lemma continuous s i : forall t, exists C, 0 < C /\ forall d b, 0 < d -> d <= 1 -> close_at d b s t ->
  near (C * d) (ev b i t) (ev s i t).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'.
  - exists 1. split; [reflexivity|]. intros d b Hd _ _. apply near_self. replace (1 * d) with d by ring. assumption.
  - unfold close_at in *. cbn [ev nodes]. induction IH as [|[q c] l [C [HC Hc]] Hl [C2 [HC2 IH]]].
    + exists 1. split; [reflexivity|]. intros d b Hd _ _. apply near_self. replace (1 * d) with d by ring. assumption.
    + destruct (near_mul C q (ev s i c) HC) as [C1 [HC1 H1]]. exists (C1 + C2). split; [qc; lra|].
      intros d b Hd Hd1 [N1 N2]. cbn [map sum fst snd].
      replace ((C1 + C2) * d) with (C1 * d + C2 * d) by ring. apply near_add; [|now apply IH].
      apply H1; auto. now apply near_self.
  - unfold close_at in *. cbn [ev nodes].
    enough (K : forall sk, exists C, 0 < C /\ forall d (b : profile) bk, 0 < d -> d <= 1 -> Forall2 (near d) bk sk ->
       all (nodes (fun p k _ => Forall2 (near d) (b p k) (s p k))) l ->
       near (C * d) (dot bk (map (ev b i) l)) (dot sk (map (ev s i) l))).
    { destruct (K (s p k)) as [C [HC H]]. exists C. split; auto. intros d b Hd Hd1 [N1 N2]. now apply H. }
    induction IH as [|c l [C [HC Hc]] Hl IH]; intros sk.
    + exists 1. split; [reflexivity|]. intros d b bk Hd _ _ _.
      replace (dot bk (map (ev b i) [])) with 0 by (destruct bk; reflexivity).
      replace (dot sk (map (ev s i) [])) with 0 by (destruct sk; reflexivity).
      apply near_self. replace (1 * d) with d by ring. assumption.
    + destruct sk as [|x sk].
      { exists 1. split; [reflexivity|]. intros d b bk Hd _ N _. inversion N; subst. apply near_self.
        replace (1 * d) with d by ring. assumption. }
      destruct (IH sk) as [C2 [HC2 IH2]]. destruct (near_mul C x (ev s i c) HC) as [C1 [HC1 H1]].
      exists (C1 + C2). split; [qc; lra|]. intros d b bk Hd Hd1 N [M1 M2]. inversion N; subst. simpl.
      replace ((C1 + C2) * d) with (C1 * d + C2 * d) by ring. apply near_add; [|now apply IH2].
      apply H1; auto.
Qed.

Lemma eventually_exists P : eventually P -> exists e, 0 < e /\ P e.
Proof.
  intros [e0 [H0 H]]. destruct (small_times 1 e0) as [e [A [B C]]]; auto; [reflexivity|].
  exists e. split; auto. apply H; auto. replace e with (e * 1) by ring. assumption.
Qed.

Lemma ev_view p i t : ev p i t = val (p i) (view QO i (p (other i)) t 1).
Proof. rewrite view_val. ring. Qed.

Theorem qp_nash t s : perfect_recall t -> quasi_perfect t s -> nash t s.
Proof.
  intros R [V [b [_ [Near Best]]]] i. split; [apply V|]. intros d Hd.
  destruct (Qclt_le_dec (ev s i t) (ev (deviate s i d) i t)) as [L|L]; [exfalso | assumption].
  destruct (continuous (deviate s i d) i t) as [C1 [P1 K1]].
  destruct (continuous (deviate s i (s i)) i t) as [C2 [P2 K2]].
  destruct (small_times (C1 + C2) (ev (deviate s i d) i t - ev s i t)) as [g [G0 [G1 G2]]];
    [qc; lra | clear - L; qc; lra|].
  destruct (eventually_exists _ (eventually_and _ _ (Near g G0) Best)) as [e [_ [N B]]].
  assert (D : forall x, close_at g (deviate (b e) i x) (deviate s i x) t).
  { intro x. unfold close_at. eapply nodes_imp; [|exact N]. intros p k n H. unfold deviate. destruct (peq p i); auto.
    clear - G0. induction (x k); constructor; auto. now apply near_self. }
  specialize (K1 g _ G0 (Qclt_le_weak _ _ G1) (D d)). specialize (K2 g _ G0 (Qclt_le_weak _ _ G1) (D (s i))).
  destruct (R i) as [hist Rh].
  assert (Z : ev (deviate (b e) i d) i t <= ev (deviate (b e) i (s i)) i t).
  { rewrite !ev_view, !dev_self, !dev_other. apply (local_global hist); [now apply view_loc|]. intro k.
    specialize (B i k d Hd). rewrite <- !view_cont, !dev_self, !dev_other in B. exact B. }
  assert (E : ev (deviate s i (s i)) i t = ev s i t) by (rewrite !ev_view, !dev_self, !dev_other; reflexivity).
  rewrite E in K2. destruct K1 as [_ K1], K2 as [K2 _]. clear - K1 K2 Z G2. revert K1 K2 Z G2.
  generalize (ev (deviate (b e) i d) i t), (ev (deviate (b e) i (s i)) i t), (ev (deviate s i d) i t), (ev s i t).
  intros. qc. nra.
Qed.
