(* Definition of normal-form perfect equilibria (Selten 1975), for games with perfect recall.
   Completely mixed strategies b(e) of the normal form tend to s. For every small e, each player's strategy in s is a
   best reply to the other player's strategy in b(e). In the normal form, a player chooses a strategy for the whole game
   before the game begins, so only the payoffs at the root count. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game Limit.
Import ListNotations.
Open Scope Qc_scope.

(* The plan of a strategy s of player i: for each leaf, in preorder, the product of the probabilities of player i's own
   moves on the path to the leaf. w: this product for the root. *)
Fixpoint plan_of (s : strategy) (i : player) (t : tree) (w : Qc) : list Qc :=
  match t with
  | Leaf _ _ => [w]
  | Chance l => concat (map (fun qc => plan_of s i (snd qc) w) l)
  | Node p k l =>
      if peq p i then concat (zipw (fun q f => f (w * q)) (s k) (map (plan_of s i) l))
      else concat (map (fun c => plan_of s i c w) l)
  end.

(* Mixed strategies of the normal form are distributions on a player's pure strategies. With perfect recall, every mixed
   strategy has the plan of a behavior strategy, and every completely mixed strategy has the plan of a completely mixed
   behavior strategy (Kuhn 1953). Strategies with the same plan earn the same. So the definition states mixed strategies
   as behavior strategies, and their limits as limits of plans. Unlike in the definition of quasi-perfect equilibria,
   the probabilities b(e) at a set that the player's own moves in s exclude need not tend to those of s. *)
Definition normal_form_perfect (t : tree) (s : profile) : Prop :=
  (forall i, valid i (s i) t) /\
  exists b : Qc -> profile,
    completely_mixed b t /\
    (forall i d, 0 < d -> eventually (fun e => Forall2 (near d) (plan_of (b e i) i t 1) (plan_of (s i) i t 1))) /\
    eventually (fun e => forall i d, valid i d t -> ev (deviate (b e) i d) i t <= ev (deviate (b e) i (s i)) i t).
