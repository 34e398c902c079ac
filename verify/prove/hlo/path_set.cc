// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/path_set.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {
namespace {

using spec::Dims;

bool is_empty(const Dims& dims) { return std::ranges::count(dims, 0) > 0; }

// Writes the text of a path.
class PathWriter {
 public:
  // The text is absent if the path has no pairs.
  PathWriter(const DataflowPath& path, const Dims& result, const Dims& operand) {
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
    write(path, operand);
    context_ = nullptr;
  }

  PathText text() && {
    return {std::move(text_),        is_complete_,    universe_, std::move(conditions_), is_box_,
            std::move(coordinates_), std::move(band_)};
  }

 private:
  void write(const DataflowPath& path, const Dims& operand) {
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
    find_coordinates(path, walked, conditions, operand);
  }

  // Returns whether the coordinate takes every index below `size` by range variables of its own:
  // they are the digits of a number.
  bool is_any(const DataflowPath& path, const Sum& sum, int64_t size,
              std::set<int32_t>& met) const {
    if (sum.is_number()) return size == 1;
    if (sum.constant != 0 || sum.too_large) return false;
    std::map<Wide, int64_t> digits;  // sizes, by factor
    for (const auto& [product, coefficient] : sum.terms) {
      if (product.size() != 1) return false;
      const auto range = static_cast<size_t>(product[0]) - first_range_;
      if (range >= path.ranges.size() || !met.insert(product[0]).second) return false;
      if (!digits.emplace(coefficient, path.ranges[range]).second) return false;
    }
    Wide next = 1;
    for (const auto& [factor, digit] : digits) {
      if (factor != next) return false;
      next *= digit;
    }
    return next == size;
  }

  bool depends_on_output_only(const Sum& sum) const {
    if (sum.too_large) return false;
    return std::ranges::all_of(sum.terms, [&](const auto& term) {
      return std::ranges::all_of(term.first, [&](int32_t number) {
        const QuasiAffineContext::Atom& atom = context_->atoms()[number];
        if (atom.divisor != 0) return depends_on_output_only(atom.dividend);
        return static_cast<size_t>(number) < first_range_;
      });
    });
  }

  bool depends_on_output_only(const Formula& formula) const {
    if (formula.kind() == Formula::Kind::kLiteral) return depends_on_output_only(formula.literal());
    return std::ranges::all_of(formula.parts(),
                               [&](const Formula& part) { return depends_on_output_only(part); });
  }

  void find_coordinates(const DataflowPath& path, const PathEnd<Symbol>& walked,
                        const std::vector<Formula>& conditions, const Dims& operand) {
    std::set<int32_t> met;
    is_box_ = true;
    universe_ = conditions.empty();
    for (const Formula& condition : conditions) {
      is_box_ = is_box_ && depends_on_output_only(condition);
      std::string text;
      std::swap(text, text_);
      append(condition);
      std::swap(text, text_);
      conditions_.insert(std::move(text));
    }
    for (size_t d = 0; d < operand.size(); ++d) {
      const Sum& sum = walked.index[d].sum;
      const bool any = is_any(path, sum, operand[d], met);
      std::string& kept = coordinates_.emplace_back();
      if (any) continue;
      universe_ = false;
      if (depends_on_output_only(sum)) {
        std::swap(kept, text_);
        append(sum);
        std::swap(kept, text_);
      } else {
        is_box_ = false;
        kept = "?";
      }
    }
    find_band(conditions);
  }

  // All conditions bound one sum from below or from above.
  void find_band(const std::vector<Formula>& conditions) {
    const auto is_any = [](const std::string& coordinate) { return coordinate.empty(); };
    if (!is_box_ || conditions.empty() || !std::ranges::all_of(coordinates_, is_any)) return;
    std::optional<PathText::Band> band;
    for (const Formula& condition : conditions) {
      if (condition.kind() != Formula::Kind::kLiteral) return;
      Sum sum = condition.literal();
      if (sum.too_large || sum.terms.empty()) return;
      const bool is_below = sum.terms.begin()->second < 0;  // -S + c >= 0
      const Wide bound = is_below ? sum.constant : -sum.constant;
      sum.constant = 0;
      if (is_below) sum = -sum;
      const Range range = context_->range_of(sum);
      if (!range.low.value || !range.high.value) return;
      std::string text;
      std::swap(text, text_);
      append(sum);
      std::swap(text, text_);
      if (!band)
        band = {text, *range.low.value, *range.high.value, *range.low.value, *range.high.value};
      if (band->sum != text) return;
      if (is_below) band->high = std::min<Wide>(band->high, bound);
      if (!is_below) band->low = std::max<Wide>(band->low, bound);
    }
    band_ = std::move(band);
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
  bool universe_ = false;
  std::set<std::string> conditions_;
  bool is_box_ = false;  // conditions are on the output; each coordinate is one of these:
  std::vector<std::string> coordinates_;  // empty: every index; a function of the output; "?"
  std::optional<PathText::Band> band_;
};

// Whether each value of the sum is in one of the intervals.
bool cover(std::vector<PathText::Band>& bands) {
  std::ranges::sort(bands, {}, &PathText::Band::low);
  Wide next = bands.front().least;
  for (const PathText::Band& band : bands) {
    if (band.low > next) return false;
    next = std::max<Wide>(next, band.high + 1);
  }
  return next > bands.front().most;
}

}  // namespace

DataflowPath universe(int32_t operand, int64_t leaf, const Dims& dims) {
  spec::access::Projection pick;
  for (size_t d = 0; d < dims.size(); ++d) {
    pick.coordinates.push_back(spec::access::range(static_cast<int64_t>(d)));
  }
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({operand, leaf, dims, std::move(pick)});
  DataflowPath path{operand, leaf, {{std::move(relation), 0, {}, {}}}, dims};
  path.is_everything = true;
  return path;
}

DataflowPath superset(int32_t operand, int64_t leaf, const Dims& dims) {
  DataflowPath path = universe(operand, leaf, dims);
  path.is_superset = true;
  return path;
}

bool is_any_index(const Along& coordinates) {
  return std::ranges::all_of(coordinates, [](int64_t c) { return c == -1; });
}

DataflowPath path_along(const Along& coordinates, const Dims& operand, int64_t leaf) {
  spec::access::Projection projection;
  Dims ranges;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (coordinates[d] >= 0) {
      projection.coordinates.push_back(spec::access::output(coordinates[d]));
    } else if (operand[d] == 1) {
      projection.coordinates.push_back(spec::access::constant(0));
    } else {
      projection.coordinates.push_back(spec::access::range(std::ssize(ranges)));
      ranges.push_back(operand[d]);
    }
  }
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({0, leaf, ranges, std::move(projection)});
  return {0, leaf, {{std::move(relation), 0, {}, {}}}, ranges};
}

bool PathText::contains(const PathText& other) const {
  if (!is_box || coordinates.size() != other.coordinates.size()) return false;
  if (!std::ranges::includes(other.conditions, conditions)) return false;
  for (size_t d = 0; d < coordinates.size(); ++d) {
    if (!coordinates[d].empty() && coordinates[d] != other.coordinates[d]) return false;
  }
  return true;
}

void PathSet::add(DataflowPath path, const Dims& result, const Dims& operand) {
  Target& target = targets_[{path.operand, path.leaf}];
  path.text.clear();
  if (target.universe || is_empty(operand) || is_empty(result)) return;
  if (path.is_everything && !path.is_superset) {
    target.paths = {std::move(path)};
    target.universe = true;
    return;
  }
  work_ += 1 + std::ssize(path.steps);
  const bool is_more = path.is_superset && (path.is_everything || target.superset);
  if (is_more || std::ssize(target.paths) >= kMaxPaths) {
    target.superset = superset(path.operand, path.leaf, operand);
    return;
  }
  PathText text = PathWriter(path, result, operand).text();
  if (text.text.empty()) return;
  if (text.band && !path.is_superset) {
    std::vector<PathText::Band>& bands = target.bands[text.band->sum];
    bands.push_back(*text.band);
    text.is_everything = cover(bands);
  }
  if (text.is_everything && path.is_superset) {
    target.superset = superset(path.operand, path.leaf, operand);
  } else if (text.is_everything) {
    target.paths = {universe(path.operand, path.leaf, operand)};
    target.universe = true;
  } else if (!text.is_complete || target.known.emplace(text.text, path.is_superset).second) {
    if (text.is_complete) path.text = text.text;
    add(target, std::move(path), std::move(text));
  }
}

bool PathSet::has_everything(int32_t operand, int64_t leaf) const {
  const auto found = targets_.find({operand, leaf});
  return found != targets_.end() && found->second.universe;
}

std::vector<DataflowPath> PathSet::take() {
  std::vector<DataflowPath> all;
  for (auto& [position, target] : targets_) {
    if (target.superset && !target.universe) target.paths = {*target.superset};
    all.insert(all.end(), target.paths.begin(), target.paths.end());
  }
  return all;
}

void PathSet::add(Target& target, DataflowPath path, PathText text) {
  // A superset does not stand for a path.
  for (size_t k = 0; k < target.paths.size(); ++k) {
    const bool fits = path.is_superset || !target.paths[k].is_superset;
    if (fits && target.texts[k].contains(text)) return;
  }
  size_t kept = 0;
  for (size_t k = 0; k < target.paths.size(); ++k) {
    const bool fits = target.paths[k].is_superset || !path.is_superset;
    if (fits && text.contains(target.texts[k])) continue;
    if (kept != k) {
      target.paths[kept] = std::move(target.paths[k]);
      target.texts[kept] = std::move(target.texts[k]);
    }
    ++kept;
  }
  target.paths.resize(kept);
  target.texts.erase(target.texts.begin() + static_cast<std::ptrdiff_t>(kept), target.texts.end());
  target.paths.push_back(std::move(path));
  target.texts.push_back(std::move(text));
}

}  // namespace tileproof::verify
