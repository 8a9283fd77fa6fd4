(* A mixture of two strategies as a single behavior strategy (Kuhn 1953). *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit Recall NormalForm View NashCheck Polynomial QuasiPerfectCheck QuasiPerfectNash
  Implications SequentialNash.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* The strategy f of player j plays like s with the weight a, and like y with the weight c, at each node of t. *)
Fixpoint blended (j : player) (f s y : strategy) (t : tree) (a c : Qc) {struct t} : Prop :=
  match t with
  | Leaf _ _ => True
  | Chance l => all (fun qc => blended j f s y (snd qc) a c) l
  | Node p k l =>
      if peq p j then
        (fix go (fk sk yk : list Qc) (l : list tree) {struct l} := match fk, sk, yk, l with
         | x :: fk, u :: sk, v :: yk, t :: l =>
             (a + c) * x = a * u + c * v /\ blended j f s y t (a * u) (c * v) /\ go fk sk yk l
         | [], [], [], [] => True
         | _, _, _, _ => False
         end) (f k) (s k) (y k) l
      else all (fun t => blended j f s y t a c) l
  end.

(* The payoffs are those of the mixture. *)
Lemma blended_ev o i j f s y : forall t a c, blended j f s y t a c ->
  (a + c) * ev (deviate o j f) i t = a * ev (deviate o j s) i t + c * ev (deviate o j y) i t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros a c B; cbn [ev blended] in *.
  - ring.
  - induction IH as [|[q t] l Hc Hl IH]; simpl in *; [ring|]. destruct B as [B1 B2]. specialize (Hc a c B1).
    specialize (IH B2). revert Hc IH. simpl.
    generalize (sum (map (fun qc => fst qc * ev (deviate o j f) i (snd qc)) l)),
      (sum (map (fun qc => fst qc * ev (deviate o j s) i (snd qc)) l)),
      (sum (map (fun qc => fst qc * ev (deviate o j y) i (snd qc)) l)). intros F S Y Hc IH.
    replace ((a + c) * (q * ev (deviate o j f) i t + F)) with (q * ((a + c) * ev (deviate o j f) i t) + (a + c) * F)
      by ring. rewrite Hc, IH. ring.
  - destruct (peq p j) eqn:E.
    + apply peq_eq in E. subst p. rewrite !dev_self. revert B. generalize (f k) as fk, (s k) as sk, (y k) as yk.
      induction IH as [|t l Hc Hl IH]; intros [|x fk] [|u sk] [|v yk] B; try (destruct B; fail); simpl; [ring|].
      destruct B as [B1 [B2 B3]]. specialize (Hc _ _ B2). specialize (IH _ _ _ B3). revert Hc IH.
      generalize (dot fk (map (ev (deviate o j f) i) l)), (dot sk (map (ev (deviate o j s) i) l)),
        (dot yk (map (ev (deviate o j y) i) l)). intros F S Y Hc IH.
      replace ((a + c) * (x * ev (deviate o j f) i t + F)) with (((a + c) * x) * ev (deviate o j f) i t + (a + c) * F)
        by ring. rewrite B1, Hc, IH. ring.
    + assert (D : forall z, deviate o j z p k = o p k) by (intro z; unfold deviate; now rewrite E).
      rewrite !D. generalize (o p k) as q. induction IH as [|t l Hc Hl IH]; intros [|x q]; simpl in *; try ring.
      destruct B as [B1 B2]. specialize (Hc a c B1). specialize (IH B2 q). revert Hc IH.
      generalize (dot q (map (ev (deviate o j f) i) l)), (dot q (map (ev (deviate o j s) i) l)),
        (dot q (map (ev (deviate o j y) i) l)). intros F S Y Hc IH.
      replace ((a + c) * (x * ev (deviate o j f) i t + F)) with (x * ((a + c) * ev (deviate o j f) i t) + (a + c) * F)
        by ring. rewrite Hc, IH. ring.
Qed.

(* The plan is the mixture of the plans. *)
Lemma blended_plan j f s y : forall t a c, blended j f s y t a c ->
  length (plan_of s j t a) = length (plan_of y j t c) /\
  plan_of f j t (a + c) = zipw Qcplus (plan_of s j t a) (plan_of y j t c).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros a c B; cbn [plan_of blended] in *.
  - split; reflexivity.
  - induction IH as [|[q t] l Hc Hl IH]; simpl in *; [split; reflexivity|]. destruct B as [B1 B2].
    destruct (Hc a c B1) as [L1 E1], (IH B2) as [L2 E2]. rewrite !app_length, zipw_app by assumption.
    split; congruence.
  - destruct (peq p j).
    + revert B. generalize (f k) as fk, (s k) as sk, (y k) as yk.
      induction IH as [|t l Hc Hl IH]; intros [|x fk] [|u sk] [|v yk] B; try (destruct B; fail);
        cbn [map zipw concat]; [split; reflexivity|]. destruct B as [B1 [B2 B3]].
      destruct (Hc _ _ B2) as [L1 E1], (IH _ _ _ B3) as [L2 E2]. rewrite !app_length, zipw_app by assumption.
      rewrite B1. split; congruence.
    + induction IH as [|t l Hc Hl IH]; simpl in *; [split; reflexivity|]. destruct B as [B1 B2].
      destruct (Hc a c B1) as [L1 E1], (IH B2) as [L2 E2]. rewrite !app_length, zipw_app by assumption.
      split; congruence.
Qed.

(* The mixture that plays s with the probability 1 - e, and y with the probability e. *)
Definition blend (hist : positive -> history) (s y : strategy) (e : Qc) : strategy := fun k =>
  let a := (1 - e) * own s (hist k) in
  let c := e * own y (hist k) in
  zipw (fun u v => (a * u + c * v) / (a + c)) (s k) (y k).

Lemma blend_blended j hist s y e : 0 < e -> e < 1 -> forall t h, recall j hist t h -> valid j s t ->
  nodes (fun p k n => p = j -> dist (y k) n /\ Forall (fun x => 0 < x) (y k)) t ->
  0 <= own s h -> 0 < own y h ->
  blended j (blend hist s y e) s y t ((1 - e) * own s h) (e * own y h) /\
  nodes (fun p k n => p = j -> dist (blend hist s y e k) n /\ Forall (fun x => 0 < x) (blend hist s y e k)) t.
Proof.
  intros He He1. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h R V M Os Oy;
    cbn [recall valid nodes blended] in *.
  - auto.
  - rewrite !all_Forall in *. rewrite Forall_forall in IH, R, V, M. split; apply Forall_forall; intros qc Hin;
      apply (IH qc Hin h); auto.
  - destruct M as [M1 M2], V as [V1 V2]. destruct (peq p j) eqn:E.
    + apply peq_eq in E. subst p. destruct R as [Hk R]. destruct (M1 eq_refl) as [[Ly [_ Sy]] Py].
      destruct (V1 eq_refl) as [Ls [Ps Ss]].
      set (a := (1 - e) * own s h). set (c := e * own y h).
      assert (Ha : 0 <= a) by (unfold a; qc; nra). assert (Hc : 0 < c) by (unfold c; qc; nra).
      assert (Hac : 0 < a + c) by (qc; lra). assert (Nac : a + c <> 0) by now apply pos_neq.
      assert (Bk : blend hist s y e k = zipw (fun u v => (a * u + c * v) / (a + c)) (s k) (y k)).
      { unfold blend. rewrite Hk. reflexivity. }
      assert (C : forall n sk yk l', Forall (fun t => forall h, recall j hist t h -> valid j s t ->
            nodes (fun p k n => p = j -> dist (y k) n /\ Forall (fun x => 0 < x) (y k)) t ->
            0 <= own s h -> 0 < own y h ->
            blended j (blend hist s y e) s y t ((1 - e) * own s h) (e * own y h) /\
            nodes (fun p k n => p = j -> dist (blend hist s y e k) n /\ Forall (fun x => 0 < x) (blend hist s y e k)) t)
            l' ->
          length sk = length l' -> length yk = length l' ->
          (forall m, nth m sk 0 = nth (n + m) (s k) 0) -> (forall m, nth m yk 0 = nth (n + m) (y k) 0) ->
          Forall (fun x => 0 <= x) sk -> Forall (fun x => 0 < x) yk ->
          alli (fun m c => recall j hist c ((k, m) :: h)) n l' -> all (valid j s) l' ->
          all (nodes (fun p k n => p = j -> dist (y k) n /\ Forall (fun x => 0 < x) (y k))) l' ->
          (fix go (fk sk yk : list Qc) (l : list tree) {struct l} := match fk, sk, yk, l with
           | x :: fk, u :: sk, v :: yk, t :: l =>
             (a + c) * x = a * u + c * v /\ blended j (blend hist s y e) s y t (a * u) (c * v) /\ go fk sk yk l
           | [], [], [], [] => True
           | _, _, _, _ => False
           end) (zipw (fun u v => (a * u + c * v) / (a + c)) sk yk) sk yk l' /\
          all (nodes (fun p k n => p = j -> dist (blend hist s y e k) n /\
            Forall (fun x => 0 < x) (blend hist s y e k))) l').
      { clear IH R V1 V2 M1 M2 Hk Bk. intros n sk yk l' F. revert n sk yk.
        induction F as [|t l' Ht Hl IH]; intros n [|u sk] [|v yk] L1 L2 N1 N2 Q1 Q2 R V M; try discriminate L1;
          try discriminate L2; [split; exact I|].
        cbn [zipw]. simpl in R, V, M. destruct R as [R1 R2], V as [V1 V2], M as [M1 M2].
        inversion Q1; inversion Q2; subst.
        pose proof (N1 0%nat) as E1. pose proof (N2 0%nat) as E2. rewrite Nat.add_0_r in E1, E2. simpl in E1, E2.
        destruct (Ht ((k, n) :: h) R1 V1 M1) as [B1 B2].
        { cbn [own]. rewrite <- E1. qc. nra. }
        { cbn [own]. rewrite <- E2. qc. nra. }
        destruct (IH (S n) sk yk) as [C1 C2]; auto.
        { intro m. specialize (N1 (S m)). simpl in N1. rewrite N1. f_equal. lia. }
        { intro m. specialize (N2 (S m)). simpl in N2. rewrite N2. f_equal. lia. }
        split; [|split; assumption]. split; [field; exact Nac|]. split; [|exact C1].
        cbn [own] in B1. rewrite <- E1, <- E2 in B1.
        replace (a * u) with ((1 - e) * (u * own s h)) by (unfold a; ring).
        replace (c * v) with (e * (v * own y h)) by (unfold c; ring). exact B1. }
      rewrite Bk. destruct (C 0%nat (s k) (y k) l) as [C1 C2]; auto.
      split; [exact C1|]. split; [|exact C2]. intros _.
      assert (Pos : Forall (fun x => 0 < x) (zipw (fun u v => (a * u + c * v) / (a + c)) (s k) (y k))).
      { clear - Ha Hc Hac Ps Py. revert Py. generalize (y k) as yk. induction Ps as [|u sk Hu Ps IH]; intros yk Py;
          [destruct yk; constructor|]. destruct Py as [|v yk Hv Py]; constructor; auto. apply div_pos; auto. qc. nra. }
      split; [|exact Pos]. split; [|split].
      * clear - Ls Ly. revert Ls Ly. generalize (s k) as sk, (y k) as yk, (length l) as n.
        intros sk yk n. revert sk yk.
        induction n as [|n IH]; intros [|u sk] [|v yk] L1 L2; try discriminate; simpl; auto.
      * eapply Forall_impl; [|exact Pos]. intros x. apply Qclt_le_weak.
      * assert (S : forall sk yk, length sk = length yk ->
          sum (zipw (fun u v => (a * u + c * v) / (a + c)) sk yk) = (a * sum sk + c * sum yk) / (a + c)).
        { clear - Nac. induction sk as [|u sk IH]; intros [|v yk] L; try discriminate L; simpl; [field; exact Nac|].
          rewrite IH by (simpl in L; congruence). field. exact Nac. }
        rewrite S by congruence. rewrite Ss, Sy. field. exact Nac.
    + rewrite !all_Forall in *. rewrite Forall_forall in IH, R, V2, M2. split.
      * apply Forall_forall. intros t Hin. apply (IH t Hin h); auto.
      * split; [intros ->; rewrite (proj2 (peq_eq j j) eq_refl) in E; discriminate|].
        apply Forall_forall. intros t Hin. apply (IH t Hin h); auto.
Qed.
