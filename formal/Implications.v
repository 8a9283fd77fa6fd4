(* Tests of the definitions: with perfect recall, and if chance makes every move with a positive probability,
   every quasi-perfect equilibrium is subgame perfect, and so is every sequential equilibrium. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Limit Recall SubgamePerfect QuasiPerfect Sequential View NashCheck Polynomial
  QuasiPerfectCheck SubgameCheck SequentialCheck NashComplete QuasiPerfectNash.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* Chance makes every move with a positive probability. *)
Fixpoint chance_positive (t : tree) : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => all (fun qc => 0 < fst qc /\ chance_positive (snd qc)) l
  | Node _ _ l => all chance_positive l
  end.

(* All probabilities of the profile are positive. *)
Definition mixed (b : profile) (t : tree) : Prop :=
  nodes (fun p k n => dist (b p k) n /\ Forall (fun x => 0 < x) (b p k)) t.

(* ---------- parts of a tree ---------- *)

Lemma all_in A (P : A -> Prop) l x : all P l -> In x l -> P x.
Proof. rewrite all_Forall, Forall_forall. auto. Qed.

Lemma nodes_within P x t : within x t -> nodes P t -> nodes P x.
Proof.
  induction 1; cbn [nodes]; auto; intro N.
  - apply IHwithin. apply (all_in _ _ _ _ N) in H. exact H.
  - apply IHwithin. exact (all_in _ _ _ _ (proj2 N) H).
Qed.

Lemma valid_within i s x t : within x t -> valid i s t -> valid i s x.
Proof.
  induction 1; auto; intro N.
  - apply IHwithin. simpl in N. apply (all_in _ _ _ _ N) in H. exact H.
  - apply IHwithin. destruct N as [_ N]. exact (all_in _ _ _ _ N H).
Qed.

Lemma chance_within x t : within x t -> chance_positive t -> chance_positive x.
Proof.
  induction 1; auto; intro N; apply IHwithin; simpl in N.
  - apply (all_in _ _ _ _ N) in H. apply H.
  - exact (all_in _ _ _ _ N H).
Qed.

Lemma alli_in A (P : nat -> A -> Prop) l x : forall n, alli P n l -> In x l -> exists j, P j x.
Proof.
  induction l as [|y l IH]; simpl; [tauto|]. intros n [H1 H2] [->|H]; eauto.
Qed.

Lemma recall_within i hist x t : within x t -> forall h, recall i hist t h -> exists g, recall i hist x (g ++ h).
Proof.
  induction 1; intros h R.
  - exists []. exact R.
  - simpl in R. apply (all_in _ _ _ _ R) in H. auto.
  - simpl in R. destruct (peq p i).
    + destruct R as [_ R]. destruct (alli_in _ _ _ _ _ R H) as [j Rj]. destruct (IHwithin _ Rj) as [g G].
      exists (g ++ [(k, j)]). rewrite <- app_assoc. exact G.
    + apply IHwithin. exact (all_in _ _ _ _ R H).
Qed.

Definition strip (h : history) (hist : positive -> history) : positive -> history :=
  fun k => firstn (length (hist k) - length h) (hist k).

Lemma recall_strip i hist h : forall t g, recall i hist t (g ++ h) -> recall i (strip h hist) t g.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros g R; cbn [recall] in *; auto.
  - apply all_Forall. apply all_Forall in R. rewrite Forall_forall in *. auto.
  - destruct (peq p i).
    + destruct R as [E R]. split.
      * unfold strip. rewrite E, app_length, Nat.add_sub. rewrite firstn_app, firstn_all, Nat.sub_diag. simpl.
        apply app_nil_r.
      * clear E. revert R. generalize 0%nat as n. induction IH as [|c l Hc Hl IH]; intros n R; simpl in *; auto.
        destruct R as [R1 R2]. split; [now apply (Hc ((k, n) :: g)) | auto].
    + apply all_Forall. apply all_Forall in R. rewrite Forall_forall in *. auto.
Qed.

Lemma perfect_recall_within x t : within x t -> perfect_recall t -> perfect_recall x.
Proof.
  intros W R i. destruct (R i) as [hist H]. destruct (recall_within _ _ _ _ W _ H) as [g G]. rewrite app_nil_r in G.
  exists (strip g hist). apply recall_strip. exact G.
Qed.

Lemma sets_within x t : within x t -> incl (sets x) (sets t).
Proof.
  induction 1; intros pk Hin; auto; cbn [sets].
  - apply in_concat. exists (sets c). split; auto. apply in_map_iff. exists (q, c). auto.
  - right. apply in_concat. exists (sets c). split; auto. now apply in_map.
Qed.

(* What depends only on the strategies at the sets of the tree. *)
Definition agree (s s' : profile) (t : tree) := forall p k, In (p, k) (sets t) -> s p k = s' p k.

Lemma agree_child_chance s s' l qc : agree s s' (Chance l) -> In qc l -> agree s s' (snd qc).
Proof. intros A H p k Hin. apply A. cbn [sets]. apply in_concat. exists (sets (snd qc)). split; auto. apply
  in_map_iff. eauto. Qed.

Lemma agree_child_node s s' p k l c : agree s s' (Node p k l) -> In c l -> agree s s' c.
Proof. intros A H p' k' Hin. apply A. cbn [sets]. right. apply in_concat. exists (sets c). split; auto. now apply
  in_map. Qed.

Lemma ev_agree s s' i : forall t, agree s s' t -> ev s i t = ev s' i t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro A; cbn [ev]; auto.
  - f_equal. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. rewrite IH; auto. eapply
      agree_child_chance; eauto.
  - rewrite (A p k) by (now left). f_equal. apply map_ext_in. intros c Hin. rewrite Forall_forall in IH. apply IH; auto.
    eapply agree_child_node; eauto.
Qed.

Lemma cont_agree s s' i k0 : forall t, agree s s' t -> forall w, cont s i k0 t w = cont s' i k0 t w.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros A w; cbn [cont]; auto.
  - f_equal. apply map_ext_in. intros qc Hin. rewrite Forall_forall in IH. apply IH; auto. eapply agree_child_chance;
      eauto.
  - rewrite (ev_agree s s') by assumption.
    assert (E : forall c, In c l -> forall w, cont s i k0 c w = cont s' i k0 c w).
    { intros c Hin. rewrite Forall_forall in IH. apply IH; auto. eapply agree_child_node; eauto. }
    destruct (peq p i).
    + destruct (Pos.eqb k0 k); auto. f_equal. apply map_ext_in. intros c Hin. now apply E.
    + rewrite (A p k) by (now left). f_equal. generalize (s' p k) as q. clear - E.
      induction l as [|c l IH]; intros [|q0 q]; simpl; auto. rewrite E by (now left). f_equal. apply IH. intros. apply
        E. now right.
Qed.

(* A deviation in the part x, extended to the whole tree. *)
Definition graft (i : player) (x : tree) (d s : strategy) : strategy :=
  fun k => if in_dec pk_eq_dec (i, k) (sets x) then d k else s k.

Lemma valid_length i d s : forall x, valid i d x -> valid i s x -> forall k, In (i, k) (sets x) ->
  dist (d k) (length (s k)).
Proof.
  induction x as [u1 u2|l IH|p k' l IH] using tree_ind'; cbn [sets]; intros Vd Vs k Hin.
  - destruct Hin.
  - apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [qc [<- Hqc]].
    simpl in Vd, Vs. rewrite Forall_forall in IH. apply (IH qc); auto.
    + exact (all_in _ _ _ _ Vd Hqc).
    + exact (all_in _ _ _ _ Vs Hqc).
  - destruct Vd as [D1 D2], Vs as [S1 S2]. destruct Hin as [E|Hin].
    + injection E as -> ->. destruct (S1 eq_refl) as [L _]. rewrite L. now apply D1.
    + apply in_concat in Hin. destruct Hin as [r [Hr Hin]]. apply in_map_iff in Hr. destruct Hr as [c [<- Hc]].
      rewrite Forall_forall in IH. apply (IH c); auto.
      * exact (all_in _ _ _ _ D2 Hc).
      * exact (all_in _ _ _ _ S2 Hc).
Qed.

Lemma graft_valid i x t d s : within x t -> valid i s t -> valid i d x -> valid i (graft i x d s) t.
Proof.
  intros W Vs Vd. eapply valid_other; [|exact Vs]. intros k n Hn. unfold graft.
  destruct (in_dec pk_eq_dec (i, k) (sets x)) as [Hin|]; auto.
  pose proof (valid_length _ _ _ _ Vd (valid_within _ _ _ _ W Vs) _ Hin) as D. destruct Hn as [L _]. now rewrite L in D.
Qed.

Lemma graft_agree i x d s b : agree (deviate b i (graft i x d s)) (deviate b i d) x.
Proof.
  intros p k Hin. unfold deviate. destruct (peq p i) eqn:E; auto. apply peq_eq in E. subst. unfold graft.
  destruct (in_dec pk_eq_dec (i, k) (sets x)); tauto.
Qed.

(* ---------- sets with all nodes in one part ---------- *)

Notation count t pk := (count_occ pk_eq_dec (sets t) pk).

Lemma count_concat A (f : A -> list (player * positive)) l1 x l2 pk :
  count_occ pk_eq_dec (concat (map f (l1 ++ x :: l2))) pk =
  (count_occ pk_eq_dec (concat (map f l1)) pk + count_occ pk_eq_dec (f x) pk +
   count_occ pk_eq_dec (concat (map f l2)) pk)%nat.
Proof. rewrite map_app. simpl. rewrite concat_app. simpl. rewrite !count_occ_app. lia. Qed.

Lemma count_within x t pk : within x t -> (count x pk <= count t pk)%nat.
Proof.
  induction 1; auto; cbn [sets].
  - apply in_split in H. destruct H as [l1 [l2 ->]]. rewrite (count_concat _ (fun qc => sets (snd qc))). cbn [snd]. lia.
  - apply in_split in H. destruct H as [l1 [l2 ->]].
    change ((p, k) :: concat (map sets (l1 ++ c :: l2))) with ([(p, k)] ++ concat (map sets (l1 ++ c :: l2))).
    rewrite count_occ_app, (count_concat _ sets). lia.
Qed.

Definition absent (pk : player * positive) (t : tree) := ~ In pk (sets t).

Lemma absent_concat A (f : A -> tree) l pk : count_occ pk_eq_dec (concat (map (fun x => sets (f x)) l)) pk = 0%nat ->
  Forall (fun x => absent pk (f x)) l.
Proof.
  intro C. apply Forall_forall. intros x Hx Hin. apply (count_occ_not_In pk_eq_dec) in C. apply C.
  apply in_concat. exists (sets (f x)). split; auto. apply in_map_iff. eauto.
Qed.

Lemma absent_chance pk l : absent pk (Chance l) -> Forall (fun qc => absent pk (snd qc)) l.
Proof. intro A. apply (absent_concat _ snd). apply count_occ_not_In. exact A. Qed.

Lemma absent_node pk p k l : absent pk (Node p k l) -> (p, k) <> pk /\ Forall (absent pk) l.
Proof.
  intro A. split; [intros <-; apply A; now left|]. apply (absent_concat _ (fun c => c)). apply count_occ_not_In.
  intro Hin. apply A. now right.
Qed.

Lemma cont_absent s i k0 : forall t, absent (i, k0) t -> forall w, cont s i k0 t w = 0.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros A w; cbn [cont]; auto.
  - apply absent_chance in A. induction IH; simpl; auto. inversion A; subst. rewrite IHIH, H by assumption. ring.
  - apply absent_node in A. destruct A as [N A]. destruct (peq p i) eqn:E.
    + apply peq_eq in E. subst. destruct (Pos.eqb_spec k0 k) as [->|_]; [congruence|].
      clear N. induction IH; simpl; auto. inversion A; subst. rewrite IHIH, H by assumption. ring.
    + generalize (s p k) as q. clear N. induction IH; intros [|q0 q]; simpl; auto. inversion A; subst.
      rewrite IHIH, H by assumption. ring.
Qed.

Lemma reach_absent s i k0 : forall t, absent (i, k0) t -> forall w, reach s i k0 t w = [].
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros A w; cbn [reach]; auto.
  - apply absent_chance in A. induction IH; simpl; auto. inversion A; subst. rewrite IHIH, H by assumption. reflexivity.
  - apply absent_node in A. destruct A as [N A].
    assert (E : peq p i && Pos.eqb k0 k = false).
    { destruct (peq p i && Pos.eqb k0 k) eqn:E; auto. apply andb_true_iff in E. destruct E as [E1 E2].
      apply peq_eq in E1. apply Pos.eqb_eq in E2. congruence. }
    rewrite E. simpl. generalize (s p k) as q. clear N E. induction IH; intros [|q0 q]; simpl; auto. inversion A; subst.
    rewrite IHIH, H by assumption. reflexivity.
Qed.

Lemma at_set_absent i k0 : forall t, absent (i, k0) t -> at_set i k0 t = [].
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros A; cbn [at_set]; auto.
  - apply absent_chance in A. induction IH; simpl; auto. inversion A; subst. rewrite IHIH, H by assumption. reflexivity.
  - apply absent_node in A. destruct A as [N A].
    assert (E : peq p i && Pos.eqb k0 k = false).
    { destruct (peq p i && Pos.eqb k0 k) eqn:E; auto. apply andb_true_iff in E. destruct E as [E1 E2].
      apply peq_eq in E1. apply Pos.eqb_eq in E2. congruence. }
    rewrite E. simpl. clear N E. induction IH; simpl; auto. inversion A; subst.
    rewrite IHIH, H by assumption. reflexivity.
Qed.

(* The chance node or decision node t has the child c. All nodes of a set with the same count in c and in t are in c. *)
Lemma only_child_chance l1 q c l2 pk : count c pk = count (Chance (l1 ++ (q, c) :: l2)) pk ->
  Forall (fun qc => absent pk (snd qc)) l1 /\ Forall (fun qc => absent pk (snd qc)) l2.
Proof.
  pose proof (count_concat _ (fun qc => sets (snd qc)) l1 (q, c) l2 pk) as X. cbn [sets]. intro C. rewrite X in C.
  change (sets (snd (q, c))) with (sets c) in C. clear X.
  split; apply (absent_concat _ snd).
  - match goal with |- ?a = _ => set (u := a) in *; clearbody u end. lia.
  - match goal with |- ?a = _ => set (u := a) in *; clearbody u end. lia.
Qed.

Lemma only_child_node p k l1 c l2 pk : count c pk = count (Node p k (l1 ++ c :: l2)) pk ->
  (p, k) <> pk /\ Forall (absent pk) l1 /\ Forall (absent pk) l2.
Proof.
  cbn [sets].
  change ((p, k) :: concat (map sets (l1 ++ c :: l2))) with ([(p, k)] ++ concat (map sets (l1 ++ c :: l2))).
  rewrite count_occ_app, (count_concat _ sets). intro C. split; [|split].
  - intros <-. rewrite (count_occ_cons_eq pk_eq_dec [] eq_refl) in C. lia.
  - apply (absent_concat _ (fun x => x)). change (fun x => sets x) with sets. lia.
  - apply (absent_concat _ (fun x => x)). change (fun x => sets x) with sets. lia.
Qed.

Lemma sum_app a b : sum (a ++ b) = sum a + sum b.
Proof. induction a; simpl; [ring | rewrite IHa; ring]. Qed.

Lemma zipw_split A B C (f : A -> B -> C) l1 x l2 : forall q, length q = length (l1 ++ x :: l2) ->
  exists q1 y q2, q = q1 ++ y :: q2 /\ length q1 = length l1 /\ zipw f q (l1 ++ x :: l2) = zipw f q1 l1 ++ f y x ::
    zipw f q2 l2.
Proof.
  induction l1 as [|z l1 IH]; intros [|y q] L; try discriminate L.
  - exists [], y, q. auto.
  - injection L as L. destruct (IH q L) as [q1 [y' [q2 [-> [L1 E]]]]]. exists (y :: q1), y', q2. simpl. rewrite E. auto.
Qed.

Lemma sum_zero A (f : A -> Qc) l : Forall (fun x => f x = 0) l -> sum (map f l) = 0.
Proof. induction 1; simpl; auto. rewrite H, IHForall. ring. Qed.

Lemma zipw_zero (f : Qc -> (Qc -> Qc) -> Qc) A (g : A -> Qc -> Qc) l : Forall (fun x => forall q, f q (g x) = 0) l ->
  forall q, sum (zipw f q (map g l)) = 0.
Proof. induction 1; intros [|q0 q]; simpl; auto. rewrite H, IHForall. ring. Qed.

Lemma zipw_nil A B (f : Qc -> (Qc -> list B) -> list B) (g : A -> Qc -> list B) l :
  Forall (fun x => forall q, f q (g x) = []) l -> forall q, concat (zipw f q (map g l)) = [].
Proof. induction 1; intros [|q0 q]; simpl; auto. rewrite H, IHForall. reflexivity. Qed.

Lemma concat_nil A B (f : A -> list B) l : Forall (fun x => f x = []) l -> concat (map f l) = [].
Proof. induction 1; simpl; auto. rewrite H, IHForall. reflexivity. Qed.

(* From an information set in a subgame on, the payoff in the game is the payoff in the subgame times a factor. *)
Lemma cont_part b i x t : within x t -> mixed b t -> chance_positive t ->
  exists a, 0 < a /\ forall d k w, In (i, k) (sets x) -> count x (i, k) = count t (i, k) ->
  cont (deviate b i d) i k t w = cont (deviate b i d) i k x (a * w).
Proof.
  induction 1 as [t|x c q l H W IH|x c p k' l H W IH]; intros M P.
  - exists 1. split; [reflexivity|]. intros. f_equal. ring.
  - unfold mixed in *. cbn [nodes chance_positive] in M, P. pose proof (all_in _ _ _ _ P H) as [Pq Pc].
    destruct IH as [a [Ha E]]; [exact (all_in _ _ _ _ M H) | exact Pc|].
    exists (a * q). split; [cbn [fst] in Pq; qc; nra|]. intros d k w Hin C.
    assert (C1 : count x (i, k) = count c (i, k)).
    { pose proof (count_within x c (i, k) W). pose proof (count_within c (Chance l) (i, k) (W_chance _ _ _ _ H (W_here
      _))). lia. }
    specialize (E d k (w * q) Hin C1). rewrite C1 in C. clear C1 M P Hin. cbn [cont].
    apply in_split in H. destruct H as [l1 [l2 ->]]. apply only_child_chance in C. destruct C as [A1 A2].
    rewrite map_app, sum_app. cbn [map sum fst snd]. rewrite E.
    rewrite !sum_zero; [replace (a * (w * q)) with (a * q * w) by ring; ring | |];
      (eapply Forall_impl; [|eassumption]); intros qc A; now apply cont_absent.
  - unfold mixed in *. cbn [nodes chance_positive] in M, P. destruct M as [[D Dp] M].
    destruct IH as [a [Ha E]]; [exact (all_in _ _ _ _ M H) | exact (all_in _ _ _ _ P H)|].
    assert (C0 : forall k, count x (i, k) = count (Node p k' l) (i, k) -> count x (i, k) = count c (i, k)).
    { intros k C. pose proof (count_within x c (i, k) W).
      pose proof (count_within c (Node p k' l) (i, k) (W_node _ _ _ _ _ H (W_here _))). lia. }
    destruct (peq p i) eqn:Ep.
    + exists a. split; auto. intros d k w Hin C. specialize (E d k w Hin (C0 k C)). rewrite (C0 k C) in C.
      cbn [cont]. rewrite Ep. apply in_split in H. destruct H as [l1 [l2 ->]]. apply only_child_node in C.
      destruct C as [N [A1 A2]]. apply peq_eq in Ep. subst p. destruct (Pos.eqb_spec k k') as [->|_]; [congruence|].
      rewrite map_app, sum_app. cbn [map sum]. rewrite E.
      rewrite !sum_zero; [ring | |]; (eapply Forall_impl; [|eassumption]); intros y A; now apply cont_absent.
    + destruct D as [L _]. apply in_split in H. destruct H as [l1 [l2 ->]].
      destruct (zipw_split _ _ _ (fun _ _ => tt) l1 c l2 (b p k') L) as [q1 [y [q2 [Eq [L1 _]]]]].
      rewrite Eq in Dp. apply Forall_app in Dp. destruct Dp as [_ Dp]. inversion Dp as [|? ? Py _]; subst.
      exists (a * y). split; [qc; nra|]. intros d k w Hin C. specialize (E d k (w * y) Hin (C0 k C)).
      rewrite (C0 k C) in C. apply only_child_node in C. destruct C as [_ [A1 A2]].
      cbn [cont]. rewrite Ep. rewrite (peq_other _ _ Ep) at 1. rewrite dev_other, <- (peq_other _ _ Ep), Eq.
      rewrite map_app. cbn [map].
      assert (Z : forall q l r, length q = length l -> zipw (fun q f => f (w * q)) (q ++ y :: q2)
                 (map (cont (deviate b i d) i k) l ++ r) = zipw (fun q f => f (w * q)) q (map (cont (deviate b i d) i
                   k) l) ++
                 zipw (fun q f => f (w * q)) (y :: q2) r).
      { clear. induction q as [|q0 q IH]; intros [|c l] r L; try discriminate L; simpl; auto. f_equal. apply IH. auto. }
      rewrite Z by assumption. rewrite sum_app. cbn [zipw sum]. rewrite E.
      rewrite !zipw_zero; [replace (a * (w * y)) with (a * y * w) by ring; ring | |];
        (eapply Forall_impl; [|eassumption]); intros z A q; now apply cont_absent.
Qed.

Lemma mixed_within b x t : within x t -> mixed b t -> mixed b x.
Proof. apply nodes_within. Qed.

Lemma quasi_perfect_part t s x : chance_positive t -> quasi_perfect t s -> within x t -> closed x t -> quasi_perfect x
  s.
Proof.
  intros P [V [b [Mx [Te Op]]]] W C. split; [intro i; eapply valid_within; eauto|]. exists b. split; [|split].
  - eapply eventually_imp; [|exact Mx]. intros e _. now apply nodes_within.
  - intros d Hd. eapply eventually_imp; [|exact (Te d Hd)]. intros e _. now apply nodes_within.
  - eapply eventually_imp; [|exact (eventually_and _ _ Mx Op)]. intros e _ [M O] i k d Hd.
    destruct (in_dec pk_eq_dec (i, k) (sets x)) as [Hin|N].
    + destruct (cont_part (b e) i x t W M P) as [a [Ha E]].
      specialize (O i k _ (graft_valid i x t d (s i) W (V i) Hd)).
      rewrite !(E _ _ _ Hin (C _ Hin)), !cont_scale in O. apply cancel_le in O; auto.
      rewrite (cont_agree _ _ _ _ _ (graft_agree i x d (s i) (b e))) in O. exact O.
    + rewrite !cont_absent by assumption. apply Qcle_refl.
Qed.

Theorem quasi_perfect_subgame_perfect t s :
  perfect_recall t -> chance_positive t -> quasi_perfect t s -> subgame_perfect t s.
Proof.
  intros R P Q x W C. apply qp_nash; [eapply perfect_recall_within; eauto | eapply quasi_perfect_part; eauto].
Qed.
