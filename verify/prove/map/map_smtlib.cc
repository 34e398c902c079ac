// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_smtlib.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace tileproof::verify {
namespace {

std::string number(int64_t value) {
  return value < 0 ? absl::StrCat("(- ", absl::StrCat(value).substr(1), ")") : absl::StrCat(value);
}

// SMT-LIB's div and mod keep the remainder in [0, |b|). For b > 0 these are floordiv and mod; for
// b < 0, a floordiv b = (-a) floordiv (-b).
std::string quotient(const std::string& a, int64_t b) {
  return b > 0 ? absl::StrCat("(div ", a, " ", number(b), ")")
               : absl::StrCat("(div (- ", a, ") ", absl::StrCat(b).substr(1), ")");
}

// The nodes of a map as definitions `(define-fun <prefix><id> () Int ..)`, which follow the names of
// the variables.
class Text {
 public:
  Text(const IndexingMap& map, absl::string_view prefix) : map_(map), prefix_(prefix) {
    for (size_t id = 0; id < map.nodes.size(); ++id) {
      absl::StrAppend(&text_, "(define-fun ", name(static_cast<NodeId>(id)), " () Int ",
                      value(map.nodes[id]), ")\n");
    }
    std::vector<std::string> facts = {map.known_empty ? "false" : "true"};
    for (const Op kind : kVariableKinds) {
      const std::vector<Variable>& variables = variables_of(map, kind);
      for (size_t i = 0; i < variables.size(); ++i) {
        facts.push_back(within(default_name(kind, static_cast<int64_t>(i)), variables[i].bounds));
      }
    }
    for (const Constraint& constraint : map.constraints) {
      facts.push_back(within(name(constraint.expr), constraint.interval));
    }
    absl::StrAppend(&text_, "(define-fun ", domain(), " () Bool (and ", absl::StrJoin(facts, " "),
                    "))\n");
  }

  const std::string& text() const { return text_; }
  std::string domain() const { return absl::StrCat(prefix_, "domain"); }
  std::string result(size_t i) const { return name(map_.results[i]); }

 private:
  std::string name(NodeId id) const { return absl::StrCat(prefix_, id); }

  static std::string within(const std::string& value, const Interval& interval) {
    return absl::StrCat("(<= ", number(interval.low), " ", value, " ", number(interval.high), ")");
  }

  std::string value(const Node& node) const {
    if (node.op == Op::kConstant) return number(node.value);
    if (is_variable(node.op)) return default_name(node.op, node.value);
    const std::string a = name(node.left), b = name(node.right);
    if (node.op == Op::kAdd) return absl::StrCat("(+ ", a, " ", b, ")");
    if (node.op == Op::kMul) return absl::StrCat("(* ", a, " ", b, ")");
    const int64_t c = map_.nodes[node.right].value;  // a divisor is a constant after folding
    const bool plain = map_.nodes[node.right].op == Op::kConstant && c != INT64_MIN;
    if (!plain) return folded(node);
    if (node.op == Op::kFloorDiv) return quotient(a, c);
    if (node.op == Op::kCeilDiv)
      return absl::StrCat("(- ", quotient(absl::StrCat("(- ", a, ")"), c), ")");
    return absl::StrCat("(- ", a, " (* ", number(c), " ", quotient(a, c), "))");
  }

  // A divisor that is an expression of constants: both signs are written.
  std::string folded(const Node& node) const {
    const std::string b = name(node.right);
    const auto floor = [&b](const std::string& a) {
      return absl::StrCat("(ite (> ", b, " 0) (div ", a, " ", b, ") (div (- ", a, ") (- ", b,
                          ")))");
    };
    const std::string a = name(node.left);
    if (node.op == Op::kFloorDiv) return floor(a);
    if (node.op == Op::kCeilDiv)
      return absl::StrCat("(- ", floor(absl::StrCat("(- ", a, ")")), ")");
    return absl::StrCat("(- ", a, " (* ", b, " ", floor(a), "))");
  }

  const IndexingMap& map_;
  std::string prefix_, text_;
};

}  // namespace

std::string whole_question(const IndexingMap& left, const IndexingMap& right) {
  std::string text = "(set-logic ALL)\n";
  for (const Op kind : kVariableKinds) {
    for (size_t i = 0; i < variables_of(left, kind).size(); ++i) {
      absl::StrAppend(&text, "(declare-const ", default_name(kind, static_cast<int64_t>(i)),
                      " Int)\n");
    }
  }
  const Text a(left, "left-"), b(right, "right-");
  std::vector<std::string> different = {"false"};
  const bool comparable = left.results.size() == right.results.size();
  for (size_t i = 0; comparable && i < left.results.size(); ++i) {
    different.push_back(absl::StrCat("(not (= ", a.result(i), " ", b.result(i), "))"));
  }
  return absl::StrCat(text, a.text(), b.text(), "(assert (or (not (= ", a.domain(), " ", b.domain(),
                      "))\n            (and ", a.domain(), " ", b.domain(), " (or ",
                      absl::StrJoin(different, " "), "))))\n");
}

}  // namespace tileproof::verify
