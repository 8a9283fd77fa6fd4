(* A test of the definitions: with perfect recall, every one-sided quasi-perfect equilibrium is a Nash equilibrium. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Nash Limit Recall QuasiPerfect OneSided View NashCheck Polynomial QuasiPerfectCheck
  OneSidedCheck NashComplete QuasiPerfectNash.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* A strategy that is best from each information set on is best from the root on. *)
Lemma best_everywhere_best b i d t : perfect_recall t -> valid i d t ->
  (forall k, cont (deviate b i d) i k t 1 <= cont b i k t 1) -> ev (deviate b i d) i t <= ev b i t.
Proof.
  intros R Hd B. destruct (R i) as [hist Rh]. rewrite !ev_view, dev_self, dev_other.
  apply (local_global hist); [now apply view_loc|]. intro k.
  specialize (B k). rewrite <- !view_cont, dev_self, dev_other in B. exact B.
Qed.

Theorem one_sided_nash i t s : perfect_recall t -> one_sided i t s -> nash t s.
Proof.
  intros R [V [[y [_ [Near Best]]] Other]] q. split; [apply V|]. intros d Hd. destruct (peq q i) eqn:Eq.
  - apply peq_eq in Eq. subst q.
    destruct (Qclt_le_dec (ev s i t) (ev (deviate s i d) i t)) as [L|L]; [exfalso | assumption].
    destruct (continuous (deviate s i d) i t) as [C1 [P1 K1]]. destruct (continuous s i t) as [C2 [P2 K2]].
    destruct (small_times (C1 + C2) (ev (deviate s i d) i t - ev s i t)) as [g [G0 [G1 G2]]];
      [qc; lra | clear - L; qc; lra|].
    destruct (eventually_exists _ (eventually_and _ _ (Near g G0) Best)) as [e [_ [N B]]]. cbv zeta in B.
    set (b := deviate s (other i) (y e)) in *.
    assert (D : close_at g b s t).
    { unfold close_at. eapply nodes_imp; [|exact N]. intros p k n H. unfold b, deviate.
      destruct (peq p (other i)) eqn:E; [apply peq_eq in E; auto|].
      clear - G0. induction (s p k); constructor; auto. now apply near_self. }
    assert (D2 : close_at g (deviate b i d) (deviate s i d) t).
    { unfold close_at in *. eapply nodes_imp; [|exact D]. intros p k n H. unfold deviate. destruct (peq p i); auto.
      clear - G0. induction (d k); constructor; auto. now apply near_self. }
    specialize (K1 g _ G0 (Qclt_le_weak _ _ G1) D2). specialize (K2 g _ G0 (Qclt_le_weak _ _ G1) D).
    pose proof (best_everywhere_best b i d t R Hd (fun k => B k d Hd)) as Z.
    destruct K1 as [_ K1], K2 as [K2 _]. clear - K1 K2 Z G2. revert K1 K2 Z G2.
    generalize (ev (deviate b i d) i t), (ev b i t), (ev (deviate s i d) i t), (ev s i t). intros. qc. nra.
  - apply peq_other in Eq. subst q. apply best_everywhere_best; auto.
Qed.
