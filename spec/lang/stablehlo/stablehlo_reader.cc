// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/mlir_words.h"
#include "spec/lang/stablehlo/other_ops.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {
namespace {

// Whether operations of this name are written as those of StableHLO are.
bool is_of_dialect(absl::string_view name) {
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) return name == "call" || name == "return";
  for (const char* dialect : {"stablehlo", "mhlo", "chlo", "sdy", "func"}) {
    if (name.substr(0, dot) == dialect) return true;
  }
  return false;
}

// Whether the results have the types of the operands, each for itself.
bool hands_on(const Op& op) {
  return op.name == "stablehlo.while" || absl::EndsWith(op.name, ".optimization_barrier");
}

// Reads one text. Regions nest, so its functions call each other.
class Reader final : public OtherOps {
 public:
  using OtherOps::OtherOps;

  absl::StatusOr<std::vector<Module>> modules() {
    std::vector<Module> result;
    while (cursor_.skip_space()) {
      Module module;
      if (const auto asked = aliases_.find(kAsked); asked != aliases_.end())
        module.asked = asked->second;
      if (cursor_.peek() == '#') {
        skip_line();
        continue;
      }
      const bool braced = take_word("module");
      if (braced) {
        if (cursor_.peek() == '@') module.name = TRY(symbol());
        if (take_word("attributes")) {
          TRY(cursor_.expect("{", "to open the attributes"));
          module.attributes = TRY(attributes_until('}'));
        }
        TRY(cursor_.expect("{", "to open the module"));
      }
      TRY(!braced && cursor_.take("\"builtin.module\"") ? generic_module(module)
                                                        : functions(module, braced));
      if (module.functions.empty()) return cursor_.expected("a module with a function before this");
      result.push_back(std::move(module));
    }
    if (result.empty()) return cursor_.expected("a module of StableHLO");
    return result;
  }

 private:
  // `: (T, T) -> T`, `: T -> T`, or the types of operands and result, of which the last is that of
  // the result.
  absl::Status signature(Op& op) {
    TRY(cursor_.expect(":", "before the types"));
    std::vector<Type> given;
    TRY(types(given));
    while (cursor_.take(",")) given.push_back(TRY(type()));
    if (cursor_.take("->")) {
      TRY(types(op.types));
    } else if (hands_on(op)) {
      op.types = given;
      op.keeps_types = true;
    } else if (!given.empty()) {
      op.types = {given.back()};
      op.keeps_types = given.size() == 1;
    }
    // One type without an arrow is that of all operands.
    const bool is_of_all = given.size() == 1 && op.types.size() == 1;
    if (is_of_all && op.operands.size() > 1) given.resize(op.operands.size(), given[0]);
    if (given.size() == op.operands.size()) op.operand_types = std::move(given);
    return absl::OkStatus();
  }

  absl::StatusOr<Region> region() override {
    Region result;
    TRY(cursor_.expect("{", "to open a region"));
    if (++depth_ > kMaxNesting) return cursor_.expected("regions nested at most 1000");
    if (cursor_.take("^")) {
      cursor_.take_identifier();
      if (cursor_.peek() == '(') result.arguments = TRY(arguments());
      TRY(cursor_.expect(":", "after the block"));
    }
    TRY(ops(result));
    --depth_;
    return result;
  }

  // Operations up to the closing brace.
  absl::Status ops(Region& region) {
    while (!cursor_.take("}")) {
      if (!cursor_.skip_space()) return cursor_.expected("'}' to close the region");
      region.ops.push_back(TRY(op()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Op> op() {
    Op op;
    op.position = cursor_.token_position();
    if (cursor_.peek() == '%') {
      do {
        Results results{TRY(name())};
        if (cursor_.take(":")) results.count = TRY(cursor_.take_integer("the number of results"));
        op.results.push_back(std::move(results));
      } while (cursor_.take(","));
      TRY(cursor_.expect("=", "after the name of a value"));
      op.position = cursor_.token_position();
    }
    if (cursor_.take("\"")) {
      op.name = std::string(cursor_.take_identifier());
      TRY(cursor_.expect("\"", "after the name of an operation"));
      TRY(generic(op));
    } else {
      op.name = std::string(cursor_.take_identifier());
      if (op.name.empty()) return cursor_.expected("an operation");
      if (!absl::StrContains(op.name, ".") && !is_of_dialect(op.name)) {
        return cursor_.error_at(
            op.position,
            absl::StrCat("expected an operation that HLO has, found ", op.name.substr(0, 64)));
      }
      const bool has_body =
          op.name == "sdy.manual_computation" || op.name == "sdy.named_computation";
      TRY(op.name == "stablehlo.while"                                   ? loop(op)
          : op.name == "stablehlo.reduce"                                ? reduce(op)
          : has_body                                                     ? manual(op)
          : absl::StartsWith(op.name, "sdy.") && op.name != "sdy.return" ? annotation(op)
          : op.name == "affine.for" || op.name == "scf.for"              ? counted_loop(op)
          : op.name == "scf.while"                                       ? scf_while(op)
          : op.name == "scf.forall"                                      ? forall(op)
          : op.name == "affine.parallel" || op.name == "scf.parallel"    ? parallel_loops(op)
          : is_of_dialect(op.name)                                       ? pretty(op)
                                                                         : other_or_unread(op));
    }
    TRY(skip_location());
    const bool has_several =
        std::ranges::any_of(op.results, [](const Results& one) { return one.count != 1; });
    if (has_several || !op.types.empty() || is_of_dialect(op.name) || is_known_dialect(op.name))
      TRY(expect_types(op));
    return op;
  }

  // Names, if there are any, for all results.
  absl::Status expect_types(const Op& op) const {
    int64_t count = 0;
    for (const Results& results : op.results) {
      if (results.count < 1 || results.count > std::ssize(op.types) - count) {
        return cursor_.error_at(op.position, "expected a type for each result that has a name");
      }
      count += results.count;
    }
    if (op.results.empty() || count == std::ssize(op.types)) return absl::OkStatus();
    return cursor_.error_at(op.position, "expected a name for each result");
  }

  // `(%a, %b)`
  absl::Status operands(Op& op) {
    TRY(cursor_.expect("(", "before the operands"));
    while (!cursor_.take(")")) {
      if (!op.operands.empty()) TRY(cursor_.expect(",", "or ')' after an operand"));
      op.operands.push_back(TRY(operand()));
    }
    return absl::OkStatus();
  }

  // Of Shardy: `%0 <@mesh, [{"y"}, {}]> : T`, `[{}, {"x"}] %0 out_sharding=<@mesh, [{}, {}]> : T`.
  absl::Status annotation(Op& op) {
    while (cursor_.peek() != ':') {
      if (cursor_.peek() == '\0') return cursor_.expected("':' and the types of an operation");
      if (cursor_.peek() == '%') {
        op.operands.push_back(TRY(operand()));
        cursor_.take(",");
        continue;
      }
      std::string word = TRY(taken());
      if (cursor_.take("=")) op.attributes.emplace_back(std::move(word), TRY(taken()));
    }
    return signature(op);
  }

  // `(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%b: T) {..} : (T) -> T`, or with
  // `<"name">` before the operands.
  absl::Status manual(Op& op) {
    if (cursor_.peek() == '<') TRY(balanced());
    TRY(operands(op));
    while (cursor_.peek() != '(') {
      std::string word(cursor_.take_identifier());
      if (word.empty()) return cursor_.expected("shardings, or '(' and the arguments of the body");
      TRY(cursor_.expect("=", "after a word"));
      op.attributes.emplace_back(std::move(word), TRY(taken()));
    }
    std::vector<Argument> local = TRY(arguments());
    op.regions.push_back(TRY(region()));
    op.regions.back().arguments = std::move(local);
    return signature(op);
  }

  // `(%a, %b) <{..}> ({..}, {..}) {..} : (T) -> T`
  absl::Status generic(Op& op) {
    TRY(operands(op));
    if (cursor_.take("<{")) {
      op.attributes = TRY(attributes_until('}'));
      TRY(cursor_.expect(">", "after the properties"));
    }
    if (cursor_.take("(")) {
      while (!cursor_.take(")")) {
        if (!op.regions.empty()) TRY(cursor_.expect(",", "or ')' after a region"));
        op.regions.push_back(TRY(region()));
      }
    }
    if (cursor_.take("{")) {
      for (auto& attribute : TRY(attributes_until('}'))) op.attributes.push_back(attribute);
    }
    return signature(op);
  }

  // `(%iterArg = %c, ..) : T, .. attributes {..} cond {..} do {..}`
  absl::Status loop(Op& op) {
    std::vector<Argument> state;
    TRY(cursor_.expect("(", "before the operands"));
    TRY(assigned(state, op.operands, "or ')' after an operand", "after an argument of the loop"));
    if (!state.empty()) TRY(signature(op));
    if (op.types.size() != state.size())
      return cursor_.expected("a type for each operand before this");
    for (size_t i = 0; i < state.size(); ++i) state[i].type = op.types[i];
    if (take_word("attributes")) TRY(skip_braces());
    for (const char* part : {"cond", "do"}) {
      if (!take_word(part)) return cursor_.expected(absl::StrCat("'", part, "'"));
      op.regions.push_back(TRY(region()));
      op.regions.back().arguments = state;
    }
    return absl::OkStatus();
  }

  // `(%i = %a, ..) : (T, ..) -> (T, ..) {..} do {..}`
  absl::Status scf_while(Op& op) {
    std::vector<Argument> state;
    if (cursor_.take("("))
      TRY(assigned(state, op.operands, "or ')' after an operand", "after an argument of the loop"));
    TRY(signature(op));
    if (op.operand_types.size() != state.size())
      return cursor_.expected("a type for each operand before this");
    for (size_t i = 0; i < state.size(); ++i) state[i].type = op.operand_types[i];
    op.regions.push_back(TRY(region()));
    op.regions.back().arguments = std::move(state);
    if (!take_word("do")) return cursor_.expected("'do'");
    op.regions.push_back(TRY(region()));
    if (take_word("attributes")) TRY(skip_braces());
    return absl::OkStatus();
  }

  // `(%a init: %b), (..) applies stablehlo.add across dimensions = [1] : ..`, or with
  // `reducer(%x: T, %y: T) (..) {..}` at the end in place of `applies`.
  absl::Status reduce(Op& op) {
    std::vector<Operand> initial;
    do {
      TRY(cursor_.expect("(", "before an operand"));
      op.operands.push_back(TRY(operand()));
      if (!take_word("init")) return cursor_.expected("'init'");
      TRY(cursor_.expect(":", "after 'init'"));
      initial.push_back(TRY(operand()));
      TRY(cursor_.expect(")", "after an operand"));
    } while (cursor_.take(","));
    op.operands.insert(op.operands.end(), initial.begin(), initial.end());
    if (take_word("applies")) op.words.emplace_back(cursor_.take_identifier());
    if (!take_word("across")) return cursor_.expected("'across'");
    if (!take_word("dimensions")) return cursor_.expected("'dimensions'");
    TRY(cursor_.expect("=", "after 'dimensions'"));
    op.attributes.emplace_back("dimensions", TRY(value()));
    TRY(skip_braces());
    TRY(signature(op));
    if (!op.words.empty()) return absl::OkStatus();
    TRY(skip_location());
    if (!take_word("reducer")) return cursor_.expected("'reducer'");
    std::vector<Argument> left, right;
    while (cursor_.peek() == '(') {
      const std::vector<Argument> pair = TRY(arguments());
      if (pair.size() != 2) return cursor_.expected("two arguments before this");
      left.push_back(pair[0]);
      right.push_back(pair[1]);
    }
    left.insert(left.end(), right.begin(), right.end());
    op.regions.push_back(TRY(region()));
    op.regions.back().arguments = std::move(left);
    return absl::OkStatus();
  }

  // One item of a list: `%a`, `%a [0:2, 1:3]`, `dims = [1, 0]`, `LT`.
  absl::Status list(Op& op) {
    if (cursor_.peek() == '%') {
      op.operands.push_back(TRY(operand()));
      if (cursor_.peek() == '[') op.attributes.emplace_back("[]", TRY(value()));
      return absl::OkStatus();
    }
    const size_t start = cursor_.token_position();
    const std::string word(cursor_.take_identifier());
    if (!word.empty() && cursor_.take("=")) {
      op.attributes.emplace_back(word, TRY(value()));
      return absl::OkStatus();
    }
    cursor_.set_position(start);
    op.words.push_back(TRY(value()));
    return absl::OkStatus();
  }

  // `stablehlo.name items : types`, `call @f(%a) : ..`, `return %a : T`.
  absl::Status pretty(Op& op) {
    bool first = true, in_parentheses = false;
    if (cursor_.peek() == '@') op.callee = TRY(symbol());
    if (op.name == "stablehlo.composite" && cursor_.peek() == '"') TRY(balanced());  // its name
    while (true) {
      const char next = cursor_.peek();
      if (next == '(' && !in_parentheses) {
        in_parentheses = true;
        cursor_.take("(");
        first = true;
        if (cursor_.take(")")) in_parentheses = false;
        continue;
      }
      if (next == ')' && in_parentheses) {
        cursor_.take(")");
        in_parentheses = false;
        first = true;  // `(%a, %b) dim_numbers = ..`
        continue;
      }
      if (next == '{') {
        cursor_.take("{");
        for (auto& attribute : TRY(attributes_until('}'))) op.attributes.push_back(attribute);
        continue;
      }
      if (next == ':') return signature(op);
      if (absl::EndsWith(op.name, "return") && next != '%' && next != ',') return absl::OkStatus();
      if (next == '\0' || next == '}') return cursor_.expected("':' and the types of an operation");
      if (!first) TRY(cursor_.expect(",", "or ':' after an operand"));
      first = false;
      if (cursor_.peek() != ',')
        TRY(list(op));  // a list of operands may be empty: `%a, , sizes = []`
    }
  }

  // A function; nothing if it is declared elsewhere.
  absl::StatusOr<std::optional<Function>> function() {
    Function result;
    const bool is_private = take_word("private");
    take_word("public") || take_word("nested");
    result.position = cursor_.token_position();
    result.name = TRY(symbol());
    std::vector<Argument> parameters;
    const size_t open = cursor_.token_position();
    const bool has_types_alone =
        is_private && cursor_.take("(") && cursor_.peek() != '%' && cursor_.peek() != ')';
    cursor_.set_position(open);
    if (has_types_alone) {
      TRY(balanced());
    } else {
      parameters = TRY(arguments());
    }
    if (cursor_.take("->")) {
      std::vector<Type> results;
      TRY(types(results, &result.shardings));
    }
    if (take_word("attributes")) TRY(skip_braces());
    if (is_private && cursor_.peek() != '{') return std::nullopt;
    result.body = TRY(region());
    if (!result.body.arguments.empty() || result.body.ops.empty()) {
      return cursor_.error_at(result.position, "expected a function of one block that returns");
    }
    result.body.arguments = std::move(parameters);
    TRY(skip_location());
    return result;
  }

  // Operations without a function around them: those of a function that takes what they read and do
  // not define, and returns the results of the last one.
  absl::StatusOr<Function> lone_ops() {
    Function result;
    result.name = "main";
    result.position = cursor_.token_position();
    std::set<std::string> known;
    Region& body = result.body;
    while (cursor_.peek() == '%') {
      body.ops.push_back(TRY(op()));
      const Op& read = body.ops.back();
      for (size_t i = 0; i < read.operands.size(); ++i) {
        const std::string& name = read.operands[i].name;
        if (!known.insert(name).second) continue;
        const bool is_each = read.operand_types.size() == read.operands.size();
        if (!is_each || absl::StrContains(name, "#")) {
          return cursor_.error_at(
              result.position, absl::StrCat("expected a module or a func.func around this, which "
                                            "says the type of '%",
                                            name, "'"));
        }
        body.arguments.push_back({name, read.operand_types[i]});
      }
      for (const Results& defined : read.results) {
        for (int64_t i = 0; i < defined.count; ++i) known.insert(result_name(defined.name, i));
      }
    }
    Op returned;
    returned.position = body.ops.back().position;
    returned.name = "return";
    for (const Results& last : body.ops.back().results) {
      for (int64_t i = 0; i < last.count; ++i)
        returned.operands.emplace_back(result_name(last.name, i));
    }
    body.ops.push_back(std::move(returned));
    return result;
  }

  // `sdy.mesh @mesh = <["x"=4, "y"=2]> {..}`
  absl::Status mesh(Module& module) {
    cursor_.take_identifier();
    Mesh mesh{TRY(symbol()), {}};
    TRY(cursor_.expect("=", "after the name of a mesh"));
    TRY(cursor_.expect("<", "to open the mesh"));
    cursor_.set_position(cursor_.position() - 1);
    mesh.text = TRY(taken());
    mesh.text = mesh.text.substr(1, mesh.text.size() - 2);
    module.meshes.push_back(std::move(mesh));
    TRY(skip_braces());
    return skip_location();
  }

  // `"builtin.module"() <{sym_name = "f"}> ({..}) {..} : () -> ()`
  absl::Status generic_module(Module& module) {
    TRY(cursor_.expect("(", "before the operands"));
    TRY(cursor_.expect(")", "as a module has no operands"));
    if (cursor_.take("<{")) {
      module.name = symbol_name(TRY(attributes_until('}')));
      TRY(cursor_.expect(">", "after the properties"));
    }
    TRY(cursor_.expect("(", "before the region"));
    TRY(cursor_.expect("{", "to open the module"));
    TRY(functions(module, /*braced=*/true));
    TRY(cursor_.expect(")", "after the region"));
    if (cursor_.take("{")) module.attributes = TRY(attributes_until('}'));
    Op unused;
    TRY(signature(unused));
    return skip_location();
  }

  static std::string symbol_name(const Attributes& attributes) {
    const std::string* name = find_attribute(attributes, "sym_name");
    return name == nullptr ? ""
                           : std::string(absl::StripSuffix(absl::StripPrefix(*name, "\""), "\""));
  }

  // `"func.func"() <{sym_name = "f", ..}> ({..}) : () -> ()`, `"sdy.mesh"() <{mesh = #sdy.mesh<..>, ..}> ..`
  absl::Status generic_symbol(Module& module) {
    Op read = TRY(op());
    const std::string name = symbol_name(read.attributes);
    const std::string* mesh = find_attribute(read.attributes, "mesh");
    if (read.name == "sdy.mesh" && mesh != nullptr) {
      const absl::string_view text = absl::StripSuffix(absl::StripPrefix(*mesh, "#sdy.mesh<"), ">");
      module.meshes.push_back({name, std::string(text)});
      return absl::OkStatus();
    }
    const std::string* of_arguments = find_attribute(read.attributes, "arg_attrs");
    const std::string* of_results = find_attribute(read.attributes, "res_attrs");
    for (const std::string* attributes : {of_arguments, of_results}) {
      if (attributes == nullptr || !absl::StrContains(*attributes, ".sharding")) continue;
      return cursor_.error_at(read.position, "expected shardings in the pretty form of a function");
    }
    if (read.name != "func.func" || name.empty() || read.regions.size() != 1)
      return cursor_.error_at(read.position, "expected func.func with a name and a body");
    if (!read.regions[0].ops.empty())
      module.functions.push_back({name, read.position, std::move(read.regions[0])});
    return absl::OkStatus();
  }

  // Functions up to the closing brace, or to the end. Locations are skipped.
  absl::Status functions(Module& module, bool braced) {
    while (true) {
      const char next = cursor_.peek();
      if (next == '}' && braced) {
        cursor_.take("}");
        return skip_location();
      }
      if (next == '\0')
        return braced ? cursor_.expected("'}' to close the module") : absl::OkStatus();
      const absl::string_view word = cursor_.peek_identifier();
      if (word == "func.func" || word == "util.func") {
        cursor_.take_identifier();
        if (auto one = TRY(function())) module.functions.push_back(*std::move(one));
      } else if (word == "sdy.mesh") {
        TRY(mesh(module));
      } else if (next == '"') {
        TRY(generic_symbol(module));
      } else if (next == '#' || absl::StartsWith(word, "sdy.")) {
        skip_line();
      } else if (!braced && word == "module") {
        return absl::OkStatus();
      } else if (next == '%' && !braced && module.functions.empty()) {
        module.functions.push_back(TRY(lone_ops()));
      } else {
        return cursor_.expected(braced ? "func.func" : "a module or func.func");
      }
    }
  }
};

}  // namespace

Type tensor_of(ElementType element, std::vector<int64_t> dims) {
  std::string shape =
      absl::StrCat(std::string(info(element).name), "[", absl::StrJoin(dims, ","), "]");
  return Type{std::move(shape), element, std::move(dims)};
}

std::string result_name(absl::string_view name, int64_t result) {
  return result == 0 ? std::string(name) : absl::StrCat(name, "#", result);
}

const std::string* find_attribute(const Attributes& attributes, absl::string_view name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

absl::StatusOr<Attributes> parse_attributes(absl::string_view text) {
  return Reader(text).attributes_until('\0');
}

absl::StatusOr<std::vector<Module>> parse(absl::string_view text) {
  if (text.size() > kMaxHloBytes) {
    return Cursor(text).error_at(0, "expected a text of at most 256 MiB");
  }
  return Reader(text).modules();
}

}  // namespace tileproof::stablehlo
