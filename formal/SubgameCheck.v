(* A checker of subgame-perfect equilibria and the proof that it is sound.
   The checker visits each node once, from the leaves to the root. If the tree from a node on is a subgame, the checker
   proves that the strategies form a Nash equilibrium there, and replaces the subgame by a leaf with its payoffs. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia FMapPositive.
From Tremble Require Import Game Nash SubgamePerfect View NashCheck Polynomial QuasiPerfectCheck.
Import ListNotations.
Open Scope Qc_scope.

(* ---------- checker ---------- *)

Definition code (pk : player * positive) : positive := match pk with (P1, k) => xO k | (P2, k) => xI k end.
Definition index := PositiveMap.t nat.
Definition at_or (d : nat) (m : index) pk : nat :=
  match PositiveMap.find (code pk) m with Some n => n | None => d end.

(* The list sets t ++ acc, without the copies that the definition of sets makes. *)
Fixpoint all_sets (t : tree) (acc : list (player * positive)) : list (player * positive) :=
  match t with
  | Leaf _ _ => acc
  | Chance l => fold_right (fun qc a => all_sets (snd qc) a) acc l
  | Node p k l => (p, k) :: fold_right all_sets acc l
  end.

(* The index of the first node and of the last node of each information set. *)
Fixpoint firsts (n : nat) (l : list (player * positive)) (m : index) : index :=
  match l with
  | [] => m
  | pk :: r => firsts (S n) r (match PositiveMap.find (code pk) m with
                               | Some _ => m | None => PositiveMap.add (code pk) n m end)
  end.
Fixpoint lasts (n : nat) (l : list (player * positive)) (m : index) : index :=
  match l with [] => m | pk :: r => lasts (S n) r (PositiveMap.add (code pk) n m) end.

(* Comparisons of indices. The translation to OCaml knows Nat.compare, but it would compute Nat.leb, Nat.min and Nat.max
   in n steps. *)
Definition leq (n m : nat) : bool := match Nat.compare n m with Gt => false | _ => true end.
Definition lesser (n m : nat) : nat := match Nat.compare n m with Gt => m | _ => n end.
Definition larger (n m : nat) : nat := match Nat.compare n m with Gt => n | _ => m end.

(* kept: the tree in which leaves replace the subgames. fine: all subgames passed. next: the index of the next decision
   node in preorder. low, high: the indices of all nodes of the information sets in the tree are from low to high - 1.
     *)
Record pass := Pass { kept : tree; fine : bool; next : nat; low : nat; high : nat }.
Record passes := Passes { kepts : list tree; fines : bool; nexts : nat; lows : nat; highs : nat }.

Section Thread.
Variable A : Type.
Variable f : A -> nat -> pass.
Fixpoint thread (l : list A) (n : nat) : passes :=
  match l with
  | [] => Passes [] true n n 0
  | x :: r =>
      let a := f x n in
      let b := thread r (next a) in
      Passes (kept a :: kepts b) (fine a && fines b) (nexts b) (lesser (low a) (lows b)) (larger (high a) (highs b))
  end.
End Thread.
Arguments thread {A}.

Definition finish (s : profile) (n : nat) (r : pass) : pass :=
  if leq n (low r) && leq (high r) (next r) then
    Pass (Leaf (ev s P1 (kept r)) (ev s P2 (kept r)))
         (fine r && gain_free (kept r) s P1 && gain_free (kept r) s P2) (next r) (low r) (high r)
  else r.

Fixpoint visit (s : profile) (F L : index) (t : tree) (n : nat) : pass :=
  match t with
  | Leaf u1 u2 => Pass t true n n 0
  | Chance l =>
      let b := thread (fun qc => visit s F L (snd qc)) l n in
      finish s n (Pass (Chance (combine (map fst l) (kepts b))) (fines b) (nexts b) (lows b) (highs b))
  | Node p k l =>
      let b := thread (visit s F L) l (S n) in
      finish s n (Pass (Node p k (kepts b)) (fines b) (nexts b)
                       (lesser (at_or n F (p, k)) (lesser n (lows b)))
                       (larger (S (at_or n L (p, k))) (highs b)))
  end.

Definition spe_check (t : tree) (s : profile) : bool :=
  let l := all_sets t [] in
  gameb t && validb P1 (s P1) t && validb P2 (s P2) t &&
  fine (visit s (firsts 0 l (PositiveMap.empty nat)) (lasts 0 l (PositiveMap.empty nat)) t 0).

(* ---------- proof ---------- *)

Lemma leq_le n m : leq n m = true <-> (n <= m)%nat.
Proof. unfold leq. destruct (Nat.compare_spec n m); split; intro H0; auto; try lia; discriminate. Qed.

Lemma lesser_glb n m p : (p <= n)%nat -> (p <= m)%nat -> (p <= lesser n m)%nat.
Proof. unfold lesser. destruct (Nat.compare n m); auto. Qed.

Lemma larger_lub n m p : (n <= p)%nat -> (m <= p)%nat -> (larger n m <= p)%nat.
Proof. unfold larger. destruct (Nat.compare n m); auto. Qed.

Lemma code_inj a b : code a = code b -> a = b.
Proof. destruct a as [[] k], b as [[] k']; simpl; congruence. Qed.

Lemma all_sets_sets : forall t acc, all_sets t acc = sets t ++ acc.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro acc; simpl; auto.
  - induction IH as [|c l Hc Hl IH]; simpl; auto. rewrite Hc, IH. apply app_assoc.
  - f_equal. induction IH as [|c l Hc Hl IH]; simpl; auto. rewrite Hc, IH. apply app_assoc.
Qed.

(* Every entry of an index is the position of a node of its information set. *)
Definition honest (T : list (player * positive)) (m : index) :=
  forall pk n, PositiveMap.find (code pk) m = Some n -> nth_error T n = Some pk.

Lemma honest_add T m pk n : honest T m -> nth_error T n = Some pk -> honest T (PositiveMap.add (code pk) n m).
Proof.
  intros H E pk' n' F. destruct (pk_eq_dec pk' pk) as [->|N].
  - rewrite PositiveMap.gss in F. congruence.
  - rewrite PositiveMap.gso in F by (intro X; apply N; now apply code_inj). auto.
Qed.

Lemma firsts_honest T l : forall pre m, T = pre ++ l -> honest T m -> honest T (firsts (length pre) l m).
Proof.
  induction l as [|pk l IH]; intros pre m E H; simpl; auto.
  replace (S (length pre)) with (length (pre ++ [pk])) by (rewrite app_length; simpl; lia).
  apply IH; [rewrite <- app_assoc; exact E|]. destruct (PositiveMap.find (code pk) m); auto.
  apply honest_add; auto. subst T. rewrite nth_error_app2, Nat.sub_diag; auto.
Qed.

Lemma lasts_honest T l : forall pre m, T = pre ++ l -> honest T m -> honest T (lasts (length pre) l m).
Proof.
  induction l as [|pk l IH]; intros pre m E H; simpl; auto.
  replace (S (length pre)) with (length (pre ++ [pk])) by (rewrite app_length; simpl; lia).
  apply IH; [rewrite <- app_assoc; exact E|].
  apply honest_add; auto. subst T. rewrite nth_error_app2, Nat.sub_diag; auto.
Qed.

Lemma honest_empty T : honest T (PositiveMap.empty nat).
Proof. intros pk n H. rewrite PositiveMap.gempty in H. discriminate. Qed.

Lemma count_zero (pk : player * positive) l n : count_occ pk_eq_dec l pk = 0%nat -> nth_error l n = Some pk -> False.
Proof. intros C E. apply nth_error_In in E. apply (count_occ_In pk_eq_dec) in E. lia. Qed.

(* If the middle of a list contains all copies of an element, then their positions are in the middle. *)
Lemma inside pre mid post pk n :
  count_occ pk_eq_dec mid pk = count_occ pk_eq_dec (pre ++ mid ++ post) pk ->
  nth_error (pre ++ mid ++ post) n = Some pk -> (length pre <= n /\ n < length pre + length mid)%nat.
Proof.
  rewrite !count_occ_app. intros C E. split.
  - destruct (Nat.lt_ge_cases n (length pre)) as [L|L]; auto. exfalso.
    rewrite nth_error_app1 in E by assumption. eapply count_zero; [|exact E]. lia.
  - destruct (Nat.lt_ge_cases n (length pre + length mid)) as [L|L]; auto. exfalso.
    rewrite nth_error_app2 in E by lia. rewrite nth_error_app2 in E by lia. eapply count_zero; [|exact E]. lia.
Qed.

Lemma within_chance x l : within x (Chance l) -> x = Chance l \/ exists qc, In qc l /\ within x (snd qc).
Proof. intro W. inversion W; auto. right. exists (q, c). auto. Qed.

Lemma within_node x p k l : within x (Node p k l) -> x = Node p k l \/ exists c, In c l /\ within x c.
Proof. intro W. inversion W; eauto. Qed.

Lemma within_trans x y z : within x y -> within y z -> within x z.
Proof. intros A B. revert A. induction B; auto; intro A; econstructor; eauto. Qed.

Section Visit.
Variables (s : profile) (T : tree) (F L : index).
Hypothesis HF : honest (sets T) F.
Hypothesis HL : honest (sets T) L.

(* No deviation earns more in x than in y, and the profile s earns the same. *)
Definition replaces (x y : tree) :=
  (forall i, ev s i y = ev s i x) /\
  forall i d, valid i d x -> valid i d y /\ ev (deviate s i d) i x <= ev (deviate s i d) i y.

Definition nash_below (t : tree) := forall x, within x t -> closed x T -> nash x s.

Record good (t : tree) (n : nat) (r : pass) : Prop := {
  g_next : next r = (n + length (sets t))%nat;
  g_nash : nash_below t;
  g_keep : replaces t (kept r);
  g_low : forall a, (a <= n)%nat -> (forall pk m, In pk (sets t) -> nth_error (sets T) m = Some pk -> a <= m)%nat ->
          (a <= low r)%nat;
  g_high : forall b, (next r <= b)%nat ->
           (forall pk m, In pk (sets t) -> nth_error (sets T) m = Some pk -> m < b)%nat -> (high r <= b)%nat }.

Definition sound (t : tree) (f : nat -> pass) := forall pre post,
  sets T = pre ++ sets t ++ post -> (forall i, valid i (s i) t) -> game t -> fine (f (length pre)) = true ->
  good t (length pre) (f (length pre)).

Lemma thread_sound A (g : A -> tree) (f : A -> nat -> pass) l : Forall (fun x => sound (g x) (f x)) l ->
  forall pre post, sets T = pre ++ concat (map (fun x => sets (g x)) l) ++ post ->
  (forall i, all (fun x => valid i (s i) (g x)) l) -> all (fun x => game (g x)) l ->
  fines (thread f l (length pre)) = true ->
  let b := thread f l (length pre) in let all_of := concat (map (fun x => sets (g x)) l) in
  nexts b = (length pre + length all_of)%nat /\
  Forall (fun x => nash_below (g x)) l /\
  Forall2 (fun x y => replaces (g x) y) l (kepts b) /\
  (forall a, (a <= length pre)%nat ->
     (forall pk m, In pk all_of -> nth_error (sets T) m = Some pk -> a <= m)%nat -> (a <= lows b)%nat) /\
  (forall c, (nexts b <= c)%nat ->
     (forall pk m, In pk all_of -> nth_error (sets T) m = Some pk -> m < c)%nat -> (highs b <= c)%nat).
Proof.
  induction 1 as [|x l Hx Hl IH]; intros pre post E V G Fi; cbv zeta.
  - simpl. repeat split; auto; lia.
  - simpl in Fi. apply andb_true_iff in Fi. destruct Fi as [F1 F2]. simpl in E, G. destruct G as [G1 G2].
    rewrite <- app_assoc in E.
    assert (X : good (g x) (length pre) (f x (length pre))) by (apply (Hx pre _ E); auto; intro i; apply (V i)).
    assert (N : next (f x (length pre)) = length (pre ++ sets (g x))) by (rewrite app_length; apply X).
    rewrite N in F2.
    destruct (IH (pre ++ sets (g x)) post) as [I1 [I2 [I3 [I4 I5]]]]; auto.
    { rewrite <- app_assoc. exact E. }
    { intro i. apply (V i). }
    cbn [thread kepts nexts lows highs map concat]. rewrite N.
    remember (length (pre ++ sets (g x))) as q eqn:Eq. rewrite app_length in Eq. repeat split.
    + rewrite I1, app_length. lia.
    + constructor; auto. apply X.
    + constructor; auto. apply X.
    + intros a Ha H. apply lesser_glb.
      * apply X; auto. intros pk m Hin. apply H. apply in_or_app; auto.
      * apply I4; [lia|]. intros pk m Hin. apply H. apply in_or_app; auto.
    + intros c Hc H. apply larger_lub.
      * apply X; [rewrite N; rewrite I1 in Hc; lia|]. intros pk m Hin. apply H. apply in_or_app; auto.
      * apply I5; auto. intros pk m Hin. apply H. apply in_or_app; auto.
Qed.

Lemma replaces_nash x y : (forall i, valid i (s i) x) -> replaces x y -> nash y s -> nash x s.
Proof.
  intros V [E R] N i. split; [apply V|]. intros d Hd. destruct (R i d Hd) as [Hy Le].
  eapply Qcle_trans; [exact Le|]. rewrite <- E. now apply N.
Qed.

Lemma nash_leaf x y : nash y s -> replaces x y -> (forall i, valid i (s i) x) ->
  replaces x (Leaf (ev s P1 y) (ev s P2 y)).
Proof.
  intros N [E R] V. split.
  - intros []; simpl; apply E.
  - intros i d Hd. split; [exact I|]. destruct (R i d Hd) as [Hy Le]. eapply Qcle_trans; [exact Le|].
    destruct i; simpl; now apply N.
Qed.

Lemma finish_good t r pre post : sets T = pre ++ sets t ++ post -> (forall i, valid i (s i) t) ->
  let n := length pre in
  next r = (n + length (sets t))%nat ->
  (forall x, within x t -> x = t \/ nash_below x) ->
  replaces t (kept r) ->
  (forall a, (a <= n)%nat -> (forall pk m, In pk (sets t) -> nth_error (sets T) m = Some pk -> a <= m)%nat ->
          (a <= low r)%nat) ->
  (forall b, (next r <= b)%nat ->
           (forall pk m, In pk (sets t) -> nth_error (sets T) m = Some pk -> m < b)%nat -> (high r <= b)%nat) ->
  fine (finish s n r) = true -> good t n (finish s n r).
Proof.
  intros E V n Nx Bl K Lo Hi Fi.
  assert (X : closed t T -> (leq n (low r) && leq (high r) (next r)) = true).
  { intro C. apply andb_true_iff. split; apply leq_le.
    - apply Lo; auto. intros pk m Hin Hm. rewrite E in Hm. apply inside in Hm; [apply Hm|]. rewrite <- E. now apply C.
    - apply Hi; auto. intros pk m Hin Hm. rewrite E in Hm. apply inside in Hm; [rewrite Nx; apply Hm|].
      rewrite <- E. now apply C. }
  unfold finish in *. destruct (leq n (low r) && leq (high r) (next r)) eqn:B.
  - cbn [fine] in Fi. rewrite !andb_true_iff in Fi. destruct Fi as [[F0 F1] F2].
    assert (N : nash (kept r) s) by (intros []; now apply gain_free_sound).
    constructor; cbn [next kept low high]; auto.
    + intros x W C. destruct (Bl x W) as [->|H]; [eapply replaces_nash; eauto|]. apply H; auto. constructor.
    + now apply nash_leaf.
  - constructor; auto. intros x W C. destruct (Bl x W) as [->|H]; [apply X in C; congruence|]. apply H; auto.
      constructor.
Qed.

Lemma replaces_chance l ys : Forall (fun x => 0 <= x) (map fst l) ->
  Forall2 (fun qc y => replaces (snd qc) y) l ys -> replaces (Chance l) (Chance (combine (map fst l) ys)).
Proof.
  intros P H. split.
  - intro i. cbn [ev]. f_equal. induction H as [|[q c] y l ys [E _] H IH]; simpl in *; auto.
    inversion P; subst. rewrite E. f_equal. now apply IH.
  - intros i d V. simpl in V. split.
    + simpl. induction H as [|[q c] y l ys [E R] H IH]; simpl in *; auto. destruct V. inversion P; subst. split; auto.
      now apply R.
    + cbn [ev]. apply sum_mono. induction H as [|[q c] y l ys [E R] H IH]; simpl in *; [constructor|].
      destruct V as [V1 V2]. inversion P; subst. constructor; [|now apply IH].
      rewrite !(Qcmult_comm q). apply Qcmult_le_compat_r; auto. now apply R.
Qed.

Lemma replaces_node p k l ys : (forall i, valid i (s i) (Node p k l)) ->
  Forall2 replaces l ys -> replaces (Node p k l) (Node p k ys).
Proof.
  intros V0 H. assert (Len : length l = length ys) by (clear V0; induction H; simpl; auto). split.
  - intro i. cbn [ev]. f_equal. clear V0 Len. induction H as [|x y l ys [E R] H IH]; simpl; auto. rewrite E, IH.
      reflexivity.
  - intros i d [V1 V2]. split.
    + split; [now rewrite <- Len|]. clear V0 V1 Len. induction H as [|x y l ys [E R] H IH]; simpl in *; auto. destruct
        V2.
      split; auto. now apply R.
    + cbn [ev]. apply dot_mono.
      * unfold deviate. destruct (peq p i) eqn:Ep.
        -- apply peq_eq in Ep. apply V1. assumption.
        -- destruct (V0 p) as [D _]. apply D. reflexivity.
      * clear V0 V1 Len. induction H as [|x y l ys [E R] H IH]; simpl in *; constructor; [apply R, V2 | apply IH, V2].
Qed.

Lemma visit_sound : forall t, sound t (visit s F L t).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros pre post E V G Fi.
  - constructor; simpl; auto; try lia.
    + intros x W C. inversion W; subst. intro i. split; [exact I|]. intros d _. apply Qcle_refl.
    + split; auto. intros. split; [exact I | apply Qcle_refl].
  - cbn [visit] in *. destruct G as [[_ [G0 _]] G].
    assert (Fs : fines (thread (fun qc => visit s F L (snd qc)) l (length pre)) = true).
    { unfold finish in Fi. cbn [fine low high next] in Fi. destruct (_ && _) in Fi; cbn [fine] in Fi; auto.
      rewrite !andb_true_iff in Fi. apply Fi. }
    destruct (thread_sound _ snd (fun qc => visit s F L (snd qc)) l IH pre post E V G Fs) as [T1 [T2 [T3 [T4 T5]]]].
    apply (finish_good _ _ pre post E V); cbn [next kept low high]; auto.
    + intros x W. destruct (within_chance _ _ W) as [->|[qc [Hin Hw]]]; auto. right. rewrite Forall_forall in T2.
      intros y Wy. apply (T2 _ Hin). eapply within_trans; eauto.
    + now apply replaces_chance.
  - cbn [visit] in *. simpl in G.
    assert (Fs : fines (thread (visit s F L) l (S (length pre))) = true).
    { unfold finish in Fi. cbn [fine low high next] in Fi. destruct (_ && _) in Fi; cbn [fine] in Fi; auto.
      rewrite !andb_true_iff in Fi. apply Fi. }
    assert (Ln : S (length pre) = length (pre ++ [(p, k)])) by (rewrite app_length; simpl; lia).
    assert (E' : sets T = (pre ++ [(p, k)]) ++ concat (map (fun x => sets x) l) ++ post).
    { rewrite <- app_assoc. simpl. simpl in E. rewrite E. f_equal. }
    rewrite Ln in *.
    destruct (thread_sound _ (fun x => x) (visit s F L) l IH _ post E' (fun i => proj2 (V i)) G Fs) as [T1 [T2 [T3 [T4
      T5]]]].
    change (concat (map (fun x => sets x) l)) with (concat (map sets l)) in *.
    assert (Fk : forall a, (a <= length pre)%nat ->
       (forall pk m, In pk (sets (Node p k l)) -> nth_error (sets T) m = Some pk -> a <= m)%nat ->
       (a <= at_or (length pre) F (p, k))%nat).
    { intros a Ha H. unfold at_or. destruct (PositiveMap.find (code (p, k)) F) eqn:EF; auto.
      apply (H (p, k)); [now left | now apply HF]. }
    assert (Lk : forall b, (length pre < b)%nat ->
       (forall pk m, In pk (sets (Node p k l)) -> nth_error (sets T) m = Some pk -> m < b)%nat ->
       (S (at_or (length pre) L (p, k)) <= b)%nat).
    { intros b Hb H. unfold at_or. destruct (PositiveMap.find (code (p, k)) L) eqn:EF; auto.
      apply (H (p, k)); [now left | now apply HL]. }
    apply (finish_good _ _ pre post E V); cbn [next kept low high]; auto.
    + rewrite T1, app_length. simpl. lia.
    + intros x W. destruct (within_node _ _ _ _ W) as [->|[c [Hin Hw]]]; auto. right. rewrite Forall_forall in T2.
      intros y Wy. apply (T2 _ Hin). eapply within_trans; eauto.
    + now apply replaces_node.
    + intros a Ha H. apply lesser_glb; [now apply Fk|]. apply lesser_glb; auto. apply T4; [rewrite app_length; lia|].
      intros pk m Hin. apply H. now right.
    + intros b Hb H. apply larger_lub; [apply Lk; auto; rewrite T1, app_length in Hb; simpl in Hb; lia|]. apply T5;
        auto.
      intros pk m Hin. apply H. now right.
Qed.
End Visit.

Theorem spe_sound t s : spe_check t s = true -> game t /\ subgame_perfect t s.
Proof.
  unfold spe_check. rewrite all_sets_sets, app_nil_r, !andb_true_iff. intros [[[G V1] V2] H].
  apply gameb_game in G. apply validb_valid in V1, V2. split; auto.
  apply (visit_sound s t _ _ (firsts_honest (sets t) (sets t) [] _ eq_refl (honest_empty _))
          (lasts_honest (sets t) (sets t) [] _ eq_refl (honest_empty _)) t [] []); auto.
  - now rewrite app_nil_r.
  - intros []; assumption.
Qed.
