(* A checker of perfect recall and the proof that it is sound. *)
From Coq Require Import List Bool PArith QArith Qcanon Lia FMapPositive.
From Tremble Require Import Game Recall SubgamePerfect NashCheck SubgameCheck.
Import ListNotations.

(* perfect recall: hist is anything that claims to know what a player did before *)
Definition heqb (a b : history) : bool := if list_eq_dec (fun x y : positive * nat => ltac:(decide equality; [apply
  Nat.eq_dec | apply Pos.eq_dec])) a b then true else false.
Definition foralli {A} (P : nat -> A -> bool) : nat -> list A -> bool :=
  fix go n l := match l with [] => true | x :: r => P n x && go (S n) r end.
Fixpoint recallb (i : player) (hist : positive -> history) (t : tree) (h : history) : bool :=
  match t with
  | Leaf _ _ => true
  | Chance l => forallb (fun qc => recallb i hist (snd qc) h) l
  | Node p k l =>
      if peq p i then heqb (hist k) h && foralli (fun j c => recallb i hist c ((k, j) :: h)) 0 l
      else forallb (fun c => recallb i hist c h) l
  end.


Lemma recallb_recall i hist : forall t h, recallb i hist t h = true -> recall i hist t h.
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h H; simpl in *; auto.
  - apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
  - destruct (peq p i).
    + apply andb_true_iff in H. destruct H as [E H]. split.
      * unfold heqb in E. destruct (list_eq_dec _ _ _); [assumption | discriminate].
      * clear E. revert H. generalize 0%nat as n. induction IH as [|c l Hc Hl IH]; intros n H; simpl in *; auto.
        apply andb_true_iff in H. destruct H. split; auto.
    + apply all_Forall. rewrite forallb_forall, Forall_forall in *. auto.
Qed.

(* No element occurs twice. *)
Fixpoint once (l : list (player * positive)) (seen : PositiveMap.t unit) : bool :=
  match l with
  | [] => true
  | pk :: r => match PositiveMap.find (code pk) seen with
               | Some _ => false
               | None => once r (PositiveMap.add (code pk) tt seen)
               end
  end.

(* Every information set is a single node. *)
Definition single (t : tree) : bool := once (all_sets t []) (PositiveMap.empty unit).

Lemma once_count l : forall seen pk, once l seen = true ->
  (count_occ pk_eq_dec l pk <= match PositiveMap.find (code pk) seen with Some _ => 0 | None => 1 end)%nat.
Proof.
  induction l as [|x l IH]; intros seen pk H; simpl in *; [destruct (PositiveMap.find _ _); lia|].
  destruct (PositiveMap.find (code x) seen) eqn:F; [discriminate|]. specialize (IH _ pk H).
  destruct (pk_eq_dec x pk) as [->|N].
  - rewrite PositiveMap.gss in IH. rewrite F. lia.
  - rewrite PositiveMap.gso in IH by (intro C; apply N; symmetry; now apply code_inj). exact IH.
Qed.

Lemma single_count t pk : single t = true -> (count_occ pk_eq_dec (sets t) pk <= 1)%nat.
Proof.
  unfold single. intro H. pose proof (once_count _ _ pk H) as K.
  now rewrite PositiveMap.gempty, all_sets_sets, app_nil_r in K.
Qed.

Lemma alli_all A (P : A -> Prop) l : forall n, alli (fun _ => P) n l <-> all P l.
Proof. induction l as [|x l IH]; intro n; simpl; [tauto|]. now rewrite IH. Qed.

Lemma recall_agree i hist hist' : forall t h, (forall k, In (i, k) (sets t) -> hist k = hist' k) ->
  recall i hist t h -> recall i hist' t h.
Proof.
  assert (K : forall l, Forall (fun c => forall h, (forall k, In (i, k) (sets c) -> hist k = hist' k) ->
      recall i hist c h -> recall i hist' c h) l ->
    (forall k, In (i, k) (concat (map sets l)) -> hist k = hist' k) ->
    forall f n, alli (fun j c => recall i hist c (f j)) n l -> alli (fun j c => recall i hist' c (f j)) n l).
  { induction 1 as [|c l Hc Hl IH]; intros E f n R; simpl in *; auto. destruct R. split.
    - apply Hc; auto. intros k Hin. apply E. apply in_or_app. auto.
    - apply IH; auto. intros k Hin. apply E. apply in_or_app. auto. }
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros h E R; cbn [recall sets] in *; auto.
  - rewrite <- (map_map snd sets) in E.
    assert (C : forall H, all (fun qc => recall i H (snd qc) h) l <-> all (fun c => recall i H c h) (map snd l)).
    { intro H. now rewrite !all_Forall, Forall_map. }
    apply C in R. apply C. apply (alli_all _ _ _ 0). apply (alli_all _ _ _ 0) in R. 
    apply (K (map snd l) ltac:(rewrite Forall_map; exact IH) E (fun _ => h)). exact R.
  - destruct (peq p i) eqn:Ep.
    + apply peq_eq in Ep. subst p. destruct R as [R1 R2]. split; [rewrite <- E; [exact R1 | now left]|].
      apply (K _ IH); auto. intros k' Hin. apply E. now right.
    + apply (alli_all _ _ _ 0). apply (alli_all _ _ _ 0) in R. apply (K _ IH); auto. intros k' Hin. apply E. now right.
Qed.

Lemma recall_exists i : forall t, (forall k, (count_occ pk_eq_dec (sets t) (i, k) <= 1)%nat) ->
  forall h, exists hist, recall i hist t h.
Proof.
  assert (K : forall l, Forall (fun t => (forall k, (count_occ pk_eq_dec (sets t) (i, k) <= 1)%nat) ->
      forall h, exists hist, recall i hist t h) l ->
    (forall k, (count_occ pk_eq_dec (concat (map sets l)) (i, k) <= 1)%nat) ->
    forall f n, exists hist, alli (fun j c => recall i hist c (f j)) n l).
  { induction 1 as [|c l Hc Hl IH]; intros U f n; [exists (fun _ => []); exact I|]. cbn [map concat] in U.
    setoid_rewrite count_occ_app in U. destruct (Hc ltac:(intro k; specialize (U k); lia) (f n)) as [h1 R1].
    destruct (IH ltac:(intro k; specialize (U k); lia) f (S n)) as [h2 R2].
    exists (fun k => if in_dec pk_eq_dec (i, k) (sets c) then h1 k else h2 k). split.
    - apply (recall_agree i h1); auto. intros k Hin. destruct (in_dec pk_eq_dec (i, k) (sets c)); tauto.
    - assert (N : forall k, In (i, k) (concat (map sets l)) -> ~ In (i, k) (sets c)).
      { intros k A B. apply (count_occ_In pk_eq_dec) in A, B. specialize (U k). lia. }
      clear - R2 N. revert R2 N. generalize (S n) as m. induction l as [|x l IH]; intros m R N; simpl in *; auto.
      destruct R as [R1 R2]. split.
      + apply (recall_agree i h2); auto. intros k Hin. destruct (in_dec pk_eq_dec (i, k) (sets c)) as [B|]; auto.
        exfalso. apply (N k); auto. apply in_or_app. auto.
      + apply IH; auto. intros k Hin. apply N. apply in_or_app. auto. }
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intros U h; cbn [recall sets] in *.
  - exists (fun _ => []). exact I.
  - rewrite <- (map_map snd sets) in U.
    destruct (K (map snd l) ltac:(rewrite Forall_map; exact IH) U (fun _ => h) 0%nat) as [hist R].
    exists hist. apply alli_all in R.
    now rewrite all_Forall, Forall_map, <- all_Forall in R.
  - assert (U2 : forall k', (count_occ pk_eq_dec (concat (map sets l)) (i, k') <= 1)%nat).
    { intro k'. specialize (U k'). cbn [count_occ] in U. destruct (pk_eq_dec (p, k) (i, k')); lia. }
    destruct (peq p i) eqn:Ep.
    + apply peq_eq in Ep. subst p. destruct (K _ IH U2 (fun j => (k, j) :: h) 0%nat) as [hist R].
      assert (N : ~ In (i, k) (concat (map sets l))).
      { intro A. apply (count_occ_In pk_eq_dec) in A. specialize (U k). cbn [count_occ] in U.
        destruct (pk_eq_dec (i, k) (i, k)); [lia | congruence]. }
      exists (fun k' => if Pos.eq_dec k' k then h else hist k'). destruct (Pos.eq_dec k k) as [_|]; [|congruence].
      split; auto. clear - R N. revert R N. generalize 0%nat as n.
      induction l as [|c l IH]; intros n R N; simpl in *; auto. destruct R as [R1 R2]. split.
      * apply (recall_agree i hist); auto. intros k' Hin. destruct (Pos.eq_dec k' k) as [->|]; auto.
        exfalso. apply N. apply in_or_app. auto.
      * apply IH; auto. intro A. apply N. apply in_or_app. auto.
    + destruct (K _ IH U2 (fun _ => h) 0%nat) as [hist R]. exists hist. now apply alli_all in R.
Qed.

(* If every information set is a single node, perfect recall needs no comparison of histories. *)
Definition recall_check (h1 h2 : positive -> history) (t : tree) : bool :=
  single t || recallb P1 h1 t [] && recallb P2 h2 t [].

Theorem recall_sound h1 h2 t : recall_check h1 h2 t = true -> perfect_recall t.
Proof.
  unfold recall_check. rewrite orb_true_iff, andb_true_iff. intros [H|[A B]].
  - intro i. apply recall_exists. intro k. now apply single_count.
  - intros []; [exists h1 | exists h2]; now apply recallb_recall.
Qed.
