(* Definition of quasi-perfect equilibria (van Damme 1984).
   Completely mixed profiles b(e) tend to s. For every small e, at each information set of a player, the player's
   strategy in s from this set on is a best reply to the play of the other player in b(e). The player's own later
   mistakes do not count. *)
From Coq Require Import List PArith QArith Qcanon.
From Tremble Require Import Game Limit.
Import ListNotations.
Open Scope Qc_scope.

(* The payoff of player i from information set k on: the sum over the nodes of k of the expected payoff from the node
   on, times the probability with which chance and the other player lead to the node.
   w: this probability for the root. *)
Fixpoint cont (s : profile) (i : player) (k : positive) (t : tree) (w : Qc) : Qc :=
  match t with
  | Leaf _ _ => 0
  | Chance l => sum (map (fun qc => cont s i k (snd qc) (w * fst qc)) l)
  | Node p k' l =>
      if peq p i then
        if Pos.eqb k k' then w * ev s i (Node p k' l) else sum (map (fun c => cont s i k c w) l)
      else sum (zipw (fun q f => f (w * q)) (s p k') (map (cont s i k) l))
  end.

Definition quasi_perfect (t : tree) (s : profile) : Prop :=
  (forall i, valid i (s i) t) /\
  exists b : Qc -> profile,
    completely_mixed b t /\
    tends_to b s t /\
    eventually (fun e => forall i k d, valid i d t ->
      cont (deviate (b e) i d) i k t 1 <= cont (deviate (b e) i (s i)) i k t 1).
