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

Definition as_concept (l : list token) : option concept :=
  match l with
  | [Word w] =>
      if w =? "nash" then Some CNash
      else if w =? "subgame-perfect" then Some CSubgame
      else if w =? "quasi-perfect" then Some CQuasi
      else if w =? "sequential" then Some CSequential
      else if w =? "normal-form-perfect" then Some CNormalForm
      else if w =? "perfect" then Some CPerfect
      else None
  | [Word w; x] =>
      if w =? "one-sided-quasi-perfect" then match as_player x with Some p => Some (COneSided p) | None => None end
      else None
  | _ => None
  end.

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
      else if w =? "mistake" then as_row (fun p k l => Some (LMistake p k l)) r
      else if w =? "weight" then as_row (fun p k l => Some (LWeight p k l)) r
      else if w =? "root" then
        match r with
        | x :: r => match as_player x, as_nums r with Some p, Some l => Some (LRoot p l) | _, _ => None end
        | [] => None
        end
      else if w =? "values" then match r with [Num v1; Num v2] => Some (LValues v1 v2) | _ => None end
      else if w =? "claim" then match as_concept r with Some c => Some (LClaim c) | None => None end
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
  apply as_whole_sound in E. subst. destruct z as [|[[]|[]|]|]; try discriminate; intro H; injection H as <-;
    reflexivity.
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

Lemma as_concept_sound l c : as_concept l = Some c -> l = write_concept c.
Proof.
  destruct l as [|[w|] [|x [|]]]; simpl; try discriminate.
  - destruct (String.eqb_spec w "nash") as [->|_]; [intro H; injection H as <-; reflexivity|].
    destruct (String.eqb_spec w "subgame-perfect") as [->|_]; [intro H; injection H as <-; reflexivity|].
    destruct (String.eqb_spec w "quasi-perfect") as [->|_]; [intro H; injection H as <-; reflexivity|].
    destruct (String.eqb_spec w "sequential") as [->|_]; [intro H; injection H as <-; reflexivity|].
    destruct (String.eqb_spec w "normal-form-perfect") as [->|_]; [intro H; injection H as <-; reflexivity|].
    destruct (String.eqb_spec w "perfect") as [->|_]; [intro H; injection H as <-; reflexivity|]. discriminate.
  - destruct (String.eqb_spec w "one-sided-quasi-perfect") as [->|_]; [|discriminate].
    destruct (as_player x) eqn:E; [|discriminate]. intro H. injection H as <-. apply as_player_sound in E. now subst.
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
  destruct (String.eqb_spec w "mistake") as [->|_].
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
  destruct (as_concept r) eqn:E; [|discriminate]. intro H. injection H as <-. apply as_concept_sound in E. now subst.
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

Lemma pop_chance_sound : forall ps st l r, pop_chance ps st = Some (l, r) -> st = (map snd l ++ r)%list /\ ps = map
  fst l.
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
    apply pop_chance_sound in E. destruct E as [-> ->]. simpl. f_equal. rewrite map_app, concat_app, map_map.
      reflexivity.
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

(* The same with a stack of constant size. *)
Fixpoint split {A} (f : line -> option A) (ls : list line) (acc : list A) : list A * list line :=
  match ls with
  | [] => (rev' acc, [])
  | l :: r => match f l with Some x => split f r (x :: acc) | None => (rev' acc, ls) end
  end.

Lemma split_span A (f : line -> option A) ls : split f ls [] = span f ls.
Proof.
  assert (K : forall ls acc, split f ls acc = (rev acc ++ fst (span f ls), snd (span f ls))).
  { induction ls0 as [|l ls0 IH]; intro acc; simpl.
    - unfold rev'. now rewrite <- rev_alt, app_nil_r.
    - destruct (f l) as [x|].
      + rewrite IH. destruct (span f ls0). simpl. now rewrite <- app_assoc.
      + unfold rev'. simpl. now rewrite <- rev_alt, app_nil_r. }
  rewrite K. now destruct (span f ls).
Qed.

Definition as_node (l : line) : option line :=
  match l with LLeaf _ _ | LChance _ | LMove _ _ _ => Some l | _ => None end.
Definition as_play l := match l with LPlay p k x => Some (p, k, x) | _ => None end.
Definition as_belief l := match l with LBelief p k x => Some (p, k, x) | _ => None end.
Definition as_mistake l := match l with LMistake p k x => Some (p, k, x) | _ => None end.
Definition as_root l := match l with LRoot p x => Some (p, x) | _ => None end.
Definition as_weight l := match l with LWeight p k x => Some (p, k, x) | _ => None end.

Definition read_lines (ls : list line) : option document :=
  match ls with
  | LClaim c :: LValues v1 v2 :: r =>
      let (ns, r) := split as_node r [] in
      let (ps, r) := split as_play r [] in
      let (bs, r) := split as_belief r [] in
      let (ms, r) := split as_mistake r [] in
      let (rs, r) := split as_root r [] in
      let (ws, r) := split as_weight r [] in
      match r, read_tree ns with
      | [], Some t => Some (Document c (v1, v2) t ps bs ms rs ws)
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
  unfold read_lines. destruct ls as [|[c| | | | | | | | |] [|[|v1 v2| | | | | | | |] r]]; try discriminate.
  rewrite split_span. destruct (span as_node r) as [ns r1] eqn:E1.
  rewrite split_span. destruct (span as_play r1) as [ps r2] eqn:E2.
  rewrite split_span. destruct (span as_belief r2) as [bs r0] eqn:E3.
  rewrite split_span. destruct (span as_mistake r0) as [ms r3] eqn:E0.
  rewrite split_span. destruct (span as_root r3) as [rs r4] eqn:E4. rewrite split_span.
  destruct (span as_weight r4) as [ws r5] eqn:E5.
  destruct r5; [|discriminate]. destruct (read_tree ns) as [t|] eqn:T; [|discriminate].
  intro H. injection H as <-. unfold write_lines.
  cbn [claimed values root_node plays belief_rows mistake_rows roots weights fst snd].
  apply read_tree_sound in T. do 2 f_equal.
  apply (span_sound _ as_node (fun l => l)) in E1; [|intros [] x X; simpl in X; congruence]. rewrite map_id in E1.
  apply (span_sound _ as_play (fun r => LPlay (fst (fst r)) (snd (fst r)) (snd r))) in E2;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  apply (span_sound _ as_belief (fun r => LBelief (fst (fst r)) (snd (fst r)) (snd r))) in E3;
    [|intros [] x X; simpl in X; try discriminate; injection X as <-; reflexivity].
  apply (span_sound _ as_mistake (fun r => LMistake (fst (fst r)) (snd (fst r)) (snd r))) in E0;
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

(* ---------- every document has its own text ---------- *)

Lemma as_whole_whole z : as_whole (whole z) = Some z.
Proof.
  assert (E : this (whole z) = (z # 1)%Q).
  { unfold whole, Q2Qc, this, Qred. pose proof (Z.ggcd_gcd z 1) as G. pose proof (Z.ggcd_correct_divisors z 1) as D.
    rewrite Z.gcd_1_r in G. destruct (Z.ggcd z 1) as [g [a b]]. simpl in *. subst g. destruct D as [D1 D2].
    rewrite D1, <- (Z.mul_1_l b), <- D2. f_equal. lia. }
  unfold as_whole. rewrite E. reflexivity.
Qed.

Lemma as_player_write p : as_player (write_player p) = Some p.
Proof. unfold as_player, write_player. rewrite as_whole_whole. destruct p; reflexivity. Qed.

Lemma as_set_write k : as_set (Num (whole (Zpos k))) = Some k.
Proof. unfold as_set. now rewrite as_whole_whole. Qed.

Lemma as_nums_map l : as_nums (map Num l) = Some l.
Proof. induction l as [|q l IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma as_row_write f p k l : as_row f (write_set p k ++ map Num l) = f p k l.
Proof. unfold as_row, write_set. cbn [app]. now rewrite as_player_write, as_set_write, as_nums_map. Qed.

Lemma read_line_write l : read_line (write_line l) = Some l.
Proof.
  destruct l; cbn [write_line read_line String.eqb Ascii.eqb Bool.eqb]; rewrite ?as_row_write, ?as_nums_map; auto.
  - destruct c; cbn [as_concept write_concept String.eqb Ascii.eqb Bool.eqb]; rewrite ?as_player_write; reflexivity.
  - change [Num (whole n)] with (map Num [whole n]). now rewrite as_row_write, as_whole_whole.
  - now rewrite as_player_write.
Qed.

Lemma pop_app l st : pop (Z.of_nat (List.length l)) (l ++ st) = Some (l, st).
Proof.
  induction l as [|t l IH]; [destruct st; reflexivity|].
  replace (Z.of_nat (List.length (t :: l))) with (Z.of_nat (List.length l) + 1)%Z by (simpl List.length; lia).
  cbn [app pop]. destruct (Z.eqb_spec (Z.of_nat (List.length l) + 1) 0) as [E|_]; [lia|].
  replace (Z.of_nat (List.length l) + 1 - 1)%Z with (Z.of_nat (List.length l)) by lia. now rewrite IH.
Qed.

Lemma pop_chance_app l st : pop_chance (map fst l) (map snd l ++ st) = Some (l, st).
Proof. induction l as [|[q t] l IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Notation pushes := (fold_right (fun l st => push st l)).

Lemma pushes_concat A (f : A -> tree) l : Forall (fun x => forall st, pushes (Some st) (write_tree (f x)) = Some (f x
  :: st)) l ->
  forall st, pushes (Some st) (concat (map (fun x => write_tree (f x)) l)) = Some (map f l ++ st).
Proof.
  induction 1 as [|x l H _ IH]; intro st; simpl; [reflexivity|]. rewrite fold_right_app, IH. apply H.
Qed.

Lemma pushes_write : forall t st, pushes (Some st) (write_tree t) = Some (t :: st).
Proof.
  induction t as [u1 u2|l IH|p k l IH] using tree_ind'; intro st; cbn [write_tree fold_right].
  - reflexivity.
  - rewrite (pushes_concat _ snd) by assumption. cbn [push]. now rewrite pop_chance_app.
  - rewrite (pushes_concat _ (fun x => x)) by assumption. rewrite map_id. cbn [push]. now rewrite pop_app.
Qed.

Lemma read_tree_write t : read_tree (write_tree t) = Some t.
Proof.
  unfold read_tree, rev'. rewrite <- rev_alt. rewrite <- (rev_involutive (rev (write_tree t))).
  rewrite <- fold_left_rev_right, !rev_involutive. now rewrite pushes_write.
Qed.

Lemma span_app A (f : line -> option A) (g : A -> line) xs r : (forall x, f (g x) = Some x) ->
  match r with [] => True | l :: _ => f l = None end -> span f (map g xs ++ r) = (xs, r).
Proof.
  intros H N. induction xs as [|x xs IH]; simpl.
  - destruct r as [|l r]; simpl; [reflexivity | now rewrite N].
  - now rewrite H, IH.
Qed.

(* The lines of one kind end where a line of a later kind begins. *)
Definition ends {A} (f : line -> option A) (r : list line) := match r with [] => True | l :: _ => f l = None end.

Lemma ends_app A B (f : line -> option A) (g : B -> line) xs r : (forall x, f (g x) = None) -> ends f r ->
  ends f (map g xs ++ r).
Proof. intros H E. destruct xs; simpl; auto. Qed.

Lemma read_lines_write d : read_lines (write_lines d) = Some d.
Proof.
  destruct d as [c [v1 v2] t ps bs ms rs ws]. unfold write_lines, read_lines.
  cbn [claimed values root_node plays belief_rows mistake_rows roots weights fst snd].
  assert (S0 : forall r, ends as_node r -> span as_node (write_tree t ++ r) = (write_tree t, r)).
  { intros r E. assert (F : Forall (fun l => as_node l = Some l) (write_tree t)).
    { clear. induction t as [u1 u2|l IH|p k l IH] using tree_ind'; cbn [write_tree]; repeat constructor.
      - apply Forall_concat. now rewrite Forall_map.
      - apply Forall_concat. now rewrite Forall_map. }
    induction F as [|l ls H F IH]; simpl; [|now rewrite H, IH].
    destruct r as [|l r]; simpl in *; [reflexivity | now rewrite E]. }
  rewrite <- (app_nil_r (map _ ws)).
  rewrite split_span, S0 by (repeat (apply ends_app; [reflexivity|]); exact I).
  rewrite split_span, span_app;
    [|intros [[] x]; reflexivity | repeat (apply (ends_app _ _ as_play); [reflexivity|]); exact I].
  rewrite split_span, span_app;
    [|intros [[] x]; reflexivity | repeat (apply (ends_app _ _ as_belief); [reflexivity|]); exact I].
  rewrite split_span, span_app;
    [|intros [[] x]; reflexivity | repeat (apply (ends_app _ _ as_mistake); [reflexivity|]); exact I].
  rewrite split_span, span_app;
    [|intros []; reflexivity | repeat (apply (ends_app _ _ as_root); [reflexivity|]); exact I].
  rewrite split_span, span_app; [|intros [[] x]; reflexivity | exact I].
  now rewrite read_tree_write.
Qed.

Lemma read_each_write : forall ls acc, read_each (map write_line ls) acc = Some (rev acc ++ ls).
Proof.
  induction ls as [|l ls IH]; intro acc; simpl.
  - unfold rev'. rewrite <- rev_alt. now rewrite app_nil_r.
  - rewrite read_line_write, IH. simpl. now rewrite <- app_assoc.
Qed.

(* The reader reads the text of every document. *)
Theorem read_write d : read_document (write_document d) = Some d.
Proof. unfold read_document, write_document. rewrite read_each_write. apply read_lines_write. Qed.

(* Two documents with the same text are equal. *)
Corollary write_injective d d' : write_document d = write_document d' -> d = d'.
Proof. intro E. pose proof (read_write d) as H. rewrite E, read_write in H. congruence. Qed.
