(* A checker of quasi-perfect equilibria and the proof that it is sound. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit View NashCheck Polynomial QuasiPerfect.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- checker ---------- *)

Definition plan := positive -> list poly.       (* information set -> weight of each action's sequence *)

Fixpoint psum (l : list poly) : poly := match l with [] => [] | p :: l => padd p (psum l) end.

(* decision tree of player i against a plan of the other; c: chance so far, y: weight of the other's last sequence *)
Fixpoint pview (i : player) (Y : plan) (t : tree) (c : Qc) (y : poly) : dt poly :=
  match t with
  | Leaf u1 u2 => DT (pscale (c * pay i u1 u2) y) []
  | Chance l => msum PO (map (fun qc => pview i Y (snd qc) (c * fst qc) y) l)
  | Node p k l =>
      if peq p i then DT [] [(k, map (fun ch => pview i Y ch c y) l)]
      else msum PO (zipw (fun yq f => f c yq) (Y k) (map (pview i Y) l))
  end.

(* Y is a completely mixed plan of player j that tends to s *)
Fixpoint planb (j : player) (s : strategy) (Y : plan) (t : tree) (y : poly) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => forallb (fun qc => planb j s Y (snd qc) y) l
  | Node p k l =>
      if peq p j then
        Nat.eqb (length (Y k)) (length l) && Nat.eqb (length (s k)) (length l) &&
        ppos (psum (Y k)) && forallb ppos (Y k) && pzero (psub (psum (Y k)) y) &&
        forallb (fun b => b) (zipw (fun yq x => littleo (psub yq (pscale x (psum (Y k)))) (psum (Y k))) (Y k) (s k)) &&
        forallb (fun b => b) (zipw (fun yq f => f yq) (Y k) (map (planb j s Y) l))
      else forallb (fun ch => planb j s Y ch y) l
  end.

(* what is played is best *)
Definition optk (p : list Qc) (v : list poly) : bool :=
  forallb (fun b => b) (zipw (fun q x => qeqb q 0 || pleb (maxl PO v) x) p v).
Fixpoint optb (s : strategy) (d : dt poly) : bool :=
  match d with
  | DT r l => forallb (fun ka => optk (s (fst ka)) (map (best PO) (snd ka)) && forallb (optb s) (snd ka)) l
  end.

(* A plan with the weight of the empty sequence. All weights of a plan may be multiplied by a common positive factor,
   so a
   certificate with integers and a common denominator states the denominator as the weight of the empty sequence. *)
Record full_plan := Full { root : poly; rows : plan }.

(* X: the plan of player i. Y: the plan of the other player. *)
Definition mixedb (t : tree) (i : player) (s : strategy) (X : full_plan) : bool :=
  validb i s t && ppos (root X) && planb i s (rows X) t (root X).

Definition qp_check (t : tree) (s : profile) (X Y : full_plan) : bool :=
  gameb t && mixedb t P1 (s P1) X && mixedb t P2 (s P2) Y &&
  optb (s P1) (pview P1 (rows Y) t 1 (root Y)) && optb (s P2) (pview P2 (rows X) t 1 (root X)).

(* ---------- mapping numbers in decision trees ---------- *)

Fixpoint dmap (f : poly -> Qc) (d : dt poly) : dt Qc :=
  match d with DT r l => DT (f r) (map (fun ka => (fst ka, map (dmap f) (snd ka))) l) end.

Notation pself := (map (fun x => (x, merge PO x))).
Notation qself := (map (fun x => (x, merge QO x))).

Lemma fst_pself a : map fst (pself a) = a.
Proof. induction a; simpl; congruence. Qed.

Section Dmap.
  Variable e : Qc.
  Notation F := (dmap (eval e)).
  Notation FL := (map (fun ka => (fst ka, map F (snd ka)))).
  Notation commutes := (fun x => forall y, F (merge PO x y) = merge QO (F x) (F y)).

  Lemma zipl_dmap a : Forall commutes a -> forall b,
    map F (zipl (pself a) b) = zipl (qself (map F a)) (map F b).
  Proof.
    induction 1; intros b; [reflexivity|]. destruct b as [|y b]; cbn -[merge].
    - rewrite fst_pself, fst_self. reflexivity.
    - rewrite H, IHForall. reflexivity.
  Qed.

  Lemma insert_dmap k a : Forall commutes a -> forall l,
    FL (insert k (pself a) l) = insert k (qself (map F a)) (FL l).
  Proof.
    intro H. induction l as [|[k' b] l IH]; cbn -[merge Pos.compare].
    - rewrite fst_pself, fst_self. reflexivity.
    - destruct (Pos.compare k k'); cbn -[merge].
      + rewrite zipl_dmap by assumption. reflexivity.
      + rewrite fst_pself, fst_self. reflexivity.
      + rewrite IH. reflexivity.
  Qed.

  Lemma merge_dmap : forall a b, F (merge PO a b) = merge QO (F a) (F b).
  Proof.
    induction a as [r l IH] using dt_ind'. intros [r' l'].
    change (DT (eval e (padd r r')) (FL (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
              (map (fun ka => (fst ka, pself (snd ka))) l)))
          = DT (eval e r + eval e r') (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) (FL l')
              (map (fun ka => (fst ka, qself (snd ka))) (FL l)))).
    f_equal; [apply eval_add|].
    induction IH as [|[k a] l Ha Hl IH]; [reflexivity|].
    cbn [fold_right map fst snd]. rewrite insert_dmap by exact Ha. rewrite IH. reflexivity.
  Qed.

  Lemma msum_dmap l : F (msum PO l) = msum QO (map F l).
  Proof. induction l; simpl msum; [reflexivity | rewrite merge_dmap, IHl; reflexivity]. Qed.
End Dmap.

(* ---------- values from an information set on ---------- *)

Fixpoint contd (s : strategy) (k : positive) (d : dt Qc) : Qc :=
  match d with
  | DT r l => sum (map (fun ka => if Pos.eqb k (fst ka) then dot (s (fst ka)) (map (val s) (snd ka))
                                  else sum (map (contd s k) (snd ka))) l)
  end.

Section Contd.
  Variables (s : strategy) (k0 : positive).
  Notation C := (contd s k0).
  Notation CL l := (sum (map (fun ka => if Pos.eqb k0 (fst ka) then dot (s (fst ka)) (map (val s) (snd ka))
                                  else sum (map C (snd ka))) l)).

  Lemma zipl_contd a : Forall (fun x => forall y, C (merge QO x y) = C x + C y) a ->
    forall b, sum (map C (zipl (qself a) b)) = sum (map C a) + sum (map C b).
  Proof.
    induction 1; intros b; [simpl; ring|]. destruct b as [|y b]; cbn -[merge].
    - rewrite fst_self. ring.
    - rewrite H, IHForall. ring.
  Qed.

  Lemma merge_val_Forall a : Forall (fun x => forall y, val s (merge QO x y) = val s x + val s y) a.
  Proof. apply Forall_forall. intros x _ y. apply merge_val. Qed.

  Lemma insert_contd k a : Forall (fun x => forall y, C (merge QO x y) = C x + C y) a ->
    forall l, CL (insert k (qself a) l) = CL [(k, a)] + CL l.
  Proof.
    intros H. induction l as [|[k' b] l IH].
    - simpl. rewrite fst_self. ring.
    - cbn -[merge Pos.compare Pos.eqb]. destruct (Pos.compare_spec k k'); cbn -[merge Pos.eqb].
      + subst. destruct (Pos.eqb k0 k').
        * rewrite zipl_val by apply merge_val_Forall. ring.
        * rewrite zipl_contd by assumption. ring.
      + rewrite fst_self. ring.
      + rewrite IH. cbn -[merge Pos.eqb]. ring.
  Qed.

  Lemma merge_contd : forall a b, C (merge QO a b) = C a + C b.
  Proof.
    induction a as [r l IH] using dt_ind'. intros [r' l'].
    change (CL (fold_right (fun ka acc => insert (fst ka) (snd ka) acc) l'
       (map (fun ka => (fst ka, qself (snd ka))) l)) = CL l + CL l').
    induction IH as [|[k a] l Ha Hl IH]; [simpl; ring|].
    cbn [fold_right map fst snd]. rewrite insert_contd by exact Ha. rewrite IH.
    cbn -[Pos.eqb]. ring.
  Qed.

  Lemma msum_contd l : C (msum QO l) = sum (map C l).
  Proof. induction l; simpl msum; [reflexivity | rewrite merge_contd, IHl; reflexivity]. Qed.
End Contd.

Lemma view_cont s i k0 : forall t w, contd (s i) k0 (view QO i (s (other i)) t w) = cont s i k0 t w.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro w.
  - reflexivity.
  - simpl. rewrite msum_contd, map_map. f_equal.
    induction IH as [|[q c] l Hc Hl IH]; simpl; [reflexivity|]. rewrite IH. f_equal. apply Hc.
  - pose proof (view_val s i (Node p k l) w) as E. revert E. cbn [view cont]. destruct (peq p i) eqn:Ep; intro E.
    + cbn -[Pos.eqb ev] in *. destruct (Pos.eqb k0 k).
      * rewrite <- E. ring.
      * rewrite map_map. transitivity (sum (map (fun x => contd (s i) k0 (view QO i (s (other i)) x w)) l)); [ring|].
        f_equal. clear E. induction IH; simpl; [reflexivity|]. rewrite IHIH, H. reflexivity.
    + clear E. apply peq_other in Ep. subst. rewrite msum_contd. f_equal.
      generalize (s (other i) k) as q.
      induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; try reflexivity.
      rewrite Hc, IH. reflexivity.
Qed.

(* ---------- local optimality suffices ---------- *)

Fixpoint optd (s : strategy) (d : dt Qc) : Prop :=
  match d with
  | DT r l => all (fun ka => all (fun P => P) (zipw (fun q x => q = 0 \/ maxl QO (map (best QO) (snd ka)) <= x)
                                          (s (fst ka)) (map (best QO) (snd ka)))
                             /\ all (optd s) (snd ka)) l
  end.

Lemma dot_ge m : forall p v, Forall (fun x => 0 <= x) p -> length p = length v ->
  all (fun P => P) (zipw (fun q x => q = 0 \/ m <= x) p v) -> sum p * m <= dot p v.
Proof.
  induction p as [|q p IH]; intros [|y v] Hp Hl Hv; simpl in *; try discriminate Hl.
  - replace (0 * m) with 0 by ring. apply Qcle_refl.
  - inversion Hp; injection Hl as Hl; subst. destruct Hv as [Hq Hv].
    replace ((q + sum p) * m) with (q * m + sum p * m) by ring.
    apply Qcplus_le_compat; [|apply IH; auto]. destruct Hq as [-> | Hq].
    + replace (0 * m) with (0 * y) by ring. apply Qcle_refl.
    + rewrite (Qcmult_comm q m), (Qcmult_comm q y). apply Qcmult_le_compat_r; assumption.
Qed.

Lemma dot_mono p : forall v v', Forall (fun x => 0 <= x) p -> Forall2 Qcle v v' -> dot p v <= dot p v'.
Proof.
  induction p as [|q p IH]; intros v v' Hp H; destruct H; simpl; try apply Qcle_refl.
  inversion Hp; subst. apply Qcplus_le_compat; [|apply IH; auto].
  rewrite !(Qcmult_comm q). apply Qcmult_le_compat_r; assumption.
Qed.

Lemma sum_mono v v' : Forall2 Qcle v v' -> sum v <= sum v'.
Proof. induction 1; simpl; [apply Qcle_refl | apply Qcplus_le_compat; assumption]. Qed.

Lemma Forall2_map A (f g : A -> Qc) l : Forall (fun x => f x <= g x) l -> Forall2 Qcle (map f l) (map g l).
Proof. induction 1; simpl; constructor; auto. Qed.

Lemma dot_opt p v m : dist p (length v) -> all (fun P => P) (zipw (fun q x => q = 0 \/ m <= x) p v) -> m <= dot p v.
Proof.
  intros [H1 [H2 H3]] Hv. replace m with (sum p * m) by (rewrite H3; ring). now apply dot_ge.
Qed.

Lemma best_le s : forall d, optd s d -> dok s d -> best QO d <= val s d.
Proof.
  induction d as [r l IH] using dt_ind'. cbn -[maxl zipw]. intros Ho Hd.
  apply Qcplus_le_compat; [apply Qcle_refl|].
  induction IH as [|[k a] l Ha Hl IH]; cbn -[maxl zipw] in *; [apply Qcle_refl|].
  destruct Ho as [[Hk Hs] Ho], Hd as [[Dk Ds] Hd].
  apply Qcplus_le_compat; [|apply IH; assumption].
  eapply Qcle_trans; [apply (dot_opt _ _ _ ltac:(rewrite map_length; exact Dk) Hk)|].
  apply dot_mono; [apply Dk|]. apply Forall2_map. apply all_Forall in Hs, Ds.
  rewrite Forall_forall in *. auto.
Qed.

Lemma contd_opt s o k : forall d, optd s d -> dok s d -> dok o d -> contd o k d <= contd s k d.
Proof.
  induction d as [r l IH] using dt_ind'. cbn -[maxl zipw Pos.eqb]. intros Ho Hd Hq. apply sum_mono.
  apply Forall2_map. apply all_Forall in Ho, Hd, Hq. rewrite Forall_forall in *. intros [k' a] Hin.
  specialize (IH _ Hin). specialize (Ho _ Hin). specialize (Hd _ Hin). specialize (Hq _ Hin).
  cbn -[maxl zipw Pos.eqb] in *. destruct Ho as [Hk Hs], Hd as [Dk Ds], Hq as [Qk Qs].
  apply all_Forall in Hs, Ds, Qs. destruct (Pos.eqb k k').
  - eapply Qcle_trans; [|apply dot_mono; [apply Dk | apply Forall2_map]].
    + eapply Qcle_trans; [|apply (dot_opt _ _ _ ltac:(rewrite map_length; exact Dk) Hk)].
      apply dot_le_max; [now rewrite map_length|].
      pose proof (maxl_le (map (best QO) a)) as M. rewrite Forall_map, Forall_forall in *.
      intros x Hx. eapply Qcle_trans; [apply best_ge; auto | apply M; assumption].
    + rewrite Forall_forall in *. intros x Hx. apply best_le; auto.
  - apply sum_mono, Forall2_map. rewrite Forall_forall in *. auto.
Qed.

(* ---------- from polynomials to all small numbers ---------- *)

Lemma maxr_eval x y : eventually (fun e => maxr QO (eval e x) (eval e y) = eval e (maxr PO x y)).
Proof.
  eapply eventually_imp; [|apply (pleb_eval x y)]. intros e _ H. unfold maxr. simpl.
  destruct H as [-> | H]; [destruct (pleb x y); reflexivity|].
  destruct (qleb (eval e x) (eval e y)), (pleb x y); auto.
Qed.

Lemma maxl_eval l : eventually (fun e => maxl QO (map (eval e) l) = eval e (maxl PO l)).
Proof.
  destruct l as [|x l]; [apply eventually_true; reflexivity|]. simpl. revert x.
  induction l as [|y l IH]; intro x; [apply eventually_true; reflexivity|].
  eapply eventually_imp; [|apply (eventually_and _ _ (maxr_eval x y) (IH (maxr PO x y)))].
  intros e _ [H1 H2]. simpl. rewrite H1. exact H2.
Qed.

Lemma best_eval : forall d, eventually (fun e => best QO (dmap (eval e) d) = eval e (best PO d)).
Proof.
  induction d as [r l IH] using dt_ind'.
  enough (H : eventually (fun e =>
     sumr QO (map (fun ka => maxl QO (map (best QO) (snd ka))) (map (fun ka => (fst ka, map (dmap (eval e)) (snd ka)))
       l))
     = eval e (sumr PO (map (fun ka => maxl PO (map (best PO) (snd ka))) l)))).
  { eapply eventually_imp; [|exact H]. intros e _ E. cbn -[maxl sumr]. rewrite E, eval_add. reflexivity. }
  induction IH as [|[k a] l Ha Hl IH]; [apply eventually_true; reflexivity|].
  apply eventually_Forall in Ha. cbn [snd] in Ha.
  eapply eventually_imp; [|exact (eventually_and _ _ Ha (eventually_and _ _ (maxl_eval (map (best PO) a)) IH))].
  intros e _ [H1 [H2 H3]]. cbn [map sumr fst snd add QO PO]. rewrite H3, eval_add, <- H2. f_equal. f_equal.
  clear - H1. induction H1; simpl; congruence.
Qed.

Lemma bests_eval a : eventually (fun e => map (best QO) (map (dmap (eval e)) a) = map (eval e) (map (best PO) a)).
Proof.
  induction a as [|x a IH]; [apply eventually_true; reflexivity|].
  eapply eventually_imp; [|exact (eventually_and _ _ (best_eval x) IH)].
  intros e _ [H1 H2]. simpl. congruence.
Qed.

Lemma optk_eval p v : optk p v = true -> eventually (fun e =>
  all (fun P => P) (zipw (fun q x => q = 0 \/ maxl QO (map (eval e) v) <= x) p (map (eval e) v))).
Proof.
  unfold optk. intro H.
  enough (K : eventually (fun e => all (fun P => P) (zipw (fun q x => q = 0 \/ eval e (maxl PO v) <= x) p (map (eval
    e) v)))).
  { eapply eventually_imp; [|exact (eventually_and _ _ (maxl_eval v) K)]. intros e _ [E L]. rewrite E. exact L. }
  revert H. generalize (maxl PO v) as m. intro m. revert v.
  induction p as [|q p IH]; intros [|x v] H; try (apply eventually_true; intros; exact I).
  simpl in H. apply andb_true_iff in H. destruct H as [H1 H2].
  assert (K : eventually (fun e => q = 0 \/ eval e m <= eval e x)).
  { apply orb_true_iff in H1. destruct H1 as [H1|H1].
    - apply eventually_true. intros. left. now apply qeqb_eq.
    - eapply eventually_imp; [|apply (pleb_eval m x)]. intros e _ [E|E]; right.
      + apply qleb_le. congruence.
      + rewrite E. apply Qcle_refl. }
  eapply eventually_imp; [|exact (eventually_and _ _ K (IH _ H2))]. intros e _ [A B]. split; assumption.
Qed.

Lemma optb_eval s : forall d, optb s d = true -> eventually (fun e => optd s (dmap (eval e) d)).
Proof.
  induction d as [r l IH] using dt_ind'. cbn -[optk]. intro H.
  enough (K : eventually (fun e => all (fun ka => all (fun P => P) (zipw (fun q x => q = 0 \/ maxl QO (map (best QO)
    (snd ka)) <= x)
                                          (s (fst ka)) (map (best QO) (snd ka)))
                             /\ all (optd s) (snd ka)) (map (fun ka => (fst ka, map (dmap (eval e)) (snd ka))) l))) by
                               exact K.
  induction IH as [|[k a] l Ha Hl IH]; [apply eventually_true; intros; exact I|].
  cbn -[optk] in H. apply andb_true_iff in H. destruct H as [H H3]. apply andb_true_iff in H. destruct H as [H1 H2].
  assert (A : eventually (fun e => Forall (fun x => optd s (dmap (eval e) x)) a)).
  { apply eventually_Forall. rewrite forallb_forall in H2. cbn [snd] in Ha. rewrite Forall_forall in *. auto. }
  eapply eventually_imp; [|exact (eventually_and _ _ (eventually_and _ _ (bests_eval a) (optk_eval _ _ H1))
                                 (eventually_and _ _ A (IH H3)))].
  intros e _ [[E1 E2] [E3 E4]]. cbn [map fst snd]. split; [split|]; cbn [fst snd].
  - rewrite E1. exact E2.
  - apply all_Forall. rewrite Forall_map. exact E3.
  - exact E4.
Qed.

(* ---------- plans and behavior ---------- *)

Definition behave (e : Qc) (Y : plan) : strategy :=
  fun k => map (fun p => eval e p / sum (map (eval e) (Y k))) (Y k).

Lemma psum_eval e l : eval e (psum l) = sum (map (eval e) l).
Proof. induction l; simpl; [reflexivity | rewrite eval_add, IHl; reflexivity]. Qed.

Lemma pos_neq x : 0 < x -> x <> 0.
Proof. intros H ->. discriminate H. Qed.

Lemma pview_eval i s Y : forall t y, planb (other i) s Y t y = true ->
  eventually (fun e => forall c, dmap (eval e) (pview i Y t c y) = view QO i (behave e Y) t (c * eval e y)).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros y H; cbn [planb pview view] in *.
  - apply eventually_true. intros e _ c. simpl. rewrite eval_scale. f_equal. ring.
  - assert (K : eventually (fun e => Forall (fun qc => forall c,
        dmap (eval e) (pview i Y (snd qc) c y) = view QO i (behave e Y) (snd qc) (c * eval e y)) l)).
    { apply eventually_Forall. rewrite forallb_forall in H. rewrite Forall_forall in *. auto. }
    eapply eventually_imp; [|exact K]. intros e _ E c. rewrite msum_dmap, map_map. f_equal. simpl.
    induction E as [|[q ch] l' Hx El IHl]; simpl; [reflexivity|].
    assert (True) by exact I. f_equal.
    + rewrite Hx. f_equal. simpl. ring.
    + inversion IH; subst. cbn in H. apply andb_true_iff in H. destruct H. apply IHl; auto.
      eapply eventually_imp; [|exact K]. intros e' _ F. inversion F; assumption.
  - destruct (peq p i) eqn:Ep.
    + assert (peq p (other i) = false) as Eo by (destruct p, i; simpl in *; congruence). rewrite Eo in H.
      assert (K : eventually (fun e => Forall (fun ch => forall c,
          dmap (eval e) (pview i Y ch c y) = view QO i (behave e Y) ch (c * eval e y)) l)).
      { apply eventually_Forall. rewrite forallb_forall in H. rewrite Forall_forall in *. auto. }
      eapply eventually_imp; [|exact K]. intros e _ E c. simpl. do 3 f_equal. rewrite map_map.
      clear - E. induction E; simpl; [reflexivity|]. rewrite H. f_equal. assumption.
    + assert (peq p (other i) = true) as Eo by (destruct p, i; simpl in *; congruence). rewrite Eo in H.
      rewrite !andb_true_iff in H. destruct H as [[[[[[H1 H2] H3] H4] H5] H6] H7].
      assert (K : eventually (fun e => forall c, map (dmap (eval e)) (zipw (fun yq f => f c yq) (Y k) (map (pview i Y)
        l))
                 = zipw (fun yq f => f (c * yq)) (map (eval e) (Y k)) (map (view QO i (behave e Y)) l))).
      { clear - H7 IH. revert H7. generalize (Y k) as yk.
        induction IH as [|ch l Hc Hl IH]; intros [|yq yk] H7; try (apply eventually_true; intros; reflexivity).
        simpl in H7. apply andb_true_iff in H7. destruct H7 as [A B].
        eapply eventually_imp; [|exact (eventually_and _ _ (Hc _ A) (IH _ B))].
        intros e _ [E1 E2] c. simpl. rewrite E1, E2. reflexivity. }
      eapply eventually_imp; [|exact (eventually_and _ _ K (ppos_eval _ H3))].
      intros e _ [E Pos] c. rewrite msum_dmap, E. f_equal.
      rewrite psum_eval in Pos.
      apply (eval_zero e) in H5. rewrite eval_sub, psum_eval in H5.
      assert (Ey : eval e y = sum (map (eval e) (Y k))).
      { replace (eval e y) with (sum (map (eval e) (Y k)) - (sum (map (eval e) (Y k)) - eval e y)) by ring.
        rewrite H5. ring. }
      rewrite Ey. unfold behave at 2. set (S := sum (map (eval e) (Y k))) in *.
      generalize (map (view QO i (behave e Y)) l) as v. clear - Pos. generalize (Y k) as yk.
      induction yk as [|yq yk IH]; intros [|f v]; simpl; try reflexivity.
      f_equal; [|apply IH]. f_equal. field. now apply pos_neq.
Qed.

(* ---------- the play with mistakes is completely mixed, and tends to the strategies ---------- *)

Lemma nodes_eventually (P : player -> positive -> nat -> Qc -> Prop) : forall t,
  nodes (fun p k n => eventually (P p k n)) t -> eventually (fun e => nodes (fun p k n => P p k n e) t).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; intro H.
  - apply eventually_true. intros; exact I.
  - apply all_Forall in H.
    assert (K : eventually (fun e => Forall (fun qc => nodes (fun p k n => P p k n e) (snd qc)) l)).
    { apply eventually_Forall. rewrite Forall_forall in *. auto. }
    eapply eventually_imp; [|exact K]. intros e _. apply all_Forall.
  - destruct H as [H1 H2]. apply all_Forall in H2.
    assert (K : eventually (fun e => Forall (nodes (fun p k n => P p k n e)) l)).
    { apply (eventually_Forall _ (fun c e => nodes (fun p k n => P p k n e) c)). rewrite Forall_forall in *. auto. }
    eapply eventually_imp; [|exact (eventually_and _ _ H1 K)]. intros e _ [A B]. split; [assumption|].
    now apply all_Forall.
Qed.

Lemma nodes_imp (P Q : player -> positive -> nat -> Prop) : (forall p k n, P p k n -> Q p k n) ->
  forall t, nodes P t -> nodes Q t.
Proof.
  intro I0. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; auto.
  - intro H. apply all_Forall. apply all_Forall in H. rewrite Forall_forall in *. auto.
  - intros [A H]. split; auto. apply all_Forall. apply all_Forall in H. rewrite Forall_forall in *. auto.
Qed.

Lemma nodes_and (P Q : player -> positive -> nat -> Prop) :
  forall t, nodes P t -> nodes Q t -> nodes (fun p k n => P p k n /\ Q p k n) t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; simpl; auto.
  - intros H K. apply all_Forall. apply all_Forall in H, K. rewrite Forall_forall in *. auto.
  - intros [A H] [B K]. split; auto. apply all_Forall. apply all_Forall in H, K. rewrite Forall_forall in *. auto.
Qed.

(* what planb checks at each node *)
Definition planned (s : strategy) (Y : plan) (k : positive) (n : nat) : Prop :=
  length (Y k) = n /\ length (s k) = n /\ ppos (psum (Y k)) = true /\ Forall (fun p => ppos p = true) (Y k) /\
  Forall (fun b => b = true) (zipw (fun yq x => littleo (psub yq (pscale x (psum (Y k)))) (psum (Y k))) (Y k) (s k)).

Lemma planb_nodes j s Y : forall t y, planb j s Y t y = true ->
  nodes (fun p k n => p = j -> planned s Y k n) t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros y H; cbn [planb nodes] in *.
  - exact I.
  - apply all_Forall. rewrite forallb_forall in H. rewrite Forall_forall in *. eauto.
  - destruct (peq p j) eqn:E.
    + rewrite !andb_true_iff in H. destruct H as [[[[[[H1 H2] H3] H4] H5] H6] H7]. split.
      * intros _. apply Nat.eqb_eq in H1, H2. rewrite forallb_forall in H4, H6.
        repeat split; auto; apply Forall_forall; auto.
      * apply all_Forall. apply Nat.eqb_eq in H1. clear - IH H7 H1. revert H7 H1. generalize (Y k) as yk.
        induction IH as [|c l Hc Hl IH]; intros [|yq yk] H7 H1; try discriminate H1; constructor;
          simpl in H7; apply andb_true_iff in H7; destruct H7 as [A B]; eauto.
    + split.
      * intros ->. rewrite (proj2 (peq_eq j j) eq_refl) in E. discriminate.
      * apply all_Forall. rewrite forallb_forall in H. rewrite Forall_forall in *. eauto.
Qed.

Lemma div_pos x y : 0 < x -> 0 < y -> 0 < x / y.
Proof.
  intros Hx Hy. assert (E : x / y * y = x) by (field; now apply pos_neq).
  destruct (Qclt_le_dec 0 (x / y)) as [L|L]; auto. exfalso.
  assert (T : x <= 0).
  { rewrite <- E. replace 0 with (0 * y) by ring. apply Qcmult_le_compat_r; [assumption | now apply Qclt_le_weak]. }
  apply Qcle_not_lt in T. auto.
Qed.

Lemma sum_div S l : S <> 0 -> sum (map (fun x => x / S) l) = sum l / S.
Proof. intro H. induction l; simpl; [field; assumption | rewrite IHl; field; assumption]. Qed.

Lemma planned_mixed s Y k n : planned s Y k n ->
  eventually (fun e => dist (behave e Y k) n /\ Forall (fun x => 0 < x) (behave e Y k)).
Proof.
  intros [H1 [H2 [H3 [H4 H5]]]].
  assert (K : eventually (fun e => Forall (fun p => 0 < eval e p) (Y k))).
  { apply eventually_Forall. eapply Forall_impl; [|exact H4]. intros p. apply ppos_eval. }
  eapply eventually_imp; [|exact (eventually_and _ _ (ppos_eval _ H3) K)].
  intros e _ [S A]. rewrite psum_eval in S.
  assert (B : Forall (fun x => 0 < x) (behave e Y k)).
  { unfold behave. rewrite Forall_map. eapply Forall_impl; [|exact A]. intros p Hp. now apply div_pos. }
  split; [|exact B]. repeat split.
  - unfold behave. now rewrite map_length.
  - eapply Forall_impl; [|exact B]. intros x. apply Qclt_le_weak.
  - unfold behave. rewrite <- (map_map (eval e) (fun x => x / sum (map (eval e) (Y k)))).
    rewrite sum_div by now apply pos_neq. field. now apply pos_neq.
Qed.

Lemma near_div d x y S : 0 < S -> 0 < d * S + (x - y * S) -> 0 < d * S + - (1) * (x - y * S) -> near d (x / S) y.
Proof.
  intros HS H1 H2. assert (E : x / S * S = x) by (field; now apply pos_neq).
  revert E. generalize (x / S) as r. intros r E. subst x.
  assert (T1 : 0 < (d + r - y) * S) by (replace ((d + r - y) * S) with (d * S + (r * S - y * S)) by ring; exact H1).
  assert (T2 : 0 < (d - r + y) * S) by (replace ((d - r + y) * S) with (d * S + - (1) * (r * S - y * S)) by ring;
    exact H2).
  clear H1 H2. split; qc; nra.
Qed.

Lemma littleo_scale c p : forall q, littleo p q = true -> littleo (pscale c p) q = true.
Proof.
  induction p as [|a p IH]; intros [|b q] H; simpl in *; auto.
  apply andb_true_iff in H. destruct H as [Ha H]. apply qeqb_eq in Ha. subst.
  replace (c * 0) with 0 by ring. simpl. destruct (qeqb b 0); auto.
Qed.

Lemma planned_near s Y k n d : 0 < d -> planned s Y k n ->
  eventually (fun e => Forall2 (near d) (behave e Y k) (s k)).
Proof.
  intros Hd [H1 [H2 [H3 [H4 H5]]]]. unfold behave.
  assert (L : length (Y k) = length (s k)) by congruence.
  assert (K : eventually (fun e => Forall2 (near d) (map (fun p => eval e p / eval e (psum (Y k))) (Y k)) (s k))).
  { revert H3 H5 L. generalize (psum (Y k)) as S. clear - Hd. generalize (Y k) as yk, (s k) as sk. intros yk sk S HS.
    revert sk.
    induction yk as [|y yk IH]; intros [|x sk] H5 L; try discriminate L.
    - apply eventually_true. intros. constructor.
    - injection L as L. simpl in H5. inversion H5 as [|? ? A B]; subst.
      pose proof (ppos_eval _ (littleo_pos d _ Hd _ A HS)) as P1.
      pose proof (ppos_eval _ (littleo_pos d _ Hd _ (littleo_scale (-(1)) _ _ A) HS)) as P2.
      eapply eventually_imp; [|exact (eventually_and _ _ (eventually_and _ _ P1 P2)
                                     (eventually_and _ _ (ppos_eval _ HS) (IH _ B L)))].
      intros e _ [[E1 E2] [E3 E4]]. rewrite eval_add, eval_scale in E1, E2. rewrite eval_scale in E2.
      rewrite eval_sub, eval_scale in E1, E2. simpl. constructor; [now apply near_div | assumption]. }
  eapply eventually_imp; [|exact K]. intros e _. cbn beta. rewrite psum_eval. auto.
Qed.

(* ---------- soundness ---------- *)

Lemma cont_scale s i k0 v : forall t w, cont s i k0 t (v * w) = v * cont s i k0 t w.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro w; cbn [cont].
  - ring.
  - induction IH as [|[q c] l Hc Hl IH]; simpl; [ring|]. rewrite IH. simpl in Hc.
    replace (v * w * q) with (v * (w * q)) by ring. rewrite Hc. ring.
  - destruct (peq p i).
    + destruct (Pos.eqb k0 k); [ring|]. induction IH as [|c l Hc Hl IH]; simpl; [ring|]. rewrite IH, Hc. ring.
    + generalize (s p k) as q. induction IH as [|c l Hc Hl IH]; intros [|q0 q]; simpl; try ring.
      rewrite IH. replace (v * w * q0) with (v * (w * q0)) by ring. rewrite Hc. ring.
Qed.

Lemma cancel_le w a b : 0 < w -> w * a <= w * b -> a <= b.
Proof. intros. qc. nra. Qed.

Lemma dev_self s i d : deviate s i d i = d.
Proof. unfold deviate. destruct i; reflexivity. Qed.
Lemma dev_other s i d : deviate s i d (other i) = s (other i).
Proof. unfold deviate. destruct i; reflexivity. Qed.

Lemma side_best t i s y Y : ppos y = true -> planb (other i) s Y t y = true -> forall o, validb i o t = true ->
  optb o (pview i Y t 1 y) = true ->
  eventually (fun e => forall b : profile, b (other i) = behave e Y ->
    forall k d, valid i d t -> cont (deviate b i d) i k t 1 <= cont (deviate b i o) i k t 1).
Proof.
  intros Hy Hp o Ho Hb. apply validb_valid in Ho.
  eapply eventually_imp; [|exact (eventually_and _ _ (ppos_eval _ Hy)
                                 (eventually_and _ _ (pview_eval _ _ _ _ _ Hp) (optb_eval _ _ Hb)))].
  intros e _ [Py [E O]] b Eb k d Hd. rewrite E in O. replace (1 * eval e y) with (eval e y * 1) in O by ring.
  apply (cancel_le (eval e y)); auto. rewrite <- !cont_scale, <- !view_cont, !dev_self, !dev_other, Eb.
  apply contd_opt; [exact O | now apply view_dok | now apply view_dok].
Qed.

(* The play with mistakes that the plans describe. *)
Definition mistakes (X Y : full_plan) (e : Qc) : profile :=
  fun p => match p with P1 => behave e (rows X) | P2 => behave e (rows Y) end.

Lemma mixedb_mistakes t s X Y : mixedb t P1 (s P1) X = true -> mixedb t P2 (s P2) Y = true ->
  completely_mixed (mistakes X Y) t /\ tends_to (mistakes X Y) s t.
Proof.
  unfold mixedb. rewrite !andb_true_iff. intros [_ X1] [_ X2].
  pose proof (planb_nodes _ _ _ _ _ X1) as N1. pose proof (planb_nodes _ _ _ _ _ X2) as N2.
  pose proof (nodes_and _ _ _ N1 N2) as N. split.
  - apply (nodes_eventually (fun p k n e => dist (mistakes X Y e p k) n /\ Forall (fun x => 0 < x) (mistakes X Y e p
      k))).
    eapply nodes_imp; [|exact N]. intros [] k n [A B]; eapply planned_mixed; eauto.
  - intros d Hd. apply (nodes_eventually (fun p k n e => Forall2 (near d) (mistakes X Y e p k) (s p k))).
    eapply nodes_imp; [|exact N]. intros [] k n [A B]; eapply planned_near; eauto.
Qed.

Theorem qp_sound t s X Y : qp_check t s X Y = true -> game t /\ quasi_perfect t s.
Proof.
  unfold qp_check. rewrite !andb_true_iff. intros [[[[G M1] M2] O1] O2].
  destruct (mixedb_mistakes t s X Y M1 M2) as [Mx Te].
  unfold mixedb in M1, M2. rewrite !andb_true_iff in M1, M2. destruct M1 as [[V1 R1] X1], M2 as [[V2 R2] X2].
  split; [now apply gameb_game|]. split.
  { intros []; apply validb_valid; assumption. }
  exists (mistakes X Y). repeat split; auto.
  pose proof (side_best t P1 (s P2) _ _ R2 X2 (s P1) V1 O1) as K1.
  pose proof (side_best t P2 (s P1) _ _ R1 X1 (s P2) V2 O2) as K2.
  eapply eventually_imp; [|exact (eventually_and _ _ K1 K2)].
  intros e _ [A B] [] k d Hd; [apply A | apply B]; auto.
Qed.
