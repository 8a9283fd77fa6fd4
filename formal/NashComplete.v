(* With perfect recall, the checker of Nash equilibria accepts every Nash equilibrium. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia.
From Tremble Require Import Game Nash Recall View NashCheck Polynomial QuasiPerfectCheck.
Import ListNotations.
Open Scope Qc_scope.

Notation Nodes := (list (positive * list (dt Qc))).
Definition above (k : positive) (l : Nodes) := all (fun ka => (k < fst ka)%positive) l.
Fixpoint srt (l : Nodes) : Prop := match l with [] => True | ka :: r => above (fst ka) r /\ srt r end.

Section Loc.
Variable hist : positive -> history.
Fixpoint loc (d : dt Qc) (h : history) : Prop :=
  match d with
  | DT r l => srt l /\ all (fun ka => hist (fst ka) = h /\ alli (fun j x => loc x ((fst ka, j) :: h)) 0 (snd ka)) l
  end.

Notation good := (fun x => forall y h, loc x h -> loc y h -> loc (merge QO x y) h).
Notation LL h := (all (fun ka => hist (fst ka) = h /\ alli (fun j x => loc x ((fst ka, j) :: h)) 0 (snd ka))).

Lemma zipl_loc k h a : Forall good a -> forall n b,
  alli (fun j x => loc x ((k, j) :: h)) n a -> alli (fun j x => loc x ((k, j) :: h)) n b ->
  alli (fun j x => loc x ((k, j) :: h)) n (zipl (self a) b).
Proof.
  induction 1; intros n b Ha Hb; [assumption|]. destruct b as [|y b]; cbn -[merge] in *.
  - rewrite fst_self. assumption.
  - destruct Ha, Hb. split; auto.
Qed.

Lemma above_trans k k' l : (k < k')%positive -> above k' l -> above k l.
Proof. unfold above. rewrite !all_Forall. intros H. apply Forall_impl. intros x. lia. Qed.

Lemma insert_above k0 k a l : (k0 < k)%positive -> above k0 l -> above k0 (insert k (self a) l).
Proof.
  unfold above. intros H. induction l as [|[k' b] l IH]; cbn -[merge Pos.compare]; [auto|].
  intros [H1 H2]. destruct (Pos.compare k k'); cbn -[merge]; repeat split; auto.
Qed.

Lemma insert_loc k h a : Forall good a -> hist k = h -> alli (fun j x => loc x ((k, j) :: h)) 0 a ->
  forall l, srt l -> LL h l -> srt (insert k (self a) l) /\ LL h (insert k (self a) l).
Proof.
  intros H Hk Ha. induction l as [|[k' b] l IH]; cbn -[merge Pos.compare]; intros Hs Hl.
  - rewrite fst_self. auto.
  - destruct Hs as [Hs1 Hs2], Hl as [[Hb1 Hb2] Hl].
    destruct (Pos.compare_spec k k') as [E|L|L]; cbn -[merge].
    + subst k'. repeat split; auto. apply zipl_loc; assumption.
    + rewrite fst_self. repeat split; auto. eapply above_trans; eassumption.
    + destruct (IH Hs2 Hl). repeat split; auto. now apply insert_above.
Qed.

Lemma merge_loc : forall a b h, loc a h -> loc b h -> loc (merge QO a b) h.
Proof.
  induction a as [r l IH] using dt_ind'. intros [r' l'] h [Sa Ha] [Sb Hb].
  change (LL h l) in Ha. change (LL h l') in Hb.
  change (let m := fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
       (map (fun ka => (fst ka, self (snd ka))) l) in srt m /\ LL h m). cbv zeta.
  induction IH as [|[k a] l Hk Hl IH]; [split; assumption|].
  destruct Ha as [[H1 H2] H3], Sa as [_ Sa]. cbn [fold_right map fst snd].
  destruct (IH Sa H3). apply insert_loc; auto.
Qed.

Lemma msum_loc h l : Forall (fun d => loc d h) l -> loc (msum QO l) h.
Proof. induction 1; simpl msum; [split; exact I | apply merge_loc; assumption]. Qed.

Lemma view_loc i o : forall t h, recall i hist t h -> forall w, loc (view QO i o t w) h.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h Hr w; simpl in *.
  - split; exact I.
  - apply msum_loc. apply all_Forall in Hr. rewrite Forall_forall in *.
    intros x Hx. apply in_map_iff in Hx. destruct Hx as [qc [<- Hin]]. auto.
  - destruct (peq p i) eqn:E.
    + destruct Hr as [Hk Hr]. simpl. repeat split; auto. clear - IH Hr. revert Hr. generalize 0%nat as n.
      induction IH as [|c l Hc Hl IH]; intros n Hr; simpl in *; auto. destruct Hr. split; auto.
    + apply msum_loc. apply zipw_Forall. apply all_Forall in Hr. rewrite Forall_forall in *. intros f Hf q.
      apply in_map_iff in Hf. destruct Hf as [c [<- Hin]]. auto.
Qed.

(* ---------- each information set has one node in the decision tree ---------- *)

Fixpoint flat (d : dt Qc) : Nodes :=
  match d with DT r l => concat (map (fun ka => ka :: concat (map flat (snd ka))) l) end.

Lemma in_flat r l k a : In (k, a) (flat (DT r l)) <->
  exists ka, In ka l /\ (ka = (k, a) \/ exists j x, nth_error (snd ka) j = Some x /\ In (k, a) (flat x)).
Proof.
  simpl. rewrite in_concat. split.
  - intros [y [Hy Hin]]. apply in_map_iff in Hy. destruct Hy as [ka [<- Hka]]. exists ka. split; auto.
    destruct Hin as [->|Hin]; auto. right. apply in_concat in Hin. destruct Hin as [z [Hz Hin]].
    apply in_map_iff in Hz. destruct Hz as [x [<- Hx]]. apply In_nth_error in Hx. destruct Hx as [j Hj]. eauto.
  - intros [ka [Hka H]]. exists (ka :: concat (map flat (snd ka))). split; [apply in_map_iff; eauto|].
    destruct H as [->|[j [x [Hj Hx]]]]; [now left|]. right. apply in_concat. exists (flat x). split; auto.
    apply in_map. eapply nth_error_In; eassumption.
Qed.

Lemma alli_nth A (P : nat -> A -> Prop) l : forall n j x, alli P n l -> nth_error l j = Some x -> P (n + j)%nat x.
Proof.
  induction l as [|y l IH]; intros n [|j] x H E; simpl in *; try discriminate.
  - injection E as ->. rewrite Nat.add_0_r. apply H.
  - destruct H. replace (n + S j)%nat with (S n + j)%nat by lia. eauto.
Qed.

Lemma flat_hist : forall d h k a, loc d h -> In (k, a) (flat d) -> exists p, hist k = p ++ h.
Proof.
  induction d as [r l IH] using dt_ind'. intros h k a [_ Hl] Hin. change (LL h l) in Hl.
  apply all_Forall in Hl. apply in_flat in Hin.
  destruct Hin as [[k1 a1] [Hin H]]. rewrite Forall_forall in Hl, IH.
  specialize (Hl _ Hin). specialize (IH _ Hin). cbn [fst snd] in *. destruct Hl as [Hk Ha]. destruct H as [E|[j [x [Hj
    Hx]]]].
  - injection E as -> ->. exists []. assumption.
  - pose proof (alli_nth _ _ _ _ _ _ Ha Hj) as L. rewrite Forall_forall in IH.
    destruct (IH x (nth_error_In _ _ Hj) _ _ _ L Hx) as [p Hp].
    exists (p ++ [(k1, j)]). rewrite <- app_assoc. exact Hp.
Qed.

Lemma srt_uniq l : srt l -> forall k a a', In (k, a) l -> In (k, a') l -> a = a'.
Proof.
  induction l as [|[k0 b] l IH]; simpl; [tauto|]. intros [Hb Hs] k a a'.
  unfold above in Hb. rewrite all_Forall, Forall_forall in Hb.
  intros [E|Hin] [E'|Hin'].
  - congruence.
  - injection E as -> ->. apply Hb in Hin'. simpl in Hin'. lia.
  - injection E' as -> ->. apply Hb in Hin. simpl in Hin. lia.
  - eauto.
Qed.

Lemma uniq : forall d h, loc d h -> forall k a a', In (k, a) (flat d) -> In (k, a') (flat d) -> a = a'.
Proof.
  induction d as [r l IH] using dt_ind'. intros h [Hs Hl] k a a' H H'. change (LL h l) in Hl.
  apply all_Forall in Hl. rewrite Forall_forall in Hl, IH. apply in_flat in H, H'.
  destruct H as [[k1 a1] [In1 H]], H' as [[k2 a2] [In2 H']].
  destruct (Hl _ In1) as [H1 L1], (Hl _ In2) as [H2 L2]. cbn [fst snd] in *.
  assert (X : forall p x, hist k = p ++ x :: h -> hist k <> h).
  { intros p x E E'. rewrite E' in E. apply (f_equal (@length _)) in E. rewrite app_length in E. simpl in E. lia. }
  destruct H as [E|[j [x [Hj Hx]]]], H' as [E'|[j' [x' [Hj' Hx']]]].
  - injection E as -> ->. injection E' as -> ->. eapply srt_uniq; eassumption.
  - injection E as -> ->. destruct (flat_hist _ _ _ _ (alli_nth _ _ _ _ _ _ L2 Hj') Hx') as [p Hp].
    exfalso. eapply X; eassumption.
  - injection E' as -> ->. destruct (flat_hist _ _ _ _ (alli_nth _ _ _ _ _ _ L1 Hj) Hx) as [p Hp].
    exfalso. eapply X; eassumption.
  - pose proof (alli_nth _ _ _ _ _ _ L1 Hj) as M1. pose proof (alli_nth _ _ _ _ _ _ L2 Hj') as M2.
    destruct (flat_hist _ _ _ _ M1 Hx) as [p Hp]. destruct (flat_hist _ _ _ _ M2 Hx') as [p' Hp'].
    rewrite Hp in Hp'. simpl in Hp'.
    replace (p ++ (k1, j) :: h) with ((p ++ [(k1, j)]) ++ h) in Hp' by (rewrite <- app_assoc; reflexivity).
    replace (p' ++ (k2, j') :: h) with ((p' ++ [(k2, j')]) ++ h) in Hp' by (rewrite <- app_assoc; reflexivity).
    apply app_inv_tail, app_inj_tail in Hp'. destruct Hp' as [_ E]. injection E as -> ->.
    assert (a1 = a2) by (eapply srt_uniq; eassumption). subst. rewrite Hj in Hj'. injection Hj' as ->.
    pose proof (IH _ In1) as IH1. cbn [snd] in IH1. rewrite Forall_forall in IH1.
    eapply (IH1 x' (nth_error_In _ _ Hj)); eassumption.
Qed.
End Loc.

(* ---------- a best response ---------- *)

Fixpoint pick (m : Qc) (v : list Qc) : list Qc :=
  match v with [] => [] | x :: r => if qeqb x m then 1 :: map (fun _ => 0) r else 0 :: pick m r end.

Lemma zeros (v : list Qc) : Forall (fun x => 0 <= x) (map (fun _ => 0) v) /\ sum (map (fun _ => 0) v) = 0 /\
  forall w, dot (map (fun _ => 0) v) w = 0.
Proof.
  induction v as [|x v [A [B C]]]; simpl; repeat split; auto.
  - constructor; auto. apply Qcle_refl.
  - rewrite B. ring.
  - intros [|y w]; [reflexivity|]. rewrite C. ring.
Qed.

Lemma pick_dist m v : In m v -> dist (pick m v) (length v) /\ dot (pick m v) v = m.
Proof.
  unfold dist. induction v as [|x v IH]; simpl; [tauto|]. intro H. destruct (qeqb x m) eqn:E.
  - apply qeqb_eq in E. subst. destruct (zeros v) as [A [B C]]. simpl. rewrite map_length, B, C.
    repeat split; try ring. constructor; [discriminate | assumption].
  - destruct H as [->|H]. { rewrite (proj2 (qeqb_eq m m) eq_refl) in E. discriminate. }
    destruct (IH H) as [[H1 [H2 H3]] H4]. simpl. rewrite H1, H3, H4.
    repeat split; try ring. constructor; [apply Qcle_refl | assumption].
Qed.

Lemma maxl_in v : v <> [] -> In (maxl QO v) v.
Proof.
  destruct v as [|x v]; [congruence|]. intros _. simpl. revert x.
  induction v as [|y v IH]; intro x; simpl; auto.
  destruct (IH (maxr QO x y)) as [E|H]; auto. rewrite <- E. unfold maxr. destruct (leb QO x y); auto.
Qed.

Definition respond (s : strategy) (d : dt Qc) : strategy := fun k =>
  match find (fun ka => Pos.eqb k (fst ka)) (flat d) with
  | Some (_, a) => let v := map (best QO) a in pick (maxl QO v) v
  | None => s k
  end.

Lemma dok_flat s : forall d, dok s d -> forall k a, In (k, a) (flat d) -> dist (s k) (length a).
Proof.
  induction d as [r l IH] using dt_ind'. intros H k a Hin. simpl in H. apply all_Forall in H. apply in_flat in Hin.
  destruct Hin as [[k1 a1] [Hin X]]. rewrite Forall_forall in *. specialize (H _ Hin). specialize (IH _ Hin).
  cbn [fst snd] in *. destruct H as [H1 H2]. destruct X as [E|[j [x [Hj Hx]]]].
  - injection E as -> ->. assumption.
  - apply all_Forall in H2. rewrite Forall_forall in *. apply nth_error_In in Hj. eauto.
Qed.

Lemma dist_nil p : ~ dist p 0.
Proof. intros [H1 [_ H3]]. destruct p; simpl in *; discriminate. Qed.

Lemma respond_at hist s d h k a : loc hist d h -> dok s d -> In (k, a) (flat d) ->
  dist (respond s d k) (length a) /\ dot (respond s d k) (map (best QO) a) = maxl QO (map (best QO) a).
Proof.
  intros L D Hin. unfold respond. destruct (find _ (flat d)) as [[k' a']|] eqn:E.
  - apply find_some in E. destruct E as [Hin' E]. apply Pos.eqb_eq in E. cbn [fst] in E. subst k'.
    rewrite (uniq _ _ _ L _ _ _ Hin' Hin). rewrite <- (map_length (best QO) a). apply pick_dist, maxl_in.
    intro N. apply map_eq_nil in N. subst. eapply dist_nil, (dok_flat _ _ D _ _ Hin).
  - pose proof (find_none _ _ E _ Hin) as N. simpl in N. rewrite Pos.eqb_refl in N. discriminate.
Qed.

Lemma attains hist s d h : loc hist d h -> dok s d -> forall x, (forall n, In n (flat x) -> In n (flat d)) ->
  best QO x <= val (respond s d) x.
Proof.
  intros L D. induction x as [r l IH] using dt_ind'. intro Sub. cbn -[maxl].
  apply Qcplus_le_compat; [apply Qcle_refl|].
  assert (K : Forall (fun ka => maxl QO (map (best QO) (snd ka)) <= dot (respond s d (fst ka)) (map (val (respond s
    d)) (snd ka))) l).
  { rewrite Forall_forall in *. intros [k a] Hin. cbn [fst snd].
    assert (Hd : In (k, a) (flat d)) by (apply Sub, in_flat; exists (k, a); auto).
    destruct (respond_at _ _ _ _ _ _ L D Hd) as [[_ [P _]] E]. rewrite <- E at 1.
    apply dot_mono; [exact P|]. apply Forall2_map. specialize (IH _ Hin). cbn [snd] in IH.
    rewrite Forall_forall in *. intros y Hy. apply IH; auto. intros [k2 a2] Hn. apply Sub, in_flat.
    exists (k, a). split; auto. right. apply In_nth_error in Hy. destruct Hy as [j Hj]. exists j, y. auto. }
  clear IH Sub. induction K; simpl; [apply Qcle_refl | apply Qcplus_le_compat; assumption].
Qed.

Lemma valid_validb i s : forall t, valid i s t -> validb i s t = true.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; intro H; auto.
  - apply all_Forall in H. rewrite forallb_forall, Forall_forall in *. auto.
  - destruct H as [H1 H2]. apply all_Forall in H2. apply andb_true_iff. split.
    + destruct (peq p i) eqn:E; auto. apply distb_dist, H1. now apply peq_eq.
    + rewrite forallb_forall, Forall_forall in *. auto.
Qed.

Lemma game_gameb : forall t, game t -> gameb t = true.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; intro H; auto.
  - destruct H as [H1 H2]. apply all_Forall in H2. apply andb_true_iff. split; [now apply distb_dist|].
    rewrite forallb_forall, Forall_forall in *. auto.
  - apply all_Forall in H. rewrite forallb_forall, Forall_forall in *. auto.
Qed.

Lemma valid_other i (s d : strategy) : (forall k n, dist (s k) n -> dist (d k) n) ->
  forall t, valid i s t -> valid i d t.
Proof.
  intro X. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; auto.
  - intro H. apply all_Forall. apply all_Forall in H. rewrite Forall_forall in *. auto.
  - intros [A H]. split; auto. apply all_Forall. apply all_Forall in H. rewrite Forall_forall in *. auto.
Qed.

Lemma gain_free_complete hist t s i : recall i hist t [] -> valid i (s i) t ->
  (forall d, valid i d t -> ev (deviate s i d) i t <= ev s i t) -> gain_free t s i = true.
Proof.
  intros R V N. unfold gain_free. rewrite (valid_validb _ _ _ V). apply qleb_le.
  set (d := view QO i (s (other i)) t 1).
  assert (L : loc hist d []) by (apply view_loc, R).
  assert (D : dok (s i) d) by (apply view_dok, V).
  assert (T : valid i (respond (s i) d) t).
  { eapply valid_other; [|exact V]. intros k n Hn. unfold respond.
    destruct (find _ (flat d)) as [[k' a]|] eqn:E; [|exact Hn].
    apply find_some in E. destruct E as [Hin E]. apply Pos.eqb_eq in E. cbn [fst] in E. subst k'.
    pose proof (dok_flat _ _ D _ _ Hin) as Ha. assert (En : length a = n) by (destruct Hn, Ha; congruence).
    rewrite <- En, <- (map_length (best QO) a). apply pick_dist, maxl_in.
    intro Z. apply map_eq_nil in Z. subst a. exact (dist_nil _ Ha). }
  eapply Qcle_trans; [exact (attains _ _ _ _ L D d (fun _ x => x))|].
  eapply Qcle_trans; [|exact (N _ T)].
  pose proof (view_val (deviate s i (respond (s i) d)) i t 1) as E.
  assert (E1 : forall x, deviate s i x i = x) by (intro; unfold deviate; destruct i; reflexivity).
  assert (E2 : forall x, deviate s i x (other i) = s (other i)) by (intro; unfold deviate; destruct i; reflexivity).
  rewrite E1, E2 in E. fold d in E. rewrite E. replace (1 * ev (deviate s i (respond (s i) d)) i t)
    with (ev (deviate s i (respond (s i) d)) i t) by ring. apply Qcle_refl.
Qed.

Theorem check_decides t s v1 v2 : perfect_recall t ->
  (check t s v1 v2 = true <-> game t /\ nash t s /\ ev s P1 t = v1 /\ ev s P2 t = v2).
Proof.
  intro R. split; [apply check_sound|]. intros [G [N [E1 E2]]]. unfold check.
  rewrite game_gameb, (proj2 (qeqb_eq _ _) E1), (proj2 (qeqb_eq _ _) E2) by assumption.
  destruct (R P1) as [h1 R1], (R P2) as [h2 R2], (N P1) as [V1 N1], (N P2) as [V2 N2].
  rewrite (gain_free_complete h1 t s P1), (gain_free_complete h2 t s P2) by assumption. reflexivity.
Qed.
