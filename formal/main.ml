(* Usage: checker FILE...  Check the documents in the files and print a verdict for each. "-" is standard input.
   This program splits the text into words and numbers. The verified function Checker.judge does the rest. *)

let number_of text =
  (* an integer or a fraction of two integers with a positive denominator; None for a word *)
  let integer s =
    let digits = if String.length s > 1 && s.[0] = '-' then String.sub s 1 (String.length s - 1) else s in
    if digits <> "" && String.for_all (fun c -> '0' <= c && c <= '9') digits then Some (Z.of_string s) else None in
  let fraction num den =
    match integer num, integer den with
    | Some qnum, Some qden when Z.sign qden > 0 -> Some (Checker.q2Qc { Checker.qnum; qden })
    | _ -> None in
  match String.index_opt text '/' with
  | None -> fraction text "1"
  | Some i -> fraction (String.sub text 0 i) (String.sub text (i + 1) (String.length text - i - 1))

let token_of text =
  match number_of text with
  | Some q -> Checker.Num q
  | None -> Checker.Word text

let lines_of file =
  let channel = if file = "-" then stdin else open_in_bin file in
  let rec read lines =
    match input_line channel with
    | line -> read (List.filter (( <> ) "") (String.split_on_char ' ' (String.trim line)) :: lines)
    | exception End_of_file -> List.rev lines in
  let lines = read [] in
  close_in channel;
  List.rev_map (List.map token_of) (List.rev (List.filter (( <> ) []) lines))

let () =
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1_000_000; space_overhead = 300 }; (* one fifth faster *)
  let files = List.tl (Array.to_list Sys.argv) in
  if files = [] then (prerr_endline "usage: checker FILE..."; exit 2);
  let one_sided player = Printf.sprintf "one-sided-quasi-perfect %d" player in
  let name = function
    | Checker.CNash -> "nash" | Checker.CSubgame -> "subgame-perfect"
    | Checker.CQuasi -> "quasi-perfect" | Checker.CSequential -> "sequential"
    | Checker.CNormalForm -> "normal-form-perfect" | Checker.CPerfect -> "perfect"
    | Checker.COneSided Checker.P1 -> one_sided 1 | Checker.COneSided Checker.P2 -> one_sided 2 in
  let check file =
    let prefix = file ^ ": " in
    let without_file reason =
      let n = String.length prefix in
      if String.starts_with ~prefix reason then String.sub reason n (String.length reason - n) else reason in
    let proven, verdict =
      match let lines = lines_of file in lines, Checker.judge lines with
      | _, Checker.Proven c -> true, "proven " ^ name c
      | _, Checker.NotProven -> false, "not proven"
      | (Checker.Word ("chance" | "move" | "leaf") :: _) :: _, _ -> false, "unreadable (a game without a claim)"
      | _, Checker.Unreadable -> false, "unreadable"
      | exception Sys_error reason -> false, Printf.sprintf "unreadable (%s)" (without_file reason)
      | exception Stack_overflow -> false, "unreadable (the stack is too small, run `ulimit -s unlimited` first)" in
    Printf.printf "%s%s\n%!" prefix verdict;
    proven in
  exit (if List.for_all (fun x -> x) (List.map check files) then 0 else 1)
