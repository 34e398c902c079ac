// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/stablehlo_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/mlir_words.h"
#include "spec/lang/stablehlo/op_text.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {
namespace {

// HLO text, and where each line comes from.
struct Lines {
  std::vector<std::string> text;
  std::vector<size_t> positions;

  void add(std::string line, size_t position) {
    text.push_back(std::move(line));
    positions.push_back(position);
  }
  void append(const Lines& other) {
    text.insert(text.end(), other.text.begin(), other.text.end());
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
  }
};

// The computation that is being written.
struct Scope {
  Lines lines;
  std::map<std::string, std::vector<Value>> values;  // by name of StableHLO: the results
  std::map<std::string, size_t> line_of;             // by name of HLO
  std::set<std::string> taken;
  std::vector<Value> returned;
  Known known;
};

// Whether devices exchange arrays here, or ask which one they are.
bool is_exchange(const Op& op) {
  return find_attribute(op.attributes, "replica_groups") != nullptr ||
         find_attribute(op.attributes, "source_target_pairs") != nullptr ||
         absl::EndsWith(op.name, ".partition_id") || absl::EndsWith(op.name, ".replica_id");
}

// `name="VALUE"`, with the quotes of the value.
std::string of_frontend(absl::string_view name, absl::string_view value) {
  return absl::StrCat(name, "=\"", absl::StrReplaceAll(value, {{"\"", "\\\""}}), "\"");
}

// The names that a region reads and does not define, in the order of their first use.
void free_names(const Region& region, std::set<std::string> defined,
                std::vector<std::string>& free) {
  for (const Argument& argument : region.arguments) defined.insert(argument.name);
  for (const Op& op : region.ops) {
    for (const Operand& operand : op.operands) {
      const bool known =
          defined.contains(operand.name) || std::ranges::find(free, operand.name) != free.end();
      if (!known) free.push_back(operand.name);
    }
    for (const Region& inner : op.regions) free_names(inner, defined, free);
    for (const Results& results : op.results) {
      for (int64_t i = 0; i < results.count; ++i) defined.insert(result_name(results.name, i));
    }
  }
}

bool is_return(const Op& op) {
  return op.name == "return" || absl::EndsWith(op.name, ".return") ||
         absl::EndsWith(op.name, ".yield");
}

// The operations of a region, but for those that return.
int64_t count(const Region& region) {
  int64_t number = 0;
  for (const Op& op : region.ops) {
    number += is_return(op) ? 0 : 1;
    for (const Region& inner : op.regions) number += count(inner);
  }
  return number;
}

class Writer {
 public:
  // The errors of operations that are not read are appended to `unread`.
  Writer(absl::string_view text, const Module& module, UnknownHlo unknown,
         std::vector<absl::Status>& unread)
      : place_(text), module_(module), unknown_(unknown), unread_(unread) {
    for (const Function& function : module.functions) functions_[function.name] = &function;
  }

  // A module for each entry.
  absl::StatusOr<std::vector<Lines>> write() {
    const std::vector<const Function*> entries = TRY(find_entries());
    std::vector<Lines> modules;
    for (const Function* entry : entries) {
      const std::string& name = entries.size() > 1 ? entry->name : module_.name;
      out_ = Lines();
      computations_.clear();
      computation_names_.clear();
      entry_ = entry;
      std::set<std::string> seen;
      const bool is_on_each_device = runs_on_each_device(entry->body, seen);
      std::string header = absl::StrCat("HloModule ", name.empty() ? "module" : word_of_hlo(name));
      for (const auto& [of_mlir, of_hlo] : {std::pair("mhlo.num_partitions", "num_partitions"),
                                            std::pair("mhlo.num_replicas", "replica_count")}) {
        const int64_t count = TRY(one_int(module_.attributes, of_mlir, 1));
        if (count > 1 && is_on_each_device) absl::StrAppend(&header, ", ", of_hlo, "=", count);
      }
      if (!is_on_each_device && !module_.meshes.empty()) {
        absl::StrAppend(&header, ", frontend_attributes={xla.sdy.meshes={", meshes_text(), "}}");
      }
      out_.add(std::move(header), entry->position);
      TRY(computation_of(*entry, "ENTRY "));
      modules.push_back(std::move(out_));
    }
    return modules;
  }

 private:
  // Whether the program is what one device runs: it exchanges outside of a manual computation. Else it
  // is the whole one, as before partitioning, whose arrays Shardy divides.
  bool runs_on_each_device(const Region& region, std::set<std::string>& seen) const {
    const auto calls_one = [&](const std::string& name) {
      const auto callee = functions_.find(name);
      return callee != functions_.end() && seen.insert(name).second &&
             runs_on_each_device(callee->second->body, seen);
    };
    return std::ranges::any_of(region.ops, [&](const Op& op) {
      if (is_exchange(op)) return true;
      if (op.name == "sdy.manual_computation") return false;
      return std::ranges::any_of(op.regions,
                                 [&](const Region& r) { return runs_on_each_device(r, seen); }) ||
             std::ranges::any_of(callees_of(op), calls_one);
    });
  }

  std::string meshes_text() const {
    return absl::StrJoin(module_.meshes, ", ", [](std::string* out, const Mesh& mesh) {
      absl::StrAppend(out, mesh.name, " = #sdy.mesh<", mesh.text, ">");
    });
  }

  absl::Status error(size_t position, const absl::Status& status) const {
    const absl::Status placed = place_.error_at(position, std::string(status.message()));
    return absl::Status(absl::IsUnimplemented(status) ? status.code() : placed.code(),
                        placed.message());
  }
  absl::Status error(size_t position, absl::string_view message) const {
    return place_.error_at(position, message);
  }

  // None if another one is asked for.
  absl::StatusOr<std::vector<const Function*>> find_entries() const {
    if (!module_.asked.empty()) {
      const auto asked = functions_.find(module_.asked);
      if (asked == functions_.end()) return std::vector<const Function*>();
      return std::vector<const Function*>{asked->second};
    }
    if (const auto main = functions_.find("main"); main != functions_.end())
      return std::vector<const Function*>{main->second};
    std::set<std::string> called;
    for (const Function& function : module_.functions) calls_in(function.body, called);
    std::vector<const Function*> found;
    for (const Function& function : module_.functions) {
      if (!called.contains(function.name)) found.push_back(&function);
    }
    if (!found.empty()) return found;
    return error(module_.functions[0].position, "expected a function that nothing calls");
  }

  // The functions that an operation calls: `@f`, `[@f, @g]`.
  static std::vector<std::string> callees_of(const Op& op) {
    const bool is_call = op.name == "call" || op.name == "func.call";
    if (is_call && !op.callee.empty()) return {op.callee};
    const char* attribute = is_call                              ? "callee"
                            : op.name == "stablehlo.composite"   ? "decomposition"
                            : op.name == "stablehlo.async_start" ? "called_computation"
                                                                 : "called_computations";
    const std::string* text = find_attribute(op.attributes, attribute);
    std::vector<std::string> names;
    if (text == nullptr) return names;
    for (const absl::string_view part : absl::StrSplit(*text, absl::ByAnyChar("[], "))) {
      if (!absl::StartsWith(part, "@")) continue;
      names.push_back(absl::StrReplaceAll(part.substr(1), {{"\"", ""}}));
    }
    return names;
  }

  static void calls_in(const Region& region, std::set<std::string>& called) {
    for (const Op& op : region.ops) {
      for (std::string& callee : callees_of(op)) called.insert(std::move(callee));
      for (const Region& inner : op.regions) calls_in(inner, called);
    }
  }

  // The name of the computation of a function, which is written first.
  absl::StatusOr<std::string> computation_of(const Function& function, absl::string_view prefix) {
    const auto known = computations_.find(function.name);
    if (known != computations_.end()) {
      if (!known->second.empty()) return known->second;
      return error(function.position, "expected a function that does not call itself");
    }
    computations_[function.name] = "";
    Scope scope;
    Region region = function.body;
    if (absl::StrContains(place_.text(), "?")) TRY(resolve(region, {}));
    if (has_memory(region)) {
      absl::StatusOr<Region> lowered = lowered_memory(region);
      if (!lowered.ok()) return error(function.position, lowered.status());
      region = *std::move(lowered);
    }
    if (&function == entry_) entry_scope_ = &scope;
    TRY(parameters(region, scope, function.position));
    TRY(body(region, scope, {}));
    const std::string name = finish(function.name, scope, prefix, function.position);
    return computations_[function.name] = name;
  }

  // Gives types with a size `?` that has no bound those of operands. Errors: there is none.
  absl::Status resolve(Region& region, std::map<std::string, Type> known) const {
    for (const Argument& argument : region.arguments) {
      if (argument.type.unknown > 0) return expected_size(place_, argument.type.unknown);
      known[argument.name] = argument.type;
    }
    const auto replace = [&](Type& type, const Op& op, size_t i, bool may) {
      if (type.unknown == 0) return absl::OkStatus();
      const auto from =
          may && i < op.operands.size() ? known.find(op.operands[i].name) : known.end();
      const bool fits =
          from != known.end() && from->second.element == type.element &&
          std::ranges::equal(from->second.dims, type.dims, [](int64_t size, int64_t asked) {
            return asked == kUnknownSize || asked == size;
          });
      if (!fits) return expected_size(place_, type.unknown);
      type = from->second;
      return absl::OkStatus();
    };
    for (Op& op : region.ops) {
      if (is_return(op)) continue;
      for (size_t i = 0; i < op.operand_types.size(); ++i)
        TRY(replace(op.operand_types[i], op, i, true));
      for (size_t i = 0; i < op.types.size(); ++i) TRY(replace(op.types[i], op, i, op.keeps_types));
      size_t next = 0;
      for (const Results& results : op.results) {
        for (int64_t i = 0; i < results.count && next < op.types.size(); ++i)
          known[result_name(results.name, i)] = op.types[next++];
      }
      for (Region& inner : op.regions) {
        for (size_t i = 0; i < std::min(inner.arguments.size(), op.types.size()); ++i) {
          if (op.keeps_types && inner.arguments[i].type.unknown > 0)
            inner.arguments[i].type = op.types[i];
        }
        TRY(resolve(inner, known));
      }
    }
    return absl::OkStatus();
  }

  absl::Status parameters(const Region& region, Scope& scope, size_t position) {
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      const Argument& argument = region.arguments[i];
      if (scope.values.contains(argument.name)) return error(position, "expected each name once");
      std::string text = absl::StrCat("parameter(", i, ")");
      if (const std::string* sharding = find_attribute(argument.shardings, "mhlo.sharding"))
        absl::StrAppend(&text, ", sharding=", absl::StrReplaceAll(*sharding, {{"\"", ""}}));
      if (const std::string* sharding = find_attribute(argument.shardings, "sdy.sharding")) {
        absl::StrAppend(&text, ", frontend_attributes={",
                        of_frontend("xla.sdy.sharding", *sharding), "}");
      }
      add(scope, argument.name, {argument.type}, text, position);
    }
    return absl::OkStatus();
  }

  // Writes the computation behind all others and returns its name.
  std::string finish(const std::string& base, Scope& scope, absl::string_view prefix,
                     size_t position) {
    const std::string name = unique_word(word_of_hlo(base), computation_names_);
    out_.add(absl::StrCat(prefix, name, " {"), position);
    out_.append(scope.lines);
    out_.add("}", position);
    returned_[name] = std::move(scope.returned);
    return name;
  }

  // Adds one instruction and returns its name in HLO.
  std::string instruction(Scope& scope, const std::string& base, const std::string& shape,
                          const std::string& text, size_t position) {
    const std::string name = unique_word(word_of_hlo(base), scope.taken);
    scope.line_of[name] = scope.lines.text.size();
    scope.lines.add(absl::StrCat(name, " = ", shape, " ", text), position);
    return name;
  }

  // Adds an instruction and returns its results; several are elements of its tuple.
  std::vector<Value> results_of(Scope& scope, const std::string& base,
                                const std::vector<Type>& types, const std::string& text,
                                size_t position) {
    const std::string hlo = instruction(scope, base, shape_of(types), text, position);
    if (types.size() == 1) return {{hlo, types[0]}};
    return elements(scope, hlo, types, base, position);
  }

  // Adds an instruction as the value of a name.
  void add(Scope& scope, const std::string& name, const std::vector<Type>& types,
           const std::string& text, size_t position) {
    scope.values[name] = results_of(scope, name, types, text, position);
  }

  std::vector<Value> elements(Scope& scope, const std::string& tuple,
                              const std::vector<Type>& types, const std::string& base,
                              size_t position) {
    std::vector<Value> values;
    for (size_t i = 0; i < types.size(); ++i) {
      const std::string text = absl::StrCat("get-tuple-element(", tuple, "), index=", i);
      values.push_back(
          {instruction(scope, absl::StrCat(base, "_", i), types[i].shape, text, position),
           types[i]});
    }
    return values;
  }

  static std::vector<Type> types_of(const std::vector<Value>& values) {
    std::vector<Type> types;
    for (const Value& value : values) types.push_back(value.type);
    return types;
  }
  static std::string calling(const std::vector<Value>& operands, const std::string& computation) {
    return stablehlo::call("call", operands, absl::StrCat("to_apply=", computation));
  }
  static std::string tuple_shape(const std::vector<Type>& types) {
    return types.size() == 1 ? absl::StrCat("(", types[0].shape, ")") : shape_of(types);
  }

  // Null if it is not defined.
  static const Value* find_value(const Scope& scope, const Operand& operand) {
    const auto found = scope.values.find(operand.name);
    const bool is_there = found != scope.values.end() && !found->second.empty();
    return is_there ? &found->second[0] : nullptr;
  }

  absl::StatusOr<Value> value_of(const Scope& scope, const Op& op, const Operand& operand) const {
    if (const Value* value = find_value(scope, operand)) return *value;
    return error(op.position, absl::StrCat("expected a value that is defined before, found '%",
                                           operand.name, "'"));
  }

  absl::StatusOr<std::vector<Value>> values_of(const Scope& scope, const Op& op) const {
    std::vector<Value> values;
    for (const Operand& operand : op.operands) values.push_back(TRY(value_of(scope, op, operand)));
    return values;
  }

  // The operations of a region. The root is the returned value, or a tuple: if there are several,
  // if the caller wants one, and of the values that a loop carries along (`rest`).
  absl::Status body(const Region& region, Scope& scope,
                    const std::optional<std::vector<Value>>& rest) {
    for (size_t i = 0; i < region.ops.size(); ++i) {
      const Op& op = region.ops[i];
      if (!is_return(op)) {
        TRY(operation(op, scope));
        continue;
      }
      if (i + 1 < region.ops.size())
        return error(region.ops[i + 1].position, "expected the end of the region");
      std::vector<Value> values = TRY(values_of(scope, op));
      if (&scope == entry_scope_) mark_results(scope, op, values);
      scope.returned = values;
      const bool is_tuple = rest.has_value() || values.size() != 1;
      if (rest) values.insert(values.end(), rest->begin(), rest->end());
      std::string root = is_tuple ? "" : values[0].name;
      if (is_tuple) {
        root = instruction(scope, "result", tuple_shape(types_of(values)),
                           stablehlo::call("tuple", values), op.position);
      }
      scope.lines.text[scope.line_of[root]].insert(0, "ROOT ");
      return absl::OkStatus();
    }
    const size_t position = region.ops.empty() ? 0 : region.ops.back().position;
    return error(position, "expected a region that returns");
  }

  // Says how the results of the program are divided, as JAX does in HLO.
  void mark_results(Scope& scope, const Op& op, std::vector<Value>& values) {
    for (size_t k = 0; k < std::min(values.size(), entry_->shardings.size()); ++k) {
      const std::string* sharding = find_attribute(entry_->shardings[k], "sdy.sharding");
      if (sharding == nullptr) continue;
      const std::string per_value = absl::StrCat(
          "#sdy.sharding_per_value<[", absl::StripPrefix(*sharding, "#sdy.sharding"), "]>");
      values[k].name = instruction(
          scope, "result", values[k].type.shape,
          stablehlo::call("custom-call", {values[k]},
                          absl::StrCat("custom_call_target=\"xla.sdy.FuncResultSharding\", "
                                       "frontend_attributes={",
                                       of_frontend("xla.sdy.sharding", per_value), "}")),
          op.position);
    }
  }

  absl::Status operation(const Op& op, Scope& scope) {
    const size_t before = unread_.size();
    const absl::Status done = written(op, scope);
    if (done.ok() || unread_.size() > before) return done;
    // What it gives is not known.
    const std::string name = op.results.empty() ? "unread" : op.results[0].name;
    const std::vector<Value> operands = values_of(scope, op).value_or(std::vector<Value>());
    std::string text = stablehlo::call(op.name, operands);
    if (unknown_ == UnknownHlo::kRefuse || !absl::IsUnimplemented(done)) {
      text =
          absl::StrCat("custom-call(), custom_call_target=\"", kUnreadTarget, unread_.size(), "\"");
      unread_.push_back(done);
    }
    if (op.results.empty() || op.types.empty()) return absl::OkStatus();
    add(scope, name, op.types, text, op.position);
    share(op, scope);
    return absl::OkStatus();
  }

  absl::Status written(const Op& op, Scope& scope) {
    if (++nesting_ > kMaxNesting) return error(op.position, "expected regions nested at most 1000");
    for (const Results& results : op.results) {
      if (!scope.values.contains(results.name)) continue;
      return error(op.position,
                   absl::StrCat("expected each name once, found '%", results.name, "' again"));
    }
    const absl::Status done = is_lowered(op.name) ? lower(op, scope) : of_stablehlo(op, scope);
    --nesting_;
    if (done.ok() && !is_lowered(op.name)) share(op, scope);
    return done;
  }

  absl::Status of_stablehlo(const Op& op, Scope& scope) {
    const std::string name = op.results.empty() ? "unused" : op.results[0].name;
    const auto is = [&](absl::string_view one) { return op.name == one; };
    const bool is_done = is("stablehlo.async_done") && op.operands.size() == 1;
    if (is("") || is_done) return hand_on(op, name, scope);
    if (is("call") || is("func.call") || is("stablehlo.composite") || is("stablehlo.async_start"))
      return call(op, name, scope);
    if (is("sdy.manual_computation") || is("sdy.named_computation"))
      return body_of_mesh(op, name, scope);
    if (absl::StartsWith(op.name, "check.") && op.results.empty()) return absl::OkStatus();
    if (is("stablehlo.while")) return loop(op, name, scope);
    if (is("stablehlo.if") || is("stablehlo.case")) return branches(op, name, scope);
    return plain(op, name, scope);
  }

  // The values as those of another name.
  absl::Status hand_on(const Op& op, const std::string& name, Scope& scope) {
    scope.values[name] = TRY(values_of(scope, op));
    return absl::OkStatus();
  }

  absl::Status lower(const Op& op, Scope& scope) {
    const auto type_of = [&](const Operand& operand) -> const Type* {
      const Value* value = find_value(scope, operand);
      return value == nullptr ? nullptr : &value->type;
    };
    const absl::StatusOr<std::vector<Op>> ops = lowered(op, {scope.known, type_of});
    if (!ops.ok()) return error(op.position, ops.status());
    for (const Op& one : *ops) TRY(operation(one, scope));
    return absl::OkStatus();
  }

  // Gives each name its results; the first one has all of them.
  static void share(const Op& op, Scope& scope) {
    if (op.results.empty()) return;
    const std::vector<Value> all = scope.values[op.results[0].name];
    if (all.size() < 2) return;
    auto next = all.begin();
    for (const Results& results : op.results) {
      for (int64_t i = 0; i < results.count; ++i)
        scope.values[result_name(results.name, i)] = {*next++};
    }
  }

  absl::Status call(const Op& op, const std::string& name, Scope& scope) {
    const std::vector<Value> operands = TRY(values_of(scope, op));
    const std::vector<std::string> called = TRY(called_by(op));
    if (called.size() != 1) return error(op.position, "expected a function that is called");
    add(scope, name, op.types, calling(operands, called[0]), op.position);
    return absl::OkStatus();
  }

  // The computations of the functions that an operation calls.
  absl::StatusOr<std::vector<std::string>> called_by(const Op& op) {
    std::vector<std::string> computations;
    for (const std::string& name : callees_of(op)) {
      const auto callee = functions_.find(name);
      if (callee == functions_.end())
        return error(op.position, absl::StrCat("expected a function of the module, found @", name));
      computations.push_back(TRY(computation_of(*callee->second, "")));
    }
    return computations;
  }

  // The computations of the regions of an operation, which read their own values alone.
  absl::StatusOr<std::vector<std::string>> computations_of(const Op& op, const std::string& name) {
    std::vector<std::string> applied;
    for (const Region& region : op.regions) {
      std::vector<std::string> free;
      free_names(region, {}, free);
      if (!free.empty()) {
        return error(op.position,
                     absl::StrCat("expected a region that reads its own values, found '%", free[0],
                                  "' from outside"));
      }
      Scope inner;
      TRY(parameters(region, inner, op.position));
      TRY(body(region, inner, std::nullopt));
      applied.push_back(finish(absl::StrCat("region_", name), inner, "", op.position));
    }
    return applied;
  }

  // A custom call of Shardy, with the shardings that it had: `xla.sdy.in_shardings="..."`.
  static std::string call_of_shardy(const char* target, const std::vector<Value>& operands,
                                    const Op& op, const char* shardings) {
    std::vector<std::string> kept;
    for (const auto& [name, type] : {std::pair(shardings, "#sdy.sharding_per_value<"),
                                     std::pair("manual_axes", "#sdy<manual_axes")}) {
      if (const std::string* value = find_attribute(op.attributes, name)) {
        kept.push_back(
            of_frontend(absl::StrCat("xla.sdy.", name), absl::StrCat(type, *value, ">")));
      }
    }
    return stablehlo::call(
        "custom-call", operands,
        absl::StrCat("custom_call_target=\"", target, "\", frontend_attributes={",
                     absl::StrJoin(kept, ","), "}"));
  }

  // The body of a manual_computation sees the arrays of one device; of a named_computation, all.
  absl::Status body_of_mesh(const Op& op, const std::string& name, Scope& scope) {
    std::vector<Value> values = TRY(values_of(scope, op));
    const std::vector<std::string> called = TRY(computations_of(op, name));
    if (called.size() != 1) return error(op.position, "expected one region");
    const bool is_manual = op.name == "sdy.manual_computation";
    std::vector<Type> local;
    for (const Argument& argument : op.regions[0].arguments) local.push_back(argument.type);
    if (local.size() != values.size())
      return error(op.position, "expected an argument of the body for each operand");
    if (is_manual && !values.empty()) {
      const std::string text =
          call_of_shardy("xla.sdy.GlobalToLocalShape", values, op, "in_shardings");
      values = results_of(scope, absl::StrCat(name, "_local"), local, text, op.position);
    }
    const std::string text = calling(values, called[0]);
    if (!is_manual) {
      add(scope, name, op.types, text, op.position);
      return absl::OkStatus();
    }
    values = results_of(scope, absl::StrCat(name, "_body"), types_of(returned_[called[0]]), text,
                        op.position);
    add(scope, name, op.types,
        call_of_shardy("xla.sdy.LocalToGlobalShape", values, op, "out_shardings"), op.position);
    return absl::OkStatus();
  }

  absl::Status plain(const Op& op, const std::string& name, Scope& scope) {
    const std::vector<Value> operands = TRY(values_of(scope, op));
    std::vector<std::string> applied = TRY(computations_of(op, name));
    for (std::string& one : TRY(called_by(op))) applied.push_back(std::move(one));
    if (applied.empty() && op.name == "stablehlo.reduce") {
      applied.push_back(TRY(reducer(op)));
    }
    absl::StatusOr<std::vector<Piece>> pieces = pieces_of(op, operands, applied, module_.meshes);
    if (!pieces.ok()) return error(op.position, pieces.status());
    std::string before = "%0";
    for (const auto& [shape, piece] : *pieces) {
      const std::string text = absl::StrReplaceAll(piece, {{"%0", before}});
      before = instruction(scope, name, shape, text, op.position);
    }
    if (op.types.size() == 1) {
      scope.values[name] = {{before, op.types[0]}};
    } else if (!op.types.empty()) {
      scope.values[name] = elements(scope, before, op.types, name, op.position);
    }
    return absl::OkStatus();
  }

  // `applies stablehlo.add`: the computation of one operation on two scalars.
  absl::StatusOr<std::string> reducer(const Op& op) {
    if (op.words.empty() || op.types.size() != 1 || !op.types[0].element)
      return error(op.position, "expected a reducing operation");
    const Type scalar = tensor_of(*op.types[0].element, {});
    Scope scope;
    add(scope, "x", {scalar}, "parameter(0)", op.position);
    add(scope, "y", {scalar}, "parameter(1)", op.position);
    const Op inner = op_at(op, op.words[0], operands_of({"x", "y"}), {}, {scalar}, {{"reduced"}});
    TRY(plain(inner, "reduced", scope));
    scope.lines.text.back().insert(0, "ROOT ");
    return finish("reducer", scope, "", op.position);
  }

  // The values that regions read from outside.
  absl::StatusOr<std::vector<std::pair<Operand, Value>>> captured(
      const std::vector<const Region*>& regions, const Op& op, const Scope& scope) const {
    std::vector<std::string> free;
    for (const Region* region : regions) free_names(*region, {}, free);
    std::vector<std::pair<Operand, Value>> values;
    for (const std::string& name : free) {
      const auto found = scope.values.find(name);
      if (found == scope.values.end() || found->second.empty()) {
        return error(op.position,
                     absl::StrCat("expected values that are defined before, found '%", name, "'"));
      }
      values.emplace_back(name, found->second[0]);
    }
    return values;
  }

  // Makes elements of a parameter the values of names in a new scope.
  static void bind(Scope& scope, const std::vector<std::pair<Operand, Value>>& outer,
                   const std::vector<Value>& inner, size_t first) {
    for (size_t i = 0; i < outer.size(); ++i)
      scope.values[outer[i].first.name] = {inner[first + i]};
  }

  absl::Status loop(const Op& op, const std::string& name, Scope& scope) {
    std::vector<Value> state = TRY(values_of(scope, op));
    if (op.regions.size() != 2) return error(op.position, "expected a condition and a body");
    for (const Region& region : op.regions) {  // the generic form names the arguments itself
      if (region.arguments.size() != state.size())
        return error(op.position, "expected an argument for each operand of the loop");
    }
    const auto outside = TRY(captured({&op.regions[0], &op.regions[1]}, op, scope));
    const size_t carried = state.size();
    for (const auto& [operand, value] : outside) state.push_back(value);
    const std::vector<Type> types = types_of(state);
    std::vector<std::string> computations;
    for (size_t r = 0; r < 2; ++r) {
      Scope inner;
      const std::string parameter =
          instruction(inner, "state", tuple_shape(types), "parameter(0)", op.position);
      const std::vector<Value> parts = elements(inner, parameter, types, "state", op.position);
      for (size_t i = 0; i < carried; ++i)
        inner.values[op.regions[r].arguments[i].name] = {parts[i]};
      bind(inner, outside, parts, carried);
      const std::vector<Value> rest(parts.begin() + static_cast<int64_t>(carried), parts.end());
      TRY(body(op.regions[r], inner, r == 0 ? std::nullopt : std::optional(rest)));
      computations.push_back(
          finish(absl::StrCat(r == 0 ? "condition_" : "body_", name), inner, "", op.position));
    }
    const std::string shape = tuple_shape(types);
    const std::string start = instruction(scope, absl::StrCat(name, "_start"), shape,
                                          stablehlo::call("tuple", state), op.position);
    const std::string result = instruction(
        scope, name, shape,
        absl::StrCat("while(", start, "), condition=", computations[0], ", body=", computations[1]),
        op.position);
    const std::vector<Type> results(types.begin(), types.begin() + static_cast<int64_t>(carried));
    scope.values[name] = elements(scope, result, results, name, op.position);
    return absl::OkStatus();
  }

  absl::Status branches(const Op& op, const std::string& name, Scope& scope) {
    std::vector<Value> operands = TRY(values_of(scope, op));
    const bool two = op.name == "stablehlo.if";
    if (operands.size() != 1 || op.regions.empty() || (two && op.regions.size() != 2))
      return error(op.position, "expected one operand, and a region for each branch");
    std::vector<std::string> computations;
    for (const Region& region : op.regions) {
      const auto outside = TRY(captured({&region}, op, scope));
      std::vector<Value> given;
      for (const auto& [operand, value] : outside) given.push_back(value);
      const std::vector<Type> types = types_of(given);
      Scope inner;
      const std::string parameter =
          instruction(inner, "given", tuple_shape(types), "parameter(0)", op.position);
      bind(inner, outside, elements(inner, parameter, types, "given", op.position), 0);
      TRY(body(region, inner, std::nullopt));
      computations.push_back(finish(absl::StrCat("branch_", name), inner, "", op.position));
      operands.push_back({instruction(scope, absl::StrCat(name, "_given"), tuple_shape(types),
                                      stablehlo::call("tuple", given), op.position),
                          {}});
    }
    const std::string attributes =
        two ? absl::StrCat("true_computation=", computations[0],
                           ", false_computation=", computations[1])
            : absl::StrCat("branch_computations={", absl::StrJoin(computations, ", "), "}");
    add(scope, name, op.types, stablehlo::call("conditional", operands, attributes), op.position);
    return absl::OkStatus();
  }

  Cursor place_;
  const Module& module_;
  UnknownHlo unknown_;
  std::vector<absl::Status>& unread_;
  const Function* entry_ = nullptr;
  const Scope* entry_scope_ = nullptr;
  std::map<std::string, const Function*> functions_;
  std::map<std::string, std::string> computations_;  // by function; empty while it is written
  std::set<std::string> computation_names_;
  std::map<std::string, std::vector<Value>> returned_;  // by computation
  Lines out_;
  int nesting_ = 0;
};

// An error in the HLO text as one in the StableHLO text: "line 7, column 3: expected ..".
absl::Status placed(const Cursor& place, const Lines& lines, const absl::Status& status) {
  const std::string message(status.message());
  Cursor cursor(message);
  if (cursor.take_identifier() != "line") return status;
  const absl::StatusOr<int64_t> line = cursor.take_integer("a line");
  const size_t colon = message.find(": ");
  if (!line.ok() || colon == std::string::npos || *line < 1 ||
      *line > std::ssize(lines.positions)) {
    return status;
  }
  return place.error_at(lines.positions[static_cast<size_t>(*line - 1)], message.substr(colon + 2));
}

}  // namespace

bool looks_like_mlir(absl::string_view text) {
  const absl::string_view start = text.substr(0, 4096);
  // HLO may have a computation `%module {`, and attributes such as mhlo.sharding in a string.
  for (const char* word : {"HloModule", "ENTRY "}) {
    if (absl::StrContains(start, word)) return false;
  }
  for (const char* word : {"stablehlo.", "mhlo.", "func.func", "util.func", "module @", "module {",
                           "#loc", "= linalg.", "= tensor.", "= arith."}) {
    if (absl::StrContains(start, word)) return true;
  }
  return false;
}

absl::StatusOr<std::vector<HloModule>> parse_modules_but(absl::string_view text, UnknownHlo unknown,
                                                         std::vector<absl::Status>& unread) {
  std::vector<HloModule> result;
  std::string asked;
  for (const Module& module : TRY(parse(text))) {
    asked = module.asked;
    for (const Lines& lines : TRY(Writer(text, module, unknown, unread).write())) {
      absl::StatusOr<std::vector<HloModule>> modules =
          parse_hlo_modules(absl::StrJoin(lines.text, "\n"), unknown);
      if (!modules.ok()) return placed(Cursor(text), lines, modules.status());
      for (HloModule& one : *modules) result.push_back(std::move(one));
    }
  }
  if (!result.empty()) return result;
  return absl::NotFoundError(
      absl::StrCat("column 1: expected a function of the text, found @", asked.substr(0, 60)));
}

absl::StatusOr<std::vector<HloModule>> parse_modules(absl::string_view text, UnknownHlo unknown) {
  std::vector<absl::Status> unread;
  absl::StatusOr<std::vector<HloModule>> modules = parse_modules_but(text, unknown, unread);
  if (unread.empty()) return modules;
  const absl::Status& first = unread[0];
  if (!absl::IsUnimplemented(first)) return first;
  int64_t all = 0;
  for (const Module& module : TRY(parse(text))) {
    for (const Function& function : module.functions) all += count(function.body);
  }
  const int64_t others = all - std::ssize(unread);
  if (others < 1) return absl::InvalidArgumentError(first.message());
  return absl::InvalidArgumentError(
      absl::StrCat(first.message(), "; ", others, others == 1 ? " other was" : " others were"));
}

}  // namespace tileproof::stablehlo
