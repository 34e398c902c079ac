// SPDX-License-Identifier: Apache-2.0
// Operations of linalg, tensor, arith, affine, memref and others. Private to stablehlo_reader.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/mlir_words.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

inline constexpr absl::string_view kSegments = "operandSegmentSizes";

// The dialects of which `other` knows how operations are written.
inline constexpr absl::string_view kDialects[] = {"affine", "arith", "check",  "linalg", "math",
                                                  "memref", "scf",   "tensor", "util",   "vector"};

inline bool is_known_dialect(absl::string_view name) {
  return std::ranges::find(kDialects, name.substr(0, name.find('.'))) != std::end(kDialects);
}

class OtherOps : public MlirWords {
 protected:
  using MlirWords::MlirWords;
  ~OtherOps() = default;

  virtual absl::StatusOr<Region> region() = 0;

  // Operands, words, brackets, attributes, regions and types, in any order, up to the next operation.
  absl::Status other(Op& op) {
    std::vector<int64_t> segments;
    std::vector<Argument> local;
    if (absl::EndsWith(op.name, "constant")) {
      if (cursor_.peek() == '{') TRY(balanced());
      const absl::string_view word = cursor_.peek_identifier();
      const bool is_bit = word == "true" || word == "false";
      op.attributes.emplace_back("value", is_bit ? TRY(item()) : TRY(value()));
    }
    bool after_comma = false;
    while (true) {
      const char next = cursor_.peek();
      if (op.name == "memref.transpose" && next == '(') {  // `(i, j) -> (j, i)`
        TRY(permutation(op));
        continue;
      }
      if (next == '\0' || next == '}' || (!after_comma && at_operation())) break;
      after_comma = cursor_.take(",");
      if (after_comma) continue;
      if (next == '%') {
        op.operands.push_back(TRY(operand()));
      } else if (next == ':' || absl::StartsWith(cursor_.rest(), "->")) {
        TRY(typed(op));
      } else if (next == '{' && at_attributes()) {
        cursor_.take("{");
        for (auto& attribute : TRY(attributes_until('}'))) op.attributes.push_back(attribute);
      } else if (next == '{') {
        TRY(region_of(op, std::move(local)));
        local.clear();
      } else if (next == '(' && at_arguments()) {
        local = TRY(arguments());
      } else if (next == '(' || next == '[') {
        op.attributes.emplace_back(next == '(' ? "()" : "[]", TRY(bracket(op)));
      } else if (next == '@') {
        op.callee = TRY(symbol());
      } else if (cursor_.peek_identifier().empty() || cursor_.peek_identifier() == "affine_map" ||
                 cursor_.peek_identifier() == "affine_set") {
        op.words.push_back(TRY(item()));
      } else {
        TRY(word_of_other(op, segments));
      }
    }
    if (!segments.empty()) op.attributes.emplace_back(kSegments, absl::StrJoin(segments, ", "));
    infer_types(op);
    const bool is_elementwise =
        absl::StartsWith(op.name, "arith.") || absl::StartsWith(op.name, "math.");
    if (is_elementwise && op.operand_types.size() == 1)
      op.operand_types.resize(op.operands.size(), op.operand_types[0]);
    return absl::OkStatus();
  }

  // An operation of a dialect that is not known may be written in any way. Without its types it is
  // one that is not read.
  absl::Status other_or_unread(Op& op) {
    const size_t start = cursor_.position();
    const absl::Status read = other(op);
    if (read.ok() || is_known_dialect(op.name)) return read;
    Op unread;
    unread.position = op.position;
    unread.name = std::move(op.name);
    unread.results = std::move(op.results);
    op = std::move(unread);
    cursor_.set_position(start);
    do {
      const size_t before = cursor_.position();
      if (!balanced().ok()) cursor_.set_position(before + 1);
      cursor_.skip_space();
      const size_t end = cursor_.text().rfind('\n', cursor_.position());
      const bool is_first =
          end != absl::string_view::npos &&
          absl::StripAsciiWhitespace(cursor_.text().substr(end, cursor_.position() - end)).empty();
      if (is_first && (cursor_.peek() == '}' || at_operation())) return absl::OkStatus();
    } while (cursor_.peek() != '\0');
    return read;
  }

  // `%i = 0 to 8 step 2 iter_args(%a = %b) -> (T) {..}`; its operands are those of iter_args, then those
  // of the bounds.
  absl::Status counted_loop(Op& op) {
    Op bounds;
    std::vector<Argument> local = {{TRY(name()), tensor_of(ElementType::kS64, {})}};
    TRY(cursor_.expect("=", "after the name of the index"));
    op.attributes.emplace_back("lower", TRY(bound(bounds)));
    if (!take_word("to")) return cursor_.expected("'to'");
    op.attributes.emplace_back("upper", TRY(bound(bounds)));
    if (take_word("step")) op.attributes.emplace_back("step", TRY(bound(bounds)));
    if (take_word("iter_args")) {
      TRY(cursor_.expect("(", "before the values that are carried"));
      TRY(assigned(local, op.operands, "or ')' after a value", "after the name of a value"));
      TRY(cursor_.expect("->", "before the types"));
      TRY(types(op.types));
      if (op.types.size() + 1 != local.size())
        return cursor_.expected("a type for each value that is carried before this");
      for (size_t i = 0; i < op.types.size(); ++i) local[i + 1].type = op.types[i];
    }
    if (cursor_.take(":")) local[0].type = TRY(type());
    op.operands.insert(op.operands.end(), bounds.operands.begin(), bounds.operands.end());
    op.regions.push_back(TRY(region()));
    op.regions.back().arguments = std::move(local);
    return skip_braces();
  }

  // `(%i, %j)`: a loop for each, the first outermost.
  absl::StatusOr<std::vector<Op>> loops_of(const char* kind, size_t position) {
    std::vector<Op> loops;
    TRY(cursor_.expect("(", "before the indices"));
    do {
      loops.push_back(Op{});
      loops.back().name = kind;
      loops.back().position = position;
      loops.back().regions.push_back({{{TRY(name()), tensor_of(ElementType::kS64, {})}}, {}});
    } while (cursor_.take(","));
    TRY(cursor_.expect(")", "after the indices"));
    return loops;
  }

  // `(16, %n)`: a bound of each.
  absl::Status bounds_of(std::vector<Op>& loops, const char* key) {
    TRY(cursor_.expect("(", "before a bound for each index"));
    for (Op& one : loops) {
      if (&one != loops.data()) TRY(cursor_.expect(",", "and a bound for each index"));
      one.attributes.emplace_back(key, TRY(bound(one)));
    }
    return cursor_.expect(")", "after a bound for each index");
  }

  // `%a = %b, ..)`, after the parenthesis: what is carried, and its first values.
  absl::Status assigned(std::vector<Argument>& carried, std::vector<Operand>& first,
                        absl::string_view after_value, absl::string_view after_name) {
    while (!cursor_.take(")")) {
      if (!first.empty()) TRY(cursor_.expect(",", after_value));
      carried.push_back({TRY(name()), {}});
      TRY(cursor_.expect("=", after_name));
      first.push_back(TRY(operand()));
    }
    return absl::OkStatus();
  }

  // `(%i, %j) = (0, 0) to (16, %n) step (1, 1) {..}`: loops in each other. Values that are reduced are
  // not read.
  absl::Status parallel_loops(Op& op) {
    std::vector<Op> loops = TRY(loops_of("affine.for", op.position));
    TRY(cursor_.expect("=", "after the indices"));
    TRY(bounds_of(loops, "lower"));
    if (!take_word("to")) return cursor_.expected("'to'");
    TRY(bounds_of(loops, "upper"));
    if (take_word("step")) TRY(bounds_of(loops, "step"));
    if (cursor_.peek() != '{') return cursor_.expected("'{': values that are reduced are not read");
    loops.back().regions[0].ops = TRY(region()).ops;
    TRY(skip_braces());
    for (; loops.size() > 1; loops.pop_back()) {
      Op inner = std::move(loops.back());
      loops[loops.size() - 2].regions[0].ops.push_back(std::move(inner));
    }
    op = std::move(loops[0]);
    return absl::OkStatus();
  }

  // `(%i, %j) in (2, 4) shared_outs(%a = %b) -> (T) {.. scf.forall.in_parallel {..}}`, or with bounds as
  // parallel_loops has them: loops in each other that carry what they share.
  absl::Status forall(Op& op) {
    std::vector<Op> loops = TRY(loops_of("scf.for", op.position));
    if (take_word("in")) {
      TRY(bounds_of(loops, "upper"));
      for (Op& one : loops) one.attributes.emplace_back("lower", "0");
    } else {
      TRY(cursor_.expect("=", "or 'in' after the indices"));
      TRY(bounds_of(loops, "lower"));
      if (!take_word("to")) return cursor_.expected("'to' and 'step'");
      TRY(bounds_of(loops, "upper"));
      if (!take_word("step")) return cursor_.expected("'to' and 'step'");
      TRY(bounds_of(loops, "step"));
    }
    std::vector<Argument> shared;
    std::vector<Operand> initial;
    if (take_word("shared_outs")) {
      TRY(cursor_.expect("(", "before the values that are shared"));
      TRY(assigned(shared, initial, "or ')' after a value", "after the name of a value"));
      TRY(cursor_.expect("->", "before the types"));
      TRY(types(op.types));
    }
    if (op.types.size() != shared.size())
      return cursor_.expected("a type for each value that is shared before this");
    for (size_t i = 0; i < shared.size(); ++i) shared[i].type = op.types[i];
    std::vector<Op> body = TRY(region()).ops;
    TRY(skip_braces());
    TRY(write_in_order(body, shared, op.position));
    // From the innermost loop on, each yields the results of the one in it.
    for (size_t n = loops.size(); n-- > 0;) {
      Op& one = loops[n];
      one.types = op.types;
      std::vector<Argument>& arguments = one.regions[0].arguments;
      std::vector<Operand> given = initial;
      for (size_t i = 0; i < shared.size(); ++i) {
        const std::string outer = absl::StrCat(shared[i].name, "~", n);
        arguments.push_back({n + 1 == loops.size() ? shared[i].name : outer, shared[i].type});
        if (n > 0) given[i] = Operand(absl::StrCat(shared[i].name, "~", n - 1));
        if (n > 0) one.results.push_back({absl::StrCat(shared[i].name, "~of", n)});
      }
      one.operands.insert(one.operands.begin(), given.begin(), given.end());
      one.regions[0].ops = std::move(body);
      if (n == 0) break;
      Op yield;
      yield.name = "scf.yield";
      yield.position = op.position;
      for (const Results& result : one.results) yield.operands.emplace_back(result.name);
      body = {std::move(one), std::move(yield)};
    }
    loops[0].results = std::move(op.results);
    op = std::move(loops[0]);
    return absl::OkStatus();
  }

  // What is written at the end, in parallel, as one insertion after the other, whose last ones are
  // yielded.
  absl::Status write_in_order(std::vector<Op>& body, const std::vector<Argument>& shared,
                              size_t position) const {
    Op yield;
    yield.name = "scf.yield";
    yield.position = position;
    for (const Argument& one : shared) yield.operands.emplace_back(one.name);
    if (!body.empty() && body.back().name == "scf.forall.in_parallel") {
      const Op last = std::move(body.back());
      body.pop_back();
      for (const Region& region : last.regions) {
        for (Op one : region.ops) {
          const bool inserts =
              one.name == "tensor.parallel_insert_slice" && one.operands.size() > 1;
          for (size_t i = 0; inserts && i < shared.size(); ++i) {
            if (one.operands[1].name != shared[i].name) continue;
            one.name = "tensor.insert_slice";
            one.operands[1] = yield.operands[i];
            one.types = {shared[i].type};
            one.results = {{absl::StrCat(shared[i].name, "~", body.size())}};
            yield.operands[i] = Operand(one.results[0].name);
          }
          body.push_back(std::move(one));
        }
      }
    }
    body.push_back(std::move(yield));
    return absl::OkStatus();
  }

  // Whether an operation begins here: `%0:2 =`, `"a.b"`, `a.b`, `return`.
  bool at_operation() {
    const size_t start = cursor_.token_position();
    const auto defines = [&] {
      do {
        if (!name().ok()) return false;
        if (cursor_.take(":") && !cursor_.take_integer("a number").ok()) return false;
      } while (cursor_.take(","));
      return cursor_.take("=") && cursor_.peek() != '=';
    };
    const absl::string_view word = cursor_.peek_identifier();
    const bool found = cursor_.peek() == '"' || word == "return" || word == "call" ||
                       word == "loc" || absl::StrContains(word, ".") ||
                       (cursor_.peek() == '%' && defines());
    cursor_.set_position(start);
    return found;
  }

  // `ins(%a, %b : T, T)`
  absl::Status typed_operands(Op& op, bool inputs, std::vector<int64_t>& segments) {
    const size_t before = op.operands.size();
    if (segments.empty() && !inputs) segments.push_back(0);
    TRY(cursor_.expect("(", "before the operands"));
    while (!cursor_.take(")")) {
      if (cursor_.take(":")) {
        do {
          op.operand_types.push_back(TRY(type()));
        } while (cursor_.take(","));
        TRY(cursor_.expect(")", "after the types"));
        break;
      }
      if (op.operands.size() > before) TRY(cursor_.expect(",", "or ':' after an operand"));
      op.operands.push_back(TRY(operand()));
    }
    segments.push_back(std::ssize(op.operands) - static_cast<int64_t>(before));
    return absl::OkStatus();
  }

  // Whether a '{' opens attributes and not a region: `{}`, `{a = 1}`, `{a, b}`, `{"a" = 1}`.
  bool at_attributes() {
    const size_t start = cursor_.token_position();
    cursor_.take("{");
    const bool is_empty = cursor_.peek() == '}';
    const absl::string_view word = cursor_.take_identifier();
    if (word.empty() && cursor_.peek() == '"' && !quoted().ok()) return false;
    const bool is_named = cursor_.position() > start + 1 && !absl::StrContains(word, ".") &&
                          absl::string_view("=,}").find(cursor_.peek()) != absl::string_view::npos;
    cursor_.set_position(start);
    return is_empty || is_named;
  }

  // `{ ^bb0(..): .. }`, `{ arith.addf }`, `(%in: f32, %out: f32) { .. }`
  absl::Status region_of(Op& op, std::vector<Argument> local) {
    const size_t start = cursor_.token_position();
    cursor_.take("{");
    std::string word(cursor_.take_identifier());
    if (!word.empty() && cursor_.take("}")) {
      op.words.push_back(std::move(word));
      return absl::OkStatus();
    }
    cursor_.set_position(start);
    op.regions.push_back(TRY(region()));
    if (!local.empty()) op.regions.back().arguments = std::move(local);
    return absl::OkStatus();
  }

  // `: T, T`, `: T to T`, `: (T) -> T`, `-> T`
  absl::Status typed(Op& op) {
    std::vector<Type> given;
    if (cursor_.take(":")) {
      TRY(types(given));
      while (cursor_.take(",")) given.push_back(TRY(type()));
      op.operand_types = given;
      if (take_word("to") || take_word("into")) return types(op.types);
    }
    if (cursor_.take("->")) return types(op.types);
    return absl::OkStatus();
  }

  // The types of results that are not written.
  void infer_types(Op& op) const {
    if (op.results.empty() || !op.types.empty()) return;
    const absl::string_view name = op.name;
    const bool compares = name == "arith.cmpf" || name == "arith.cmpi";
    const bool is_element =
        name == "tensor.extract" || name == "memref.load" || name == "affine.load";
    if (absl::StartsWith(name, "linalg.") && find_attribute(op.attributes, kSegments) != nullptr) {
      for (size_t i = op.operand_types.size(); i-- > 0 && op.types.size() < op.results.size();)
        op.types.insert(op.types.begin(), op.operand_types[i]);
    } else if (name == "affine.delinearize_index") {
      op.types = op.operand_types;
    } else if (name == "arith.constant" && op.operand_types.empty()) {
      op.types = {tensor_of(ElementType::kPred, {})};
    } else if (op.operand_types.empty() || absl::EndsWith(name, ".dim")) {
      op.types = {tensor_of(ElementType::kS64, {})};
    } else if ((compares || is_element) && op.operand_types[0].element) {
      const Type& of = op.operand_types[0];
      op.types = {compares ? tensor_of(ElementType::kPred, of.dims) : tensor_of(*of.element, {})};
    } else {
      op.types = {op.operand_types.back()};
    }
  }

  absl::Status permutation(Op& op) {
    const size_t start = cursor_.token_position();
    TRY(balanced());
    TRY(cursor_.expect("->", "in a permutation"));
    TRY(balanced());
    op.attributes.emplace_back(
        "permutation", std::string(cursor_.text().substr(start, cursor_.position() - start)));
    return absl::OkStatus();
  }

  // `5`, `%n`, `#map(%i)[%n]`, `max affine_map<..>(%i)`
  absl::StatusOr<std::string> bound(Op& op) {
    if (!take_word("min")) take_word("max");  // which of several results is clear
    if (cursor_.peek() == '%') {
      op.operands.push_back(TRY(operand()));
      return absl::StrCat("%", op.operands.back().name);
    }
    std::string text = TRY(item());
    while (cursor_.peek() == '(' || cursor_.peek() == '[') absl::StrAppend(&text, TRY(bracket(op)));
    return text;
  }

  bool at_arguments() {
    const size_t start = cursor_.token_position();
    const bool found = cursor_.take("(") && name().ok() && cursor_.peek() == ':';
    cursor_.set_position(start);
    return found;
  }

  // `ins(..)`, `outs(..)`, `permutation = [1, 0]`, `low[1, 0]`, `dim(0)`, `sizes: [4]`, `into`
  absl::Status word_of_other(Op& op, std::vector<int64_t>& segments) {
    std::string word(cursor_.take_identifier());
    const char next = cursor_.peek();
    if (next == '(' && (word == "ins" || word == "outs"))
      return typed_operands(op, word == "ins", segments);
    if (cursor_.take("=")) {
      op.attributes.emplace_back(std::move(word), TRY(item()));
      return absl::OkStatus();
    }
    const size_t colon = cursor_.position();
    const bool has_list = next == ':' && cursor_.take(":") && cursor_.peek() == '[';
    if (!has_list) cursor_.set_position(colon);
    if (has_list || (next != '\0' && absl::StrContains("([<", next))) {
      std::string text = TRY(bracket(op));
      op.attributes.emplace_back(std::move(word), std::move(text));
    } else {
      op.words.push_back(std::move(word));
    }
    return absl::OkStatus();
  }
};

}  // namespace tileproof::stablehlo
