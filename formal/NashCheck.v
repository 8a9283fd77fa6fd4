(* A checker of Nash equilibria and the proof that it is sound. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia.
From Tremble Require Import Game Nash View.
Import ListNotations.
Open Scope Qc_scope.
Set Implicit Arguments.

(* ---------- checker ---------- *)

Definition distb (p : list Qc) (n : nat) : bool :=
  Nat.eqb (length p) n && forallb (qleb 0) p && qeqb (sum p) 1.

Fixpoint validb (i : player) (s : strategy) (t : tree) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => forallb (fun qc => validb i s (snd qc)) l
  | Node p k l => (if peq p i then distb (s k) (length l) else true) && forallb (validb i s) l
  end.

Fixpoint gameb (t : tree) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => distb (map fst l) (length l) && forallb (fun qc => gameb (snd qc)) l
  | Node _ _ l => forallb gameb l
  end.

Definition gain_free (t : tree) (s : profile) (i : player) : bool :=
  validb i (s i) t && qleb (best QO (view QO i (s (other i)) t 1)) (ev s i t).

Definition check (t : tree) (s : profile) (v1 v2 : Qc) : bool :=
  gameb t && qeqb (ev s P1 t) v1 && qeqb (ev s P2 t) v2 && gain_free t s P1 && gain_free t s P2.

(* ---------- proof ---------- *)

Unset Implicit Arguments.

Lemma all_Forall A (P : A -> Prop) l : all P l <-> Forall P l.
Proof.
  induction l; simpl; split; intro H; auto.
  - constructor; apply H || apply IHl, H.
  - inversion H; subst; split; auto. now apply IHl.
Qed.

Section TreeInd.
  Variable P : tree -> Prop.
  Hypothesis HL : forall a b, P (Leaf a b).
  Hypothesis HC : forall l, Forall (fun qc => P (snd qc)) l -> P (Chance l).
  Hypothesis HN : forall p k l, Forall P l -> P (Node p k l).
  Fixpoint tree_ind' (t : tree) : P t :=
    match t with
    | Leaf a b => HL a b
    | Chance l => HC l ((fix go l : Forall (fun qc => P (snd qc)) l :=
        match l with [] => Forall_nil _ | x :: r => Forall_cons x (tree_ind' (snd x)) (go r) end) l)
    | Node p k l => HN p k l ((fix go l : Forall P l :=
        match l with [] => Forall_nil _ | x :: r => Forall_cons x (tree_ind' x) (go r) end) l)
    end.
End TreeInd.

Section DtInd.
  Variable R : Type.
  Variable P : dt R -> Prop.
  Hypothesis H : forall r l, Forall (fun ka => Forall P (snd ka)) l -> P (DT r l).
  Fixpoint dt_ind' (d : dt R) : P d :=
    match d with
    | DT r l => H r l ((fix go l : Forall (fun ka => Forall P (snd ka)) l :=
        match l with
        | [] => Forall_nil _
        | x :: r => Forall_cons x ((fix go2 a : Forall P a :=
            match a with [] => Forall_nil _ | y :: b => Forall_cons y (dt_ind' y) (go2 b) end) (snd x)) (go r)
        end) l)
    end.
End DtInd.

Notation D := (dt Qc).

(* what a strategy earns in a decision tree *)
Fixpoint val (s : strategy) (d : D) : Qc :=
  match d with DT r l => r + sum (map (fun ka => dot (s (fst ka)) (map (val s) (snd ka))) l) end.

(* the strategy is a distribution wherever the decision tree asks *)
Fixpoint dok (s : strategy) (d : D) : Prop :=
  match d with DT r l => all (fun ka => dist (s (fst ka)) (length (snd ka)) /\ all (dok s) (snd ka)) l end.

Notation self := (map (fun x => (x, merge QO x))).

Lemma fst_self a : map fst (self a) = a.
Proof. induction a; simpl; congruence. Qed.

Section Val.
  Variable s : strategy.
  Notation V := (val s).
  Notation VL l := (sum (map (fun ka => dot (s (fst ka)) (map V (snd ka))) l)).

  Lemma zipl_val a : Forall (fun x => forall y, V (merge QO x y) = V x + V y) a ->
    forall p b, dot p (map V (zipl (self a) b)) = dot p (map V a) + dot p (map V b).
  Proof.
    induction 1; intros p b.
    - simpl. destruct p; simpl; ring.
    - destruct b as [|y b], p as [|q p]; cbn -[merge]; try ring.
      + rewrite fst_self. ring.
      + rewrite H, IHForall. ring.
  Qed.

  Lemma insert_val k a : Forall (fun x => forall y, V (merge QO x y) = V x + V y) a ->
    forall l, VL (insert k (self a) l) = dot (s k) (map V a) + VL l.
  Proof.
    intros H. induction l as [|[k' b] l IH].
    - simpl. rewrite fst_self. ring.
    - cbn -[merge Pos.compare]. destruct (Pos.compare_spec k k'); cbn -[merge].
      + subst. rewrite zipl_val by assumption. ring.
      + rewrite fst_self. ring.
      + rewrite IH. ring.
  Qed.

  Lemma merge_val : forall a b, V (merge QO a b) = V a + V b.
  Proof.
    induction a as [r l IH] using dt_ind'. intros [r' l'].
    change (r + r' + VL (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
       (map (fun ka => (fst ka, self (snd ka))) l)) = V (DT r l) + V (DT r' l')).
    transitivity (r + r' + (VL l + VL l')); [f_equal | simpl; ring].
    induction IH as [|[k a] l Ha Hl IH]; [simpl; ring|].
    cbn [fold_right map fst snd]. rewrite insert_val by exact Ha. rewrite IH. simpl. ring.
  Qed.

  Lemma msum_val l : V (msum QO l) = sum (map V l).
  Proof. induction l; simpl msum; [reflexivity | rewrite merge_val, IHl; reflexivity]. Qed.
End Val.

Section Dok.
  Variable s : strategy.
  Notation DL := (all (fun ka => dist (s (fst ka)) (length (snd ka)) /\ all (dok s) (snd ka))).

  Lemma zipl_dok a : Forall (fun x => forall y, dok s x -> dok s y -> dok s (merge QO x y)) a ->
    forall b, all (dok s) a -> all (dok s) b -> all (dok s) (zipl (self a) b).
  Proof.
    induction 1; intros b Ha Hb; [assumption|].
    destruct b as [|y b]; cbn -[merge] in *.
    - rewrite fst_self. assumption.
    - destruct Ha, Hb. split; auto.
  Qed.

  Lemma zipl_length a : forall b, length (zipl (self a) b) = length a \/ length (zipl (self a) b) = length b.
  Proof.
    induction a; intros [|y b]; cbn -[merge]; auto.
    - rewrite fst_self; auto.
    - destruct (IHa b); auto.
  Qed.

  Lemma insert_dok k a : Forall (fun x => forall y, dok s x -> dok s y -> dok s (merge QO x y)) a ->
    dist (s k) (length a) -> all (dok s) a -> forall l, DL l -> DL (insert k (self a) l).
  Proof.
    intros H Hd Ha. induction l as [|[k' b] l IH]; cbn -[merge Pos.compare]; intro Hl.
    - rewrite fst_self. auto.
    - destruct Hl as [[Hb1 Hb2] Hl]. destruct (Pos.compare_spec k k'); cbn -[merge].
      + subst. split; [split|]; auto.
        * destruct (zipl_length a b) as [E|E]; rewrite E; assumption.
        * apply zipl_dok; assumption.
      + rewrite fst_self. auto.
      + auto.
  Qed.

  Lemma merge_dok : forall a b, dok s a -> dok s b -> dok s (merge QO a b).
  Proof.
    induction a as [r l IH] using dt_ind'. intros [r' l'] Ha Hb.
    change (DL l) in Ha. change (DL l') in Hb.
    change (DL (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
       (map (fun ka => (fst ka, self (snd ka))) l))).
    induction IH as [|[k a] l Hk Hl IH]; [assumption|].
    destruct Ha as [[H1 H2] H3]. cbn [fold_right map fst snd]. apply insert_dok; auto.
  Qed.

  Lemma msum_dok l : Forall (dok s) l -> dok s (msum QO l).
  Proof. induction 1; simpl msum; [exact I | apply merge_dok; assumption]. Qed.
End Dok.

Lemma peq_eq p i : peq p i = true <-> p = i.
Proof. destruct p, i; simpl; split; congruence. Qed.

Lemma peq_other p i : peq p i = false -> p = other i.
Proof. destruct p, i; simpl; congruence. Qed.

Lemma sum_scale w l : w * sum l = sum (map (Qcmult w) l).
Proof. induction l; simpl; [ring | rewrite <- IHl; ring]. Qed.

(* the decision tree is right *)
Lemma view_val s i : forall t w, val (s i) (view QO i (s (other i)) t w) = w * ev s i t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro w.
  - simpl. ring.
  - simpl. rewrite msum_val, sum_scale. f_equal. rewrite !map_map.
    induction IH as [|[q c] l Hc Hl IH]; simpl; [reflexivity|].
    rewrite IH. f_equal. simpl in Hc. rewrite Hc. ring.
  - simpl. destruct (peq p i) eqn:E.
    + apply peq_eq in E. subst. simpl. rewrite map_map.
      enough (H : forall q, dot q (map (fun c => val (s i) (view QO i (s (other i)) c w)) l)
                          = w * dot q (map (ev s i) l)) by (rewrite H; ring).
      induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; try ring.
      rewrite Hc, IH. ring.
    + apply peq_other in E. subst. rewrite msum_val.
      generalize (s (other i) k) as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; try ring.
      rewrite Hc, IH. ring.
Qed.

Lemma zipw_Forall A B C (f : A -> B -> C) (P : C -> Prop) v :
  Forall (fun b => forall a, P (f a b)) v -> forall p, Forall P (zipw f p v).
Proof. induction 1; intros [|a p]; simpl; constructor; auto. Qed.

Lemma view_dok i (d o : strategy) : forall t, valid i d t -> forall w, dok d (view QO i o t w).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros Hv w; simpl in *.
  - exact I.
  - apply msum_dok. apply all_Forall in Hv. rewrite Forall_forall in *.
    intros x Hx. apply in_map_iff in Hx. destruct Hx as [qc [<- Hin]]. auto.
  - destruct Hv as [Hd Ha]. apply all_Forall in Ha. destruct (peq p i) eqn:E.
    + apply peq_eq in E. simpl. rewrite map_length. repeat split; try (apply Hd; assumption).
      apply all_Forall. rewrite Forall_forall in *. intros x Hx. apply in_map_iff in Hx.
      destruct Hx as [c [<- Hin]]. auto.
    + apply msum_dok. apply zipw_Forall. rewrite Forall_forall in *. intros f Hf q.
      apply in_map_iff in Hf. destruct Hf as [c [<- Hin]]. auto.
Qed.

Lemma qleb_le a b : qleb a b = true <-> a <= b.
Proof. unfold qleb, Qcle. apply Qle_bool_iff. Qed.

Lemma qeqb_eq a b : qeqb a b = true <-> a = b.
Proof.
  unfold qeqb. rewrite Qeq_bool_iff. split; [apply Qc_is_canon | intros ->; reflexivity].
Qed.

Lemma maxr_l a b : a <= maxr QO a b.
Proof. unfold maxr; simpl. destruct (qleb a b) eqn:E; [now apply qleb_le | apply Qcle_refl]. Qed.
Lemma maxr_r a b : b <= maxr QO a b.
Proof.
  unfold maxr; simpl. destruct (qleb a b) eqn:E; [apply Qcle_refl|].
  destruct (Qclt_le_dec a b) as [H|H]; [|assumption].
  apply Qclt_le_weak in H. apply qleb_le in H. congruence.
Qed.

Lemma fold_max l : forall x, x <= fold_left (maxr QO) l x /\ Forall (fun y => y <= fold_left (maxr QO) l x) l.
Proof.
  induction l as [|y l IH]; intro x; simpl.
  - split; [apply Qcle_refl | constructor].
  - destruct (IH (maxr QO x y)) as [H1 H2]. split; [|constructor; auto].
    + eapply Qcle_trans; [apply maxr_l | eassumption].
    + eapply Qcle_trans; [apply maxr_r | eassumption].
Qed.

Lemma maxl_le l : Forall (fun y => y <= maxl QO l) l.
Proof. destruct l; simpl; [constructor|]. destruct (fold_max l q). constructor; assumption. Qed.

Lemma dot_le m : forall p v, Forall (fun x => 0 <= x) p -> length p = length v ->
  Forall (fun y => y <= m) v -> dot p v <= sum p * m.
Proof.
  induction p as [|q p IH]; intros [|y v] Hp Hl Hv; simpl in *; try discriminate Hl.
  - replace (0 * m) with 0 by ring. apply Qcle_refl.
  - inversion Hp; inversion Hv; injection Hl as Hl; subst. replace ((q + sum p) * m) with (m * q + sum p * m) by ring.
    apply Qcplus_le_compat; [|apply IH; auto].
    rewrite (Qcmult_comm q y). apply Qcmult_le_compat_r; assumption.
Qed.

Lemma dot_le_max p v m : dist p (length v) -> Forall (fun y => y <= m) v -> dot p v <= m.
Proof.
  intros [H1 [H2 H3]] Hv. replace m with (sum p * m) by (rewrite H3; ring). now apply dot_le.
Qed.

(* no strategy earns more than the best response *)
Lemma best_ge s : forall d, dok s d -> val s d <= best QO d.
Proof.
  induction d as [r l IH] using dt_ind'. cbn -[maxl]. intro H.
  apply Qcplus_le_compat; [apply Qcle_refl|].
  induction IH as [|[k a] l Ha Hl IH]; cbn -[maxl] in *; [apply Qcle_refl|].
  destruct H as [[Hd Hk] H]. apply Qcplus_le_compat; [|apply IH; assumption].
  apply dot_le_max; [now rewrite map_length|].
  pose proof (maxl_le (map (best QO) a)) as M.
  apply all_Forall in Hk. rewrite Forall_map, Forall_forall in *.
  intros x Hx. eapply Qcle_trans; [apply Ha; auto | apply M; assumption].
Qed.

Lemma distb_dist p n : distb p n = true <-> dist p n.
Proof.
  unfold distb, dist. rewrite !andb_true_iff, Nat.eqb_eq, qeqb_eq, forallb_forall, Forall_forall.
  setoid_rewrite qleb_le. tauto.
Qed.

Lemma validb_valid i s : forall t, validb i s t = true -> valid i s t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; intro H; auto.
  - apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
  - apply andb_true_iff in H. destruct H as [H1 H2]. split.
    + intros ->. rewrite (proj2 (peq_eq i i) eq_refl) in H1. now apply distb_dist.
    + apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
Qed.

Lemma gameb_game : forall t, gameb t = true -> game t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; intro H; auto.
  - apply andb_true_iff in H. destruct H as [H1 H2]. split; [now apply distb_dist|].
    apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
  - apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
Qed.

Lemma gain_free_sound t s i : gain_free t s i = true ->
  valid i (s i) t /\ forall d, valid i d t -> ev (deviate s i d) i t <= ev s i t.
Proof.
  unfold gain_free. rewrite andb_true_iff, qleb_le. intros [Hv Hb].
  split; [now apply validb_valid|]. intros d Hd.
  pose proof (view_val (deviate s i d) i t 1) as E.
  replace (deviate s i d i) with d in E by (unfold deviate; destruct i; reflexivity).
  replace (deviate s i d (other i)) with (s (other i)) in E by (unfold deviate; destruct i; reflexivity).
  replace (ev (deviate s i d) i t) with (1 * ev (deviate s i d) i t) by ring. rewrite <- E.
  eapply Qcle_trans; [|apply Hb]. apply best_ge, view_dok, Hd.
Qed.

Theorem check_sound t s v1 v2 : check t s v1 v2 = true ->
  game t /\ nash t s /\ ev s P1 t = v1 /\ ev s P2 t = v2.
Proof.
  unfold check. rewrite !andb_true_iff, !qeqb_eq. intros [[[[Hg E1] E2] H1] H2].
  apply gain_free_sound in H1, H2. split; [now apply gameb_game|].
  split; [intros []; assumption | split; assumption].
Qed.

