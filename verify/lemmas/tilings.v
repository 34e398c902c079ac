(* Every list of layout steps is a bijection between indices and offsets, up to padding: for all
   ranks, all sizes, and any number of tiles.

   These steps are a model of those of spec/layout/layout_steps.h. verify/prove/layout/coq_layouts.h
   writes the steps of a layout as a list of this model. layouts.v shows for some layouts that such a
   list fits arrays of every size and gives the offsets of the reference. *)
Require Import ZArith List Permutation Lia.
Require Import lemmas.
Import ListNotations.
Open Scope Z_scope.

(* A step acts on the first dimensions of an array. Skip leaves the first dimension alone. *)
Inductive step :=
  | Prepend                (* a new first dimension of size 1 *)
  | Combine                (* the first two dimensions become one *)
  | Pad (multiple : Z)     (* the first size grows to the next multiple *)
  | Split (tile : Z)       (* the first dimension becomes (tiles, tile) *)
  | Swap                   (* the first two dimensions change places *)
  | Skip (rest : step).

Fixpoint fits (s : step) (n : list Z) : Prop :=
  match s, n with
  | Prepend, _ => True
  | Combine, _ :: _ :: _ => True
  | Pad multiple, _ :: _ => 0 < multiple
  | Split tile, size :: _ => 0 < tile /\ size mod tile = 0
  | Swap, _ :: _ :: _ => True
  | Skip s, _ :: n => fits s n
  | _, _ => False
  end.

Fixpoint sizes_after (s : step) (n : list Z) : list Z :=
  match s, n with
  | Prepend, n => 1 :: n
  | Combine, a :: b :: n => a * b :: n
  | Pad multiple, a :: n => ceildiv a multiple * multiple :: n
  | Split tile, a :: n => a / tile :: tile :: n
  | Swap, a :: b :: n => b :: a :: n
  | Skip s, a :: n => a :: sizes_after s n
  | _, n => n
  end.

(* Where a step takes an index e of an array of sizes n. *)
Fixpoint forward (s : step) (n e : list Z) : list Z :=
  match s, n, e with
  | Prepend, _, e => 0 :: e
  | Combine, _ :: b :: _, i :: j :: e => i * b + j :: e
  | Pad _, _, e => e
  | Split tile, _, i :: e => i / tile :: i mod tile :: e
  | Swap, _, i :: j :: e => j :: i :: e
  | Skip s, _ :: n, i :: e => i :: forward s n e
  | _, _, e => e
  end.

(* The index that a step takes to e; None in padding. *)
Fixpoint backward (s : step) (n e : list Z) : option (list Z) :=
  match s, n, e with
  | Prepend, _, _ :: e => Some e
  | Combine, _ :: b :: _, i :: e => Some (i / b :: i mod b :: e)
  | Pad _, a :: _, i :: e => if i <? a then Some (i :: e) else None
  | Split tile, _, i :: j :: e => Some (i * tile + j :: e)
  | Swap, _, i :: j :: e => Some (j :: i :: e)
  | Skip s, _ :: n, i :: e => option_map (cons i) (backward s n e)
  | _, _, _ => None
  end.

Definition inside := Forall2 (fun e n => 0 <= e < n).
Definition are_sizes := Forall (fun n => 0 <= n).

Ltac cases := repeat match goal with
  | H : False |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  | H : inside _ (_ :: _) |- _ => inversion H; subst; clear H
  | H : Forall2 _ _ (_ :: _) |- _ => inversion H; subst; clear H
  | H : are_sizes (_ :: _) |- _ => inversion H; subst; clear H
  | H : Forall _ (_ :: _) |- _ => inversion H; subst; clear H
  end.

Lemma sizes_stay_sizes : forall s n, fits s n -> are_sizes n -> are_sizes (sizes_after s n).
Proof.
  induction s; intros n F S.
  - constructor; [lia | assumption].
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    constructor; [nia | assumption].
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    constructor; [| assumption]. pose proof (pad_size a multiple F). lia.
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    pose proof (Z.div_pos a tile). repeat (constructor; try lia; try assumption).
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    repeat (constructor; try lia; try assumption).
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    constructor; [lia | apply IHs; assumption].
Qed.

Lemma step_forward : forall s n e, fits s n -> inside e n ->
  inside (forward s n e) (sizes_after s n) /\ backward s n (forward s n e) = Some e.
Proof.
  induction s; intros n e F I.
  - split; [constructor; [lia | exact I] | reflexivity].
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    split.
    + constructor; [| assumption]. nia.
    + rewrite digit_quotient, digit_remainder by lia. reflexivity.
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    pose proof (pad_size a multiple F). cases.
    split.
    + constructor; [lia | assumption].
    + replace (x <? a) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    pose proof (Z.div_mod x tile). pose proof (Z.mod_pos_bound x tile).
    pose proof (Z.div_mod a tile).
    split.
    + constructor; [nia | constructor; [lia | assumption]].
    + do 2 f_equal. lia.
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    split; [repeat (constructor; try lia; try assumption) | reflexivity].
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    destruct (IHs n l) as [I B]; [assumption | assumption |].
    split; [constructor; [lia | assumption] |]. rewrite B. reflexivity.
Qed.

Lemma step_backward : forall s n e, fits s n -> are_sizes n -> inside e (sizes_after s n) ->
  match backward s n e with
  | Some i => inside i n /\ forward s n i = e
  | None => True
  end.
Proof.
  induction s; intros n e F S I.
  - simpl in *. cases. split; [assumption | f_equal; lia].
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    assert (0 < b) by nia.
    pose proof (Z.div_mod x b). pose proof (Z.mod_pos_bound x b).
    split.
    + constructor; [nia | constructor; [lia | assumption]].
    + f_equal. lia.
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    destruct (x <? a) eqn:B; [| exact Logic.I].
    apply Z.ltb_lt in B. split; [constructor; [lia | assumption] | reflexivity].
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    pose proof (Z.div_mod a tile).
    split.
    + constructor; [nia | assumption].
    + rewrite digit_quotient, digit_remainder by lia. reflexivity.
  - destruct n as [| a [| b n]]; simpl in *; try contradiction; cases.
    split; [repeat (constructor; try lia; try assumption) | reflexivity].
  - destruct n as [| a n]; simpl in *; try contradiction; cases.
    specialize (IHs n l). destruct (backward s n l); simpl; [| exact Logic.I].
    destruct IHs as [I E]; [assumption | assumption | assumption |].
    split; [constructor; [lia | assumption] | rewrite E; reflexivity].
Qed.

(* Lists of steps. *)
Fixpoint all_fit (steps : list step) (n : list Z) : Prop :=
  match steps with
  | [] => True
  | s :: steps => fits s n /\ all_fit steps (sizes_after s n)
  end.

Fixpoint sizes_after_all (steps : list step) (n : list Z) : list Z :=
  match steps with
  | [] => n
  | s :: steps => sizes_after_all steps (sizes_after s n)
  end.

Fixpoint forward_all (steps : list step) (n e : list Z) : list Z :=
  match steps with
  | [] => e
  | s :: steps => forward_all steps (sizes_after s n) (forward s n e)
  end.

Fixpoint backward_all (steps : list step) (n e : list Z) : option (list Z) :=
  match steps with
  | [] => Some e
  | s :: steps => match backward_all steps (sizes_after s n) e with
                  | Some e => backward s n e
                  | None => None
                  end
  end.

(* Each index has an offset, and the offset leads back to it: no two indices share an offset. *)
Theorem every_index_has_its_offset : forall steps n e, all_fit steps n -> inside e n ->
  inside (forward_all steps n e) (sizes_after_all steps n) /\
  backward_all steps n (forward_all steps n e) = Some e.
Proof.
  induction steps as [| s steps]; simpl; intros n e F I; [split; [assumption | reflexivity] |].
  destruct F as [F Fs]. destruct (step_forward s n e F I) as [I' B].
  destruct (IHsteps _ _ Fs I') as [I'' B']. rewrite B'. split; assumption.
Qed.

(* Each offset is that of one index, or padding. *)
Theorem every_offset_has_its_index : forall steps n e, all_fit steps n -> are_sizes n ->
  inside e (sizes_after_all steps n) ->
  match backward_all steps n e with
  | Some i => inside i n /\ forward_all steps n i = e
  | None => True
  end.
Proof.
  induction steps as [| s steps]; simpl; intros n e F S I; [split; [assumption | reflexivity] |].
  destruct F as [F Fs]. specialize (IHsteps _ e Fs (sizes_stay_sizes s n F S) I).
  destruct (backward_all steps (sizes_after s n) e) as [i |]; [| exact Logic.I].
  destruct IHsteps as [I' E]. pose proof (step_backward s n i F S I') as B.
  destruct (backward s n i) as [i' |]; [| exact Logic.I].
  destruct B as [I'' E']. rewrite E'. split; assumption.
Qed.

Theorem no_two_indices_share_an_offset : forall steps n e f, all_fit steps n ->
  inside e n -> inside f n -> forward_all steps n e = forward_all steps n f -> e = f.
Proof.
  intros steps n e f F E G H.
  destruct (every_index_has_its_offset steps n e F E) as [_ A].
  destruct (every_index_has_its_offset steps n f F G) as [_ B].
  rewrite H in A. rewrite A in B. injection B. auto.
Qed.

(* A list of steps names no size of the array. Does it fit every size? It suffices to know a multiple
   of each size: 1 at first, t after padding to a multiple of t. *)
Fixpoint multiples_after (s : step) (m : list Z) : list Z :=
  match s, m with
  | Pad multiple, _ :: m => multiple :: m
  | Skip s, a :: m => a :: multiples_after s m
  | s, m => sizes_after s m
  end.

Fixpoint all_fit_multiples (steps : list step) (m : list Z) : Prop :=
  match steps with
  | [] => True
  | s :: steps => fits s m /\ all_fit_multiples steps (multiples_after s m)
  end.

Definition are_multiples := Forall2 (fun n m => (m | n)).

Lemma multiples_stay_multiples : forall s n m, are_multiples n m -> fits s m ->
  fits s n /\ are_multiples (sizes_after s n) (multiples_after s m).
Proof.
  unfold are_multiples. induction s; intros n m M F.
  - split; [exact Logic.I | constructor; [exists 1; reflexivity | exact M]].
  - destruct M as [| a x n' m' [p A] [| b y n'' m'' [q B] M]]; simpl in *; try contradiction.
    split; [exact Logic.I | constructor; [| exact M]]. exists (p * q). subst. ring.
  - destruct M as [| a x n' m' A M]; simpl in *; try contradiction.
    split; [exact F | constructor; [| exact M]]. exists (ceildiv a multiple). ring.
  - destruct M as [| a x n' m' [p A] M]; simpl in *; try contradiction. destruct F as [T D].
    assert (E : x = x / tile * tile) by (pose proof (Z.div_mod x tile); lia).
    assert (E' : a = p * (x / tile) * tile) by (rewrite A; rewrite E at 1; ring).
    split.
    + split; [exact T |]. rewrite E'. apply Z.mod_mul. lia.
    + constructor; [| constructor; [exists 1; ring | exact M]].
      exists p. rewrite E'. apply Z.div_mul. lia.
  - destruct M as [| a x n' m' A [| b y n'' m'' B M]]; simpl in *; try contradiction.
    split; [exact Logic.I | repeat constructor; assumption].
  - destruct M as [| a x n' m' A M]; simpl in *; try contradiction.
    destruct (IHs _ _ M F) as [F' M']. split; [exact F' | constructor; assumption].
Qed.

(* A list that fits by these multiples alone fits the arrays of every size. *)
Theorem every_size_fits : forall steps n,
  all_fit_multiples steps (map (fun _ => 1) n) -> all_fit steps n.
Proof.
  assert (H : forall steps n m, are_multiples n m -> all_fit_multiples steps m -> all_fit steps n).
  { induction steps as [| s steps]; simpl; intros n m M F; [exact Logic.I |].
    destruct F as [F Fs]. destruct (multiples_stay_multiples s n m M F) as [F' M']. eauto. }
  intros steps n F. apply (H steps n (map (fun _ => 1) n)); [| exact F].
  clear. unfold are_multiples.
  induction n as [| a n]; simpl; constructor; [exists a; ring | exact IHn].
Qed.

(* A transpose to any order of dimensions is a list of swaps. *)
Theorem every_transpose_is_swaps : forall from to : list (Z * Z), Permutation from to ->
  exists steps, all_fit steps (map snd from) /\
    sizes_after_all steps (map snd from) = map snd to /\
    forward_all steps (map snd from) (map fst from) = map fst to.
Proof.
  intros from to P. induction P as [| [i a] from to P [s [F [N E]]] | [i a] [j b] from |
                                    a b c P1 [s [F [N E]]] P2 [t [G [M D]]]].
  - exists []. repeat split; reflexivity.
  - exists (map Skip s). clear P. simpl.
    assert (H : forall s n e, all_fit s n -> all_fit (map Skip s) (a :: n) /\
      sizes_after_all (map Skip s) (a :: n) = a :: sizes_after_all s n /\
      forward_all (map Skip s) (a :: n) (i :: e) = i :: forward_all s n e).
    { clear. induction s as [| s r H]; simpl; intros n e F; [auto |].
      destruct F as [F R]. destruct (H _ (forward s n e) R) as [A [B C]]. auto. }
    destruct (H _ _ (map fst from) F) as [A [B C]]. rewrite B, C, N, E. auto.
  - exists [Swap]. simpl. auto.
  - exists (s ++ t).
    assert (H : forall s t n e, all_fit s n -> all_fit t (sizes_after_all s n) ->
      all_fit (s ++ t) n /\ sizes_after_all (s ++ t) n = sizes_after_all t (sizes_after_all s n) /\
      forward_all (s ++ t) n e = forward_all t (sizes_after_all s n) (forward_all s n e)).
    { clear. induction s as [| s r H]; simpl; intros t n e F G; [auto |].
      destruct F as [F R]. destruct (H t _ (forward s n e) R G) as [A [B C]]. auto. }
    destruct (H s t _ (map fst a) F) as [A [B C]]; [rewrite N; assumption |].
    rewrite B, C, N, E. auto.
Qed.

Print Assumptions every_index_has_its_offset.
Print Assumptions every_offset_has_its_index.
Print Assumptions no_two_indices_share_an_offset.
Print Assumptions every_size_fits.
Print Assumptions every_transpose_is_swaps.
