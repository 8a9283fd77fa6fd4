(* Polynomials in e, and what holds for all small positive e. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit View NashCheck.
Import ListNotations.
Open Scope Qc_scope.

(* linear arithmetic over Qc, by way of Q *)
Lemma this_add a b : (this (a + b) == this a + this b)%Q. Proof. apply Qred_correct. Qed.
Lemma this_mul a b : (this (a * b) == this a * this b)%Q. Proof. apply Qred_correct. Qed.
Lemma this_opp a : (this (- a) == - this a)%Q. Proof. apply Qred_correct. Qed.
#[local] Hint Rewrite this_add this_mul this_opp : qc.
Ltac qc := unfold Qclt, Qcle, Qcminus in *; autorewrite with qc in *;
           change (this (Q2Qc 0)) with 0%Q in *; change (this (Q2Qc 1)) with 1%Q in *.

Lemma eventually_and (P Q : Qc -> Prop) : eventually P -> eventually Q -> eventually (fun e => P e /\ Q e).
Proof.
  intros [a [Ha HP]] [b [Hb HQ]].
  destruct (Qclt_le_dec a b) as [H|H]; [exists a | exists b]; split; auto; intros e H0 H1; split; auto.
  - apply HQ; auto. eapply Qclt_trans; eassumption.
  - apply HP; auto. eapply Qclt_le_trans; eassumption.
Qed.

Lemma eventually_imp (P Q : Qc -> Prop) : (forall e, 0 < e -> P e -> Q e) -> eventually P -> eventually Q.
Proof. intros H [a [Ha HP]]. exists a. split; auto. Qed.

Lemma eventually_true (P : Qc -> Prop) : (forall e, 0 < e -> P e) -> eventually P.
Proof. intro H. exists 1. split; [reflexivity | auto]. Qed.

Lemma eventually_Forall A (P : A -> Qc -> Prop) l : Forall (fun x => eventually (P x)) l ->
  eventually (fun e => Forall (fun x => P x e) l).
Proof.
  induction 1; [apply eventually_true; constructor|].
  eapply eventually_imp; [|apply (eventually_and _ _ H IHForall)].
  intros e _ [H1 H2]. constructor; assumption.
Qed.

Definition poly := list Qc.     (* coefficients, the constant first *)
Fixpoint eval (e : Qc) (p : poly) : Qc := match p with [] => 0 | a :: p => a + e * eval e p end.
Fixpoint padd (p q : poly) : poly :=
  match p, q with a :: p, b :: q => (a + b) :: padd p q | [], q => q | p, [] => p end.
Definition pscale (c : Qc) (p : poly) : poly := map (Qcmult c) p.
Fixpoint ppos (p : poly) : bool :=           (* the first coefficient that is not 0 is positive *)
  match p with [] => false | a :: p => if qeqb a 0 then ppos p else qleb 0 a end.
Fixpoint pnonneg (p : poly) : bool :=
  match p with [] => true | a :: p => if qeqb a 0 then pnonneg p else qleb 0 a end.
Definition psub p q := padd p (pscale (-(1)) q).
Definition pleb (p q : poly) : bool := pnonneg (psub q p).
Fixpoint pzero (p : poly) : bool := match p with [] => true | a :: p => qeqb a 0 && pzero p end.
Definition PO : ops poly := Ops [] padd (fun p _ => p) (fun q => [q]) pleb. (* mul is not used *)

Lemma eval_add e p : forall q, eval e (padd p q) = eval e p + eval e q.
Proof. induction p; intros [|b q]; simpl; try ring. rewrite IHp. ring. Qed.
Lemma eval_scale e c p : eval e (pscale c p) = c * eval e p.
Proof. induction p; simpl; [ring | rewrite IHp; ring]. Qed.
Lemma eval_sub e p q : eval e (psub p q) = eval e p - eval e q.
Proof. unfold psub. rewrite eval_add, eval_scale. ring. Qed.
Lemma eval_zero e p : pzero p = true -> eval e p = 0.
Proof.
  induction p; simpl; auto. rewrite andb_true_iff, qeqb_eq. intros [-> H]. rewrite IHp by auto. ring.
Qed.

Lemma bounded p : exists M, 0 < M /\ forall e, 0 < e -> e < 1 -> - M < eval e p /\ eval e p < M.
Proof.
  induction p as [|a p [M [HM IH]]]; simpl.
  - exists 1. split; [reflexivity|]. intros; split; reflexivity.
  - destruct (Qclt_le_dec a 0) as [Ha|Ha].
    + exists (M - a + 1). split; [qc; lra|]. intros e H0 H1. destruct (IH e H0 H1) as [A B]. qc. split; nra.
    + exists (M + a + 1). split; [qc; lra|]. intros e H0 H1. destruct (IH e H0 H1) as [A B]. qc. split; nra.
Qed.

Lemma small_times M a : 0 < M -> 0 < a -> exists e0, 0 < e0 /\ e0 < 1 /\ e0 * M < a.
Proof.
  intros HM Ha. assert (HD : 0 < a + M + 1) by (qc; lra).
  assert (E : / (a + M + 1) * (a + M + 1) = 1).
  { apply Qcmult_inv_l. intro Z. rewrite Z in HD. discriminate. }
  exists (a * / (a + M + 1)). generalize dependent (/ (a + M + 1)). intros r E.
  assert (E1 : (this r * (this a + this M + 1) == 1)%Q).
  { assert (T : (this (r * (a + M + 1)) == 1)%Q) by (rewrite E; reflexivity).
    rewrite this_mul, !this_add in T. exact T. }
  clear E. qc. assert (HI : (0 < this r)%Q) by nra.
  repeat split; nra.
Qed.

Lemma ppos_eval p : ppos p = true -> eventually (fun e => 0 < eval e p).
Proof.
  induction p as [|a p IH]; simpl; [discriminate|]. destruct (qeqb a 0) eqn:E.
  - apply qeqb_eq in E. subst. intro H. eapply eventually_imp; [|apply (IH H)].
    simpl. intros e H0 H1. qc. nra.
  - intro H. apply qleb_le in H.
    assert (Ha : 0 < a).
    { destruct (Qclt_le_dec 0 a) as [L|L]; auto. exfalso.
      assert (a = 0) by (apply Qcle_antisym; assumption). subst. discriminate. }
    destruct (bounded p) as [M [HM B]]. destruct (small_times M a HM Ha) as [e0 [H0 [H1 H2]]].
    exists e0. split; auto. intros e He Hl.
    destruct (B e He) as [B1 B2]; [eapply Qclt_trans; eassumption|]. qc. nra.
Qed.

Lemma pnonneg_eval p : pnonneg p = true -> eventually (fun e => 0 <= eval e p).
Proof.
  destruct (ppos p) eqn:E; intro H.
  - eapply eventually_imp; [|apply (ppos_eval _ E)]. intros e _. apply Qclt_le_weak.
  - apply eventually_true. intros e _. rewrite (eval_zero e p); [apply Qcle_refl|].
    revert E H. induction p; simpl; auto. destruct (qeqb a 0); simpl; auto. congruence.
Qed.

Lemma pnonneg_false p : pnonneg p = false -> eventually (fun e => eval e p <= 0).
Proof.
  intro H. assert (E : pnonneg (pscale (-(1)) p) = true).
  { revert H. induction p as [|a p IH]; simpl; [discriminate|].
    destruct (qeqb a 0) eqn:Ea.
    - apply qeqb_eq in Ea. subst. replace (- (1) * 0) with 0 by ring. simpl. exact IH.
    - intro H. destruct (qeqb (- (1) * a) 0) eqn:Eb.
      + apply qeqb_eq in Eb. assert (a = 0) by (replace a with (- (- (1) * a)) by ring; rewrite Eb; ring).
        subst. discriminate.
      + apply qleb_le. destruct (Qclt_le_dec 0 a) as [L|L].
        * apply Qclt_le_weak in L. apply qleb_le in L. congruence.
        * qc. lra. }
  eapply eventually_imp; [|apply (pnonneg_eval _ E)]. intros e _. cbn beta. rewrite eval_scale. intro. qc. lra.
Qed.

Lemma pleb_eval p q : eventually (fun e => qleb (eval e p) (eval e q) = pleb p q \/ eval e p = eval e q).
Proof.
  unfold pleb. destruct (pnonneg (psub q p)) eqn:E.
  - eapply eventually_imp; [|apply (pnonneg_eval _ E)]. intros e _. cbn beta. rewrite eval_sub. intro H.
    left. apply qleb_le. qc. lra.
  - eapply eventually_imp; [|apply (pnonneg_false _ E)]. intros e _. cbn beta. rewrite eval_sub. intro H.
    assert (L : eval e q <= eval e p) by (qc; lra).
    destruct (qleb (eval e p) (eval e q)) eqn:F; auto. right. apply qleb_le in F. now apply Qcle_antisym.
Qed.

(* p vanishes faster than q *)
Fixpoint littleo (p q : poly) : bool :=
  match p, q with
  | [], _ => true
  | a :: p, b :: q => qeqb a 0 && (if qeqb b 0 then littleo p q else true)
  | a :: p, [] => false
  end.

Lemma littleo_pos d p : 0 < d -> forall q, littleo p q = true -> ppos q = true ->
  ppos (padd (pscale d q) p) = true.
Proof.
  intro Hd. induction p as [|a p IH]; intros [|b q] Ho Hq; simpl in *; try discriminate.
  - assert (K : forall q, ppos q = true -> ppos (pscale d q) = true).
    { induction q0 as [|c r IHr]; simpl; auto. destruct (qeqb c 0) eqn:Ec.
      - apply qeqb_eq in Ec. subst. replace (d * 0) with 0 by ring. simpl. exact IHr.
      - intro Hc. apply qleb_le in Hc. destruct (qeqb (d * c) 0) eqn:Edc.
        + apply qeqb_eq in Edc. apply Qcmult_integral in Edc. destruct Edc; subst; [discriminate Hd | discriminate].
        + apply qleb_le. qc. nra. }
    apply (K (b :: q)), Hq.
  - apply andb_true_iff in Ho. destruct Ho as [Ha Ho]. apply qeqb_eq in Ha. subst.
    replace (d * b + 0) with (d * b) by ring. destruct (qeqb b 0) eqn:Eb.
    + apply qeqb_eq in Eb. subst. replace (d * 0) with 0 by ring. simpl. auto.
    + apply qleb_le in Hq. destruct (qeqb (d * b) 0) eqn:Edc.
      * apply qeqb_eq in Edc. apply Qcmult_integral in Edc. destruct Edc; subst; [discriminate Hd | discriminate].
      * apply qleb_le. qc. nra.
Qed.
