(* A checker of sequential equilibria and the proof that it is sound.
   Plans in e with mistakes prove that the beliefs are consistent. At each information set, the checker then computes
     the
   best reply from this set on, given the belief. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa FMapPositive.
From Tremble Require Import Game Limit Recall Sequential View NashCheck Polynomial QuasiPerfectCheck RecallCheck.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- checker ---------- *)

(* The nodes of each information set of a player in preorder. With each node: the weight with which chance and the other
   player lead to it. *)
Definition table := PositiveMap.t (list (tree * poly)).
Definition entry (m : table) (k : positive) : list (tree * poly) :=
  match PositiveMap.find k m with Some l => l | None => [] end.

(* Y: the plan of the other player. c: chance so far. y: the weight of the last sequence of the other player. *)
Fixpoint collect (i : player) (Y : plan) (t : tree) (c : Qc) (y : poly) (m : table) : table :=
  match t with
  | Leaf _ _ => m
  | Chance l => fold_right (fun qc m => collect i Y (snd qc) (c * fst qc) y m) m l
  | Node p k l =>
      if peq p i then
        let m := fold_right (fun ch m => collect i Y ch c y m) m l in
        PositiveMap.add k ((t, pscale c y) :: entry m k) m
      else fold_right (fun f m => f m) m (zipw (fun yq f => f c yq) (Y k) (map (collect i Y) l))
  end.

(* The belief m is the limit of the beliefs that follow from the weights. *)
Definition beliefb (m : list Qc) (w : list poly) : bool :=
  let S := psum w in
  pzero S || ppos S && Nat.eqb (length w) (length m) &&
             forallb (fun b => b) (zipw (fun y q => littleo (psub y (pscale q S)) S) w m).

(* No reply earns more than s from the nodes on, given the belief m. *)
Definition rationalb (i : player) (s : profile) (m : list Qc) (l : list tree) : bool :=
  let d := msum QO (zipw (fun q t => if qeqb q 0 then DT 0 [] else view QO i (s (other i)) t q) m l) in
  qleb (best QO d) (dot m (map (ev s i) l)).

Definition seq_side (t : tree) (s : profile) (m : beliefs) (i : player) (Y : full_plan) : bool :=
  forallb (fun kl => beliefb (m i (fst kl)) (map snd (snd kl)) && rationalb i s (m i (fst kl)) (map fst (snd kl)))
          (PositiveMap.elements (collect i (rows Y) t 1 (root Y) (PositiveMap.empty _))).

Definition seq_check (h1 h2 : positive -> history) (t : tree) (s : profile) (m : beliefs) (X Y : full_plan) : bool :=
  recall_check h1 h2 t && gameb t && mixedb t P1 (s P1) X && mixedb t P2 (s P2) Y &&
  seq_side t s m P1 Y && seq_side t s m P2 X.

(* ---------- the table contains the nodes of each information set ---------- *)

Fixpoint hits (i : player) (Y : plan) (k : positive) (t : tree) (c : Qc) (y : poly) : list (tree * poly) :=
  match t with
  | Leaf _ _ => []
  | Chance l => concat (map (fun qc => hits i Y k (snd qc) (c * fst qc) y) l)
  | Node p k' l =>
      (if peq p i && Pos.eqb k k' then [(t, pscale c y)] else []) ++
      (if peq p i then concat (map (fun ch => hits i Y k ch c y) l)
       else concat (zipw (fun yq f => f c yq) (Y k') (map (hits i Y k) l)))
  end.

Lemma entry_add m k k' l : entry (PositiveMap.add k' l m) k = if Pos.eqb k k' then l else entry m k.
Proof.
  unfold entry. destruct (Pos.eqb_spec k k') as [->|N].
  - now rewrite PositiveMap.gss.
  - now rewrite PositiveMap.gso.
Qed.

Lemma collect_hits i Y k : forall t c y m, entry (collect i Y t c y m) k = hits i Y k t c y ++ entry m k.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros c y m; cbn [collect hits].
  - reflexivity.
  - induction IH as [|[q ch] l Hc Hl IH]; simpl; auto. simpl in Hc. rewrite Hc, IH. apply app_assoc.
  - destruct (peq p i) eqn:E.
    + rewrite entry_add.
      assert (X : forall k0, k0 = k -> entry (fold_right (fun ch m => collect i Y ch c y m) m l) k0 =
                  concat (map (fun ch => hits i Y k ch c y) l) ++ entry m k).
      { intros k0 ->. induction IH as [|ch l Hc Hl IH]; simpl; auto. rewrite Hc, IH. apply app_assoc. }
      destruct (Pos.eqb_spec k k') as [->|N]; simpl; rewrite X; auto.
    + simpl. generalize (Y k') as yk. induction IH as [|ch l Hc Hl IH]; intros [|yq yk]; simpl; auto.
      rewrite Hc, IH. apply app_assoc.
Qed.

Lemma hits_at_set i s Y k : forall t c y, planb (other i) s Y t y = true -> map fst (hits i Y k t c y) = at_set i k t.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros c y H; cbn [planb hits at_set] in *.
  - reflexivity.
  - induction IH as [|[q ch] l Hc Hl IH]; simpl in *; auto. apply andb_true_iff in H. destruct H as [H1 H2].
    rewrite map_app, Hc, IH; auto.
  - rewrite map_app. destruct (peq p i) eqn:E.
    + assert (peq p (other i) = false) as Eo by (destruct p, i; simpl in *; congruence). rewrite Eo in H.
      f_equal; [destruct (Pos.eqb k k'); reflexivity|].
      induction IH as [|ch l Hc Hl IH]; simpl in *; auto. apply andb_true_iff in H. destruct H as [H1 H2].
      rewrite map_app, Hc, IH; auto.
    + assert (peq p (other i) = true) as Eo by (destruct p, i; simpl in *; congruence). rewrite Eo in H.
      rewrite !andb_true_iff in H. destruct H as [[[[[[H1 _] _] _] _] _] H7]. apply Nat.eqb_eq in H1. simpl.
      revert H1 H7. generalize (Y k') as yk. clear E Eo.
      induction IH as [|ch l Hc Hl IH]; intros [|yq yk] H1 H7; simpl in *; try discriminate; auto.
      apply andb_true_iff in H7. destruct H7 as [A B]. rewrite map_app, Hc, IH; auto.
Qed.

(* ---------- how often the nodes are reached in the play with mistakes ---------- *)

Lemma reach_scale s i k v : forall t w, reach s i k t (v * w) = map (Qcmult v) (reach s i k t w).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro w; cbn [reach].
  - reflexivity.
  - induction IH as [|[q c] l Hc Hl IH]; simpl; auto. rewrite map_app, IH. simpl in Hc.
    rewrite <- Qcmult_assoc, Hc. reflexivity.
  - rewrite map_app. f_equal; [destruct (_ && _); reflexivity|]. generalize (s p k') as q.
    induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; auto. rewrite map_app, IH.
    rewrite <- Qcmult_assoc, Hc. reflexivity.
Qed.

Lemma planb_sum j s Y p k l y : planb j s Y (Node p k l) y = true -> peq p j = true ->
  forall e, eval e y = eval e (psum (Y k)).
Proof.
  intros H E e. cbn [planb] in H. rewrite E, !andb_true_iff in H.
  destruct H as [[[[[[_ _] _] _] H] _] _]. apply (eval_zero e) in H. rewrite eval_sub in H.
  replace (eval e y) with (eval e (psum (Y k)) - (eval e (psum (Y k)) - eval e y)) by ring. rewrite H. ring.
Qed.

(* One step down the tree: the children of a node of player j. *)
Lemma planb_step j s Y p k l y : planb j s Y (Node p k l) y = true -> peq p j = true ->
  ppos (psum (Y k)) = true /\ forallb (fun b => b) (zipw (fun yq f => f yq) (Y k) (map (planb j s Y) l)) = true.
Proof. intros H E. cbn [planb] in H. rewrite E, !andb_true_iff in H. tauto. Qed.

Lemma planb_skip j s Y p k l y : planb j s Y (Node p k l) y = true -> peq p j = false ->
  Forall (fun ch => planb j s Y ch y = true) l.
Proof. intros H E. cbn [planb] in H. rewrite E in H. rewrite forallb_forall in H. now apply Forall_forall. Qed.

Lemma reach_hits i s o X Y : forall t x y, planb i s X t x = true -> planb (other i) o Y t y = true ->
  eventually (fun e => forall b : profile, b i = behave e X -> b (other i) = behave e Y -> forall k c,
    reach b i k t (c * eval e x * eval e y) =
    map (fun h => eval e (psum (X k)) * eval e (snd h)) (hits i Y k t c y)).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros x y HX HY.
  - apply eventually_true. reflexivity.
  - cbn [planb] in HX, HY.
    assert (K : eventually (fun e => Forall (fun qc => forall b : profile, b i = behave e X -> b (other i) = behave e
      Y ->
        forall k c, reach b i k (snd qc) (c * eval e x * eval e y) =
        map (fun h => eval e (psum (X k)) * eval e (snd h)) (hits i Y k (snd qc) c y)) l)).
    { apply eventually_Forall. rewrite forallb_forall in HX, HY. rewrite Forall_forall in *. auto. }
    eapply eventually_imp; [|exact K]. intros e _ E b B1 B2 k c. cbn [reach hits]. clear - E B1 B2.
    induction E as [|[q ch] l Hc Hl IH]; simpl; auto. rewrite map_app, IH. f_equal. simpl in Hc.
    rewrite <- (Hc b B1 B2). f_equal. ring.
  - destruct (peq p i) eqn:Ep.
    + assert (peq p (other i) = false) as Eo by (destruct p, i; simpl in *; congruence).
      pose proof (planb_sum _ _ _ _ _ _ _ HX Ep) as Sx. destruct (planb_step _ _ _ _ _ _ _ HX Ep) as [Ps Cx].
      pose proof (planb_skip _ _ _ _ _ _ _ HY Eo) as Cy. pose proof Ep as Ep2. apply peq_eq in Ep. subst p.
      assert (K : eventually (fun e => forall b : profile, b i = behave e X -> b (other i) = behave e Y -> forall k c,
         concat (zipw (fun xq f => f (c * xq * eval e y)) (map (eval e) (X k')) (map (reach b i k) l)) =
         map (fun h => eval e (psum (X k)) * eval e (snd h)) (concat (map (fun ch => hits i Y k ch c y) l)))).
      { assert (Lx : length (X k') = length l).
        { cbn [planb] in HX. rewrite Ep2, !andb_true_iff in HX. destruct HX as [[[[[[HX _] _] _] _] _] _].
          now apply Nat.eqb_eq. }
        clear - IH Cx Cy Lx. revert Cx Lx. generalize (X k') as xk.
        induction IH as [|ch l Hc Hl IH]; intros [|xq xk] Cx Lx; try discriminate; try (apply eventually_true;
          reflexivity).
        simpl in Cx. apply andb_true_iff in Cx. destruct Cx as [A B]. inversion Cy; subst.
        eapply eventually_imp; [|exact (eventually_and _ _ (Hc _ _ A H1) (IH H2 _ B ltac:(simpl in Lx; congruence)))].
        intros e _ [E1 E2] b B1 B2 k c. simpl. rewrite map_app, <- (E1 b B1 B2), <- (E2 b B1 B2); auto. }
      eapply eventually_imp; [|exact (eventually_and _ _ K (ppos_eval _ Ps))].
      intros e _ [E Pos] b B1 B2 k c. cbn [reach hits]. rewrite Ep2, map_app, <- (E b B1 B2). f_equal.
      * cbn [andb]. destruct (Pos.eqb_spec k k') as [->|]; simpl; auto. rewrite Sx, eval_scale. f_equal. ring.
      * rewrite B1, Sx. f_equal. unfold behave. rewrite psum_eval in *. set (S := sum (map (eval e) (X k'))) in *.
        clear - Pos. generalize (map (reach b i k) l) as v, (X k') as xk.
        induction v as [|f v IH]; intros [|xq xk]; simpl; auto. f_equal; [|apply IH]. f_equal. field. now apply pos_neq.
    + assert (peq p (other i) = true) as Eo by (destruct p, i; simpl in *; congruence).
      pose proof (planb_sum _ _ _ _ _ _ _ HY Eo) as Sy. destruct (planb_step _ _ _ _ _ _ _ HY Eo) as [Ps Cy].
      pose proof (planb_skip _ _ _ _ _ _ _ HX Ep) as Cx. pose proof Ep as Ep2. apply peq_other in Ep. subst p.
      assert (K : eventually (fun e => forall b : profile, b i = behave e X -> b (other i) = behave e Y -> forall k c,
         concat (zipw (fun yq f => f (c * eval e x * yq)) (map (eval e) (Y k')) (map (reach b i k) l)) =
         map (fun h => eval e (psum (X k)) * eval e (snd h))
             (concat (zipw (fun yq f => f c yq) (Y k') (map (hits i Y k) l))))).
      { clear - IH Cx Cy. revert Cy. generalize (Y k') as yk.
        induction IH as [|ch l Hc Hl IH]; intros [|yq yk] Cy; try (apply eventually_true; reflexivity).
        simpl in Cy. apply andb_true_iff in Cy. destruct Cy as [A B]. inversion Cx; subst.
        eapply eventually_imp; [|exact (eventually_and _ _ (Hc _ _ H1 A) (IH H2 _ B))].
        intros e _ [E1 E2] b B1 B2 k c. simpl. rewrite map_app, <- (E1 b B1 B2), <- (E2 b B1 B2); auto. }
      eapply eventually_imp; [|exact (eventually_and _ _ K (ppos_eval _ Ps))].
      intros e _ [E Pos] b B1 B2 k c. cbn [reach hits]. rewrite Ep2. cbn [andb app]. rewrite <- (E b B1 B2).
      rewrite B2, Sy. f_equal. unfold behave. rewrite psum_eval in *. set (S := sum (map (eval e) (Y k'))) in *.
      clear - Pos. generalize (map (reach b i k) l) as v, (Y k') as xk.
      induction v as [|f v IH]; intros [|xq xk]; simpl; auto. f_equal; [|apply IH]. f_equal. field. now apply pos_neq.
Qed.

(* ---------- the beliefs are the limit ---------- *)

Lemma littleo_near d y x S : 0 < d -> ppos S = true -> littleo (psub y (pscale x S)) S = true ->
  eventually (fun e => near d (eval e y / eval e S) x).
Proof.
  intros Hd HS A.
  pose proof (ppos_eval _ (littleo_pos d _ Hd _ A HS)) as Q1.
  pose proof (ppos_eval _ (littleo_pos d _ Hd _ (littleo_scale (-(1)) _ _ A) HS)) as Q2.
  eapply eventually_imp; [|exact (eventually_and _ _ (eventually_and _ _ Q1 Q2) (ppos_eval _ HS))].
  intros e _ [[E1 E2] E3]. rewrite eval_add, eval_scale in E1, E2. rewrite eval_scale in E2.
  rewrite eval_sub, eval_scale in E1, E2. now apply near_div.
Qed.

Lemma sum_times a l : sum (map (Qcmult a) l) = a * sum l.
Proof. symmetry. apply sum_scale. Qed.

Lemma bayes_scale a l : a <> 0 -> bayes (map (Qcmult a) l) = bayes l.
Proof.
  intro Ha. unfold bayes. rewrite map_map, sum_times. apply map_ext. intro x.
  destruct (Qc_eq_dec (sum l) 0) as [Z|N].
  - rewrite Z. replace (a * 0) with 0 by ring. unfold Qcdiv. change (/ 0) with 0. ring.
  - field. auto.
Qed.

Lemma beliefb_near d m w : 0 < d -> beliefb m w = true ->
  eventually (fun e => sum (map (eval e) w) = 0 \/ Forall2 (near d) (bayes (map (eval e) w)) m).
Proof.
  intros Hd H. unfold beliefb in H. apply orb_true_iff in H. destruct H as [H|H].
  - apply eventually_true. intros e _. left. rewrite <- psum_eval. now apply eval_zero.
  - rewrite !andb_true_iff, Nat.eqb_eq in H. destruct H as [[P L] H].
    assert (K : eventually (fun e => Forall2 (near d) (map (fun y => eval e y / eval e (psum w)) w) m)).
    { revert L H P. generalize (psum w) as S. revert m. clear - Hd.
      induction w as [|y w IH]; intros [|q m] S L H P; try discriminate L; [apply eventually_true; constructor|].
      simpl in H. apply andb_true_iff in H. destruct H as [A B].
      eapply eventually_imp; [|exact (eventually_and _ _ (littleo_near d _ _ _ Hd P A)
                                     (IH m S ltac:(simpl in L; congruence) B P))].
      intros e _ [E1 E2]. constructor; assumption. }
    eapply eventually_imp; [|exact K]. intros e _ E. right. unfold bayes. rewrite map_map, <- psum_eval. exact E.
Qed.

(* ---------- replies from a set on ---------- *)

Lemma rationalb_sound i s m l d : rationalb i s m l = true -> Forall (valid i d) l ->
  dot m (map (ev (deviate s i d) i) l) <= dot m (map (ev s i) l).
Proof.
  unfold rationalb. rewrite qleb_le. intros H V. eapply Qcle_trans; [|exact H].
  set (z := zipw _ m l).
  assert (E : dot m (map (ev (deviate s i d) i) l) = val d (msum QO z)).
  { rewrite msum_val. unfold z. clear. revert l. induction m as [|q m IH]; intros [|t l]; cbn [dot map zipw sum]; auto.
    rewrite IH. f_equal. destruct (qeqb q 0) eqn:Q.
    - apply qeqb_eq in Q. subst. simpl. ring.
    - pose proof (view_val (deviate s i d) i t q) as X. rewrite dev_self, dev_other in X. now rewrite X. }
  rewrite E. apply best_ge, msum_dok. unfold z. clear - V. revert m.
  induction V as [|t l H V IH]; intros [|q m]; cbn [zipw]; constructor; auto.
  destruct (qeqb q 0); [exact I | now apply view_dok].
Qed.

Lemma valid_at_set i d j k : forall t, valid i d t -> Forall (valid i d) (at_set j k t).
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intro V; cbn [at_set].
  - constructor.
  - simpl in V. induction IH as [|c l Hc Hl IH]; simpl in *; [constructor|]. destruct V. apply Forall_app; auto.
  - apply Forall_app. split; [destruct (_ && _); auto|]. destruct V as [_ V].
    induction IH as [|c l Hc Hl IH]; simpl in *; [constructor|]. destruct V. apply Forall_app; auto.
Qed.

(* ---------- soundness ---------- *)

Lemma planb_at_sum i s X k : forall t x, planb i s X t x = true -> at_set i k t <> [] -> ppos (psum (X k)) = true.
Proof.
  assert (N : forall A (ll : list (list A)), concat ll <> [] -> exists l, In l ll /\ l <> []).
  { induction ll as [|[|a l] ll IH]; simpl; [tauto | |].
    - intro H. destruct (IH H) as [l [A1 A2]]. eauto.
    - intros _. exists (a :: l). split; auto. discriminate. }
  intros t x H. pose proof (planb_nodes _ _ _ _ _ H) as P. clear H x.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [at_set nodes] in *; intro Ne.
  - congruence.
  - apply N in Ne. destruct Ne as [r [Hin Hr]]. apply in_map_iff in Hin. destruct Hin as [qc [<- Hin]].
    apply all_Forall in P. rewrite Forall_forall in *. eauto.
  - destruct P as [P1 P2]. destruct (peq p i && Pos.eqb k k') eqn:E.
    + apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst.
      destruct (P1 eq_refl) as [_ [_ [Q _]]]. exact Q.
    + simpl in Ne. apply N in Ne. destruct Ne as [r [Hin Hr]]. apply in_map_iff in Hin. destruct Hin as [c [<- Hin]].
      apply all_Forall in P2. rewrite Forall_forall in *. eauto.
Qed.

Lemma side_consistent t s m i X Y d : 0 < d -> mixedb t i (s i) X = true -> mixedb t (other i) (s (other i)) Y = true ->
  seq_side t s m i Y = true ->
  eventually (fun e => forall b : profile, b i = behave e (rows X) -> b (other i) = behave e (rows Y) -> forall k,
    sum (reach b i k t 1) = 0 \/ Forall2 (near d) (bayes (reach b i k t 1)) (m i k)).
Proof.
  unfold mixedb, seq_side. rewrite !andb_true_iff. intros Hd [[V1 R1] X1] [[V2 R2] Y1] H.
  set (T := collect i (rows Y) t 1 (root Y) (PositiveMap.empty _)) in *.
  assert (ET : forall k, entry T k = hits i (rows Y) k t 1 (root Y)).
  { intro k. unfold T. rewrite collect_hits. unfold entry. rewrite PositiveMap.gempty. apply app_nil_r. }
  assert (K : eventually (fun e => Forall (fun kl => 0 < eval e (psum (rows X (fst kl))) /\
     (sum (map (eval e) (map snd (snd kl))) = 0 \/
      Forall2 (near d) (bayes (map (eval e) (map snd (snd kl)))) (m i (fst kl)))) (PositiveMap.elements T))).
  { apply eventually_Forall. rewrite forallb_forall in H. rewrite Forall_forall. intros [k l] Hin.
    specialize (H _ Hin). apply andb_true_iff in H. destruct H as [H _]. cbn [fst snd] in *.
    apply PositiveMap.elements_complete in Hin. specialize (ET k). unfold entry in ET. rewrite Hin in ET.
    destruct l as [|h l].
    - eapply eventually_imp; [|exact (beliefb_near d _ _ Hd H)]. intros e _ E. split; [|exact E].
      exfalso. revert Hin. unfold T. clear. 
      assert (Z : forall t c y M, (forall k, PositiveMap.find k M <> Some []) ->
                  forall k, PositiveMap.find k (collect i (rows Y) t c y M) <> Some []).
      { induction t0 as [u1 u2|l IH|p k' l IH] using tree_ind'; intros c y M HM; cbn [collect]; auto.
        - induction IH as [|qc l Hc Hl IH]; simpl; auto.
        - destruct (peq p i).
          + assert (Q : forall k0, PositiveMap.find k0 (fold_right (fun ch m => collect i (rows Y) ch c y m) M l) <>
              Some []).
            { induction IH as [|ch l Hc Hl IH]; simpl; auto. }
            intros k0. destruct (Pos.eq_dec k0 k') as [->|N].
            * rewrite PositiveMap.gss. discriminate.
            * rewrite PositiveMap.gso by assumption. apply Q.
          + generalize (rows Y k') as yk. induction IH as [|ch l Hc Hl IH]; intros [|yq yk]; simpl; auto. }
      intro Hin. apply (Z t 1 (root Y) (PositiveMap.empty _)) in Hin; auto. intros k0 E0.
      rewrite PositiveMap.gempty in E0. discriminate.
    - eapply eventually_imp; [|exact (eventually_and _ _ (beliefb_near d _ _ Hd H)
        (ppos_eval _ (planb_at_sum i (s i) (rows X) k t _ X1
           ltac:(rewrite <- (hits_at_set i _ _ k t 1 _ Y1), <- ET; discriminate))))].
      intros e _ [E1 E2]. auto. }
  eapply eventually_imp; [|exact (eventually_and _ _ K (eventually_and _ _ (reach_hits i _ _ _ _ t _ _ X1 Y1)
      (eventually_and _ _ (ppos_eval _ R1) (ppos_eval _ R2))))].
  intros e _ [E1 [E2 [E3 E4]]] b B1 B2 k. specialize (E2 b B1 B2 k 1).
  rewrite <- ET in E2. replace (1 * eval e (root X) * eval e (root Y)) with ((eval e (root X) * eval e (root Y)) * 1)
    in E2 by ring.
  rewrite reach_scale in E2. set (v := eval e (root X) * eval e (root Y)) in *.
  assert (Nv : v <> 0) by (apply pos_neq; unfold v; clear - E3 E4; qc; nra).
  unfold entry in E2. destruct (PositiveMap.find k T) as [l|] eqn:F.
  - apply PositiveMap.elements_correct in F. rewrite Forall_forall in E1. destruct (E1 _ F) as [Pk Q]. cbn [fst snd]
      in *.
    assert (E : map (Qcmult v) (reach b i k t 1) = map (Qcmult (eval e (psum (rows X k)))) (map (eval e) (map snd l)))
      by (rewrite E2, !map_map; reflexivity).
    destruct Q as [Q|Q].
    + left. apply (f_equal sum) in E. rewrite !sum_times, Q in E.
      replace (eval e (psum (rows X k)) * 0) with 0 in E by ring. apply Qcmult_integral in E. destruct E; congruence.
    + right. rewrite <- (bayes_scale v), E, bayes_scale; auto. now apply pos_neq.
  - left. apply (f_equal sum) in E2. rewrite sum_times in E2. simpl in E2. apply Qcmult_integral in E2. destruct E2;
      congruence.
Qed.

Lemma side_rational t s m i Y : mixedb t (other i) (s (other i)) Y = true -> seq_side t s m i Y = true ->
  forall k d, valid i d t -> given (deviate s i d) m i k t <= given s m i k t.
Proof.
  unfold mixedb, seq_side. rewrite !andb_true_iff. intros [[V2 R2] Y1] H k d Hd. unfold given.
  set (T := collect i (rows Y) t 1 (root Y) (PositiveMap.empty _)) in *.
  assert (ET : map fst (entry T k) = at_set i k t).
  { unfold T. rewrite collect_hits. unfold entry at 1. rewrite PositiveMap.gempty, app_nil_r. eapply hits_at_set;
    eauto. }
  unfold entry in ET. destruct (PositiveMap.find k T) as [l|] eqn:F.
  - apply PositiveMap.elements_correct in F. rewrite forallb_forall in H. specialize (H _ F).
    apply andb_true_iff in H. destruct H as [_ H]. cbn [fst snd] in H. rewrite ET in H.
    apply rationalb_sound; auto. now apply valid_at_set.
  - simpl in ET. rewrite <- ET. simpl. destruct (m i k); apply Qcle_refl.
Qed.

Theorem seq_sound h1 h2 t s m X Y : seq_check h1 h2 t s m X Y = true -> game t /\ sequential t s m.
Proof.
  unfold seq_check. rewrite !andb_true_iff. intros [[[[[R G] M1] M2] S1] S2].
  split; [now apply gameb_game|]. split; [now apply recall_sound in R|]. split; [|split].
  - unfold mixedb in M1, M2. rewrite !andb_true_iff in M1, M2. intros []; apply validb_valid; tauto.
  - destruct (mixedb_mistakes t s X Y M1 M2) as [Mx Te]. exists (mistakes X Y). repeat split; auto.
    intros d Hd.
    pose proof (side_consistent t s m P1 X Y d Hd M1 M2 S1) as K1.
    pose proof (side_consistent t s m P2 Y X d Hd M2 M1 S2) as K2.
    eapply eventually_imp; [|exact (eventually_and _ _ K1 K2)].
    intros e _ [A B] [] k; [apply A | apply B]; reflexivity.
  - intros [] k d Hd; [eapply (side_rational t s m P1) | eapply (side_rational t s m P2)]; eauto.
Qed.
