// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/path_text.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {
namespace {

using spec::Dims;

// Writes the text of a path.
class PathWriter {
 public:
  // The text is empty if the path has no pairs.
  PathWriter(const DataflowPath& path, const Dims& result) {
    std::vector<Interval> bounds;
    for (const Dims* sizes : {&result, &path.ranges}) {
      for (const int64_t size : *sizes) {
        if (size == 0) return;
        bounds.push_back({0, size - 1});
      }
    }
    const std::vector<Interval> reads = verify::reads_of(path);
    bounds.insert(bounds.end(), reads.begin(), reads.end());
    QuasiAffineContext context(bounds);
    context_ = &context;
    names_.resize(bounds.size());
    for (size_t d = 0; d < result.size(); ++d) names_[d] = absl::StrCat("o", d);
    first_range_ = result.size();
    first_read_ = result.size() + path.ranges.size();
    write(path);
    context_ = nullptr;
  }

  std::optional<std::string> text() && {
    return is_complete_ ? std::optional(std::move(text_)) : std::nullopt;
  }

 private:
  void write(const DataflowPath& path) {
    std::vector<Symbol> o, s;
    for (size_t v = 0; v < first_read_; ++v) {
      (v < first_range_ ? o : s).emplace_back(context_->atom(static_cast<int32_t>(v)));
    }
    const auto value = [&](const RuntimeRead<Symbol>& read) {
      reads_.push_back(read);
      return Symbol(context_->atom(static_cast<int32_t>(first_read_ + reads_.size() - 1)));
    };
    const PathEnd<Symbol> walked = walk(path, std::move(o), s, value);
    text_ += ' ';  // also that of the empty index has a text
    for (const Symbol& symbol : walked.index) append(symbol.sum);
    const std::vector<Formula> conditions = conditions_of(*context_, walked.in_domain);
    for (const Formula& condition : conditions) append(condition);
  }

  void append(const Sum& sum) {
    if (sum.too_large) is_complete_ = false;
    append(sum.constant);
    for (const auto& [product, coefficient] : sum.terms) {
      text_ += '+';
      append(coefficient);
      for (const int32_t atom : product) append_atom(atom);
    }
    text_ += ';';
  }

  void append(Wide value) {
    absl::StrAppend(&text_, static_cast<int64_t>(value >> 64), ":", static_cast<uint64_t>(value));
  }

  void append_atom(int32_t number) {
    const QuasiAffineContext::Atom& atom = context_->atoms()[number];
    text_ += '*';
    if (atom.divisor != 0) {
      text_ += '(';
      append(atom.dividend);
      text_ += '/';
      append(atom.divisor);
      text_ += ')';
      return;
    }
    std::string& name = names_[number];
    if (name.empty()) {
      name = absl::StrCat("v", next_name_++);
      const auto& range = atom.range;
      absl::StrAppend(&text_, "[", static_cast<int64_t>(*range.low.value), ",",
                      static_cast<int64_t>(*range.high.value), "]");
      const auto v = static_cast<size_t>(number);
      if (v >= first_read_) append(reads_[v - first_read_]);
    }
    text_ += names_[number];
  }

  void append(const RuntimeRead<Symbol>& read) {
    absl::StrAppend(&text_, "{", absl::StrJoin(read.position.calls, "/"), ":",
                    read.position.instruction, "#", read.position.leaf, " ");
    for (const Symbol& symbol : read.index) append(symbol.sum);
    text_ += '}';
  }

  void append(const Formula& formula) {
    absl::StrAppend(&text_, "F", static_cast<int>(formula.kind()), "(");
    if (formula.kind() == Formula::Kind::kLiteral) append(formula.literal());
    for (const Formula& part : formula.parts()) append(part);
    text_ += ')';
  }

  QuasiAffineContext* context_ = nullptr;
  std::vector<std::string> names_;
  size_t first_range_ = 0, first_read_ = 0;
  std::vector<RuntimeRead<Symbol>> reads_;
  int64_t next_name_ = 0;
  std::string text_;
  bool is_complete_ = true;
};

}  // namespace

std::optional<std::string> text_of(const DataflowPath& path, const Dims& result) {
  return PathWriter(path, result).text();
}

}  // namespace tileproof::verify
