// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type_text.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/mlir_array.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {
namespace {

using Ints = std::vector<int64_t>;

constexpr absl::string_view kAsked = "tileproof.function";
constexpr absl::string_view kSegments = "operandSegmentSizes";

// Whether operations of this name are written as those of StableHLO are.
bool is_of_dialect(absl::string_view name) {
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) return name == "call" || name == "return";
  for (const char* dialect : {"stablehlo", "mhlo", "chlo", "sdy", "func"}) {
    if (name.substr(0, dot) == dialect) return true;
  }
  return false;
}

// What names stand for: `#map = affine_map<(d0) -> (d0)>`, one a line.
std::map<std::string, std::string, std::less<>> aliases_in(absl::string_view text) {
  std::map<std::string, std::string, std::less<>> aliases;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "#")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line.substr(1), absl::MaxSplits(" = ", 1));
    if (parts.first == kAsked) aliases.emplace(kAsked, absl::StripPrefix(parts.second, "@"));
    for (const char* word : {"affine_map<", "affine_set<", "strided<"}) {
      if (absl::StartsWith(parts.second, word))
        aliases.emplace(parts.first, absl::StripAsciiWhitespace(parts.second));
    }
  }
  return aliases;
}

// The dialects of which `other` knows how operations are written.
constexpr absl::string_view kDialects[] = {"affine", "arith", "check",  "linalg", "math",
                                           "memref", "scf",   "tensor", "util",   "vector"};

bool is_known_dialect(absl::string_view name) {
  return std::ranges::find(kDialects, name.substr(0, name.find('.'))) != std::end(kDialects);
}

bool is_name(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$'; }

// Whether the results have the types of the operands, each for itself.
bool hands_on(const Op& op) {
  return op.name == "stablehlo.while" || absl::EndsWith(op.name, ".optimization_barrier");
}

// Reads one text. Regions nest, so its functions call each other.
class Reader {
 public:
  explicit Reader(absl::string_view text) : cursor_(text), aliases_(aliases_in(text)) {}

  // Names and values up to a closing character, which is taken; '\0': the end of the text.
  absl::StatusOr<Attributes> attributes_until(char close) {
    Attributes attributes;
    while (cursor_.peek() != close) {
      if (!attributes.empty()) TRY(cursor_.expect(",", "between attributes"));
      std::string key;
      if (cursor_.peek() == '"') {
        key = TRY(quoted());
      } else {
        key = std::string(cursor_.take_identifier());
      }
      if (key.empty()) return cursor_.expected("the name of an attribute");
      std::string text;
      if (cursor_.take("=")) {
        text = expanded(TRY(value()));
        if (cursor_.take(":")) TRY(value());  // `1 : i64`
      }
      attributes.emplace_back(std::move(key), std::move(text));
    }
    if (close != '\0') cursor_.set_position(cursor_.position() + 1);
    return attributes;
  }

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
      TRY(functions(module, braced));
      if (module.functions.empty()) return cursor_.expected("a module with a function before this");
      result.push_back(std::move(module));
    }
    if (result.empty()) return cursor_.expected("a module of StableHLO");
    return result;
  }

 private:
  bool take_word(absl::string_view word) {
    if (cursor_.peek_identifier() != word) return false;
    cursor_.take_identifier();
    return true;
  }

  void skip_line() {
    const size_t end = cursor_.rest().find('\n');
    cursor_.set_position(end == absl::string_view::npos ? cursor_.text().size()
                                                        : cursor_.position() + end);
  }

  // Takes one bracket with all inside, a string, or one other character.
  absl::Status balanced() {
    const size_t start = cursor_.token_position();
    std::string open;
    do {
      if (!cursor_.skip_space())
        return cursor_.error_at(start, "expected brackets that are closed");
      const char c = cursor_.rest()[0];
      size_t length = 1;
      if (c == '"') {
        while (length < cursor_.rest().size() && cursor_.rest()[length] != '"')
          length += cursor_.rest()[length] == '\\' ? 2 : 1;
        if (length >= cursor_.rest().size()) return cursor_.expected("'\"' to close the string");
        ++length;
      } else if (absl::StartsWith(cursor_.rest(), "->") ||
                 (!absl::EndsWith(open, ">") && absl::StartsWith(cursor_.rest(), ">="))) {
        length = 2;
      } else if (const size_t kind = absl::string_view("([{<").find(c);
                 kind != absl::string_view::npos) {
        open.push_back(")]}>"[kind]);
        if (std::ssize(open) > kMaxNesting) return cursor_.expected("brackets nested at most 1000");
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
      } else if (absl::string_view(")]}>").find(c) != absl::string_view::npos) {
        return cursor_.expected(open.empty()
                                    ? std::string("a value")
                                    : absl::StrCat("'", open.substr(open.size() - 1), "'"));
      }
      cursor_.set_position(cursor_.position() + length);
    } while (!open.empty());
    return absl::OkStatus();
  }

  absl::Status skip_location() {
    if (cursor_.peek_identifier() != "loc") return absl::OkStatus();
    cursor_.take_identifier();
    return balanced();
  }

  absl::Status skip_braces() { return cursor_.peek() == '{' ? balanced() : absl::OkStatus(); }

  // Of `{jax.result_info = "", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}`, if it is there.
  absl::StatusOr<Attributes> shardings() {
    const size_t start = cursor_.token_position();
    TRY(skip_braces());
    const absl::string_view text = cursor_.text().substr(start, cursor_.position() - start);
    if (!absl::StrContains(text, ".sharding")) return Attributes();
    cursor_.set_position(start + 1);
    Attributes all = TRY(attributes_until('}'));
    std::erase_if(all, [](const auto& one) { return !absl::EndsWith(one.first, ".sharding"); });
    return all;
  }

  // Takes the letters of a kind that come next, which may be none.
  template <class Is>
  absl::string_view run(Is is) {
    const absl::string_view rest = cursor_.rest();
    const size_t length =
        static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is) - rest.begin());
    cursor_.set_position(cursor_.position() + length);
    return rest.substr(0, length);
  }

  // A string, without its quotes.
  absl::StatusOr<std::string> quoted() {
    const size_t start = cursor_.token_position();
    TRY(balanced());
    return std::string(cursor_.text().substr(start + 1, cursor_.position() - start - 2));
  }

  // `%arg0`, without the '%'.
  absl::StatusOr<std::string> name() {
    TRY(cursor_.expect("%", "before the name of a value"));
    const absl::string_view name = run([](char c) { return is_name(c) || c == '-'; });
    if (name.empty()) return cursor_.expected("a name after '%'");
    return std::string(name);
  }

  absl::StatusOr<Operand> operand() {
    Operand result{TRY(name()), 0};
    if (absl::StartsWith(cursor_.rest(), "#")) {
      cursor_.take("#");
      result.result = TRY(cursor_.take_integer("the number of a result"));
    }
    return result;
  }

  // `@main`, `@"a name"`.
  absl::StatusOr<std::string> symbol() {
    TRY(cursor_.expect("@", "before a name"));
    if (absl::StartsWith(cursor_.rest(), "\"")) return quoted();
    const absl::string_view name = run(is_name);
    if (name.empty()) return cursor_.expected("a name after '@'");
    return std::string(name);
  }

  absl::StatusOr<Type> type() {
    if (cursor_.take("!")) {
      const size_t start = cursor_.token_position();
      const absl::string_view name = cursor_.take_identifier();
      if (name == "stablehlo.token" || name == "mhlo.token") return Type{"token[]", {}, {}};
      if (name == "stablehlo.future") {  // the value itself
        TRY(cursor_.expect("<", "after 'future'"));
        if (++depth_ > kMaxNesting) return cursor_.expected("types nested at most 1000");
        Type later = TRY(type());
        --depth_;
        TRY(cursor_.expect(">", "to close the future"));
        return later;
      }
      return cursor_.error_at(start, "expected a tensor, a tuple or a token");
    }
    const size_t start = cursor_.token_position();
    const absl::string_view word = cursor_.take_identifier();
    if (word == "tuple") {
      TRY(cursor_.expect("<", "after 'tuple'"));
      if (++depth_ > kMaxNesting) return cursor_.expected("types nested at most 1000");
      std::vector<std::string> parts;
      while (!cursor_.take(">")) {
        if (!parts.empty()) TRY(cursor_.expect(",", "or '>' in a tuple"));
        parts.push_back(TRY(type()).shape);
      }
      --depth_;
      return Type{absl::StrCat("(", absl::StrJoin(parts, ", "), ")"), {}, {}};
    }
    if (word == "index") return tensor_of(ElementType::kS64, {});
    if (const auto scalar = element_type_of_mlir(word)) return tensor_of(*scalar, {});
    if (word != "tensor" && word != "memref" && word != "vector")
      return cursor_.error_at(start, "expected a tensor, a tuple or a token");
    const size_t open = cursor_.token_position();
    TRY(cursor_.expect("<", absl::StrCat("after '", word, "'")));
    Type result;
    const size_t sizes = cursor_.token_position();
    TRY(take_mlir_dims(cursor_, /*unknown_sizes=*/true, result.dims));
    const bool has_unknown = std::ranges::count(result.dims, kUnknownSize) > 0;
    const size_t place = has_unknown ? cursor_.text().find('?', sizes) : 0;
    const bool is_quantized = cursor_.take("!quant.uniform<");
    const size_t at = cursor_.position();
    cursor_.take_identifier();
    if (cursor_.peek() == '<' && !is_quantized) TRY(balanced());
    const absl::string_view element =
        absl::StripAsciiWhitespace(cursor_.text().substr(at, cursor_.position() - at));
    result.element =
        element == "index" ? std::optional(ElementType::kS64) : element_type_of_mlir(element);
    if (!result.element) {
      return cursor_.error_at(
          at, absl::StrCat("expected an element type that XLA has, found '",
                           absl::Utf8SafeCEscape(element.substr(0, 64)), "'",
                           did_you_mean(element, {"f32", "bf16", "f16", "f64", "i32", "i64", "i16",
                                                  "i8", "i1", "ui32", "ui64", "ui8"})));
    }
    while (is_quantized && !cursor_.take(">")) {
      if (!cursor_.skip_space()) return cursor_.expected("'>' to close the element type");
      TRY(balanced());
    }
    if (is_quantized)
      result.quantized = std::string(cursor_.text().substr(at, cursor_.position() - 1 - at));
    if (word != "memref") {
      TRY(bounds(result, place));
      TRY(cursor_.expect(">", absl::StrCat("to close the ", word)));
      return result;
    }
    if (place > 0) return cursor_.error_at(place, "expected a size that is known, found '?'");
    cursor_.set_position(open);
    TRY(balanced());
    result = tensor_of(*result.element, std::move(result.dims));
    result.memref =
        absl::StrCat("memref", expanded(cursor_.text().substr(open, cursor_.position() - open)));
    return result;
  }

  // An encoding, which may have bounds of the sizes: `, #stablehlo.bounds<?, 8>`.
  absl::Status bounds(Type& type, size_t place) {
    Ints known;
    if (cursor_.take(",")) {
      Cursor encoding(cursor_.text());
      encoding.set_position(cursor_.token_position());
      TRY(value());
      if (encoding.take("#stablehlo.bounds<") ||
          encoding.take("#mhlo.type_extensions<bounds = [")) {
        do {
          known.push_back(encoding.take("?") ? kUnknownSize
                                             : TRY(encoding.take_integer("a bound")));
        } while (encoding.take(","));
      }
    }
    std::vector<std::string> sizes;
    for (size_t d = 0; d < type.dims.size(); ++d) {
      const bool is_bounded = type.dims[d] == kUnknownSize;
      if (is_bounded && (d >= known.size() || known[d] < 0))
        return cursor_.error_at(place, "expected a size that is known, found '?'");
      if (is_bounded) type.dims[d] = known[d];
      sizes.push_back(absl::StrCat(is_bounded ? "<=" : "", type.dims[d]));
    }
    type.shape =
        absl::StrCat(std::string(info(*type.element).name), "[", absl::StrJoin(sizes, ","), "]");
    return absl::OkStatus();
  }

  // `(T, T {..})`, or one T.
  absl::Status types(std::vector<Type>& types, std::vector<Attributes>* of_types = nullptr) {
    if (!cursor_.take("(")) {
      types.push_back(TRY(type()));
      return absl::OkStatus();
    }
    while (!cursor_.take(")")) {
      if (!types.empty()) TRY(cursor_.expect(",", "or ')' after a type"));
      types.push_back(TRY(type()));
      Attributes found = TRY(shardings());
      if (of_types != nullptr) of_types->push_back(std::move(found));
      TRY(skip_location());
    }
    return absl::OkStatus();
  }

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
    } else if (!given.empty()) {
      op.types = {given.back()};
    }
    // One type without an arrow is that of all operands.
    const bool is_of_all = given.size() == 1 && op.types.size() == 1;
    if (is_of_all && op.operands.size() > 1) given.resize(op.operands.size(), given[0]);
    if (given.size() == op.operands.size()) op.operand_types = std::move(given);
    return absl::OkStatus();
  }

  // The text of a value, up to a comma, a closing bracket, a ':' or a '{' that follows something.
  absl::StatusOr<std::string> value() {
    const size_t start = cursor_.token_position();
    size_t end = start;
    while (cursor_.skip_space()) {
      const char next = cursor_.peek();
      if (absl::string_view(",)]}>:").find(next) != absl::string_view::npos) break;
      if (next == '{' && end != start) break;
      TRY(balanced());
      end = cursor_.position();
    }
    if (end == start) return cursor_.expected("a value");
    cursor_.set_position(end);
    return std::string(cursor_.text().substr(start, end - start));
  }

  // `(%a: T, %b: T)`
  absl::StatusOr<std::vector<Argument>> arguments() {
    std::vector<Argument> result;
    TRY(cursor_.expect("(", "to open arguments"));
    while (!cursor_.take(")")) {
      if (!result.empty()) TRY(cursor_.expect(",", "or ')' after an argument"));
      Argument argument{TRY(name()), {}};
      TRY(cursor_.expect(":", "after an argument"));
      argument.type = TRY(type());
      argument.shardings = TRY(shardings());
      TRY(skip_location());
      result.push_back(std::move(argument));
    }
    return result;
  }

  absl::StatusOr<Region> region() {
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

  // One bracket with all inside, or a word.
  absl::StatusOr<std::string> taken() {
    const size_t start = cursor_.token_position();
    if (cursor_.take_identifier().empty()) TRY(balanced());
    return std::string(cursor_.text().substr(start, cursor_.position() - start));
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
    while (!cursor_.take(")")) {
      if (!state.empty()) TRY(cursor_.expect(",", "or ')' after an operand"));
      state.push_back({TRY(name()), {}});
      TRY(cursor_.expect("=", "after an argument of the loop"));
      op.operands.push_back(TRY(operand()));
    }
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
        if (!is_each || read.operands[i].result != 0) {
          return cursor_.error_at(
              result.position, absl::StrCat("expected a module or a func.func around this, which "
                                            "says the type of '%",
                                            name, "'"));
        }
        body.arguments.push_back({name, read.operand_types[i]});
      }
      for (const Results& defined : read.results) known.insert(defined.name);
    }
    Op returned;
    returned.position = body.ops.back().position;
    returned.name = "return";
    for (const Results& last : body.ops.back().results) {
      for (int64_t i = 0; i < last.count; ++i) returned.operands.push_back({last.name, i});
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
    return skip_braces();
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

  // The text with the definitions of `#map`.
  std::string expanded(absl::string_view text) const {
    if (aliases_.empty()) return std::string(text);
    std::string result;
    while (!text.empty()) {
      const size_t begin = std::min(text.find('#'), text.size());
      absl::StrAppend(&result, text.substr(0, begin));
      text.remove_prefix(begin);
      const size_t length = static_cast<size_t>(
          std::find_if_not(text.begin() + (text.empty() ? 0 : 1), text.end(), is_name) -
          text.begin());
      const auto alias = aliases_.find(text.substr(std::min<size_t>(1, length), length - 1));
      absl::StrAppend(&result, alias == aliases_.end() ? text.substr(0, length) : alias->second);
      text.remove_prefix(length);
    }
    return result;
  }

  // ---- Operations of linalg, tensor, arith, affine, memref and others ----

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

  // One bracket with all inside. The values in it are operands.
  absl::StatusOr<std::string> bracket(Op& op) {
    const size_t start = cursor_.token_position();
    TRY(balanced());
    const std::string text(cursor_.text().substr(start, cursor_.position() - start));
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      const size_t end = static_cast<size_t>(
          std::find_if_not(text.begin() + static_cast<int64_t>(at) + 1, text.end(), is_name) -
          text.begin());
      op.operands.push_back({text.substr(at + 1, end - at - 1), 0});
    }
    return expanded(text);
  }

  // `#map`, `#linalg.elementwise_kind<add>`, `affine_map<..>`, `1`, `-1.0`, `[1, 0]`
  absl::StatusOr<std::string> item() {
    const size_t start = cursor_.token_position();
    const bool is_attribute = cursor_.take("#");
    if (!cursor_.take_identifier().empty() || is_attribute) {
      run([](char c) { return is_name(c); });
      if (absl::StartsWith(cursor_.rest(), "<")) TRY(balanced());
    } else if (run([](char c) { return is_name(c) || c == '-' || c == '+'; }).empty()) {
      TRY(balanced());
    }
    return expanded(cursor_.text().substr(start, cursor_.position() - start));
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
      while (!cursor_.take(")")) {
        if (!op.operands.empty()) TRY(cursor_.expect(",", "or ')' after a value"));
        local.push_back({TRY(name()), {}});
        TRY(cursor_.expect("=", "after the name of a value"));
        op.operands.push_back(TRY(operand()));
      }
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

  // `(%i, %j) = (0, 0) to (16, %n) step (1, 1) {..}`: loops in each other, the first outermost. Values
  // that are reduced are not read.
  absl::Status parallel_loops(Op& op) {
    std::vector<Op> loops;
    TRY(cursor_.expect("(", "before the indices"));
    do {
      loops.push_back(Op{});
      loops.back().name = "affine.for";
      loops.back().position = op.position;
      loops.back().regions.push_back({{{TRY(name()), tensor_of(ElementType::kS64, {})}}, {}});
    } while (cursor_.take(","));
    TRY(cursor_.expect(")", "after the indices"));
    TRY(cursor_.expect("=", "after the indices"));
    for (const char* key : {"lower", "upper", "step"}) {
      if (key != absl::string_view("lower") &&
          !take_word(key == absl::string_view("upper") ? "to" : key)) {
        if (key == absl::string_view("step")) break;
        return cursor_.expected("'to'");
      }
      TRY(cursor_.expect("(", "before a bound for each index"));
      for (Op& one : loops) {
        if (&one != loops.data()) TRY(cursor_.expect(",", "and a bound for each index"));
        one.attributes.emplace_back(key, TRY(bound(one)));
      }
      TRY(cursor_.expect(")", "after a bound for each index"));
    }
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

  Cursor cursor_;
  std::map<std::string, std::string, std::less<>> aliases_;
  int depth_ = 0;
};

}  // namespace

Type tensor_of(ElementType element, std::vector<int64_t> dims) {
  std::string shape =
      absl::StrCat(std::string(info(element).name), "[", absl::StrJoin(dims, ","), "]");
  return Type{std::move(shape), element, std::move(dims)};
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
