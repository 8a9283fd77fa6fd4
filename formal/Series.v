(* Polynomials in e of which only the first terms are known, and what holds for all small positive e. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit View NashCheck Polynomial.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* Coefficients, the constant first. After the last stated coefficient, all coefficients are 0 (Zero) or unknown. *)
Inductive series := Zero | Unknown | Term (a : Qc) (r : series).

Fixpoint sadd (p q : series) : series :=
  match p, q with
  | Zero, q => q
  | p, Zero => p
  | Unknown, _ | _, Unknown => Unknown
  | Term a p, Term b q => Term (a + b) (sadd p q)
  end.
Fixpoint sscale (c : Qc) (p : series) : series :=
  match p with Zero => Zero | Unknown => Unknown | Term a p => Term (c * a) (sscale c p) end.
(* The sum of the series in v, with the factors p. *)
Fixpoint sdot (p : list Qc) (v : list series) : series :=
  match p, v with
  | a :: p, b :: v => if qeqb a 0 then sdot p v else sadd (if qeqb a 1 then b else sscale a b) (sdot p v)
  | _, _ => Zero
  end.
(* Forget all but the first n terms. Remove zeros at the end. *)
Fixpoint cut (n : nat) (p : series) : series :=
  match p, n with
  | Term a p, S n => match cut n p with Zero => if qeqb a 0 then Zero else Term a Zero | r => Term a r end
  | Term _ _, O => Unknown
  | p, _ => p
  end.

(* Is p at most q for all small e? None: the known terms do not decide it. *)
Fixpoint sleb (p q : series) : option bool :=
  match p, q with
  | Zero, Zero => Some true
  | Term a p, Zero => if qeqb a 0 then sleb p Zero else Some (qleb a 0)
  | Zero, q => (fix go q := match q with
                            | Zero => Some true
                            | Unknown => None
                            | Term b q => if qeqb b 0 then go q else Some (qleb 0 b)
                            end) q
  | Term a p, Term b q => if qeqb a b then sleb p q else Some (qleb a b)
  | _, _ => None
  end.

(* p contains the first terms of the function u. *)
Fixpoint means (p : series) (u : Qc -> Qc) : Prop :=
  match p with
  | Zero => eventually (fun e => u e = 0)
  | Unknown => exists M, 0 < M /\ eventually (fun e => - M < u e /\ u e < M)
  | Term a p => exists v, means p v /\ eventually (fun e => u e = a + e * v e)
  end.

Lemma means_ext p : forall u v, eventually (fun e => u e = v e) -> means p u -> means p v.
Proof.
  destruct p as [| |a p]; cbn [means]; intros u v E.
  - intro H. eapply eventually_imp; [|exact (eventually_and _ _ E H)]. intros e _ [A B]. congruence.
  - intros [M [HM H]]. exists M. split; auto. eapply eventually_imp; [|exact (eventually_and _ _ E H)].
    intros e _ [<- B]. exact B.
  - intros [w [H K]]. exists w. split; auto. eapply eventually_imp; [|exact (eventually_and _ _ E K)].
    intros e _ [A B]. congruence.
Qed.

Lemma eventually_small : eventually (fun e => e < 1).
Proof. exists 1. split; [reflexivity | auto]. Qed.

Lemma means_bounded p : forall u, means p u -> means Unknown u.
Proof.
  induction p as [| |a p IH]; cbn [means]; intros u H; auto.
  - exists 1. split; [reflexivity|]. eapply eventually_imp; [|exact H]. intros e _ ->. split; reflexivity.
  - destruct H as [v [H K]]. destruct (IH v H) as [M [HM B]].
    destruct (Qclt_le_dec a 0) as [Ha|Ha]; [exists (M - a + 1) | exists (M + a + 1)]; (split; [qc; lra|]);
      (eapply eventually_imp; [|exact (eventually_and _ _ (eventually_and _ _ K B) eventually_small)]);
      intros e He [[-> [B1 B2]] Hs]; qc; split; nra.
Qed.

Lemma means_add p : forall q u v, means p u -> means q v -> means (sadd p q) (fun e => u e + v e).
Proof.
  assert (B : forall u v, means Unknown u -> means Unknown v -> means Unknown (fun e => u e + v e)).
  { intros u v [M [HM H]] [N [HN K]]. exists (M + N). split; [qc; lra|].
    eapply eventually_imp; [|exact (eventually_and _ _ H K)]. intros e _ [[A1 A2] [B1 B2]]. qc. split; lra. }
  induction p as [| |a p IH]; intros q u v Hu Hv.
  - cbn [sadd means] in *. eapply means_ext; [|exact Hv]. eapply eventually_imp; [|exact Hu].
    intros e _ ->. ring.
  - destruct q as [| |b q]; cbn [sadd]; [|now apply B | apply B; auto; eapply means_bounded; exact Hv].
    eapply means_ext; [|exact Hu]. cbn [means] in Hv. eapply eventually_imp; [|exact Hv]. intros e _ ->. ring.
  - destruct q as [| |b q]; cbn [sadd].
    + eapply means_ext; [|exact Hu]. cbn [means] in Hv. eapply eventually_imp; [|exact Hv]. intros e _ ->. ring.
    + apply B; auto. eapply means_bounded; exact Hu.
    + destruct Hu as [u' [Hu Eu]], Hv as [v' [Hv Ev]]. exists (fun e => u' e + v' e). split; [now apply IH|].
      eapply eventually_imp; [|exact (eventually_and _ _ Eu Ev)]. intros e _ [-> ->]. ring.
Qed.

Lemma means_scale c p : forall u, means p u -> means (sscale c p) (fun e => c * u e).
Proof.
  induction p as [| |a p IH]; cbn [sscale means]; intros u H.
  - eapply eventually_imp; [|exact H]. intros e _ ->. ring.
  - destruct H as [M [HM H]]. destruct (Qclt_le_dec c 0) as [Hc|Hc]; [exists (M * (1 - c)) | exists (M * (1 + c))];
      (split; [qc; nra|]); (eapply eventually_imp; [|exact H]); intros e _ [A B]; qc; split; nra.
  - destruct H as [v [H E]]. exists (fun e => c * v e). split; auto. eapply eventually_imp; [|exact E].
    intros e _ ->. ring.
Qed.

Lemma means_shift p u : means p u -> means (Term 0 p) (fun e => e * u e).
Proof. intro H. exists u. split; auto. apply eventually_true. intros. ring. Qed.

Lemma means_dot v us : Forall2 means v us -> forall p, means (sdot p v) (fun e => dot p (map (fun u => u e) us)).
Proof.
  induction 1 as [|b u v us H _ IH]; intros [|a p]; cbn [sdot map dot means]; try (apply eventually_true; reflexivity).
  destruct (qeqb a 0) eqn:E.
  - apply qeqb_eq in E. subst. eapply means_ext; [|apply IH]. apply eventually_true. intros. ring.
  - apply means_add; [|apply IH]. destruct (qeqb a 1) eqn:E1; [|now apply means_scale].
    apply qeqb_eq in E1. subst. eapply means_ext; [|exact H]. apply eventually_true. intros. ring.
Qed.

Lemma means_cut p : forall n u, means p u -> means (cut n p) u.
Proof.
  induction p as [| |a p IH]; intros n u H; [destruct n; exact H | destruct n; exact H|].
  destruct n as [|n]; [eapply means_bounded; exact H|]. cbn [cut]. destruct H as [v [H E]]. specialize (IH n v H).
  destruct (cut n p) as [| |b r]; try (exists v; split; assumption).
  destruct (qeqb a 0) eqn:Ea; [|exists v; split; assumption]. apply qeqb_eq in Ea. subst. cbn [means] in *.
  eapply eventually_imp; [|exact (eventually_and _ _ E IH)]. intros e _ [-> ->]. ring.
Qed.

(* The first terms that differ decide. *)
Lemma means_first a b p q u v : means p u -> means q v -> a < b -> eventually (fun e => a + e * u e <= b + e * v e).
Proof.
  intros Hp Hq L. apply means_bounded in Hp, Hq. destruct Hp as [M [HM Hp]], Hq as [N [HN Hq]].
  assert (Hd : 0 < b - a) by (qc; lra). assert (HMN : 0 < M + N) by (qc; lra).
  destruct (small_times (M + N) (b - a) HMN Hd) as [e0 [H0 [_ H1]]].
  assert (K : eventually (fun e => e < e0)) by (exists e0; split; auto).
  eapply eventually_imp; [|exact (eventually_and _ _ K (eventually_and _ _ Hp Hq))].
  intros e He [Hl [[A1 A2] [B1 B2]]]. qc. nra.
Qed.

Lemma qleb_differ a b : qeqb a b = false -> qleb a b = true -> a < b.
Proof.
  intros E L. apply qleb_le in L. destruct (Qclt_le_dec a b) as [H|H]; auto.
  rewrite (Qcle_antisym _ _ L H), (proj2 (qeqb_eq b b) eq_refl) in E. discriminate.
Qed.

Lemma sleb_means p : forall q u v, means p u -> means q v -> sleb p q = Some true -> eventually (fun e => u e <= v e).
Proof.
  assert (Same : forall a u v u' v', eventually (fun e => u' e <= v' e) -> eventually (fun e => u e = a + e * u' e) ->
    eventually (fun e => v e = a + e * v' e) -> eventually (fun e => u e <= v e)).
  { intros a u v u' v' H Eu Ev. eapply eventually_imp; [|exact (eventually_and _ _ H (eventually_and _ _ Eu Ev))].
    intros e He [L [-> ->]]. qc. nra. }
  assert (Differ : forall a b p q u v u' v', qeqb a b = false -> qleb a b = true -> means p u' -> means q v' ->
    eventually (fun e => u e = a + e * u' e) -> eventually (fun e => v e = b + e * v' e) ->
    eventually (fun e => u e <= v e)).
  { intros a b p0 q u v u' v' E L Hu Hv Eu Ev.
    eapply eventually_imp; [|exact (eventually_and _ _ (means_first a b _ _ _ _ Hu Hv (qleb_differ _ _ E L))
      (eventually_and _ _ Eu Ev))].
    intros e _ [K [-> ->]]. exact K. }
  assert (Null : forall u, means Zero u -> means Zero (fun _ => 0) /\ eventually (fun e => u e = 0 + e * 0)).
  { intros u H. split; [apply eventually_true; reflexivity|]. eapply eventually_imp; [|exact H]. intros e _ ->. ring. }
  induction p as [| |a p IH]; intros q u v Hu Hv H.
  - revert u v Hu Hv H. induction q as [| |b q IHq]; intros u v Hu Hv H.
    + eapply eventually_imp; [|exact (eventually_and _ _ Hu Hv)]. intros e _ [-> ->]. apply Qcle_refl.
    + discriminate.
    + destruct (Null u Hu) as [Hz Eu]. destruct Hv as [v' [Hv Ev]]. simpl in H. destruct (qeqb b 0) eqn:E.
      * apply qeqb_eq in E. subst. apply (Same 0 u v (fun _ => 0) v'); auto. apply IHq; auto.
        destruct q; exact H.
      * injection H as H. apply (Differ 0 b Zero q u v (fun _ => 0) v'); auto.
        destruct (qeqb 0 b) eqn:E0; auto. apply qeqb_eq in E0. subst. rewrite (proj2 (qeqb_eq _ _) eq_refl) in E.
        discriminate.
  - destruct q; discriminate.
  - destruct q as [| |b q].
    + destruct (Null v Hv) as [Hz Ev]. destruct Hu as [u' [Hu Eu]]. simpl in H. destruct (qeqb a 0) eqn:E.
      * apply qeqb_eq in E. subst. apply (Same 0 u v u' (fun _ => 0)); auto. eapply IH; eauto.
      * injection H as H. apply (Differ a 0 p Zero u v u' (fun _ => 0)); auto.
    + discriminate.
    + destruct Hu as [u' [Hu Eu]], Hv as [v' [Hv Ev]]. simpl in H. destruct (qeqb a b) eqn:E.
      * apply qeqb_eq in E. subst. apply (Same b u v u' v'); auto. eapply IH; eauto.
      * injection H as H. apply (Differ a b p q u v u' v'); auto.
Qed.
