(* Translate the checker to OCaml. Integers become zarith's integers. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatInt ExtrOcamlNativeString QArith Qcanon.
From Tremble Require Import Checker.
(* Trusted for speed: the greatest common divisor of two integers, and both integers divided by it. *)
Extract Constant Z.ggcd => "(fun a b ->
  let g = Big_int_Z.gcd_big_int a b in
  if Big_int_Z.sign_big_int g = 0 then (g, (a, b))
  else (g, (Big_int_Z.div_big_int a g, Big_int_Z.div_big_int b g)))".
Extraction NoInline recall_with sequential_with normal_form_with accepts_with. (* so that each table is made once *)
Extraction "checker.ml" judge Q2Qc.
