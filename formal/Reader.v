(* A reader of the plain text form and the proof that the text is exactly the text of the document that it returns. *)
From Coq Require Import String List Bool PArith ZArith QArith Qcanon Lia.
From Tremble Require Import Game NashCheck Polynomial Document.
Import ListNotations.
Open Scope string_scope.
Open Scope list_scope.

(* ---------- lines ---------- *)

Definition as_whole (q : Qc) : option Z := if Pos.eqb (Qden (this q)) 1 then Some (Qnum (this q)) else None.

Definition as_player (x : token) : option player :=
  match x with
  | Num q => match as_whole q with Some 1%Z => Some P1 | Some 2%Z => Some P2 | _ => None end
  | Word _ => None
  end.

Definition as_set (x : token) : option positive :=
  match x with Num q => match as_whole q with Some (Zpos k) => Some k | _ => None end | Word _ => None end.

Fixpoint as_nums (l : list token) : option (list Qc) :=
  match l with
  | [] => Some []
  | Num q :: r => match as_nums r with Some l => Some (q :: l) | None => None end
  | Word _ :: _ => None
  end.

Definition as_concept (w : string) : option concept :=
  if w =? "nash" then Some CNash
  else if w =? "subgame-perfect" then Some CSubgame
  else if w =? "quasi-perfect" then Some CQuasi
  else if w =? "sequential" then Some CSequential
  else None.

(* A line of the form PLAYER SET NUMBER NUMBER ... *)
Definition as_row (f : player -> positive -> list Qc -> option line) (l : list token) : option line :=
  match l with
  | x :: y :: r =>
      match as_player x, as_set y, as_nums r with Some p, Some k, Some l => f p k l | _, _, _ => None end
  | _ => None
  end.

Definition read_line (l : list token) : option line :=
  match l with
  | Word w :: r =>
      if w =? "leaf" then match r with [Num u1; Num u2] => Some (LLeaf u1 u2) | _ => None end
      else if w =? "chance" then match as_nums r with Some l => Some (LChance l) | None => None end
      else if w =? "move" then
        as_row (fun p k l => match l with
                             | [q] => match as_whole q with Some n => Some (LMove p k n) | None => None end
                             | _ => None end) r
      else if w =? "play" then as_row (fun p k l => Some (LPlay p k l)) r
      else if w =? "belief" then as_row (fun p k l => Some (LBelief p k l)) r
      else if w =? "weight" then as_row (fun p k l => Some (LWeight p k l)) r
      else if w =? "root" then
        match r with
        | x :: r => match as_player x, as_nums r with Some p, Some l => Some (LRoot p l) | _, _ => None end
        | [] => None
        end
      else if w =? "values" then match r with [Num v1; Num v2] => Some (LValues v1 v2) | _ => None end
      else if w =? "claim" then
        match r with
        | [Word w] => match as_concept w with Some c => Some (LClaim c) | None => None end
        | _ => None
        end
      else None
  | _ => None
  end.

Lemma as_whole_sound q z : as_whole q = Some z -> q = whole z.
Proof.
  unfold as_whole. destruct (Pos.eqb_spec (Qden (this q)) 1) as [E|]; [|discriminate]. intro H. injection H as H.
  apply Qc_is_canon. unfold whole. transitivity (z # 1)%Q; [|symmetry; apply Qred_correct].
  destruct q as [[n d] C]. simpl in *. subst. reflexivity.
Qed.

Lemma as_player_sound x p : as_player x = Some p -> x = write_player p.
Proof.
  destruct x as [w|q]; simpl; [discriminate|]. destruct (as_whole q) as [z|] eqn:E; [|discriminate].
  apply as_whole_sound in E. subst. destruct z as [|[[]|[]|]|]; try discriminate; intro H; injection H as <-; reflexivity.
Qed.

Lemma as_set_sound x k : as_set x = Some k -> x = Num (whole (Zpos k)).
Proof.
  destruct x as [w|q]; simpl; [discriminate|]. destruct (as_whole q) as [z|] eqn:E; [|discriminate].
  apply as_whole_sound in E. subst. destruct z; try discriminate. congruence.
Qed.

Lemma as_nums_sound l : forall r, as_nums l = Some r -> l = map Num r.
Proof.
  induction l as [|[w|q] l IH]; simpl; intros r H; try discriminate.
  - injection H as <-. reflexivity.
  - destruct (as_nums l); [|discriminate]. injection H as <-. simpl. f_equal. auto.
Qed.

Lemma as_concept_sound w c : as_concept w = Some c -> w = name c.
Proof.
  unfold as_concept.
  destruct (String.eqb_spec w "nash"); [intro H; injection H as <-; assumption|].
  destruct (String.eqb_spec w "subgame-perfect"); [intro H; injection H as <-; assumption|].
  destruct (String.eqb_spec w "quasi-perfect"); [intro H; injection H as <-; assumption|].
  destruct (String.eqb_spec w "sequential"); [intro H; injection H as <-; assumption|]. discriminate.
Qed.

Lemma as_row_sound f l o : as_row f l = Some o ->
  exists p k r, f p k r = Some o /\ l = write_set p k ++ map Num r.
Proof.
  destruct l as [|x [|y r]]; simpl; try discriminate.
  destruct (as_player x) as [p|] eqn:Ep; [|discriminate]. destruct (as_set y) as [k|] eqn:Ek; [|discriminate].
  destruct (as_nums r) as [n|] eqn:En; [|discriminate]. intro H. exists p, k, n. split; auto.
  apply as_player_sound in Ep. apply as_set_sound in Ek. apply as_nums_sound in En. subst. reflexivity.
Qed.

Lemma read_line_sound l o : read_line l = Some o -> l = write_line o.
Proof.
  destruct l as [|[w|q] r]; simpl; try discriminate.
  destruct (String.eqb_spec w "leaf") as [->|_].
  { destruct r as [|[] [|[] [|]]]; try discriminate. intro H. injection H as <-. reflexivity. }
  destruct (String.eqb_spec w "chance") as [->|_].
  { destruct (as_nums r) eqn:E; [|discriminate]. intro H. injection H as <-. simpl. f_equal. now apply as_nums_sound. }
  destruct (String.eqb_spec w "move") as [->|_].
  { intro H. apply as_row_sound in H. destruct H as [p [k [n [H ->]]]]. destruct n as [|q [|]]; try discriminate.
    destruct (as_whole q) eqn:E; [|discriminate]. injection H as <-. apply as_whole_sound in E. subst. reflexivity. }
  destruct (String.eqb_spec w "play") as [->|_].
  { intro H. apply as_row_sound in H. destruct H as [p [k [n [H ->]]]]. injection H as <-. reflexivity. }
  destruct (String.eqb_spec w "belief") as [->|_].
  { intro H. apply as_row_sound in H. destruct H as [p [k [n [H ->]]]]. injection H as <-. reflexivity. }
  destruct (String.eqb_spec w "weight") as [->|_].
  { intro H. apply as_row_sound in H. destruct H as [p [k [n [H ->]]]]. injection H as <-. reflexivity. }
  destruct (String.eqb_spec w "root") as [->|_].
  { destruct r as [|x r]; [discriminate|]. destruct (as_player x) eqn:Ep; [|discriminate].
    destruct (as_nums r) eqn:En; [|discriminate]. intro H. injection H as <-.
    apply as_player_sound in Ep. apply as_nums_sound in En. subst. reflexivity. }
  destruct (String.eqb_spec w "values") as [->|_].
  { destruct r as [|[] [|[] [|]]]; try discriminate. intro H. injection H as <-. reflexivity. }
  destruct (String.eqb_spec w "claim") as [->|_]; [|discriminate].
  destruct r as [|[w2|] [|]]; try discriminate. destruct (as_concept w2) eqn:E; [|discriminate].
  intro H. injection H as <-. apply as_concept_sound in E. subst. reflexivity.
Qed.

(* ---------- the tree ---------- *)

(* The reader handles the nodes from the last to the first, and keeps the subtrees that it has read on a stack. *)
Fixpoint pop (n : Z) (st : list tree) : option (list tree * list tree) :=
  if Z.eqb n 0 then Some ([], st)
  else match st with
       | [] => None
       | t :: r => match pop (n - 1) r with Some (l, r) => Some (t :: l, r) | None => None end
       end.

Fixpoint pop_chance (ps : list Qc) (st : list tree) : option (list (Qc * tree) * list tree) :=
  match ps with
  | [] => Some ([], st)
  | q :: ps => match st with
               | [] => None
               | t :: r => match pop_chance ps r with Some (l, r) => Some ((q, t) :: l, r) | None => None end
               end
  end.

Definition push (st : option (list tree)) (l : line) : option (list tree) :=
  match st, l with
  | Some st, LLeaf u1 u2 => Some (Leaf u1 u2 :: st)
  | Some st, LChance ps => match pop_chance ps st with Some (l, r) => Some (Chance l :: r) | None => None end
  | Some st, LMove p k n => match pop n st with Some (l, r) => Some (Node p k l :: r) | None => None end
  | _, _ => None
  end.

Definition read_tree (ls : list line) : option tree :=
  match fold_left push (rev' ls) (Some []) with Some [t] => Some t | _ => None end.

Notation texts l := (concat (map write_tree l)).

Lemma pop_sound : forall st n l r, pop n st = Some (l, r) -> st = (l ++ r)%list /\ n = Z.of_nat (List.length l).
Proof.
  induction st as [|t st IH]; intros n l r; simpl; destruct (Z.eqb_spec n 0) as [->|N]; try discriminate.
  - intro H. injection H as <- <-. auto.
  - intro H. injection H as <- <-. auto.
  - destruct (pop (n - 1) st) as [[l' r']|] eqn:E; [|discriminate]. intro H. injection H as <- <-.
    apply IH in E. destruct E as [-> E]. split; auto. simpl List.length. lia.
Qed.

Lemma pop_chance_sound : forall ps st l r, pop_chance ps st = Some (l, r) -> st = (map snd l ++ r)%list /\ ps = map fst l.
Proof.
  induction ps as [|q ps IH]; intros st l r; simpl.
  - intro H. injection H as <- <-. auto.
  - destruct st as [|t st]; [discriminate|]. destruct (pop_chance ps st) as [[l' r']|] eqn:E; [|discriminate].
    intro H. injection H as <- <-. apply IH in E. destruct E as [-> ->]. auto.
Qed.

Lemma push_sound st l st' : push (Some st) l = Some st' -> texts st' = l :: texts st.
Proof.
  destruct l; simpl; try discriminate.
  - intro H. injection H as <-. reflexivity.
  - destruct (pop_chance ps st) as [[l r]|] eqn:E; [|discriminate]. intro H. injection H as <-.
    apply pop_chance_sound in E. destruct E as [-> ->]. simpl. f_equal. rewrite map_app, concat_app, map_map. reflexivity.
  - destruct (pop n st) as [[l r]|] eqn:E; [|discriminate]. intro H. injection H as <-.
    apply pop_sound in E. destruct E as [-> ->]. simpl. f_equal. rewrite map_app, concat_app. reflexivity.
Qed.

Lemma read_tree_sound ls t : read_tree ls = Some t -> ls = write_tree t.
Proof.
  unfold read_tree, rev'. rewrite <- rev_alt. intro H.
  assert (K : forall ls st, fold_right (fun l st => push st l) (Some []) ls = Some st -> ls = texts st).
  { clear. induction ls as [|l ls IH]; simpl; intros st H.
    - injection H as <-. reflexivity.
    - destruct (fold_right (fun l st => push st l) (Some []) ls) as [st'|] eqn:E; [|destruct l; discriminate].
      apply push_sound in H. rewrite H. f_equal. auto. }
  rewrite <- (rev_involutive (rev ls)) in H. rewrite <- fold_left_rev_right, !rev_involutive in H.
  destruct (fold_right (fun y x => push x y) (Some []) ls) as [[|t' [|]]|] eqn:E; try discriminate. injection H as ->.
  apply K in E. rewrite E. simpl. apply app_nil_r.
Qed.

(* ---------- documents ---------- *)

(* The longest prefix of lines of one kind, and the other lines. *)
Fixpoint span {A} (f : line -> option A) (ls : list line) : list A * list line :=
  match ls with
  | [] => ([], [])
  | l :: r => match f l with Some x => let (xs, r) := span f r in (x :: xs, r) | None => ([], ls) end
  end.

Definition as_node (l : line) : option line :=
  match l with LLeaf _ _ | LChance _ | LMove _ _ _ => Some l | _ => None end.
Definition as_play l := match l with LPlay p k x => Some (p, k, x) | _ => None end.
Definition as_belief l := match l with LBelief p k x => Some (p, k, x) | _ => None end.
Definition as_root l := match l with LRoot p x => Some (p, x) | _ => None end.
Definition as_weight l := match l with LWeight p k x => Some (p, k, x) | _ => None end.

Definition read_lines (ls : list line) : option document :=
  match ls with
  | LClaim c :: LValues v1 v2 :: r =>
      let (ns, r) := span as_node r in
      let (ps, r) := span as_play r in
      let (bs, r) := span as_belief r in
      let (rs, r) := span as_root r in
      let (ws, r) := span as_weight r in
      match r, read_tree ns with
      | [], Some t => Some (Document c (v1, v2) t ps bs rs ws)
      | _, _ => None
      end
  | _ => None
  end.

(* rev_append keeps the stack of the extracted program small. *)
Fixpoint read_each (ls : list (list token)) (acc : list line) : option (list line) :=
  match ls with
  | [] => Some (rev' acc)
  | l :: r => match read_line l with Some x => read_each r (x :: acc) | None => None end
  end.

Definition read_document (ls : list (list token)) : option document :=
  match read_each ls [] with Some ls => read_lines ls | None => None end.

Lemma span_sound A (f : line -> option A) (g : A -> line) : (forall l x, f l = Some x -> l = g x) ->
  forall ls xs r, span f ls = (xs, r) -> ls = map g xs ++ r.
Proof.
  intro H. induction ls as [|l ls IH]; simpl; intros xs r E.
  - injection E as <- <-. reflexivity.
  - destruct (f l) as [x|] eqn:F.
    + destruct (span f ls) as [ys r'] eqn:S. injection E as <- <-. simpl. f_equal; auto.
    + injection E as <- <-. reflexivity.
Qed.

Lemma read_lines_sound ls d : read_lines ls = Some d -> ls = write_lines d.
Proof.
  unfold read_lines. destruct ls as [|[c| | | | | | | |] [|[|v1 v2| | | | | | |] r]]; try discriminate.
  destruct (span as_node r) as [ns r1] eqn:E1. destruct (span as_play r1) as [ps r2] eqn:E2.
  destruct (span as_belief r2) as [bs r3] eqn:E3. destruct (span as_root r3) as [rs r4] eqn:E4.
  destruct (span as_weight r4) as [ws r5] eqn:E5.
  destruct r5; [|discriminate]. destruct (read_tree ns) as [t|] eqn:T; [|discriminate].
  intro H. injection H as <-. unfold write_lines. cbn [claimed values root_node plays belief_rows roots weights fst snd].
  apply read_tree_sound in T. do 2 f_equal.
  apply (span_sound _ as_node (fun l => l)) in E1; [|intros [] x X; simpl in X; congruence]. rewrite map_id in E1.
  apply (span_sound _ as_play (fun r => LPlay (fst (fst r)) (snd (fst r)) (snd r))) in E2;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  apply (span_sound _ as_belief (fun r => LBelief (fst (fst r)) (snd (fst r)) (snd r))) in E3;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  apply (span_sound _ as_root (fun r => LRoot (fst r) (snd r))) in E4;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  apply (span_sound _ as_weight (fun r => LWeight (fst (fst r)) (snd (fst r)) (snd r))) in E5;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  subst. rewrite app_nil_r. reflexivity.
Qed.

Lemma read_each_sound : forall ls acc r, read_each ls acc = Some r -> map write_line (rev acc) ++ ls = map write_line r.
Proof.
  induction ls as [|l ls IH]; simpl; intros acc r H.
  - injection H as <-. unfold rev'. rewrite <- rev_alt. apply app_nil_r.
  - destruct (read_line l) as [x|] eqn:E; [|discriminate]. apply IH in H. rewrite <- H. simpl.
    rewrite map_app, <- app_assoc. simpl. now rewrite (read_line_sound _ _ E).
Qed.

(* The text is exactly the text of the document that the reader returns. *)
Theorem read_sound ls d : read_document ls = Some d -> ls = write_document d.
Proof.
  unfold read_document, write_document. destruct (read_each ls []) as [r|] eqn:E; [|discriminate]. intro H.
  apply read_lines_sound in H. apply read_each_sound in E. simpl in E. now rewrite E, H.
Qed.
