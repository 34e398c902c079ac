// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/dataflow_path.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "verify/prove/hlo/loop_paths.h"
#include "verify/prove/hlo/path_cuts.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {
namespace {

using spec::Dims;
using LeafOf = std::pair<int32_t, int64_t>;  // instruction or operand, leaf

// Returns whether the step maps every index to itself.
bool is_identity(const spec::Dependence& dependence, const Dims& dims) {
  const auto* pick = std::get_if<spec::access::Projection>(&dependence.access);
  if (pick == nullptr || !dependence.ranges.empty() || pick->coordinates.size() != dims.size()) {
    return false;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const spec::access::Projection::Coordinate& c = pick->coordinates[d];
    if (c.from != spec::access::Projection::From::kOutput || c.number != static_cast<int64_t>(d)) {
      return false;
    }
  }
  return true;
}

// Returns whether the first step ignores the index that it starts from.
bool forgets(const DataflowPath& path) {
  if (path.steps.empty()) return false;
  const Step& step = path.steps.front();
  if (step.relation == nullptr || !step.conditions.empty()) return false;
  const auto* pick =
      std::get_if<spec::access::Projection>(&step.relation->dependences[step.dependence].access);
  return pick != nullptr && std::ranges::all_of(pick->coordinates, [](const auto& c) {
           return c.from != spec::access::Projection::From::kOutput;
         });
}

// Returns whether the path maps every index to some index, whatever the values.
bool is_unconditional(const DataflowPath& path) {
  return std::ranges::all_of(path.steps,
                             [](const Step& step) {
                               if (!step.conditions.empty() || step.lemma) return false;
                               return step.relation == nullptr ||
                                      std::holds_alternative<spec::access::Projection>(
                                          step.relation->dependences[step.dependence].access);
                             }) &&
         std::ranges::all_of(path.ranges, [](int64_t size) { return size > 0; });
}

DataflowPath joined(const DataflowPath& first, const DataflowPath& second) {
  if (forgets(second) && is_unconditional(first)) {
    DataflowPath path = second;
    path.is_superset |= first.is_superset;
    return path;
  }
  DataflowPath path = first;
  append(path, second);
  return path;
}

// ---- Equal paths are merged ----

// Renders the access relation of a path: equal texts, equal relations. Omits variables without
// effect and numbers the others in order of appearance.
class PathText {
 public:
  // The text is absent if the path has no pairs.
  PathText(const DataflowPath& path, const Dims& result, const Dims& operand) {
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

  const std::string& text() const { return text_; }
  bool is_everything() const { return universe_; }

  // Whether this path reads all that the other does: of each coordinate every index, or the same
  // function of the result's index; and its conditions are conditions of the other.
  bool contains(const PathText& other) const {
    if (!is_box_ || coordinates_.size() != other.coordinates_.size()) return false;
    if (!std::ranges::includes(other.conditions_, conditions_)) return false;
    for (size_t d = 0; d < coordinates_.size(); ++d) {
      if (!coordinates_[d].empty() && coordinates_[d] != other.coordinates_[d]) return false;
    }
    return true;
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
    absl::StrAppend(&text_, path.operand, "#", path.leaf, " ");
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
  }

  void append(const Sum& sum) {
    if (sum.too_large) text_ += '?';
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
  bool universe_ = false;
  std::set<std::string> conditions_;
  bool is_box_ = false;  // conditions are on the output; each coordinate is one of these:
  std::vector<std::string> coordinates_;  // empty: every index; a function of the output; "?"
};

// A path that reads every element of the operand's leaf.
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

bool is_empty(const Dims& dims) { return std::ranges::count(dims, 0) > 0; }

// The same, in place of paths that may read less.
DataflowPath superset(int32_t operand, int64_t leaf, const Dims& dims) {
  DataflowPath path = universe(operand, leaf, dims);
  path.is_superset = true;
  return path;
}

// The distinct paths to one array, without those that another one visibly contains. A path that
// reads
// all of the operand replaces all others.
class PathSet {
 public:
  // `operand`: the dimensions of the leaf that the path reaches.
  void add(DataflowPath path, const Dims& result, const Dims& operand) {
    Target& target = targets_[{path.operand, path.leaf}];
    if (target.universe || is_empty(operand) || is_empty(result)) return;
    if (path.is_everything && !path.is_superset) {
      target.paths = {std::move(path)};
      target.universe = true;
      return;
    }
    work_ += 1 + std::ssize(path.steps);
    if (path.is_superset || std::ssize(target.paths) >= kMaxPaths) {
      target.superset = superset(path.operand, path.leaf, operand);
      return;
    }
    const PathText text(path, result, operand);
    if (text.text().empty()) return;
    if (text.is_everything()) {
      target.paths = {universe(path.operand, path.leaf, operand)};
      target.universe = true;
    } else if (target.known.insert(text.text()).second) {
      add(target, std::move(path), text);
    }
  }
  // Whether all of the leaf is known to be read.
  bool has_everything(int32_t operand, int64_t leaf) const {
    const auto found = targets_.find({operand, leaf});
    return found != targets_.end() && found->second.universe;
  }
  int64_t work() const { return work_; }  // steps evaluated
  std::vector<DataflowPath> take() {
    std::vector<DataflowPath> all;
    for (auto& [position, target] : targets_) {
      if (target.superset && !target.universe) target.paths = {*target.superset};
      all.insert(all.end(), target.paths.begin(), target.paths.end());
    }
    return all;
  }

 private:
  struct Target {
    std::set<std::string> known;
    std::vector<DataflowPath> paths;
    std::vector<PathText> texts;  // of these
    bool universe = false;
    std::optional<DataflowPath> superset;
  };
  // Adds the path unless another contains it, and drops those that it contains.
  static void add(Target& target, DataflowPath path, const PathText& text) {
    for (const PathText& other : target.texts) {
      if (other.contains(text)) return;
    }
    size_t kept = 0;
    for (size_t k = 0; k < target.paths.size(); ++k) {
      if (text.contains(target.texts[k])) continue;
      if (kept != k) {
        target.paths[kept] = std::move(target.paths[k]);
        target.texts[kept] = std::move(target.texts[k]);
      }
      ++kept;
    }
    target.paths.resize(kept);
    target.texts.erase(target.texts.begin() + static_cast<std::ptrdiff_t>(kept),
                       target.texts.end());
    target.paths.push_back(std::move(path));
    target.texts.push_back(text);
  }

  std::map<LeafOf, Target> targets_;
  int64_t work_ = 0;
};

absl::Status too_long(const HloComputation& computation) {
  return absl::ResourceExhaustedError(
      absl::StrCat(computation.name, ": all paths together have more than ", kMostSteps, " steps"));
}

absl::Status too_slow(const HloComputation& computation) {
  return absl::DeadlineExceededError(
      absl::StrCat(computation.name, ": all paths together take too long"));
}

absl::Status too_deep(const HloComputation& computation) {
  return absl::ResourceExhaustedError(
      absl::StrCat(computation.name, ": calls nest deeper than ", kMaxCalls));
}

Dims parameter_dims(const HloComputation& computation, int32_t parameter, int64_t leaf) {
  return (*leaves_of(*computation.instructions[parameter].shape))[leaf].dims;
}

// Returns the dimensions of the operand's leaf that the path reaches.
Dims operand_dims(const HloComputation& computation, const HloInstruction& instruction,
                  const DataflowPath& path) {
  const HloOperand& operand = instruction.operands[path.operand];
  const SharedShape& shape = computation.instructions[operand.instruction].shape;
  return (*leaves_of(shape ? *shape : *operand.shape))[path.leaf].dims;
}

void add_reasons(Definition& definition, const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons) {
    if (std::ranges::find(definition.conservative, reason) == definition.conservative.end()) {
      definition.conservative.push_back(reason);
    }
  }
}

}  // namespace

void append(DataflowPath& path, const DataflowPath& further, size_t iteration) {
  const size_t before = path.ranges.size();
  const auto moved = [&](size_t range) { return range == kIteration ? iteration : range + before; };
  path.is_superset |= further.is_superset;
  path.is_everything = false;
  path.operand = further.operand;
  path.leaf = further.leaf;
  path.ranges.insert(path.ranges.end(), further.ranges.begin(), further.ranges.end());
  for (Step step : further.steps) {
    for (LoopValue& value : step.values) value.range = moved(value.range);
    for (StepCondition& condition : step.conditions) {
      for (auto& [range, factor] : condition.terms) range = moved(range);
    }
    path.steps.push_back(std::move(step));
  }
}

bool uses_runtime(const spec::Dependence& dependence) {
  const spec::Access& access = dependence.access;
  return std::holds_alternative<op::DynamicSlice>(access) ||
         std::holds_alternative<op::DynamicUpdateSlice>(access) ||
         std::holds_alternative<op::Gather>(access) || std::holds_alternative<op::Scatter>(access);
}

std::vector<Interval> reads_of(const DataflowPath& path) {
  std::vector<Interval> reads;
  for (const Step& step : path.steps) {
    if (!step.values.empty()) continue;
    if (step.lemma != nullptr) {
      const std::vector<Interval> more = step.lemma->relation.reads();
      reads.insert(reads.end(), more.begin(), more.end());
    }
    if (step.relation == nullptr) continue;
    if (!uses_runtime(step.relation->dependences[step.dependence])) continue;
    for (const spec::RuntimeVariable& variable : step.relation->runtime) {
      reads.push_back({variable.low, variable.high});
    }
  }
  return reads;
}

absl::StatusOr<Definition> Definitions::of(int32_t computation, int32_t instruction, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  auto relation = TRY(spec::access_relation_of(module_, computation, instruction, leaf));
  // The operands of the instruction in question are outside; so is its predicate.
  if (depth_ > 0) {
    relation = spec::with_known_predicate(module_, computation, instruction, std::move(relation));
  }
  const auto leaves = TRY(leaves_of(*at.shape));
  const Dims& dims = leaves[leaf].dims;
  if (relation.loop) return of_loop(computation, instruction, *relation.loop);
  if (!relation.branches.empty()) {
    return of_branches(computation, instruction, relation, leaf);
  }
  Definition definition;
  PathSet paths;
  if (relation.callee) {
    const auto inside = TRY(of_root(relation.callee->computation, relation.callee->leaf));
    definition.conservative = inside.conservative;
    for (DataflowPath path : inside.paths) {
      for (Step& step : path.steps) step.calls.insert(step.calls.begin(), instruction);
      const Dims operand = operand_dims(within, at, path);
      paths.add(std::move(path), dims, operand);
    }
  } else {
    if (!relation.conservative.empty()) definition.conservative.push_back(relation.conservative);
    const auto shared = std::make_shared<const spec::AccessRelation>(std::move(relation));
    std::vector<int32_t> operands;
    for (const HloOperand& operand : at.operands) operands.push_back(operand.instruction);
    for (size_t f = 0; f < shared->dependences.size(); ++f) {
      const spec::Dependence& dependence = shared->dependences[f];
      DataflowPath path{
          static_cast<int32_t>(dependence.operand), dependence.leaf, {}, dependence.ranges};
      if (!is_identity(dependence, dims)) path.steps.push_back({shared, f, {}, operands});
      const Dims operand = operand_dims(within, at, path);
      paths.add(std::move(path), dims, operand);
    }
  }
  definition.paths = paths.take();
  return definition;
}

// The paths of each branch, and that of the predicate.
absl::StatusOr<Definition> Definitions::of_branches(int32_t computation, int32_t instruction,
                                                    const spec::AccessRelation& relation,
                                                    int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const Dims dims = TRY(leaves_of(*at.shape))[leaf].dims;
  Definition definition;
  PathSet paths;
  paths.add(universe(0, 0, {}), dims, {});
  for (const spec::Branch& branch : relation.branches) {
    const auto inside = TRY(of_root(branch.computation, branch.leaf));
    add_reasons(definition, inside.conservative);
    for (DataflowPath path : inside.paths) {
      path.operand = branch.operand;
      // No position names the elements that a branch reads.
      path.is_superset |= !reads_of(path).empty();
      const Dims operand = operand_dims(within, at, path);
      paths.add(std::move(path), dims, operand);
    }
  }
  definition.paths = paths.take();
  return definition;
}

const std::optional<spec::LoopRun>& Definitions::run_of(const op::While& loop) {
  const auto [known, is_new] = runs_.try_emplace({loop.within, loop.operand, loop.body});
  if (is_new) known->second = spec::run_loop(loop);
  return known->second;
}

absl::StatusOr<Definition> Definitions::of_loop(int32_t computation, int32_t instruction,
                                                const spec::Loop& loop) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const Leaves leaves = TRY(leaves_of(*at.shape));
  Definition definition;
  PathSet paths;
  if (spec::passes_through(module_, loop.loop.body, loop.leaf)) {
    paths.add({0, loop.leaf, {}, {}}, leaves[loop.leaf].dims, leaves[loop.leaf].dims);
    definition.paths = paths.take();
    return definition;
  }
  if (const std::optional<spec::LoopRun>& run = run_of(loop.loop)) {
    const auto of_body = [&](int64_t leaf) { return of_root(loop.loop.body, leaf); };
    if (const auto found = loop_paths(loop, *run, leaves, of_body, deadline_)) {
      for (const auto& [operand, leaf] : TRY(sources_of_loop(loop))) {
        const auto inside = of_root(loop.loop.body, leaf);
        if (inside.ok()) add_reasons(definition, inside->conservative);
      }
      for (const DataflowPath& path : *found) {
        paths.add(path, leaves[loop.leaf].dims, leaves[path.leaf].dims);
      }
      definition.paths = paths.take();
      return definition;
    }
    if (is_late()) return too_slow(within);
  } else {
    definition.conservative.push_back(spec::kUnknownLoop);
  }
  for (const auto& [operand, leaf] : TRY(sources_of_loop(loop))) {
    paths.add(superset(0, leaf, leaves[leaf].dims), leaves[loop.leaf].dims, leaves[leaf].dims);
  }
  definition.paths = paths.take();
  return definition;
}

// Finds the needed leaves from the root back, then joins paths from the parameters on.
absl::StatusOr<Definition> Definitions::of_root(int32_t computation, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  if (depth_ >= kMaxCalls) return too_deep(within);
  Inside& inside = inside_[computation];
  std::set<LeafOf, std::greater<>> wanted = {{within.root, leaf}};
  for (auto at = wanted.begin(); at != wanted.end(); ++at) {
    if (inside.known.contains(*at)) continue;
    auto own = inside.own.find(*at);
    if (own == inside.own.end()) {
      if (is_late()) return too_slow(within);
      ++depth_;
      absl::StatusOr<Definition> definition = of(computation, at->first, at->second);
      --depth_;
      if (absl::IsDeadlineExceeded(definition.status())) return definition;
      own = inside.own.emplace(*at, std::move(definition)).first;
    }
    if (!own->second.ok()) continue;
    const auto& operands = within.instructions[at->first].operands;
    for (const DataflowPath& path : own->second->paths) {
      wanted.insert({operands[path.operand].instruction, path.leaf});
    }
  }
  for (auto at = wanted.rbegin(); at != wanted.rend(); ++at) {
    const auto own = inside.own.find(*at);
    if (own == inside.own.end()) continue;
    auto paths =
        own->second.ok() ? to_parameters(computation, *at, *own->second, inside) : own->second;
    if (absl::IsDeadlineExceeded(paths.status())) return paths;
    inside.known.emplace(*at, std::move(paths));
    inside.own.erase(own);
  }
  return inside.known.at({within.root, leaf});
}

// Returns the paths of one leaf inside a computation; the leaves that it needs are known.
absl::StatusOr<Definition> Definitions::to_parameters(int32_t computation, const LeafOf& position,
                                                      const Definition& definition,
                                                      Inside& inside) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& instruction = within.instructions[position.first];
  Definition result{{}, definition.conservative};
  if (instruction.opcode == HloOpcode::kParameter) {
    result.paths = {{static_cast<int32_t>(instruction.parameter_number), position.second, {}, {}}};
    return result;
  }
  const std::vector<int32_t> parameters = parameters_of(within);
  const Dims dims = (*leaves_of(*instruction.shape))[position.second].dims;
  PathSet paths;
  for (const DataflowPath& path : definition.paths) {
    const auto& before =
        inside.known.at({instruction.operands[path.operand].instruction, path.leaf});
    if (!before.ok()) return before.status();
    add_reasons(result, before->conservative);
    for (const DataflowPath& further : before->paths) {
      if (paths.has_everything(further.operand, further.leaf)) continue;
      if (is_late()) return too_slow(within);
      paths.add(joined(path, further), dims,
                parameter_dims(within, parameters[further.operand], further.leaf));
    }
  }
  inside.work += paths.work();
  if (inside.work > kMostSteps) return too_long(within);
  result.paths = paths.take();
  if (cuts_ != nullptr) {
    cuts_->cut(computation, position.first, position.second, result.paths, deadline_);
  }
  return result;
}

absl::StatusOr<std::set<LeafOf>> Definitions::sources(int32_t computation, int32_t instruction,
                                                      int64_t leaf) {
  const auto relation = TRY(spec::access_relation_of(module_, computation, instruction, leaf));
  if (relation.callee) {
    return sources_of_root(relation.callee->computation, relation.callee->leaf);
  }
  if (relation.loop) return sources_of_loop(*relation.loop);
  std::set<LeafOf> result;
  for (const spec::Dependence& dependence : relation.dependences) {
    result.emplace(static_cast<int32_t>(dependence.operand), dependence.leaf);
  }
  for (const spec::Branch& branch : relation.branches) {
    for (const auto& [parameter, of_it] : TRY(sources_of_root(branch.computation, branch.leaf))) {
      result.emplace(branch.operand, of_it);
    }
  }
  return result;
}

// The leaves of the state from which some number of iterations gets to this one; with those that
// the
// condition reads, if it decides how many.
absl::StatusOr<std::set<LeafOf>> Definitions::sources_of_loop(const spec::Loop& loop) {
  std::set<LeafOf> result = {{0, loop.leaf}};
  if (spec::passes_through(module_, loop.loop.body, loop.leaf)) return result;
  if (!run_of(loop.loop)) {
    const auto tested = TRY(sources_of_root(loop.loop.condition, 0));
    result.insert(tested.begin(), tested.end());
  }
  std::vector<LeafOf> open(result.begin(), result.end());
  while (!open.empty()) {
    const int64_t leaf = open.back().second;
    open.pop_back();
    for (const LeafOf& before : TRY(sources_of_root(loop.loop.body, leaf))) {
      if (result.insert(before).second) open.push_back(before);
    }
  }
  return result;
}

absl::StatusOr<std::set<LeafOf>> Definitions::sources_of_root(int32_t computation, int64_t leaf) {
  const auto known = sources_.find({computation, leaf});
  if (known != sources_.end()) return known->second;
  const HloComputation& within = module_.computations[computation];
  if (depth_ >= kMaxCalls) return too_deep(within);
  ++depth_;
  std::set<LeafOf> result;
  std::set<LeafOf, std::greater<>> wanted = {{within.root, leaf}};
  absl::Status status;
  for (auto at = wanted.begin(); status.ok() && at != wanted.end(); ++at) {
    const HloInstruction& instruction = within.instructions[at->first];
    if (instruction.opcode == HloOpcode::kParameter) {
      result.emplace(static_cast<int32_t>(instruction.parameter_number), at->second);
    }
    const auto of_one = sources(computation, at->first, at->second);
    status = of_one.status();
    if (!status.ok()) break;
    for (const auto& [operand, operand_leaf] : *of_one) {
      wanted.emplace(instruction.operands[operand].instruction, operand_leaf);
    }
  }
  --depth_;
  absl::StatusOr<std::set<LeafOf>> answer = std::move(result);
  if (!status.ok()) answer = status;
  sources_.emplace(std::pair{computation, leaf}, answer);
  return answer;
}

}  // namespace tileproof::verify
