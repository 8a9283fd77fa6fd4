(* The checker of documents and the main theorem, checker_sound. *)
From Coq Require Import String List Bool PArith ZArith QArith Qcanon FMapPositive.
From Tremble Require Import Game Nash SubgamePerfect QuasiPerfect OneSided NormalForm Perfect Sequential Recall View
  NashCheck Polynomial QuasiPerfectCheck OneSidedCheck NormalFormCheck SequentialCheck RecallCheck SubgameCheck
  NashComplete Implications SequentialNash BackwardInduction PerfectInformation Document Reader.
Import ListNotations.
Open Scope list_scope.

(* ---------- tables of rows ---------- *)

Definition rows_table (l : list (player * positive * list Qc)) : PositiveMap.t (list Qc) :=
  fold_right (fun r m => PositiveMap.add (code (fst r)) (snd r) m) (PositiveMap.empty _) l.

Definition look {A} (m : PositiveMap.t (list A)) (p : player) (k : positive) : list A :=
  match PositiveMap.find (code (p, k)) m with Some x => x | None => [] end.

Lemma look_row l p k : look (rows_table l) p k = row l p k.
Proof.
  unfold look. induction l as [|[[p' k'] x] l IH]; simpl.
  - now rewrite PositiveMap.gempty.
  - destruct (peq p p' && Pos.eqb k k') eqn:E.
    + apply andb_true_iff in E. destruct E as [E1 E2]. apply peq_eq in E1. apply Pos.eqb_eq in E2. subst.
      now rewrite PositiveMap.gss.
    + rewrite PositiveMap.gso; [exact IH|]. intro C. apply (code_inj (p, k) (p', k')) in C. injection C as -> ->.
      rewrite (proj2 (peq_eq p' p') eq_refl), Pos.eqb_refl in E. discriminate.
Qed.

(* The certificates below need no proof: the checkers are sound for any plans and any claimed histories. *)

Definition weights_table (l : list (player * positive * poly)) : PositiveMap.t (list poly) :=
  fold_right (fun r m => PositiveMap.add (code (fst r)) (snd r :: look m (fst (fst r)) (snd (fst r))) m)
             (PositiveMap.empty _) l.

Definition plan_for (d : document) (W : PositiveMap.t (list poly)) (p : player) : full_plan :=
  Full (match find (fun r => peq p (fst r)) (roots d) with Some r => snd r | None => [] end) (look W p).

(* The moves of player i before each information set, as found at one of its nodes. *)
Fixpoint histories (i : player) (t : tree) (h : history) (m : PositiveMap.t history) : PositiveMap.t history :=
  match t with
  | Leaf _ _ => m
  | Chance l => fold_left (fun m qc => histories i (snd qc) h m) l m
  | Node p k l =>
      if peq p i then
        snd (fold_left (fun jm c => (S (fst jm), histories i c ((k, fst jm) :: h) (snd jm))) l (0%nat, PositiveMap.add
          k h m))
      else fold_left (fun m c => histories i c h m) l m
  end.

Definition before (m : PositiveMap.t history) (k : positive) : history :=
  match PositiveMap.find k m with Some h => h | None => [] end.

(* ---------- checker ---------- *)

Record claims := Claims { history1 : PositiveMap.t history; history2 : PositiveMap.t history }.

Definition claims_of (t : tree) : claims :=
  Claims (histories P1 t [] (PositiveMap.empty _)) (histories P2 t [] (PositiveMap.empty _)).

Definition recall_with (t : tree) (H : claims) : bool := recall_check (before (history1 H)) (before (history2 H)) t.

Definition sequential_with (t : tree) (s : profile) (m : beliefs) (X Y : full_plan) (H : claims) : bool :=
  seq_check (before (history1 H)) (before (history2 H)) t s m X Y.

Definition normal_form_with (t : tree) (s : profile) (X Y : full_plan) (H : claims) : bool :=
  normal_form_check (before (history1 H)) (before (history2 H)) t s X Y.

(* S, B, M: the tables of the strategies, beliefs and mistakes. W: the table of the weights in the plans. A document
   without plans needs another proof: by backward induction, or by perfect information. *)
Definition accepts_with (d : document) (S B M : PositiveMap.t (list Qc)) (W : PositiveMap.t (list poly)) : bool :=
  let t := root_node d in
  let s := look S in
  gameb t && qeqb (ev s P1 t) (fst (values d)) && qeqb (ev s P2 t) (snd (values d)) &&
  match claimed d with
  | CNash => gain_free t s P1 && gain_free t s P2
  | CSubgame => spe_check t s
  | CQuasi =>
      recall_with t (claims_of t) &&
      match roots d with
      | [] => induction_check false t s (look M)
      | _ => qp_check t s (plan_for d W P1) (plan_for d W P2)
      end
  | COneSided p => recall_with t (claims_of t) && one_sided_check p t s (plan_for d W (other p))
  | CSequential =>
      match roots d with
      | [] => single_check t s (look B)
      | _ => sequential_with t s (look B) (plan_for d W P1) (plan_for d W P2) (claims_of t)
      end
  | CNormalForm => normal_form_with t s (plan_for d W P1) (plan_for d W P2) (claims_of t)
  | CPerfect => recall_with t (claims_of t) && induction_check true t s (look M)
  end.

Definition accepts (d : document) : bool :=
  accepts_with d (rows_table (plays d)) (rows_table (belief_rows d)) (rows_table (mistake_rows d))
               (weights_table (weights d)).

Inductive verdict := Proven (c : concept) | NotProven | Unreadable.

Definition judge (text : list (list token)) : verdict :=
  match read_document text with
  | Some d => if accepts d then Proven (claimed d) else NotProven
  | None => Unreadable
  end.

(* ---------- the main theorem ---------- *)

Lemma accepts_holds d : accepts d = true -> holds d.
Proof.
  unfold accepts, accepts_with. rewrite !andb_true_iff, !qeqb_eq. intros [[[G E1] E2] H].
  exists (look (rows_table (plays d))), (look (rows_table (belief_rows d))).
  split; [intros; apply look_row|]. split; [intros; apply look_row|].
  split; [now apply gameb_game|]. split; [exact E1|]. split; [exact E2|].
  destruct (claimed d).
  - apply andb_true_iff in H. destruct H. intros []; now apply gain_free_sound.
  - now apply spe_sound.
  - unfold recall_with in H. apply andb_true_iff in H. destruct H as [R Q].
    split; [now apply recall_sound in R|]. destruct (roots d); [now apply induction_quasi_perfect in Q |
      now apply qp_sound in Q].
  - unfold recall_with in H. apply andb_true_iff in H. destruct H as [R Q].
    split; [now apply recall_sound in R | now apply one_sided_sound in Q].
  - destruct (roots d).
    + now apply single_sound in H.
    + unfold sequential_with in H. now apply seq_sound in H.
  - unfold normal_form_with in H. now apply normal_form_sound in H.
  - unfold recall_with in H. apply andb_true_iff in H. destruct H as [R Q]. apply recall_sound in R.
    split; auto. now apply induction_perfect in Q.
Qed.

(* If the checker accepts a text, then the text is the text of a document, and what the document claims is true. *)
Theorem checker_sound text c : judge text = Proven c ->
  exists d, text = write_document d /\ claimed d = c /\ holds d.
Proof.
  unfold judge. destruct (read_document text) as [d|] eqn:R; [|discriminate].
  destruct (accepts d) eqn:A; [|discriminate]. intro H. injection H as <-. exists d.
  split; [now apply read_sound|]. split; [reflexivity | now apply accepts_holds].
Qed.

(* In games with perfect recall, the checker accepts the text of a Nash claim exactly if the claim is true. *)
Theorem nash_decided d : claimed d = CNash -> perfect_recall (root_node d) ->
  (judge (write_document d) = Proven CNash <-> holds d).
Proof.
  intros C R. unfold judge. rewrite read_write. split.
  - destruct (accepts d) eqn:A; [|discriminate]. intros _. now apply accepts_holds.
  - intros [s [m [Es [_ [G [V1 [V2 N]]]]]]]. rewrite C in *. cbv iota in N.
    set (z := look (rows_table (plays d))).
    assert (Ez : forall p k, z p k = s p k) by (intros; unfold z; rewrite look_row; auto).
    assert (E : accepts d = true); [|now rewrite E].
    unfold accepts, accepts_with. fold z. rewrite C.
    assert (Ev : forall i, ev z i (root_node d) = ev s i (root_node d)) by (intro; apply ev_agree; intros p k _; auto).
    rewrite !Ev, V1, V2, (game_gameb _ G), !(proj2 (qeqb_eq _ _) eq_refl). cbn [andb].
    assert (K : forall i, gain_free (root_node d) z i = true).
    { intro i. destruct (R i) as [hist H]. destruct (N i) as [Vi Ni]. apply (gain_free_complete hist); auto.
      - eapply valid_other; [|exact Vi]. intros k n. now rewrite Ez.
      - intros o Vo. rewrite Ev. eapply Qcle_trans; [|exact (Ni o Vo)].
        rewrite (ev_agree (deviate z i o) (deviate s i o)); [apply Qcle_refl|].
        intros p k _. unfold deviate. destruct (peq p i); auto. }
    now rewrite !K.
Qed.
