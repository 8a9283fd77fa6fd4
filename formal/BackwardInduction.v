(* A checker of quasi-perfect and perfect equilibria by backward induction and the proof that it is sound.
   The certificate states mistakes of order e for each action. From the leaves to the root, the checker computes the
   payoffs of both players as polynomials in e. It compares the payoffs of the actions at each single node. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia Lqa.
From Tremble Require Import Game Limit Recall QuasiPerfect Perfect SubgamePerfect View NashCheck Polynomial
  QuasiPerfectCheck QuasiPerfectNash Implications SequentialNash Series.
Import ListNotations.
Open Scope Qc_scope.
Local Hint Rewrite this_add this_mul this_opp : qc.

(* ---------- checker ---------- *)

(* The probability q of each action becomes q + e m. *)
Definition erring (q m : list Qc) (e : Qc) : list Qc := zipw (fun x y => x + e * y) q m.

(* For small e > 0, these are positive probabilities of n actions. *)
Definition erringb (q m : list Qc) (n : nat) : bool :=
  distb q n && Nat.eqb (length m) n && qeqb (sum m) 0 &&
  forallb (fun b => b) (zipw (fun x y => negb (qeqb x 0) || negb (qleb y 0)) q m).

Fixpoint each (l : list (option bool)) : option bool :=
  match l with
  | [] => Some true
  | Some true :: r => each r
  | Some false :: _ => Some false
  | None :: r => match each r with Some true => None | x => x end
  end.

(* What the players earn from a node on, if all players make mistakes, except that a player does not count its own ones
   unless own is true.
   fine: at each node from this node on, no action earns the mover more than s. None: the known terms do not decide
   it. *)
Record worth := Worth { fine : option bool; worth1 : series; worth2 : series }.
Definition worth_of (i : player) (w : worth) := match i with P1 => worth1 w | P2 => worth2 w end.
Definition pair_for (i : player) (mine others : series) (f : option bool) : worth :=
  match i with P1 => Worth f mine others | P2 => Worth f others mine end.

(* n: how many terms of the polynomials are computed. *)
Fixpoint induct (own : bool) (n : nat) (s m : profile) (t : tree) : worth :=
  match t with
  | Leaf u1 u2 => Worth (Some true) (Term u1 Zero) (Term u2 Zero)
  | Chance l =>
      let ws := map (fun qc => induct own n s m (snd qc)) l in
      let u i := cut n (sdot (map fst l) (map (worth_of i) ws)) in
      Worth (each (map fine ws)) (u P1) (u P2)
  | Node p k l =>
      let ws := map (induct own n s m) l in
      let mine := map (worth_of p) ws in
      let others := map (worth_of (other p)) ws in
      let v := sdot (s p k) mine in
      let best := map (fun qx => if qeqb (fst qx) 1 then Some true else sleb (snd qx) v) (combine (s p k) mine) in
      pair_for p (cut n (if own then sadd v (Term 0 (sdot (m p k) mine)) else v))
               (cut n (sadd (sdot (s p k) others) (Term 0 (sdot (m p k) others))))
               (each (Some (erringb (s p k) (m p k) (length l)) :: best ++ map fine ws))
  end.

(* Compute more terms until they decide. *)
Fixpoint decide (own : bool) (fuel n : nat) (s m : profile) (t : tree) : bool :=
  match fine (induct own n s m t), fuel with
  | Some b, _ => b
  | None, O => false
  | None, S fuel => decide own fuel (4 * n) s m t
  end.

Definition induction_check (own : bool) (t : tree) (s m : profile) : bool := gameb t && decide own 10 8 s m t.

(* ---------- proof ---------- *)

Lemma each_all l : each l = Some true <-> Forall (fun x => x = Some true) l.
Proof.
  induction l as [|[[]|] l IH]; cbn [each]; split; intro H; auto; try discriminate.
  - constructor; auto. now apply IH.
  - inversion H. now apply IH.
  - inversion H. discriminate.
  - destruct (each l) as [[]|]; discriminate.
  - inversion H. discriminate.
Qed.

Lemma erring_dot e v : forall q m, length q = length m -> dot (erring q m e) v = dot q v + e * dot m v.
Proof.
  unfold erring. revert v. induction v as [|x v IH]; intros [|a q] [|b m] L; try discriminate L; simpl; try ring.
  rewrite IH by (simpl in L; congruence). ring.
Qed.

Lemma erring_sum e : forall q m, length q = length m -> sum (erring q m e) = sum q + e * sum m.
Proof.
  unfold erring. induction q as [|a q IH]; intros [|b m] L; try discriminate L; simpl; [ring|].
  rewrite IH by (simpl in L; congruence). ring.
Qed.

Lemma erringb_dist q m n : erringb q m n = true ->
  dist q n /\ length m = n /\ eventually (fun e => dist (erring q m e) n /\ Forall (fun x => 0 < x) (erring q m e)).
Proof.
  unfold erringb. rewrite !andb_true_iff, distb_dist, Nat.eqb_eq, qeqb_eq. intros [[[D L] S] H].
  split; auto. split; auto. pose proof D as [L2 [P S2]].
  assert (K : eventually (fun e => Forall (fun x => 0 < x) (erring q m e))).
  { clear - P H. unfold erring. revert m H. induction P as [|x q Hx P IH]; intros [|y m] H;
      try (apply eventually_true; intros; solve [constructor]).
    cbn [zipw forallb] in *. apply andb_true_iff in H. destruct H as [A B].
    assert (X : eventually (fun e => 0 < x + e * y)); [|eapply eventually_imp; [|exact (eventually_and _ _ X (IH m B))];
      intros e _ [E F]; now constructor].
    destruct (qeqb x 0) eqn:E.
    - apply qeqb_eq in E. subst. simpl in A. apply eventually_true. intros e He.
      assert (Hy : 0 < y).
      { destruct (Qclt_le_dec 0 y) as [|N]; auto. apply qleb_le in N. rewrite N in A. discriminate. }
      qc. nra.
    - assert (Px : 0 < x).
      { destruct (Qclt_le_dec 0 x) as [|N]; auto. rewrite (Qcle_antisym _ _ N Hx), (proj2 (qeqb_eq 0 0) eq_refl) in E.
        discriminate. }
      pose proof (ppos_eval [x; y]) as Q. cbn [ppos] in Q. rewrite E in Q. simpl in Q.
      eapply eventually_imp; [|apply Q, qleb_le, Hx]. intros e _. cbn [eval].
      replace (e * (y + e * 0)) with (e * y) by ring. exact (fun W => W). }
  eapply eventually_imp; [|exact K]. intros e _ F. split; auto. split; [|split].
  - unfold erring. clear - L L2. revert n q m L L2. induction n as [|n IH]; intros [|a q] [|b m] L L2;
      try discriminate; simpl; auto.
  - eapply Forall_impl; [|exact F]. intros x. apply Qclt_le_weak.
  - rewrite erring_sum by congruence. rewrite S, S2. ring.
Qed.

Lemma erring_near d : 0 < d -> forall q m, length q = length m ->
  eventually (fun e => Forall2 (near d) (erring q m e) q).
Proof.
  intro Hd. unfold erring. induction q as [|x q IH]; intros [|y m] L; try discriminate L.
  - apply eventually_true. intros. constructor.
  - assert (HM : 0 < 1 + y * y) by (qc; nra). destruct (small_times (1 + y * y) d HM Hd) as [e0 [H0 [_ H1]]].
    assert (K : eventually (fun e => e < e0)) by (exists e0; split; auto).
    eapply eventually_imp; [|exact (eventually_and _ _ K (IH m ltac:(simpl in L; congruence)))].
    intros e He [Hl F]. simpl. constructor; auto. clear - He Hl H0 H1.
    assert (Y1 : 0 < 1 + y * y - y) by (qc; nra). assert (Y2 : 0 < 1 + y * y + y) by (qc; nra).
    unfold near. split; qc; nra.
Qed.

Section Sound.
Variable own : bool.
Variables s m : profile.
Let b (e : Qc) : profile := fun p k => erring (s p k) (m p k) e.

(* What player i earns from x on. *)
Definition earned (i : player) (x : tree) (e : Qc) : Qc := ev (if own then b e else deviate (b e) i (s i)) i x.

Fixpoint everywhere (P : tree -> Prop) (t : tree) : Prop :=
  P t /\ match t with
         | Leaf _ _ => True
         | Chance l => all (fun qc => everywhere P (snd qc)) l
         | Node _ _ l => all (everywhere P) l
         end.

(* No action at the root of x earns the mover more than s. *)
Definition best_here (e : Qc) (x : tree) : Prop :=
  match x with
  | Node p k l => Forall (fun c => earned p c e <= dot (s p k) (map (fun c => earned p c e) l)) l
  | _ => True
  end.

Lemma earned_own p k l e : earned p (Node p k l) e =
  dot (if own then erring (s p k) (m p k) e else s p k) (map (fun c => earned p c e) l).
Proof. unfold earned. destruct own; cbn [ev]; [reflexivity | now rewrite dev_self]. Qed.

Lemma earned_other p k l e : earned (other p) (Node p k l) e =
  dot (erring (s p k) (m p k) e) (map (fun c => earned (other p) c e) l).
Proof. unfold earned. destruct own; cbn [ev]; f_equal. unfold deviate. destruct p; reflexivity. Qed.

Record sound (t : tree) (w : worth) : Prop := {
  so_means : forall i, means (worth_of i w) (earned i t);
  so_best : eventually (fun e => everywhere (best_here e) t);
  so_errs : nodes (fun p k n => erringb (s p k) (m p k) n = true) t }.

Lemma worth_of_pair p i mine others f :
  worth_of i (pair_for p mine others f) = if peq i p then mine else others.
Proof. destruct p, i; reflexivity. Qed.

Lemma fine_pair p mine others f : fine (pair_for p mine others f) = f.
Proof. destruct p; reflexivity. Qed.

Lemma sum_nonneg_le q : Forall (fun x => 0 <= x) q -> 0 <= sum q /\ Forall (fun x => x <= sum q) q.
Proof.
  induction 1 as [|x q Hx P [I1 I2]]; simpl; [split; [apply Qcle_refl | constructor]|]. split; [qc; lra|].
  constructor; [qc; lra|]. eapply Forall_impl; [|exact I2]. intros y Hy. cbn beta in *. qc. lra.
Qed.

Lemma dot_null q : Forall (fun x => 0 <= x) q -> sum q = 0 -> forall v, dot q v = 0.
Proof.
  intros P S. destruct (sum_nonneg_le q P) as [_ B]. rewrite S in B. clear S.
  induction P as [|x q Hx P IH]; intros [|y v]; auto. inversion B; subst. simpl. rewrite IH by assumption.
  rewrite (Qcle_antisym x 0) by assumption. ring.
Qed.

(* If an action is certain, the mean of the payoffs is the payoff after this action. *)
Lemma dot_certain y : forall q v, Forall (fun x => 0 <= x) q -> sum q = 1 -> In (1, y) (combine q v) -> dot q v = y.
Proof.
  induction q as [|x q IH]; intros [|z v] P S H; try (destruct H; fail). inversion P as [|? ? Px Pq]; subst.
  cbn [sum combine dot] in *. destruct H as [H|H].
  - injection H as -> ->. rewrite dot_null; [ring | assumption|].
    replace (sum q) with (1 + sum q - 1) by ring. rewrite S. ring.
  - assert (L : 1 <= sum q).
    { destruct (sum_nonneg_le q Pq) as [_ B]. rewrite Forall_forall in B. apply B. eapply in_combine_l. exact H. }
    assert (Z : x = 0).
    { apply Qcle_antisym; auto. apply (f_equal this) in S.
      assert (Q : (this x + this (sum q) == 1)%Q) by (rewrite <- this_add, S; reflexivity). clear - L Q. qc. lra. }
    subst. replace (0 + sum q) with (sum q) in S by ring. rewrite (IH v Pq S H). ring.
Qed.

Lemma each_map A (f : A -> option bool) l : each (map f l) = Some true -> Forall (fun x => f x = Some true) l.
Proof. intro H. apply each_all in H. now rewrite Forall_map in H. Qed.

Lemma means_list i (ws : list worth) (l : list tree) : Forall2 sound l ws ->
  Forall2 means (map (worth_of i) ws) (map (earned i) l).
Proof. induction 1; simpl; constructor; auto. apply H. Qed.

Lemma dot_earned q i l e : dot q (map (fun u => u e) (map (earned i) l)) = dot q (map (fun c => earned i c e) l).
Proof. now rewrite map_map. Qed.

Lemma sum_dot l (f : tree -> Qc) : sum (map (fun qc => fst qc * f (snd qc)) l) = dot (map fst l) (map f (map snd l)).
Proof. induction l as [|[q c] l IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma induct_sound n : forall t, game t -> fine (induct own n s m t) = Some true -> sound t (induct own n s m t).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros G F.
  - constructor.
    + intros []; exists (fun _ => 0); (split; [apply eventually_true; reflexivity|]); apply eventually_true; intros e _;
        unfold earned; simpl; ring.
    + apply eventually_true. intros e _. split; exact I.
    + exact I.
  - cbn [induct fine game] in *. destruct G as [_ G]. rewrite map_map in F. apply each_map in F.
    assert (S : Forall2 sound (map snd l) (map (fun qc => induct own n s m (snd qc)) l)).
    { clear - IH F G. apply all_Forall in G. induction IH as [|[q c] l Hc Hl IH]; simpl; constructor;
        inversion G; inversion F; subst; auto. }
    constructor.
    + intro i.
      assert (E : means (cut n (sdot (map fst l) (map (worth_of i) (map (fun qc => induct own n s m (snd qc)) l))))
        (earned i (Chance l))); [|destruct i; exact E].
      apply means_cut. eapply means_ext; [|exact (means_dot _ _ (means_list i _ _ S) (map fst l))].
      apply eventually_true. intros e _. rewrite dot_earned. unfold earned. cbn [ev]. symmetry. apply sum_dot.
    + assert (K : eventually (fun e => Forall (everywhere (best_here e)) (map snd l))).
      { apply eventually_Forall. clear - S. induction S; constructor; auto. apply H. }
      eapply eventually_imp; [|exact K]. intros e _ W. rewrite Forall_map in W. split; [exact I | now apply all_Forall].
    + cbn [nodes]. apply all_Forall. clear - S. induction l as [|[q c] l IH]; simpl in *; constructor;
        inversion S; subst; auto. apply H2.
  - cbn [induct game] in *. rewrite fine_pair in F. cbn [each] in F.
    destruct (erringb (s p k) (m p k) (length l)) eqn:E; [|discriminate].
    apply each_all, Forall_app in F. destruct F as [Fb F]. rewrite !Forall_map in F. rewrite Forall_map in Fb.
    destruct (erringb_dist _ _ _ E) as [Ds [Lm _]]. pose proof Ds as [Ls _].
    set (ws := map (induct own n s m) l) in *.
    assert (S : Forall2 sound l ws).
    { unfold ws. clear - IH F G. apply all_Forall in G. induction IH as [|c l Hc Hl IH]; simpl; constructor;
        inversion G; inversion F; subst; auto. }
    set (v := sdot (s p k) (map (worth_of p) ws)) in *.
    set (u := fun e => dot (s p k) (map (fun c => earned p c e) l)).
    assert (Mv : means v u).
    { eapply means_ext; [|exact (means_dot _ _ (means_list p _ _ S) (s p k))]. apply eventually_true. intros e _.
      apply dot_earned. }
    assert (Mm : forall i,
      means (sadd (sdot (s p k) (map (worth_of i) ws)) (Term 0 (sdot (m p k) (map (worth_of i) ws))))
        (fun e => dot (erring (s p k) (m p k) e) (map (fun c => earned i c e) l))).
    { intro i. eapply means_ext; [|apply means_add; [exact (means_dot _ _ (means_list i _ _ S) (s p k)) |
        apply means_shift; exact (means_dot _ _ (means_list i _ _ S) (m p k))]].
      apply eventually_true. intros e _. rewrite erring_dot by congruence. now rewrite !dot_earned. }
    assert (Mb : eventually (fun e => Forall (fun c => earned p c e <= u e) l)).
    { apply (eventually_Forall _ (fun c e => earned p c e <= u e)).
      assert (K : forall cs vs, Forall2 sound cs vs -> forall q, length q = length cs ->
        incl (combine q cs) (combine (s p k) l) ->
        Forall (fun qx => (if qeqb (fst qx) 1 then Some true else sleb (snd qx) v) = Some true)
          (combine q (map (worth_of p) vs)) ->
        Forall (fun c => eventually (fun e => earned p c e <= u e)) cs).
      { clear - Mv Ds. induction 1 as [|c w cs vs Hw S IHS]; intros [|x q] L A Fb; try discriminate L; constructor.
        - cbn [map combine] in *. inversion Fb as [|? ? F0 F1]; subst. cbn [fst snd] in F0. destruct (qeqb x 1) eqn:E1.
          + apply qeqb_eq in E1. subst. apply eventually_true. intros e _. unfold u.
            rewrite (dot_certain (earned p c e)); [apply Qcle_refl | apply Ds | apply Ds|].
            clear - A. specialize (A (1, c) (or_introl eq_refl)). revert A. generalize (s p k) as r.
            induction l as [|c0 l IH]; intros [|x r] A; try (destruct A; fail). simpl in *. destruct A as [A|A].
            * injection A as -> ->. now left.
            * right. now apply IH.
          + exact (sleb_means _ _ _ _ (so_means _ _ Hw p) Mv F0).
        - cbn [map combine] in *. inversion Fb; subst. apply (IHS q); auto.
          intros a Ha. apply A. now right. }
      apply (K l ws S (s p k)); auto. intros a H; exact H. }
    constructor.
    + intro i. rewrite worth_of_pair. destruct (peq i p) eqn:Ep.
      * apply peq_eq in Ep. subst i. apply means_cut.
        assert (X : forall o : bool, means (if o then sadd v (Term 0 (sdot (m p k) (map (worth_of p) ws))) else v)
          (fun e => dot (if o then erring (s p k) (m p k) e else s p k) (map (fun c => earned p c e) l))).
        { intros []; [exact (Mm p) | exact Mv]. }
        eapply means_ext; [|exact (X own)]. apply eventually_true. intros e _. now rewrite earned_own.
      * apply peq_other in Ep. subst i. apply means_cut. eapply means_ext; [|exact (Mm (other p))].
        apply eventually_true. intros e _. now rewrite earned_other.
    + assert (K : eventually (fun e => Forall (everywhere (best_here e)) l)).
      { apply eventually_Forall. clear - S. induction S; constructor; auto. apply H. }
      eapply eventually_imp; [|exact (eventually_and _ _ Mb K)].
      intros e _ [B W]. split; [exact B | now apply all_Forall].
    + split; [exact E|]. apply all_Forall. clear - S. induction S; constructor; auto. apply H.
Qed.

Lemma errs_mixed t : nodes (fun p k n => erringb (s p k) (m p k) n = true) t -> completely_mixed b t /\ tends_to b s t.
Proof.
  intro N. split.
  - apply (nodes_eventually (fun p k n e => dist (b e p k) n /\ Forall (fun x => 0 < x) (b e p k))).
    eapply nodes_imp; [|exact N]. intros p k n E. apply (erringb_dist _ _ _ E).
  - intros d Hd. apply (nodes_eventually (fun p k n e => Forall2 (near d) (b e p k) (s p k))).
    eapply nodes_imp; [|exact N]. intros p k n E. destruct (erringb_dist _ _ _ E) as [[L _] [Lm _]].
    apply erring_near; auto. congruence.
Qed.

Lemma errs_valid i : forall t, nodes (fun p k n => erringb (s p k) (m p k) n = true) t -> valid i (s i) t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [nodes valid]; auto.
  - rewrite !all_Forall, !Forall_forall. rewrite Forall_forall in IH. auto.
  - rewrite !all_Forall, !Forall_forall. rewrite Forall_forall in IH. intros [E N]. split; auto.
    intros ->. apply (erringb_dist _ _ _ E).
Qed.
End Sound.

Lemma everywhere_here P t : everywhere P t -> P t.
Proof. destruct t; now intros []. Qed.

(* ---------- quasi-perfect equilibria: players do not count their own mistakes ---------- *)

Section Quasi.
Variables s m : profile.
Variable e : Qc.
Let b : profile := fun p k => erring (s p k) (m p k) e.

(* From x on, no strategy of a player earns more. *)
Definition wise (x : tree) : Prop :=
  forall i d, valid i d x -> ev (deviate b i d) i x <= earned false s m i x e.

Lemma best_wise : forall t, game t -> nodes (fun p k n => dist (b p k) n) t ->
  everywhere (best_here false s m e) t -> everywhere wise t.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros G B W; cbn [game nodes everywhere] in *.
  - split; [|exact I]. intros [] d _; apply Qcle_refl.
  - destruct G as [[_ [D _]] G], W as [_ W]. rewrite all_Forall in *. rewrite Forall_map in D.
    assert (K : Forall (fun qc => everywhere wise (snd qc)) l) by (rewrite Forall_forall in *; auto).
    split; [|exact K]. intros i d V. unfold earned. cbn [ev]. apply sum_mono, Forall2_map. simpl in V.
    rewrite all_Forall in V. rewrite Forall_forall in *. intros qc Hin.
    rewrite !(Qcmult_comm (fst qc)). apply Qcmult_le_compat_r; [|now apply D].
    apply (everywhere_here _ _ (K qc Hin)). now apply V.
  - destruct B as [[Lb [Pb _]] B], W as [W0 W]. rewrite all_Forall in *.
    assert (K : Forall (everywhere wise) l) by (rewrite Forall_forall in *; auto).
    split; [|exact K]. intros i d [V1 V2]. rewrite all_Forall in V2.
    assert (Wc : Forall2 Qcle (map (ev (deviate b i d) i) l) (map (fun c => earned false s m i c e) l)).
    { apply Forall2_map. rewrite Forall_forall in *. intros c Hin. apply (everywhere_here _ _ (K c Hin)).
      now apply V2. }
    destruct (peq p i) eqn:Ep.
    + apply peq_eq in Ep. subst i. specialize (V1 eq_refl). rewrite earned_own. cbn [ev]. rewrite dev_self.
      eapply Qcle_trans; [apply dot_mono; [apply V1 | exact Wc]|]. apply dot_le_max; [now rewrite map_length|].
      rewrite Forall_map. exact W0.
    + assert (E : i = other p) by (destruct p, i; simpl in *; congruence). subst i. rewrite earned_other. cbn [ev].
      replace (deviate b (other p) d p k) with (b p k) by (unfold deviate; destruct p; reflexivity).
      apply dot_mono; [exact Pb | exact Wc].
Qed.

(* What is best from each single node on is best from each information set on. *)
Lemma cont_wise i k d : forall t w, 0 <= w -> game t -> nodes (fun p k n => dist (b p k) n) t -> valid i d t ->
  everywhere wise t -> cont (deviate b i d) i k t w <= cont (deviate b i (s i)) i k t w.
Proof.
  assert (Times : forall w x y, 0 <= w -> x <= y -> w * x <= w * y).
  { intros w x y Hw L. rewrite !(Qcmult_comm w). now apply Qcmult_le_compat_r. }
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros w Hw G B V W.
  - apply Qcle_refl.
  - cbn [game nodes valid everywhere cont] in *. destruct G as [[_ [D _]] G], W as [_ W]. apply sum_mono, Forall2_map.
    rewrite all_Forall in *. rewrite Forall_map in D. rewrite Forall_forall in *. intros qc Hin. apply IH; auto.
    specialize (D qc Hin). cbn beta in D. qc. nra.
  - destruct W as [W0 W]. pose proof (W0 i d V) as Le. unfold earned in Le.
    cbn [game nodes valid cont] in *. destruct B as [[Lb [Pb _]] B], V as [_ V]. destruct (peq p i) eqn:Ep.
    + destruct (Pos.eqb k k'); [now apply Times|]. apply sum_mono, Forall2_map. rewrite all_Forall in *.
      rewrite Forall_forall in *. intros c Hin. apply IH; auto.
    + apply peq_other in Ep. subst p. rewrite !dev_other. apply sum_mono. rewrite all_Forall in *. clear Lb Le W0.
      revert Pb. generalize (b (other i) k') as q.
      induction IH as [|c l Hc Hl IH]; intros [|x q] P; cbn [map zipw]; constructor;
        inversion P; inversion G; inversion B; inversion V; inversion W; subst.
      * apply Hc; auto. qc. nra.
      * apply IH; auto.
Qed.
End Quasi.

(* ---------- perfect equilibria: players count their own mistakes ---------- *)

Section Perfect.
Variables s m : profile.
Variable e : Qc.
Let b : profile := fun p k => erring (s p k) (m p k) e.

Lemma choose_absent i k q x : absent (i, k) x -> ev (choose b i k q) i x = ev b i x.
Proof.
  intro A. apply ev_agree. intros p k' Hin. unfold choose. destruct (peq p i && Pos.eqb k' k) eqn:E; auto.
  apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst. contradiction.
Qed.

Lemma best_choice i hist k q : forall t h, game t -> recall i hist t h -> nodes (fun p k n => dist (b p k) n) t ->
  nodes (fun p k n => dist (s p k) n) t ->
  everywhere (best_here true s m e) t -> valid i (choose b i k q i) t ->
  ev (choose b i k q) i t <= ev (choose b i k (s i k)) i t.
Proof.
  induction t as [u1 u2|l IH|p k' l IH] using tree_ind'; intros h G R B S W V;
    cbn [game recall nodes everywhere valid ev] in *.
  - apply Qcle_refl.
  - destruct G as [[_ [D _]] G], W as [_ W]. rewrite all_Forall in *. rewrite Forall_map in D.
    apply sum_mono, Forall2_map. rewrite Forall_forall in *. intros qc Hin.
    rewrite !(Qcmult_comm (fst qc)). apply Qcmult_le_compat_r; [|now apply D]. now apply (IH qc Hin h); auto.
  - destruct B as [[Lb [Pb Sb]] B], S as [[Ls [Ps Ss]] S], W as [W0 W], V as [V0 V].
    destruct (peq p i && Pos.eqb k' k) eqn:E.
    + apply andb_true_iff in E. destruct E as [E1 E2]. pose proof E1 as E1'. apply peq_eq in E1. apply Pos.eqb_eq in E2.
      subst p k'. rewrite E1' in R. destruct R as [Hk R]. pose proof (recall_below i hist k l h Hk R) as A.
      assert (M : forall z, map (ev (choose b i k z) i) l = map (ev b i) l).
      { intro z. apply map_ext_in. intros c Hin. apply choose_absent. rewrite Forall_forall in A. auto. }
      rewrite !M. unfold choose at 1 2. rewrite E1', Pos.eqb_refl. simpl. specialize (V0 eq_refl).
      unfold choose in V0. rewrite E1', Pos.eqb_refl in V0. simpl in V0.
      apply dot_le_max; [now rewrite map_length|]. rewrite Forall_map. exact W0.
    + assert (Q : forall z, choose b i k z p k' = b p k') by (intro z; unfold choose; now rewrite E).
      rewrite !Q. apply dot_mono; [exact Pb|]. apply Forall2_map. rewrite all_Forall in *.
      assert (K : Forall (fun c => exists h, recall i hist c h) l).
      { destruct (peq p i).
        - destruct R as [_ R]. apply Forall_forall. intros c Hin. destruct (alli_in _ _ _ _ _ R Hin). eauto.
        - rewrite all_Forall in R. eapply Forall_impl; [|exact R]. intros c Hc. exists h. exact Hc. }
      rewrite Forall_forall in *. intros c Hin. destruct (K c Hin) as [h' R']. apply (IH c Hin h'); auto.
Qed.
End Perfect.

(* ---------- soundness ---------- *)

Lemma induction_facts own t s m : induction_check own t s m = true -> game t /\
  nodes (fun p k n => erringb (s p k) (m p k) n = true) t /\ eventually (fun e => everywhere (best_here own s m e) t).
Proof.
  unfold induction_check. rewrite andb_true_iff. intros [G H]. apply gameb_game in G. split; auto.
  assert (K : forall fuel n, decide own fuel n s m t = true -> exists n, fine (induct own n s m t) = Some true).
  { induction fuel as [|f IH]; intros n D; cbn [decide] in D;
      destruct (fine (induct own n s m t)) as [[]|] eqn:E; try discriminate; eauto. }
  destruct (K _ _ H) as [n F]. pose proof (induct_sound own s m n t G F) as S.
  split; [exact (so_errs _ _ _ _ _ S) | exact (so_best _ _ _ _ _ S)].
Qed.

Theorem induction_quasi_perfect t s m : induction_check false t s m = true -> game t /\ quasi_perfect t s.
Proof.
  intro H. destruct (induction_facts _ _ _ _ H) as [G [N W]]. split; auto.
  destruct (errs_mixed s m t N) as [Mx Te]. split; [intro i; now apply errs_valid with m|].
  eexists. split; [exact Mx|]. split; [exact Te|].
  eapply eventually_imp; [|exact (eventually_and _ _ W Mx)]. intros e He [B M] i k d V.
  assert (D : nodes (fun p k n => dist (erring (s p k) (m p k) e) n) t).
  { eapply nodes_imp; [|exact M]. intros p k0 n0 [A _]. exact A. }
  apply cont_wise with (m := m); auto; [discriminate|]. now apply best_wise.
Qed.

Theorem induction_perfect t s m : perfect_recall t -> induction_check true t s m = true -> game t /\ perfect t s.
Proof.
  intros R H. destruct (induction_facts _ _ _ _ H) as [G [N W]]. split; auto.
  destruct (errs_mixed s m t N) as [Mx Te]. split; [intro i; now apply errs_valid with m|].
  eexists. split; [exact Mx|]. split; [exact Te|].
  eapply eventually_imp; [|exact (eventually_and _ _ W Mx)]. intros e He [B M] i k q V.
  destruct (R i) as [hist Ri]. apply best_choice with (hist := hist) (h := []) (m := m); auto.
  - eapply nodes_imp; [|exact M]. intros p k0 n0 [A _]. exact A.
  - eapply nodes_imp; [|exact N]. intros p k0 n0 A. apply (erringb_dist _ _ _ A).
Qed.
