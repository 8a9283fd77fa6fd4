(* Definition of Nash equilibria in undominated strategies, a property of normal-form perfect equilibria.
   With two players, the converse holds as well (van Damme 1991, theorem 3.2.2), but it is not proven here. With perfect
   recall, behavior strategies and mixed strategies earn the same (Kuhn 1953), so it suffices that no behavior strategy
   dominates. *)
From Coq Require Import Qcanon.
From Tremble Require Import Game Nash.
Open Scope Qc_scope.

(* The strategy d of player i earns at least as much as s against every strategy o of the other player, and more against
   some o. *)
Definition dominates (i : player) (d : strategy) (t : tree) (s : profile) : Prop :=
  valid i d t /\
  (forall o, valid (other i) o t ->
     ev (deviate s (other i) o) i t <= ev (deviate (deviate s (other i) o) i d) i t) /\
  exists o, valid (other i) o t /\
     ev (deviate s (other i) o) i t < ev (deviate (deviate s (other i) o) i d) i t.

Definition undominated_nash (t : tree) (s : profile) : Prop :=
  nash t s /\ forall i d, ~ dominates i d t s.
