// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_coq.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

// ---- Statements ---------------------------------------------------------------------------------

std::string term_text(const Term& term) {
  const TermNode& node = *term.node;
  const auto left = [&] { return term_text(node.left); };
  const auto right = [&] { return term_text(node.right); };
  switch (node.op) {
    case TermOp::kVariable:
      return node.name;
    case TermOp::kLiteral:
      return node.value < 0 ? absl::StrCat("(", node.value, ")") : absl::StrCat(node.value);
    case TermOp::kNegate:
      return absl::StrCat("(- ", left(), ")");
    case TermOp::kAdd:
      return absl::StrCat("(", left(), " + ", right(), ")");
    case TermOp::kSubtract:
      return absl::StrCat("(", left(), " - ", right(), ")");
    case TermOp::kMultiply:
      return absl::StrCat("(", left(), " * ", right(), ")");
    case TermOp::kFloorDiv:
      return absl::StrCat("(", left(), " / ", right(), ")");
    case TermOp::kCeilDiv:
      return absl::StrCat("(ceildiv ", left(), " ", right(), ")");
    case TermOp::kMod:
      break;
  }
  return absl::StrCat("(", left(), " mod ", right(), ")");
}

std::string fact_text(const Fact<Term>& fact) {
  constexpr absl::string_view kSymbols[] = {" = ", " < ", " <= "};
  return absl::StrCat(term_text(fact.left), kSymbols[static_cast<int>(fact.predicate)],
                      term_text(fact.right));
}

std::string facts_text(const Facts<Term>& facts, absl::string_view between) {
  return absl::StrJoin(facts, between, [](std::string* out, const Fact<Term>& fact) {
    absl::StrAppend(out, fact_text(fact));
  });
}

// "0 < c -> 0 <= x -> "
std::string premises_text(const Facts<Term>& facts) {
  return facts.empty() ? "" : absl::StrCat(facts_text(facts, " -> "), " -> ");
}

std::string conclusion_text(const Claim<Term>& claim) {
  switch (claim.kind) {
    case ClaimKind::kEquivalent:
      return absl::StrCat("(", facts_text(claim.before, " /\\ "), ") <-> (",
                          facts_text(claim.after, " /\\ "), ")");
    case ClaimKind::kNever:
      return absl::StrCat("~ (", facts_text(claim.before, " /\\ "), ")");
    case ClaimKind::kEqual:
    case ClaimKind::kHolds:
      break;
  }
  return facts_text(claim.after, " /\\ ");
}

std::string for_all(const StatedLemma& lemma) {
  return absl::StrCat("forall ", absl::StrJoin(lemma.variables, " "), " : Z, ");
}

// ---- Proofs -------------------------------------------------------------------------------------

// The polynomial of a term. A division whose witness is not among these is a variable "missing",
// which no proof has: Coq then refuses the proof.
Polynomial polynomial_of(const Term& term, const std::vector<Witness>& witnesses) {
  static const Witness missing{{}, {}, "missing", "missing"};
  const auto divide = [&](const Polynomial& dividend, const Polynomial& divisor) -> const Witness& {
    const auto witness = std::ranges::find_if(witnesses, [&](const Witness& w) {
      return w.dividend == dividend && w.divisor == divisor;
    });
    return witness == witnesses.end() ? missing : *witness;
  };
  return polynomial_of(term, divide);
}

// Calls visit(node) for each division of a term, inner ones first.
template <class Visit>
void each_division(const Term& term, const Visit& visit) {
  const TermNode& node = *term.node;
  if (node.op == TermOp::kVariable || node.op == TermOp::kLiteral) return;
  each_division(node.left, visit);
  if (node.op != TermOp::kNegate) each_division(node.right, visit);
  if (node.op == TermOp::kFloorDiv || node.op == TermOp::kCeilDiv || node.op == TermOp::kMod) {
    visit(node);
  }
}

// Writes the proof of one script.
class ProofWriter {
 public:
  ProofWriter(const StatedLemma& lemma, const Script& script, const ScriptCertificate& certificate)
      : lemma_(lemma), script_(script), certificate_(certificate) {}

  // The proof between "Proof." and "Qed.".
  std::string text() && {
    line("intros.");
    for (size_t i = 0; i < script_.queries.size(); ++i) {
      const Query& query = script_.queries[i];
      const bool negated = i + 1 < script_.queries.size() || lemma_.claim.kind != ClaimKind::kNever;
      state(query, negated);
      show(query, certificate_.queries[i].terms, negated);
      if (query.divisor_sign) name_division(script_.witnesses[divisions_++]);
    }
    if (lemma_.claim.kind != ClaimKind::kNever) line("repeat split; lia.");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(const Parts&... parts) {
    absl::StrAppend(&text_, "  ", parts..., "\n");
  }

  // States the facts that the query may use and that are not stated yet: e0, e1, .. and i0, i1, ..
  void state(const Query& query, bool negated) {
    for (; equalities_ < query.equalities.size(); ++equalities_) {
      line("assert (e", equalities_, " : ", to_text(query.equalities[equalities_]),
           " = 0) by lia.");
    }
    const size_t known = query.inequalities.size() - (negated ? 1 : 0);
    for (; inequalities_ < known; ++inequalities_) {
      line("assert (i", inequalities_, " : 0 <= ", to_text(query.inequalities[inequalities_]),
           ") by lia.");
    }
  }

  // Derives a contradiction from the query's last inequality, or from the others for `never`.
  void show(const Query& query, const std::vector<CertificateTerm>& terms, bool negated) {
    if (negated) {
      const size_t last = query.inequalities.size() - 1;
      line("assert (~ 0 <= ", to_text(query.inequalities[last]), ").");
      line("{ intro i", last, ".");
    }
    for (const CertificateTerm& term : terms) multiply(term);
    line(negated ? "lia. }" : "lia.");
  }

  // States the product that a term of the certificate uses.
  void multiply(const CertificateTerm& term) {
    if (term.equality) {
      if (term.monomial.empty()) return;
      line("pose proof (f_equal (fun z => z * (", to_text(term.monomial), ")) e", term.facts[0],
           "); cbv beta in *.");
      return;
    }
    if (term.facts.size() < 2) return;
    std::string product = absl::StrCat("i", term.facts[0]);
    for (size_t i = 1; i < term.facts.size(); ++i) {
      product = absl::StrCat("(Z.mul_nonneg_nonneg _ _ ", product, " i", term.facts[i], ")");
    }
    line("pose proof ", product, ".");
  }

  // Names quotient and remainder of a division whose divisor's sign has just been shown.
  void name_division(const Witness& witness) {
    const std::string dividend = absl::StrCat("(", to_text(witness.dividend), ")");
    const std::string divisor = absl::StrCat("(", to_text(witness.divisor), ")");
    const std::string& q = witness.quotient;
    const std::string& r = witness.remainder;
    line("destruct (", witness.negative ? "division_by_negative " : "division_by_positive ",
         dividend, " ", divisor, " ltac:(lia)) as (? & ? & ?).");
    line("remember (", dividend, " / ", divisor, ") as ", q, " eqn:is_", q, ".");
    line("remember (", dividend, " mod ", divisor, ") as ", r, " eqn:is_", r, ".");
    const auto rename = [&](const TermNode& node) {
      if (!is_division_by(node, witness)) return;
      const std::string left = absl::StrCat("(", renamed(node.left), ")");
      const std::string right = absl::StrCat("(", renamed(node.right), ")");
      const bool mod = node.op == TermOp::kMod, ceil = node.op == TermOp::kCeilDiv;
      line("try (replace (", ceil ? absl::StrCat("(- ", left, ")") : left, mod ? " mod " : " / ",
           right, ") with ", mod ? r : q, " in * by (rewrite is_", mod ? r : q,
           "; f_equal; ring)).");
    };
    for (const Facts<Term>* facts :
         {&lemma_.claim.hypotheses, &lemma_.claim.before, &lemma_.claim.after}) {
      for (const Fact<Term>& fact : *facts) {
        each_division(fact.left, rename);
        each_division(fact.right, rename);
      }
    }
    for (const Term& split : lemma_.claim.splits) each_division(split, rename);
  }

  bool is_division_by(const TermNode& node, const Witness& witness) const {
    const Polynomial left = polynomial_of(node.left, script_.witnesses);
    return (node.op == TermOp::kCeilDiv ? -left : left) == witness.dividend &&
           polynomial_of(node.right, script_.witnesses) == witness.divisor;
  }

  // The text of a term in which all inner divisions have their names.
  std::string renamed(const Term& term) const {
    const TermNode& node = *term.node;
    if (node.op == TermOp::kFloorDiv || node.op == TermOp::kMod) {
      return to_text(polynomial_of(term, script_.witnesses));
    }
    if (node.op == TermOp::kCeilDiv) {  // a notation for - ((- x) / c)
      return absl::StrCat("(- ", to_text(-polynomial_of(term, script_.witnesses)), ")");
    }
    if (node.op == TermOp::kVariable || node.op == TermOp::kLiteral) return term_text(term);
    if (node.op == TermOp::kNegate) return absl::StrCat("(- ", renamed(node.left), ")");
    const absl::string_view symbol = node.op == TermOp::kAdd        ? " + "
                                     : node.op == TermOp::kSubtract ? " - "
                                                                    : " * ";
    return absl::StrCat("(", renamed(node.left), symbol, renamed(node.right), ")");
  }

  const StatedLemma& lemma_;
  const Script& script_;
  const ScriptCertificate& certificate_;
  size_t equalities_ = 0, inequalities_ = 0, divisions_ = 0;
  std::string text_;
};

// "split_undone_forward", "x_back_pn": p and n are the signs of a case split.
std::string script_lemma(const StatedLemma& lemma, const std::string& script) {
  return absl::StrCat(coq_name(lemma), "_",
                      absl::StrReplaceAll(script, {{"/", "_"}, {"+", "p"}, {"-", "n"}}));
}

// "0 <= e -> f <= -1 -> " for the signs at the end of a script's name.
std::string signs_text(const std::vector<Term>& splits, absl::string_view script) {
  std::string text;
  script.remove_prefix(script.size() - splits.size());
  for (size_t i = 0; i < splits.size(); ++i) {
    const std::string split = term_text(splits[i]);
    absl::StrAppend(&text, script[i] == '-' ? absl::StrCat(split, " <= -1") : "0 <= " + split,
                    " -> ");
  }
  return text;
}

}  // namespace

std::string coq_prelude() {
  return "(* Lemmas about floor and mod, each proven for all integers. *)\n"
         "Require Import ZArith Lia.\n"
         "Open Scope Z_scope.\n"
         "\n"
         "Notation ceildiv x c := (- ((- x) / c)).\n"
         "\n"
         "Lemma division_by_positive : forall x c : Z, 0 < c ->\n"
         "  x = c * (x / c) + x mod c /\\ 0 <= x mod c /\\ x mod c < c.\n"
         "Proof. intros. pose proof (Z.div_mod x c). pose proof (Z.mod_pos_bound x c). lia. Qed.\n"
         "\n"
         "Lemma division_by_negative : forall x c : Z, c < 0 ->\n"
         "  x = c * (x / c) + x mod c /\\ x mod c <= 0 /\\ c < x mod c.\n"
         "Proof. intros. pose proof (Z.div_mod x c). pose proof (Z.mod_neg_bound x c). lia. Qed.\n";
}

std::string coq_name(const StatedLemma& lemma) {
  return absl::StrReplaceAll(lemma.name, {{"-", "_"}});
}

std::string coq_statement(const StatedLemma& lemma) {
  return absl::StrCat(for_all(lemma), premises_text(lemma.claim.hypotheses),
                      conclusion_text(lemma.claim));
}

absl::StatusOr<std::string> coq_theorem(const StatedLemma& lemma, const Certificate& certificate) {
  const Claim<Term>& claim = lemma.claim;
  const std::vector<std::string> names = script_names(claim);
  if (certificate.scripts.size() != names.size()) {
    return absl::InvalidArgumentError(absl::StrCat(lemma.name, ": expected ", names.size(),
                                                   " scripts, found ", certificate.scripts.size()));
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const ScriptCertificate& shown = certificate.scripts[i];
    const Script script = TRY(make_script(claim, i, shown.negative));
    if (shown.queries.size() != script.queries.size()) {
      return absl::InvalidArgumentError(absl::StrCat(lemma.name, ", ", names[i], ": expected ",
                                                     script.queries.size(), " queries, found ",
                                                     shown.queries.size()));
    }
    const bool back = names[i].rfind("back", 0) == 0;
    absl::StrAppend(
        &text, "\nLemma ", script_lemma(lemma, names[i]), " : ", for_all(lemma),
        premises_text(claim.hypotheses), premises_text(back ? claim.after : claim.before),
        signs_text(claim.splits, names[i]),
        claim.kind == ClaimKind::kNever ? "False"
                                        : facts_text(back ? claim.before : claim.after, " /\\ "),
        ".\nProof.\n", ProofWriter(lemma, script, shown).text(), "Qed.\n");
  }
  absl::StrAppend(&text, "\n(* ", lemma.says, " *)\nTheorem ", coq_name(lemma), " : ",
                  coq_statement(lemma), ".\nProof.\n  intros;\n");
  if (claim.kind == ClaimKind::kEquivalent) absl::StrAppend(&text, "  split; intros;\n");
  if (claim.kind == ClaimKind::kNever) absl::StrAppend(&text, "  intro;\n");
  absl::StrAppend(&text, "  repeat match goal with H : _ /\\ _ |- _ => destruct H end;\n");
  for (const Term& split : claim.splits) {
    absl::StrAppend(&text, "  destruct (Z_lt_le_dec ", term_text(split), " 0);\n");
  }
  const std::string variables = absl::StrJoin(lemma.variables, " ");
  absl::StrAppend(&text, "  first [",
                  absl::StrJoin(names, " | ",
                                [&](std::string* out, const std::string& name) {
                                  absl::StrAppend(out, "apply (", script_lemma(lemma, name), " ",
                                                  variables, "); (assumption || lia)");
                                }),
                  "].\nQed.\nPrint Assumptions ", coq_name(lemma), ".\n");
  return text;
}

}  // namespace tileproof::lemmas
