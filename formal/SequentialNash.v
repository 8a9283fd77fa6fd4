(* A test of the definitions: with perfect recall, and if chance makes every move with a positive probability,
   every sequential equilibrium is subgame perfect. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Limit Recall SubgamePerfect QuasiPerfect Sequential View NashCheck Polynomial
  QuasiPerfectCheck SubgameCheck SequentialCheck NashComplete QuasiPerfectNash Implications.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- a subgame has the same beliefs ---------- *)

Lemma zipw_app A B C (f : A -> B -> C) q1 l1 q2 l2 : length q1 = length l1 ->
  zipw f (q1 ++ q2) (l1 ++ l2) = zipw f q1 l1 ++ zipw f q2 l2.
Proof. revert l1. induction q1 as [|q q1 IH]; intros [|x l1] L; try discriminate L; simpl; auto. f_equal. auto. Qed.

Lemma reach_part b i x t : within x t -> mixed b t -> chance_positive t ->
  exists a, 0 < a /\ forall k w, In (i, k) (sets x) -> count_occ pk_eq_dec (sets x) (i, k) = count_occ pk_eq_dec (sets
    t) (i, k) ->
  reach b i k t w = reach b i k x (a * w) /\ at_set i k t = at_set i k x.
Proof.
  induction 1 as [t|x c q l H W IH|x c p k' l H W IH]; intros M P.
  - exists 1. split; [reflexivity|]. intros. split; auto. f_equal. ring.
  - unfold mixed in *. cbn [nodes chance_positive] in M, P. pose proof (all_in _ _ _ _ P H) as [Pq Pc].
    destruct IH as [a [Ha E]]; [exact (all_in _ _ _ _ M H) | exact Pc|].
    exists (a * q). split; [cbn [fst] in Pq; qc; nra|]. intros k w Hin C.
    assert (C1 : count_occ pk_eq_dec (sets x) (i, k) = count_occ pk_eq_dec (sets c) (i, k)).
    { pose proof (count_within x c (i, k) W). pose proof (count_within c (Chance l) (i, k) (W_chance _ _ _ _ H (W_here
      _))). lia. }
    destruct (E k (w * q) Hin C1) as [E1 E2]. rewrite C1 in C. clear C1 M P Hin. cbn [reach at_set].
    apply in_split in H. destruct H as [l1 [l2 ->]]. apply only_child_chance in C. destruct C as [A1 A2].
    rewrite !map_app, !concat_app. cbn [map concat fst snd]. rewrite E1, E2.
    rewrite !concat_nil; try ((eapply Forall_impl; [|eassumption]); intros qc A; now apply reach_absent || now apply
      at_set_absent).
    simpl. rewrite !app_nil_r. split; auto. f_equal. ring.
  - unfold mixed in *. cbn [nodes chance_positive] in M, P. destruct M as [[D Dp] M].
    destruct IH as [a [Ha E]]; [exact (all_in _ _ _ _ M H) | exact (all_in _ _ _ _ P H)|].
    assert (C0 : forall k, count_occ pk_eq_dec (sets x) (i, k) = count_occ pk_eq_dec (sets (Node p k' l)) (i, k) ->
                 count_occ pk_eq_dec (sets x) (i, k) = count_occ pk_eq_dec (sets c) (i, k)).
    { intros k C. pose proof (count_within x c (i, k) W).
      pose proof (count_within c (Node p k' l) (i, k) (W_node _ _ _ _ _ H (W_here _))). lia. }
    destruct D as [L _]. apply in_split in H. destruct H as [l1 [l2 ->]].
    destruct (zipw_split _ _ _ (fun _ _ => tt) l1 c l2 (b p k') L) as [q1 [y [q2 [Eq [L1 _]]]]].
    rewrite Eq in Dp. apply Forall_app in Dp. destruct Dp as [_ Dp]. inversion Dp as [|? ? Py _]; subst.
    exists (a * y). split; [qc; nra|]. intros k w Hin C. destruct (E k (w * y) Hin (C0 k C)) as [E1 E2].
    rewrite (C0 k C) in C. apply only_child_node in C. destruct C as [N [A1 A2]].
    assert (Ek : peq p i && Pos.eqb k k' = false).
    { destruct (peq p i && Pos.eqb k k') eqn:X; auto. apply andb_true_iff in X. destruct X as [X1 X2].
      apply peq_eq in X1. apply Pos.eqb_eq in X2. congruence. }
    cbn [reach at_set]. rewrite Ek, Eq, !map_app, zipw_app by (now rewrite map_length). cbn [map zipw app].
    rewrite !concat_app. cbn [concat]. rewrite E1, E2.
    rewrite !zipw_nil; try ((eapply Forall_impl; [|eassumption]); intros z A q; now apply reach_absent).
    rewrite !concat_nil; try ((eapply Forall_impl; [|eassumption]); intros z A; now apply at_set_absent).
    simpl. rewrite !app_nil_r. split; auto. f_equal. ring.
Qed.

Lemma completely_mixed_one b t : completely_mixed b t -> exists e, mixed (b e) t.
Proof. intro M. destruct (eventually_exists _ M) as [e [_ H]]. exists e. exact H. Qed.

Lemma at_set_within i k : forall t, Forall (fun y => within y t) (at_set i k t).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [at_set].
  - constructor.
  - apply Forall_forall. intros y Hy. apply in_concat in Hy. destruct Hy as [r [Hr Hy]]. apply in_map_iff in Hr.
    destruct Hr as [[q c] [<- Hc]]. rewrite Forall_forall in IH. specialize (IH _ Hc). rewrite Forall_forall in IH.
    econstructor; eauto.
  - apply Forall_app. split; [destruct (_ && _); repeat constructor|].
    apply Forall_forall. intros y Hy. apply in_concat in Hy. destruct Hy as [r [Hr Hy]]. apply in_map_iff in Hr.
    destruct Hr as [c [<- Hc]]. rewrite Forall_forall in IH. specialize (IH _ Hc). rewrite Forall_forall in IH.
    econstructor; eauto.
Qed.

Lemma given_agree s s' m i k x : agree s s' x -> given s m i k x = given s' m i k x.
Proof.
  intro A. unfold given. f_equal. apply map_ext_in. intros y Hy. apply ev_agree. intros p k' Hin. apply A.
  pose proof (at_set_within i k x) as W. rewrite Forall_forall in W. now apply (sets_within _ _ (W _ Hy)).
Qed.

Lemma sequential_part t s m x : chance_positive t -> sequential t s m -> within x t -> closed x t -> sequential x s m.
Proof.
  intros P [R [V [[b [Mx [Te Co]]] Ra]]] W C. split; [eapply perfect_recall_within; eauto|].
  split; [intro i; eapply valid_within; eauto|]. split.
  - exists b. split; [|split].
    + eapply eventually_imp; [|exact Mx]. intros e _. now apply nodes_within.
    + intros d Hd. eapply eventually_imp; [|exact (Te d Hd)]. intros e _. now apply nodes_within.
    + intros d Hd. eapply eventually_imp; [|exact (eventually_and _ _ Mx (Co d Hd))]. intros e _ [M B] i k.
      destruct (in_dec pk_eq_dec (i, k) (sets x)) as [Hin|N].
      * destruct (reach_part (b e) i x t W M P) as [a [Ha E]]. specialize (B i k).
        rewrite (proj1 (E k 1 Hin (C _ Hin))), reach_scale in B.
        assert (Na : a <> 0) by now apply pos_neq.
        rewrite bayes_scale in B by assumption. destruct B as [B|B]; auto. left. rewrite sum_times in B.
        apply Qcmult_integral in B. tauto.
      * left. now rewrite reach_absent.
  - intros i k d Hd. destruct (in_dec pk_eq_dec (i, k) (sets x)) as [Hin|N].
    + destruct (completely_mixed_one _ _ Mx) as [e M]. destruct (reach_part (b e) i x t W M P) as [a [_ E]].
      specialize (Ra i k _ (graft_valid i x t d (s i) W (V i) Hd)).
      rewrite <- (given_agree _ _ m i k x (graft_agree i x d (s i) s)).
      unfold given in *. rewrite (proj2 (E k 1 Hin (C _ Hin))) in Ra. exact Ra.
    + unfold given. rewrite at_set_absent by assumption. simpl. destruct (m i k); apply Qcle_refl.
Qed.

(* ---------- how chance and the other player lead to a set ---------- *)

(* The probabilities with which chance and the other player lead to the nodes of a set. *)
Fixpoint lead (s : profile) (i : player) (k : positive) (t : tree) (w : Qc) : list Qc :=
  match t with
  | Leaf _ _ => []
  | Chance l => concat (map (fun qc => lead s i k (snd qc) (w * fst qc)) l)
  | Node p k' l =>
      if peq p i then (if Pos.eqb k k' then [w] else []) ++ concat (map (fun c => lead s i k c w) l)
      else concat (zipw (fun q f => f (w * q)) (s p k') (map (lead s i k) l))
  end.

(* Both strategies have as many probabilities at each node as the node has actions. *)
Definition fits (s : profile) (t : tree) := nodes (fun p k n => length (s p k) = n) t.

Lemma mixed_fits b t : mixed b t -> fits b t.
Proof. unfold mixed, fits. apply nodes_imp. intros p k n [[H _] _]. exact H. Qed.

Lemma valid_fits s t : (forall i, valid i (s i) t) -> fits s t.
Proof.
  unfold fits. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro V; cbn [nodes]; auto.
  - apply all_Forall. rewrite Forall_forall in *. intros qc Hin. apply IH; auto. intro i. exact (all_in _ _ _ _ (V i)
      Hin).
  - split; [destruct (V p) as [D _]; apply D; reflexivity|]. apply all_Forall. rewrite Forall_forall in *. intros c Hin.
    apply IH; auto. intro i. exact (all_in _ _ _ _ (proj2 (V i)) Hin).
Qed.

Lemma lead_scale s i k v : forall t w, lead s i k t (v * w) = map (Qcmult v) (lead s i k t w).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro w; cbn [lead]; auto.
  - induction IH as [|[q c] l Hc Hl IH]; simpl; auto. rewrite map_app, IH. simpl in Hc.
    rewrite <- Qcmult_assoc, Hc. reflexivity.
  - destruct (peq p i).
    + rewrite map_app. f_equal; [destruct (Pos.eqb k k'); reflexivity|].
      induction IH as [|c l Hc Hl IH]; simpl; auto. rewrite map_app, IH, Hc. reflexivity.
    + generalize (s p k') as q. induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; auto. rewrite map_app, IH.
      rewrite <- Qcmult_assoc, Hc. reflexivity.
Qed.

Lemma lead_other s s' i k : s (other i) = s' (other i) -> forall t w, lead s i k t w = lead s' i k t w.
Proof.
  intro E. induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro w; cbn [lead]; auto.
  - f_equal. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. auto.
  - destruct (peq p i) eqn:Ep.
    + f_equal. f_equal. apply map_ext_in. intros c Hin. rewrite Forall_forall in IH. auto.
    + apply peq_other in Ep. subst. rewrite E. f_equal. generalize (s' (other i) k') as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; auto. rewrite Hc. f_equal. apply IH.
Qed.

Lemma lead_length s i k : forall t, fits s t -> forall w, length (lead s i k t w) = length (at_set i k t).
Proof.
  unfold fits. induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros F w; cbn [lead at_set nodes] in *; auto.
  - induction IH as [|qc l Hc Hl IH]; simpl in *; auto. destruct F. rewrite !app_length, IH, Hc; auto.
  - destruct F as [F1 F2]. destruct (peq p i); cbn [andb].
    + rewrite !app_length. f_equal; [destruct (Pos.eqb k k'); reflexivity|]. clear F1.
      induction IH as [|c l Hc Hl IH]; simpl in *; auto. destruct F2. rewrite !app_length, IH, Hc; auto.
    + simpl. revert F1. generalize (s p k') as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q] L; try discriminate L; simpl in *; auto. destruct F2.
      rewrite !app_length, Hc, IH; auto.
Qed.

Lemma lead_absent s i k0 : forall t, absent (i, k0) t -> forall w, lead s i k0 t w = [].
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros A w; cbn [lead]; auto.
  - apply absent_chance in A. apply concat_nil. rewrite Forall_forall in *. auto.
  - apply absent_node in A. destruct A as [N A]. destruct (peq p i) eqn:E.
    + apply peq_eq in E. subst. destruct (Pos.eqb_spec k0 k) as [->|_]; [congruence|]. apply concat_nil.
      rewrite Forall_forall in *. auto.
    + apply zipw_nil. rewrite Forall_forall in *. auto.
Qed.

Lemma dot_app a b c d : length a = length c -> dot (a ++ b) (c ++ d) = dot a c + dot b d.
Proof. revert c. induction a as [|x a IH]; intros [|y c] L; try discriminate L; simpl; [ring | rewrite IH by auto;
  ring]. Qed.

Lemma recall_prefix i hist k : forall t h, recall i hist t h -> In (i, k) (sets t) -> exists p, hist k = p ++ h.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros h R Hin; cbn [recall sets] in *.
  - destruct Hin.
  - apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [qc [<- Hc]].
    rewrite Forall_forall in IH. apply (IH _ Hc _ (all_in _ _ _ _ R Hc) Hin).
  - destruct Hin as [E|Hin].
    + injection E as -> ->. rewrite (proj2 (peq_eq i i) eq_refl) in R. destruct R as [R _]. exists []. exact R.
    + apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [c [<- Hc]].
      rewrite Forall_forall in IH. destruct (peq p i).
      * destruct R as [_ R]. destruct (alli_in _ _ _ _ _ R Hc) as [j Rj]. destruct (IH _ Hc _ Rj Hin) as [g G].
        exists (g ++ [(k', j)]). rewrite <- app_assoc. exact G.
      * apply (IH _ Hc _ (all_in _ _ _ _ R Hc) Hin).
Qed.

(* With perfect recall, no node of a set is below another node of the set. *)
Lemma recall_below i hist k l h : hist k = h -> alli (fun j c => recall i hist c ((k, j) :: h)) 0 l ->
  Forall (absent (i, k)) l.
Proof.
  intros E R. apply Forall_forall. intros c Hc Hin. destruct (alli_in _ _ _ _ _ R Hc) as [j Rj].
  destruct (recall_prefix _ _ _ _ _ Rj Hin) as [g G]. rewrite E in G. apply (f_equal (@length _)) in G.
  rewrite app_length in G. simpl in G. lia.
Qed.

Lemma cont_dot s i k hist : forall t, fits s t -> forall h, recall i hist t h -> forall w,
  cont s i k t w = dot (lead s i k t w) (map (ev s i) (at_set i k t)).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros F h R w; cbn [cont lead at_set]; auto.
  - unfold fits in F. cbn [nodes recall] in F, R. induction IH as [|qc l Hc Hl IH]; simpl in *; auto. destruct F, R.
    rewrite map_app, dot_app by (rewrite map_length; now apply lead_length). rewrite IH, <- (Hc H _ H1); auto.
  - unfold fits in F. cbn [nodes recall] in F, R. destruct F as [F1 F2]. destruct (peq p i) eqn:Ep; cbn [andb].
    + destruct R as [Hk R]. destruct (Pos.eqb_spec k k') as [<-|N].
      * pose proof (recall_below _ _ _ _ _ Hk R) as A.
        rewrite !concat_nil by ((eapply Forall_impl; [|exact A]); intros c X; now apply lead_absent || now apply
          at_set_absent).
        rewrite app_nil_r. simpl. ring.
      * simpl. clear F1. revert R. generalize 0%nat as n.
        induction IH as [|c l Hc Hl IH]; intros n R; simpl in *; auto. destruct F2 as [G1 G2], R as [R1 R2].
        rewrite map_app, dot_app by (rewrite map_length; now apply lead_length).
        rewrite (IH G2 _ R2), <- (Hc G1 _ R1); auto.
    + simpl. revert F1. generalize (s p k') as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q] L; try discriminate L; simpl in *; auto. destruct F2 as [G1 G2],
        R as [R1 R2].
      rewrite map_app, dot_app by (rewrite map_length; now apply lead_length). rewrite <- (Hc G1 _ R1), IH; auto.
Qed.

(* The probability with which the player's own moves lead to a set. *)
Fixpoint own (s : strategy) (h : history) : Qc :=
  match h with [] => 1 | (k, j) :: h => nth j (s k) 0 * own s h end.

Lemma reach_lead b i k hist : forall t, fits b t -> forall h, recall i hist t h -> forall w,
  reach b i k t (w * own (b i) h) = map (Qcmult (own (b i) (hist k))) (lead b i k t w).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros F h R w; cbn [reach lead]; auto.
  - unfold fits in F. cbn [nodes recall] in F, R. induction IH as [|[q c] l Hc Hl IH]; simpl in *; auto. destruct F, R.
    rewrite map_app, IH by assumption. f_equal. rewrite <- (Hc H _ H1). f_equal. ring.
  - unfold fits in F. cbn [nodes recall] in F, R. destruct F as [F1 F2]. destruct (peq p i) eqn:Ep; cbn [andb].
    + destruct R as [Hk R]. rewrite map_app. f_equal.
      * destruct (Pos.eqb_spec k k') as [<-|N]; simpl; auto. rewrite Hk. f_equal. ring.
      * apply peq_eq in Ep. subst p. clear Hk.
        assert (X : forall n q, (forall j, nth j q 0 = nth (n + j) (b i k') 0) -> length q = length l ->
          alli (fun j c => recall i hist c ((k', j) :: h)) n l ->
          concat (zipw (fun q f => f (w * own (b i) h * q)) q (map (reach b i k) l)) =
          map (Qcmult (own (b i) (hist k))) (concat (map (fun c => lead b i k c w) l))).
        { clear R F1. induction IH as [|c l Hc Hl IH]; intros n [|q0 q] Nth L R; try discriminate L; auto.
          cbn [map zipw concat]. destruct R as [R1 R2], F2 as [G1 G2]. rewrite map_app, <- (Hc G1 _ R1 w). f_equal.
          - f_equal. cbn [own]. specialize (Nth 0%nat). rewrite Nat.add_0_r in Nth. simpl in Nth. rewrite Nth. ring.
          - apply (IH G2 (S n) q); auto. intro j. specialize (Nth (S j)). simpl in Nth. rewrite Nth. f_equal. lia. }
        now apply (X 0%nat).
    + simpl. revert F1. generalize (b p k') as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q] L; try discriminate L; simpl in *; auto. destruct F2 as [G1 G2],
        R as [R1 R2].
      rewrite map_app, <- (Hc G1 _ R1), <- IH; auto. f_equal. f_equal. ring.
Qed.

Lemma reach_positive b i k : forall t, mixed b t -> chance_positive t -> forall w, 0 < w ->
  Forall (fun x => 0 < x) (reach b i k t w).
Proof.
  assert (Pm : forall a c, 0 < a -> 0 < c -> 0 < a * c) by (intros; qc; nra).
  unfold mixed. induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros M P w Hw; cbn [reach]; [constructor| |].
  - cbn [nodes chance_positive] in M, P. induction IH as [|[q c] l Hc Hl IH]; simpl in *; [constructor|].
    destruct M, P as [[P1 P2] P3]. apply Forall_app. split; auto.
  - cbn [nodes chance_positive] in M, P. destruct M as [[_ D] M]. apply Forall_app. split; [destruct (_ && _); auto|].
    revert D. generalize (b p k') as q. induction IH as [|c l Hc Hl IH]; intros [|q0 q] D; simpl in *; try constructor.
    destruct M, P. inversion D; subst. apply Forall_app. split; auto.
Qed.

Lemma sum_positive l : Forall (fun x => 0 < x) l -> l <> [] -> 0 < sum l.
Proof.
  intros H N. destruct H as [|x l Hx H]; [congruence|]. simpl.
  assert (K : 0 <= sum l).
  { induction H as [|y l Hy H IH]; simpl; [apply Qcle_refl|]. clear N. qc. specialize (IH ltac:(discriminate)). lra. }
  qc. lra.
Qed.

Lemma lead_nonneg s i k : forall t, (forall j, valid j (s j) t) -> chance_positive t -> forall w, 0 <= w ->
  Forall (fun x => 0 <= x) (lead s i k t w).
Proof.
  assert (Pm : forall a c, 0 <= a -> 0 <= c -> 0 <= a * c) by (intros; qc; nra).
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros V P w Hw; cbn [lead]; [constructor| |].
  - cbn [chance_positive] in P. simpl in V. induction IH as [|[q c] l Hc Hl IH]; simpl in *; [constructor|].
    destruct P as [[P1 P2] P3]. apply Forall_app. split.
    + apply Hc; auto; [intro j; apply (V j)|]. apply Pm; auto. now apply Qclt_le_weak.
    + apply IH; auto. intro j. apply (V j).
  - cbn [chance_positive] in P. destruct (peq p i).
    + apply Forall_app. split; [destruct (Pos.eqb k k'); auto|].
      assert (V' : forall j, all (valid j (s j)) l) by (intro j; apply (V j)). clear V.
      induction IH as [|c l Hc Hl IH]; simpl in *; [constructor|]. destruct P. apply Forall_app. split.
      * apply Hc; auto. intro j. apply (V' j).
      * apply IH; auto. intro j. apply (V' j).
    + assert (D : Forall (fun x => 0 <= x) (s p k')) by (destruct (V p) as [D _]; apply D; reflexivity).
      assert (V' : forall j, all (valid j (s j)) l) by (intro j; apply (V j)). clear V.
      revert D. generalize (s p k') as q. induction IH as [|c l Hc Hl IH]; intros [|q0 q] D; simpl in *; try
        constructor.
      destruct P. inversion D; subst. apply Forall_app. split.
      * apply Hc; auto. intro j. apply (V' j).
      * apply IH; auto. intro j. apply (V' j).
Qed.

(* ---------- continuity ---------- *)

Lemma near_weaken d d' x y : d <= d' -> near d x y -> near d' x y.
Proof. unfold near. intros H [A B]. split; qc; lra. Qed.

Lemma near_weaken_list d d' l l' : d <= d' -> Forall2 (near d) l l' -> Forall2 (near d') l l'.
Proof. intros H. induction 1; constructor; auto. eapply near_weaken; eauto. Qed.

Lemma near_map C p' l' : 0 < C -> exists C', 0 < C' /\ forall d p l, 0 < d -> d <= 1 ->
  near d p p' -> Forall2 (near (C * d)) l l' -> Forall2 (near (C' * d)) (map (Qcmult p) l) (map (Qcmult p') l').
Proof.
  intro HC. induction l' as [|x' l' [C1 [H1 IH]]].
  - exists 1. split; [reflexivity|]. intros d p l Hd Hd1 Np Nl. inversion Nl; subst. constructor.
  - destruct (near_mul C p' x' HC) as [C2 [H2 K]]. exists (C1 + C2). split; [qc; lra|].
    intros d p l Hd Hd1 Np Nl. inversion Nl as [|x ? l0 ? Nx Nl0]; subst. simpl. constructor.
    + eapply near_weaken; [|apply (K d p x Hd Hd1 Np Nx)]. qc. nra.
    + eapply near_weaken_list; [|apply (IH d p l0 Hd Hd1 Np Nl0)]. qc. nra.
Qed.

Lemma lead_one s i k t w : lead s i k t w = map (Qcmult w) (lead s i k t 1).
Proof. rewrite <- lead_scale. f_equal. ring. Qed.

Lemma lead_continuous s i k : forall t, exists C, 0 < C /\ forall d b, 0 < d -> d <= 1 -> close_at d b s t ->
  Forall2 (near (C * d)) (lead b i k t 1) (lead s i k t 1).
Proof.
  assert (Wk : forall C C2 d l l', 0 < C2 -> 0 < d -> Forall2 (near (C * d)) l l' -> Forall2 (near ((C + C2) * d)) l
    l').
  { intros C C2 d l l' H2 Hd. apply near_weaken_list. qc. nra. }
  assert (Wk2 : forall C C2 d l l', 0 < C -> 0 < d -> Forall2 (near (C2 * d)) l l' -> Forall2 (near ((C + C2) * d)) l
    l').
  { intros C C2 d l l' H2 Hd. apply near_weaken_list. qc. nra. }
  unfold close_at. induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [lead nodes].
  - exists 1. split; [reflexivity|]. constructor.
  - induction IH as [|[q c] l [C [HC Hc]] Hl [C2 [HC2 IH]]].
    + exists 1. split; [reflexivity|]. constructor.
    + destruct (near_map C q (lead s i k c 1) HC) as [C1 [HC1 H1]]. exists (C1 + C2). split; [qc; lra|].
      intros d b Hd Hd1 [N1 N2]. cbn [map concat fst snd]. apply Forall2_app; [|apply Wk2; auto].
      apply Wk; auto. replace (1 * q) with q by ring. rewrite (lead_one b), (lead_one s). apply H1; auto. now apply
        near_self.
  - destruct (peq p i).
    + enough (K : exists C, 0 < C /\ forall d b, 0 < d -> d <= 1 -> all (nodes (fun p k _ => Forall2 (near d) (b p k)
        (s p k))) l ->
        Forall2 (near (C * d)) (concat (map (fun c => lead b i k c 1) l)) (concat (map (fun c => lead s i k c 1) l))).
      { destruct K as [C [HC K]]. exists (C + 1). split; [qc; lra|]. intros d b Hd Hd1 [_ N2].
        apply Forall2_app; [|apply Wk; auto; reflexivity]. destruct (Pos.eqb k k'); constructor; [|constructor].
        apply near_self. qc. nra. }
      induction IH as [|c l [C [HC Hc]] Hl [C2 [HC2 IH]]].
      * exists 1. split; [reflexivity|]. constructor.
      * exists (C + C2). split; [qc; lra|]. intros d b Hd Hd1 [N1 N2]. cbn [map concat].
        apply Forall2_app; [apply Wk | apply Wk2]; auto.
    + enough (K : forall sk, exists C, 0 < C /\ forall d (b : profile) bk, 0 < d -> d <= 1 -> Forall2 (near d) bk sk ->
        all (nodes (fun p k _ => Forall2 (near d) (b p k) (s p k))) l ->
        Forall2 (near (C * d)) (concat (zipw (fun q f => f (1 * q)) bk (map (lead b i k) l)))
                               (concat (zipw (fun q f => f (1 * q)) sk (map (lead s i k) l)))).
      { destruct (K (s p k')) as [C [HC H]]. exists C. split; auto. intros d b Hd Hd1 [N1 N2]. now apply H. }
      induction IH as [|c l [C [HC Hc]] Hl IH]; intros sk.
      * exists 1. split; [reflexivity|]. intros. destruct bk, sk; constructor.
      * destruct sk as [|x sk].
        { exists 1. split; [reflexivity|]. intros d b bk Hd _ N _. inversion N; subst. constructor. }
        destruct (IH sk) as [C2 [HC2 IH2]]. destruct (near_map C x (lead s i k c 1) HC) as [C1 [HC1 H1]].
        exists (C1 + C2). split; [qc; lra|]. intros d b bk Hd Hd1 N [M1 M2].
        inversion N as [|y ? bk0 ? Ny N0]; subst. cbn [map zipw concat]. apply Forall2_app; [|apply Wk2; auto].
        apply Wk; auto. replace (1 * y) with y by ring. replace (1 * x) with x by ring.
        rewrite (lead_one b), (lead_one s). apply H1; auto.
Qed.

Lemma sum_near C l' : 0 < C -> exists C', 0 < C' /\ forall d l, 0 < d -> Forall2 (near (C * d)) l l' ->
  near (C' * d) (sum l) (sum l').
Proof.
  intro HC. induction l' as [|x' l' [C1 [H1 IH]]].
  - exists 1. split; [reflexivity|]. intros d l Hd N. inversion N; subst. apply near_self. qc. nra.
  - exists (C + C1). split; [qc; lra|]. intros d l Hd N. inversion N as [|x ? l0 ? Nx N0]; subst. simpl.
    replace ((C + C1) * d) with (C * d + C1 * d) by ring. apply near_add; auto.
Qed.

(* ---------- beliefs at sets that are reached follow from the strategies ---------- *)

Lemma limit_unique x y : (exists K, 0 < K /\ forall d, 0 < d -> d <= 1 -> near (K * d) x y) -> x = y.
Proof.
  intros [K [HK H]].
  assert (S : forall g, 0 < g -> exists d, 0 < d /\ d <= 1 /\ K * d < g).
  { intros g Hg. destruct (small_times K g HK Hg) as [e [A [B C]]]. exists e. repeat split; auto.
    - now apply Qclt_le_weak.
    - replace (K * e) with (e * K) by ring. exact C. }
  apply Qcle_antisym.
  - destruct (Qclt_le_dec y x) as [L|L]; auto. exfalso. destruct (S (x - y)) as [d [A [B C]]]; [qc; lra|].
    destruct (H d A B) as [H1 _]. qc. lra.
  - destruct (Qclt_le_dec x y) as [L|L]; auto. exfalso. destruct (S (y - x)) as [d [A [B C]]]; [qc; lra|].
    destruct (H d A B) as [_ H1]. qc. lra.
Qed.

(* If y tends to y0, S tends to S0 and y / S tends to m, then y0 = S0 m. *)
Lemma limit_ratio C C' y0 S0 m : 0 < C -> 0 < C' ->
  (forall d, 0 < d -> d <= 1 -> exists y S, S <> 0 /\ near (C * d) y y0 /\ near (C' * d) S S0 /\ near d (y / S) m) ->
  y0 = S0 * m.
Proof.
  intros HC HC' H. apply limit_unique.
  destruct (near_mul C' m S0 HC') as [D [HD K]]. exists (C + D). split; [qc; lra|]. intros d Hd Hd1.
  destruct (H d Hd Hd1) as [y [S [NS [A [B E]]]]].
  specialize (K d _ _ Hd Hd1 E B). replace (y / S * S) with y in K by (field; assumption).
  replace (m * S0) with (S0 * m) in K by ring. revert A K. generalize (S0 * m) as z. intros z [A1 A2] [K1 K2].
  unfold near. split; qc; nra.
Qed.

Lemma ratio_list C C' S0 : 0 < C -> 0 < C' -> forall m l0,
  (forall d, 0 < d -> d <= 1 -> exists l S, S <> 0 /\ Forall2 (near (C * d)) l l0 /\ near (C' * d) S S0 /\
     Forall2 (near d) (map (fun y => y / S) l) m) ->
  l0 = map (Qcmult S0) m.
Proof.
  intros HC HC'. induction m as [|q m IH]; intros l0 H.
  - destruct (H 1) as [l [S [_ [A [_ B]]]]]; [reflexivity | apply Qcle_refl|]. destruct l; inversion B; subst.
    inversion A; subst. reflexivity.
  - destruct l0 as [|y0 l0].
    { destruct (H 1) as [l [S [_ [A [_ B]]]]]; [reflexivity | apply Qcle_refl|]. inversion A; subst. inversion B. }
    simpl. f_equal.
    + apply (limit_ratio C C' _ _ _ HC HC'). intros d Hd Hd1. destruct (H d Hd Hd1) as [l [S [NS [A [B E]]]]].
      inversion A as [|y ? l1 ? Ny A1]; subst. simpl in E. inversion E; subst. exists y, S. auto.
    + apply IH. intros d Hd Hd1. destruct (H d Hd Hd1) as [l [S [NS [A [B E]]]]].
      inversion A as [|y ? l1 ? Ny A1]; subst. simpl in E. inversion E; subst. exists l1, S. auto.
Qed.

Lemma dot_times a l v : dot (map (Qcmult a) l) v = a * dot l v.
Proof. revert v. induction l as [|x l IH]; intros [|y v]; simpl; try ring. rewrite IH. ring. Qed.

Lemma sum_nonneg l : Forall (fun x => 0 <= x) l -> 0 <= sum l.
Proof. induction 1; simpl; [apply Qcle_refl|]. qc. lra. Qed.

Lemma sequential_nash x s m : chance_positive x -> sequential x s m -> nash x s.
Proof.
  intros P [R [V [[b [Mx [Te Co]]] Ra]]] i. split; [apply V|]. intros d Hd.
  destruct (R i) as [hist Rh].
  assert (Fs : fits s x) by now apply valid_fits.
  assert (Vd : forall j, valid j (deviate s i d j) x).
  { intro j. unfold deviate. destruct (peq j i) eqn:E; [apply peq_eq in E; subst; exact Hd | apply V]. }
  assert (Es : ev s i x = ev (deviate s i (s i)) i x).
  { apply ev_agree. intros p k _. unfold deviate. destruct (peq p i) eqn:E; auto. apply peq_eq in E. now subst. }
  rewrite Es, !ev_view, !dev_self, !dev_other. apply (local_global hist); [now apply view_loc|]. intro k.
  assert (Cd : contd d k (view QO i (s (other i)) x 1) = dot (lead s i k x 1) (map (ev (deviate s i d) i) (at_set i k
    x))).
  { pose proof (view_cont (deviate s i d) i k x 1) as E. rewrite dev_self, dev_other in E. rewrite E.
    rewrite (cont_dot _ _ _ hist x (valid_fits _ _ Vd) [] Rh). f_equal. apply lead_other. apply dev_other. }
  assert (Cs : contd (s i) k (view QO i (s (other i)) x 1) = dot (lead s i k x 1) (map (ev s i) (at_set i k x))).
  { rewrite view_cont. now rewrite (cont_dot _ _ _ hist x Fs [] Rh). }
  rewrite Cd, Cs.
  destruct (at_set i k x) as [|y ys] eqn:Ea.
  { simpl. destruct (lead s i k x 1); apply Qcle_refl. }
  assert (L : lead s i k x 1 = map (Qcmult (sum (lead s i k x 1))) (m i k)).
  { destruct (lead_continuous s i k x) as [C [HC K]]. destruct (sum_near C (lead s i k x 1) HC) as [C' [HC' K']].
    apply (ratio_list C C' _ HC HC'). intros g Hg Hg1.
    destruct (eventually_exists _ (eventually_and _ _ Mx (eventually_and _ _ (Te g Hg) (Co g Hg)))) as [e [_ [M [N
      B]]]].
    specialize (K g (b e) Hg Hg1 N). exists (lead (b e) i k x 1), (sum (lead (b e) i k x 1)).
    pose proof (reach_lead (b e) i k hist x (mixed_fits _ _ M) [] Rh 1) as E. cbn [own] in E. replace (1 * 1) with 1
      in E by ring.
    assert (Pos : 0 < sum (reach (b e) i k x 1)).
    { apply sum_positive; [apply reach_positive; auto; reflexivity|]. intro Z. rewrite Z in E. symmetry in E.
      apply map_eq_nil in E. pose proof (lead_length (b e) i k x (mixed_fits _ _ M) 1) as Len. rewrite E, Ea in Len.
        discriminate. }
    rewrite E, sum_times in Pos.
    assert (No : own (b e i) (hist k) <> 0) by (intro Z; rewrite Z in Pos; replace (0 * sum (lead (b e) i k x 1)) with
      0 in Pos by ring; discriminate Pos).
    assert (Ns : sum (lead (b e) i k x 1) <> 0) by (intro Z; rewrite Z in Pos; replace (own (b e i) (hist k) * 0) with
      0 in Pos by ring; discriminate Pos).
    split; [exact Ns|]. split; [exact K|]. split; [now apply K'|].
    specialize (B i k). rewrite E, sum_times, bayes_scale in B by assumption. destruct B as [B|B]; [|exact B].
    apply Qcmult_integral in B. tauto. }
  specialize (Ra i k d Hd). unfold given in Ra. rewrite Ea in Ra.
  rewrite L, !dot_times. rewrite !(Qcmult_comm (sum _)). apply Qcmult_le_compat_r; auto.
  apply sum_nonneg, lead_nonneg; auto. discriminate.
Qed.

Theorem sequential_subgame_perfect t s m : chance_positive t -> sequential t s m -> subgame_perfect t s.
Proof.
  intros P Q x W C. apply (sequential_nash x s m); [eapply chance_within; eauto | eapply sequential_part; eauto].
Qed.
