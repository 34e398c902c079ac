// SPDX-License-Identifier: Apache-2.0
// Numbers that are expressions of index variables: the access functions of the definition
// (spec/hlo/access_function.h) run on them, so what an element reads is known for any index at once.
//
//     o = (d0, d1), transpose, then reshape to [64,8,16]      index (d1, d0 floordiv 16, d0 mod 16)
//
// Expressions are simplified under the bounds of their variables (impl/map/simplify.h) and kept once:
// two numbers with one node are equal for all values of the variables. A variable stands for an
// integer term, so a number and a comparison are terms, too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/hlo/terms.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

class IndexExpressions;

struct IndexNumber {
  IndexNumber(int64_t known) : value(known) {}  // NOLINT: as int64 is a number
  IndexNumber(IndexExpressions* in, NodeId expression) : store(in), node(expression) {}

  IndexExpressions* store = nullptr;  // none: a constant
  NodeId node = -1;
  int64_t value = 0;  // of a constant
};

// Whether a comparison holds: known for all values of the variables, or a predicate.
struct IndexTruth {
  IndexTruth(bool value) : known(value) {}  // NOLINT: as bool is a truth
  IndexTruth(IndexExpressions* in, spec::TermId predicate) : store(in), term(predicate) {}

  std::optional<bool> known = std::nullopt;
  IndexExpressions* store = nullptr;
  spec::TermId term = 0;
  // If it is `number < bound`, or the opposite:
  std::optional<IndexNumber> number = std::nullopt;
  int64_t bound = 0;
  bool is_opposite = false;
};

IndexNumber operator+(const IndexNumber& a, const IndexNumber& b);
IndexNumber operator*(const IndexNumber& a, int64_t b);
IndexNumber floordiv(const IndexNumber& a, int64_t b);
IndexNumber mod(const IndexNumber& a, int64_t b);
IndexTruth operator<(const IndexNumber& a, int64_t b);
IndexTruth operator==(const IndexNumber& a, const IndexNumber& b);
IndexTruth operator!(const IndexTruth& a);
IndexTruth operator&&(const IndexTruth& a, const IndexTruth& b);
IndexTruth operator||(const IndexTruth& a, const IndexTruth& b);

class IndexExpressions {
 public:
  explicit IndexExpressions(spec::Terms& terms) : terms_(terms) {}
  IndexExpressions(const IndexExpressions&) = delete;

  // A variable of this name, which has values in [low, high]. `term` is its value, of type s64.
  IndexNumber variable(const std::string& name, Interval bounds, spec::TermId term);
  // One that is any number in [0, size).
  IndexNumber any_below(const std::string& name, int64_t size);
  // The variables that the numbers hold, in their order, and the numbers with others in place of these.
  std::vector<IndexNumber> variables_in(const std::vector<IndexNumber>& numbers);
  std::vector<IndexNumber> replaced(const std::vector<IndexNumber>& numbers,
                                    const std::vector<IndexNumber>& variables,
                                    const std::vector<IndexNumber>& by);
  // The numbers with a variable in [0, size) for each one that may be no such number, and back.
  std::vector<IndexNumber> inside(std::vector<IndexNumber> numbers,
                                  const std::vector<int64_t>& sizes);
  std::vector<IndexNumber> outside(std::vector<IndexNumber> numbers);
  Interval bounds_of(const IndexNumber& variable) const;
  // All that the number may be; nothing if that is not known.
  std::optional<Interval> range(const IndexNumber& number) {
    return number.store == nullptr ? Interval{number.value, number.value} : range_of(number.node);
  }
  // The least number from which on a comparison says something else of the variable, if one was asked.
  std::optional<int64_t> split_of(const IndexNumber& variable) const;
  // What a comparison divides the variable by, where that divides its size: it says something of a digit of it.
  std::optional<int64_t> digit_of(const IndexNumber& variable) const;
  // A comparison of a variable says the same of the number in its place.
  void split_as(const IndexNumber& variable, const IndexNumber& number);
  bool is_any_below(spec::TermId term) const { return any_terms_.contains(term); }
  // What a predicate says that is a comparison asked for: the number is in the interval.
  struct Comparison {
    IndexNumber number;
    Interval in;
  };
  std::optional<Comparison> comparison(spec::TermId predicate, bool holds) const;
  // The numbers in the shortest form that is found.
  void simplify(std::vector<IndexNumber>& numbers);
  // A map of these variables; one that has one value may be that number. `inside`: numbers that must be in
  // these intervals.
  struct Named {
    Variable variable;
    IndexNumber number;
  };
  using Inside = std::vector<std::pair<IndexNumber, Interval>>;
  IndexingMap map(const std::vector<IndexNumber>& results, const Inside& inside,
                  const std::vector<Named>& dimensions, const std::vector<Named>& ranges);
  // Of type s64.
  spec::TermId term_of(const IndexNumber& number);
  // f of terms of these types, as the definition's symbols are written.
  spec::TermId apply(HloOpcode f, ElementType type, ElementType from,
                     absl::Span<const spec::TermId> operands, const std::string& direction = "");
  // Numbers that do not fit, or an expression that is no term. What was asked for since then means
  // nothing.
  bool has_failed() const { return has_failed_; }
  void fail() { has_failed_ = true; }
  void recover() { has_failed_ = false; }

  // The operators.
  IndexNumber operation(Op op, const IndexNumber& a, const IndexNumber& b);
  IndexTruth less(const IndexNumber& number, int64_t bound);
  IndexTruth equal(const IndexNumber& a, const IndexNumber& b);

 private:
  struct Bounded {
    Interval bounds;
    spec::TermId term = 0;
  };
  std::set<NodeId> held_by(const std::vector<NodeId>& roots) const;
  NodeId intern(const Node& node);
  NodeId node_of(const IndexNumber& number);
  IndexNumber number_of(NodeId node);
  IndexingMap map_of(const std::vector<NodeId>& roots, std::vector<int64_t>& variables) const;
  std::optional<Interval> range_of(NodeId node);
  // A number that is a variable times a factor, which is not 0, and a constant.
  struct OfVariable {
    NodeId variable;
    int64_t factor = 1, constant = 0;
  };
  std::optional<OfVariable> of_variable(NodeId node) const;
  void split_variable(const OfVariable& of, int64_t at);
  void split(const IndexNumber& number, int64_t at);
  spec::TermId computed_term(NodeId node);
  spec::TermId divided(NodeId node);

  spec::Terms& terms_;
  bool has_failed_ = false;
  ExprTable nodes_;  // each once
  absl::flat_hash_map<Node, NodeId> known_;
  std::vector<Bounded> variables_;  // by number of a kDimension
  absl::flat_hash_set<spec::TermId> any_terms_;
  std::map<std::string, NodeId> by_name_;
  std::map<NodeId, IndexNumber> inside_;  // what these variables stand for
  std::map<NodeId, int64_t> splits_;      // of variables
  std::map<NodeId, int64_t> digits_;      // of variables: the least divisor
  absl::flat_hash_map<spec::TermId, Comparison> comparisons_;
  absl::flat_hash_map<NodeId, std::optional<Interval>> ranges_;
  absl::flat_hash_map<NodeId, spec::TermId> of_node_;
};

}  // namespace tileproof::verify
