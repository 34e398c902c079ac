// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/map_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/append_number.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof {
namespace {

// The bounds of every variable of an affine_map.
constexpr Interval kUnbounded = {INT64_MIN, INT64_MAX};

// The text of a tree with more nodes would be too long to parse.
constexpr int64_t kMostNodes = kMaxTextBytes;

enum class Header {
  kIndexingMap,
  kAffineMap,  // without runtime variables
};

bool names_are_distinct(const IndexingMap& map) {
  absl::flat_hash_set<std::string> names;
  for (Op kind : kVariableKinds) {
    for (int64_t i = 0; i < std::ssize(variables_of(map, kind)); ++i) {
      if (!names.insert(name_of(map, kind, i)).second) return false;
    }
  }
  return true;
}

// Whether the '(' that is next opens a tuple: `(i // 8, j)`, not `(i + 1) // 8, j`.
bool at_tuple(Cursor& cursor) {
  if (cursor.peek() != '(') return false;
  const absl::string_view text = cursor.rest().substr(0, cursor.rest().find(", domain:"));
  const size_t close = text.find_last_not_of(" \t\n");
  int depth = 0;
  bool several = false;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    several = several || (depth == 1 && text[i] == ',');
    if (depth == 0) return several && i == close;
  }
  return false;
}

// Parses one map.
class MapReader {
 public:
  explicit MapReader(Cursor& cursor, bool variable_divisors = false)
      : cursor_(cursor), expressions_(cursor, map_.nodes, variable_divisors) {}

  const IndexingMap& read() const { return map_; }

  absl::StatusOr<IndexingMap> take() {
    TRY(write_bitwise(expressions_.bitwise(), cursor_, map_));
    return std::move(map_);
  }

  absl::Status read_header(Header kind) {
    absl::Status status = read_names(Op::kDimension, "(", ")");
    if (status.ok()) status = read_names(Op::kRange, "[", "]");
    if (status.ok() && kind == Header::kIndexingMap) status = read_names(Op::kRuntime, "{", "}");
    if (status.ok()) status = cursor_.expect("->", "after the variables");
    if (status.ok()) status = cursor_.expect("(", "to open the results");
    if (!status.ok() || cursor_.take(")")) return status;
    do {
      map_.results.push_back(TRY(expressions_.read()));
    } while (cursor_.take(","));
    return cursor_.expect(")", "or ',' after a result");
  }

  // `lambda i, j: (i // 8, j % 8)`, or expressions without the names of their variables before them.
  absl::Status read_python() {
    std::vector<std::string> names;
    if (take_word(cursor_, "lambda")) {
      TRY(read_names(Op::kDimension, "", ":"));
    } else {
      expressions_.declare_all(&names);
    }
    const char* const close = cursor_.peek() == '[' ? "]" : ")";
    const bool is_tuple = cursor_.take("[") || (at_tuple(cursor_) && cursor_.take("("));
    do {
      if (!map_.results.empty() && (peek_name(cursor_) == "domain" || cursor_.peek() == *close))
        break;
      map_.results.push_back(TRY(expressions_.read()));
    } while (cursor_.take(","));
    if (is_tuple) {
      TRY(cursor_.expect(close, "or ',' after a result"));
      cursor_.take(",");
    }
    expressions_.declare_all(nullptr);
    if (!map_.dimensions.empty() || names.empty()) {  // of a lambda, or none
      return peek_name(cursor_) == "domain" ? read_domain() : absl::OkStatus();
    }
    for (std::string& name : names) map_.dimensions.push_back({kUnbounded, std::move(name)});
    return read_python_domain();
  }

  absl::Status read_domain() {
    const size_t variables = map_.dimensions.size() + map_.ranges.size() + map_.runtime.size();
    const size_t start = cursor_.position();
    cursor_.take(",");
    if (!take_word(cursor_, "domain")) {
      if (variables > 0) return expected_word(cursor_, "'domain:'", {"domain"});
      cursor_.set_position(start);
      return absl::OkStatus();
    }
    TRY(cursor_.expect(":", "after 'domain'"));
    bool more = true;
    for (Op kind : kVariableKinds) {
      for (int64_t i = 0; i < std::ssize(variables_of(map_, kind)); ++i) {
        if (!more) return cursor_.expected(absl::StrCat("the bounds of ", name_of(map_, kind, i)));
        const std::string name = name_of(map_, kind, i);
        if (!take_word(cursor_, name))
          return cursor_.expected(absl::StrCat("the bounds of ", name));
        TRY(read_bounds(kind, i));
        more = next_item();
      }
    }
    for (; more && !take_flag(); more = next_item()) TRY(read_constraint());
    TRY(resolve_bounds());
    return move_runtime_variables();
  }

  // `Fragment(..)` or `Layout(..)` of TileLang, of which `(` is next.
  absl::Status read_tilelang(bool is_fragment) {
    static constexpr absl::string_view kNames[] = {"_i", "_j", "_k", "_l", "_m", "_n", "_o", "_p"};
    TRY(cursor_.expect("(", "after the name"));
    const size_t position = cursor_.token_position();
    for (const int64_t size : TRY(read_sizes())) {
      const auto number = static_cast<size_t>(std::ssize(map_.dimensions));
      if (number == std::size(kNames) || size < 1)
        return cursor_.error_at(position, "expected 1 to 8 sizes of at least 1");
      expressions_.declare_as(kNames[number], Op::kDimension, std::ssize(map_.dimensions));
      map_.dimensions.push_back({{0, size - 1}, std::string(kNames[number])});
    }
    TRY(cursor_.expect("->", "after the sizes"));
    TRY(read_sizes());
    if (is_fragment) {
      expressions_.declare_as("_rep", Op::kRange, 0);
      map_.ranges.push_back({{0, 0}, "_rep"});
    }
    NodeId thread = -1;
    while (cursor_.take(",")) {
      const std::string key(peek_name(cursor_));
      take_word(cursor_, key);
      TRY(cursor_.expect(":", "after the name of a property"));
      if (is_fragment && key == "replicate") {
        map_.ranges[0].bounds.high = TRY(take_size(cursor_, 1, "how often")) - 1;
      } else if (is_fragment && key == "thread") {
        TRY(take_size(cursor_, 1, "a number of threads"));
      } else if (is_fragment && key == "forward_thread") {
        thread = TRY(expressions_.read());
      } else if (key == (is_fragment ? "forward_index" : "transform")) {
        if (!is_fragment) {
          skip_value();
          TRY(cursor_.expect("->", "after the variables"));
        }
        TRY(read_list());
      } else {
        skip_value();
      }
    }
    TRY(cursor_.expect(")", "to close the layout"));
    if (map_.results.empty() || (is_fragment && thread < 0))
      return cursor_.error_at(position, is_fragment ? "expected forward_thread and forward_index"
                                                    : "expected transform");
    if (is_fragment) map_.results.insert(map_.results.begin(), thread);
    return absl::OkStatus();
  }

 private:
  // `[16, 64]` or `(16, 64)`
  absl::StatusOr<std::vector<int64_t>> read_sizes() {
    const char* const close = cursor_.take("[") ? "]" : ")";
    if (*close == ')') TRY(cursor_.expect("(", "to open the sizes"));
    std::vector<int64_t> sizes;
    while (!cursor_.take(close)) {
      sizes.push_back(TRY(cursor_.take_integer("a size that is known")));
      if (cursor_.peek() != *close) TRY(cursor_.expect(",", "or the end of the sizes"));
    }
    return sizes;
  }

  // Results in brackets.
  absl::Status read_list() {
    TRY(cursor_.expect("[", "to open the results"));
    do {
      map_.results.push_back(TRY(expressions_.read()));
    } while (cursor_.take(",") && cursor_.peek() != ']');
    return cursor_.expect("]", "or ',' after a result");
  }

  // Up to the comma, arrow or bracket that ends it.
  void skip_value() {
    int depth = 0;
    while (cursor_.skip_space()) {
      const char next = cursor_.peek();
      if (depth == 0 && (absl::StrContains(",)]", next) || absl::StartsWith(cursor_.rest(), "->")))
        return;
      depth += absl::StrContains("([", next) ? 1 : absl::StrContains(")]", next) ? -1 : 0;
      cursor_.set_position(cursor_.position() + 1);
    }
  }

  // The domain of expressions alone: it names the variables in their order, also some that the
  // expressions lack. Those that it lacks follow, by name.
  absl::Status read_python_domain() {
    std::vector<int64_t> order;
    bool more = take_word(cursor_, "domain");
    if (more) TRY(cursor_.expect(":", "after 'domain'"));
    for (; more; more = next_item()) {
      const std::string name(peek_name(cursor_));
      const auto known = std::ranges::find(map_.dimensions, name, &Variable::name);
      const int64_t number = known - map_.dimensions.begin();
      const bool is_new = std::ranges::find(order, number) == order.end();
      if (!is_new || !is_followed_by_in(name)) {
        TRY(read_constraint());
        continue;
      }
      if (known == map_.dimensions.end()) {
        TRY(expressions_.declare(Op::kDimension, number));
        map_.dimensions.push_back({kUnbounded, name});
      } else {
        take_word(cursor_, name);
      }
      TRY(read_bounds(Op::kDimension, number));
      order.push_back(number);
    }
    TRY(resolve_bounds());
    std::vector<int64_t> others;
    for (int64_t i = 0; i < std::ssize(map_.dimensions); ++i) {
      if (std::ranges::find(order, i) == order.end()) others.push_back(i);
    }
    std::ranges::sort(others, {}, [&](int64_t i) { return map_.dimensions[i].name; });
    order.insert(order.end(), others.begin(), others.end());
    reorder_dimensions(order);
    return absl::OkStatus();
  }

  bool is_followed_by_in(absl::string_view name) const {
    Cursor behind(cursor_.rest());
    return !name.empty() && take_word(behind, name) && peek_name(behind) == "in";
  }

  // Dimension i becomes what order[i] was.
  void reorder_dimensions(const std::vector<int64_t>& order) {
    std::vector<Variable> dimensions;
    std::vector<int64_t> moved_to(order.size());
    for (const int64_t from : order) {
      const int64_t to = std::ssize(dimensions);
      moved_to[from] = to;
      dimensions.push_back(std::move(map_.dimensions[from]));
      if (dimensions.back().name == default_name(Op::kDimension, to))
        dimensions.back().name.clear();
    }
    for (Node& node : map_.nodes) {
      if (node.op == Op::kDimension) node.value = moved_to[node.value];
    }
    map_.dimensions = std::move(dimensions);
  }

  absl::Status read_names(Op kind, absl::string_view open, absl::string_view close) {
    if (!cursor_.take(open)) {
      if (kind != Op::kDimension) return absl::OkStatus();
      return expected_word(cursor_, absl::StrCat("'", open, "' to open the map"), {"affine_map"});
    }
    if (cursor_.take(close)) return absl::OkStatus();
    std::vector<Variable>& variables = variables_of(map_, kind);
    do {
      absl::string_view name = TRY(expressions_.declare(kind, std::ssize(variables)));
      const bool is_default = name == default_name(kind, std::ssize(variables));
      variables.push_back({kUnbounded, is_default ? std::string() : std::string(name)});
    } while (cursor_.take(","));
    return cursor_.expect(close, "or ',' after a variable");
  }

  // A bound of a variable: a number, or an expression of variables, `n - 1`.
  struct Bound {
    int64_t number = 0;
    NodeId expression = -1;  // or none
  };
  struct Bounds {
    Bound low, high;
  };

  absl::StatusOr<Bound> read_bound(char end) {
    const size_t start = cursor_.token_position();
    if (cursor_.at_integer()) {
      const int64_t value = TRY(cursor_.take_integer("an integer as a bound"));
      absl::string_view digits = cursor_.text().substr(start, cursor_.position() - start);
      absl::ConsumePrefix(&digits, "-");
      if (digits.size() > 1 && digits[0] == '0') {
        return cursor_.error_at(start, "expected a bound without leading zeros");
      }
      if (cursor_.peek() == end) return Bound{value};
      cursor_.set_position(start);
    }
    Cursor operand = cursor_;
    operand.take("-");
    const bool is_expression =
        cursor_.at_integer() || operand.peek() == '(' || !peek_name(operand).empty();
    if (!is_expression) return cursor_.expected("an integer as a bound");
    const size_t operations = expressions_.bitwise().size();
    const Bound bound{0, TRY(expressions_.read())};
    if (expressions_.bitwise().size() == operations) return bound;
    return cursor_.error_at(start,
                            "expected a bound without minimum, maximum or operations on bits");
  }

  absl::StatusOr<Bounds> read_interval() {
    if (!take_word(cursor_, "in")) return expected_word(cursor_, "'in'", {"in"});
    TRY(cursor_.expect("[", "to open an interval"));
    Bounds bounds;
    bounds.low = TRY(read_bound(','));
    TRY(cursor_.expect(",", "between two bounds"));
    bounds.high = TRY(read_bound(']'));
    TRY(cursor_.expect("]", "to close the interval"));
    return bounds;
  }

  absl::Status read_constraint() {
    const NodeId expr = TRY(expressions_.read());
    const size_t position = cursor_.token_position();
    const auto [low, high] = TRY(read_interval());
    if (low.expression >= 0 || high.expression >= 0)
      return cursor_.error_at(position, "expected numbers as the bounds of a constraint");
    map_.constraints.push_back({expr, {low.number, high.number}});
    return absl::OkStatus();
  }

  // A bound that is an expression is a constraint, and bounds the variable by its own values:
  //
  //     i in [0, n - 1], n in [1, 9]      i in [0, 8], n in [1, 9], n - 1 - i in [0, 8]
  absl::Status resolve_bounds() {
    // Bounds may depend on variables that follow, so each round knows more of them.
    for (size_t round = 0; round < symbolic_.size(); ++round) {
      for (const SymbolicBound& bound : symbolic_) {
        const std::optional<Interval> values = interval_of(map_, bound.expression);
        if (!values) continue;
        Interval& bounds = variables_of(map_, bound.kind)[bound.number].bounds;
        if (bound.is_high) bounds.high = values->high;
        if (!bound.is_high) bounds.low = values->low;
      }
    }
    for (const SymbolicBound& bound : symbolic_) {
      const NodeId variable = add_variable(map_.nodes, bound.kind, bound.number);
      const NodeId larger = bound.is_high ? bound.expression : variable;
      const NodeId smaller = bound.is_high ? variable : bound.expression;
      const NodeId opposite =
          add_operation(map_.nodes, Op::kMul, smaller, add_constant(map_.nodes, -1));
      const NodeId difference = add_operation(map_.nodes, Op::kAdd, larger, opposite);
      const std::optional<Interval> values = interval_of(map_, difference);
      map_.constraints.push_back({difference, {0, values ? values->high : INT64_MAX}});
    }
    return absl::OkStatus();
  }

  // Takes the separator of two items. Returns false if no item follows; a comma at the very end is
  // taken.
  bool next_item() {
    const size_t start = cursor_.position();
    if (cursor_.take(",")) return expressions_.at_expression();
    const size_t next = cursor_.token_position();
    const bool line_ended =
        cursor_.text().substr(start, next - start).find('\n') != absl::string_view::npos;
    return line_ended && expressions_.at_expression();
  }

  // Skips "hlo: <instruction> \n <map>" if it is next, and records that the variable is a runtime
  // variable.
  absl::Status read_instruction() {
    const size_t start = cursor_.position();
    cursor_.take(",");
    if (!take_word(cursor_, "hlo") || !cursor_.take(":")) {
      cursor_.set_position(start);
      return absl::OkStatus();
    }
    is_runtime_.back() = true;
    const size_t line_end = cursor_.rest().find('\n');
    if (line_end == absl::string_view::npos) {
      cursor_.set_position(cursor_.text().size());
      return cursor_.expected("a line with the map of the runtime variable");
    }
    cursor_.set_position(cursor_.position() + line_end);
    return MapReader(cursor_).read_header(Header::kAffineMap);
  }

  absl::Status read_bounds(Op kind, int64_t number) {
    const auto [low, high] = TRY(read_interval());
    variables_of(map_, kind)[number].bounds = {low.expression < 0 ? low.number : INT64_MIN,
                                               high.expression < 0 ? high.number : INT64_MAX};
    if (low.expression >= 0) symbolic_.push_back({kind, number, low.expression, false});
    if (high.expression >= 0) symbolic_.push_back({kind, number, high.expression, true});
    if (kind == Op::kDimension) return absl::OkStatus();
    is_runtime_.push_back(kind == Op::kRuntime);
    return read_instruction();
  }

  // Takes `is_simplified: true` if it is next.
  bool take_flag() {
    const size_t start = cursor_.position();
    if (take_word(cursor_, "is_simplified") && cursor_.take(":") &&
        (take_word(cursor_, "true") || take_word(cursor_, "false"))) {
      return true;
    }
    cursor_.set_position(start);
    return false;
  }

  absl::Status move_runtime_variables() {
    const size_t ranges = map_.ranges.size();
    if (std::find(is_runtime_.begin(), is_runtime_.begin() + ranges, true) ==
        is_runtime_.begin() + ranges) {
      return absl::OkStatus();
    }
    IndexingMap moved;                   // only its range and runtime variables
    std::vector<Node> moved_to(ranges);  // the new variable, by old number
    const auto move = [&moved](Op kind, Variable variable) {
      std::vector<Variable>& to = variables_of(moved, kind);
      const int64_t number = std::ssize(to);
      if (variable.name == default_name(kind, number)) variable.name.clear();
      to.push_back(std::move(variable));
      return Node{.op = kind, .value = number};
    };
    for (size_t i = 0; i < ranges; ++i) {
      moved_to[i] = move(is_runtime_[i] ? Op::kRuntime : Op::kRange, std::move(map_.ranges[i]));
    }
    for (Variable& variable : map_.runtime) move(Op::kRuntime, std::move(variable));
    const int64_t shift = std::ssize(moved.runtime) - std::ssize(map_.runtime);
    for (Node& node : map_.nodes) {
      if (node.op == Op::kRange) {
        node = moved_to[node.value];
      } else if (node.op == Op::kRuntime) {
        node.value += shift;
      }
    }
    map_.ranges = std::move(moved.ranges);
    map_.runtime = std::move(moved.runtime);
    if (names_are_distinct(map_)) return absl::OkStatus();
    return cursor_.expected(
        "names that stay distinct when runtime variables move after the others");
  }

  // A bound that is an expression.
  struct SymbolicBound {
    Op kind;
    int64_t number;  // of the variable
    NodeId expression;
    bool is_high;
  };

  Cursor& cursor_;
  IndexingMap map_;
  ExprReader expressions_;
  std::vector<bool> is_runtime_;  // range variables with an instruction
  std::vector<SymbolicBound> symbolic_;
};

// What divides and has no bounds is at least 1.
IndexingMap with_divisors_from_1(IndexingMap map) {
  for (const auto& [kind, number] : variables_that_divide(map)) {
    Interval& bounds = variables_of(map, kind)[number].bounds;
    if (bounds == kUnbounded) bounds.low = 1;
  }
  return map;
}

absl::StatusOr<IndexingMap> read_indexing_map(Cursor& cursor, bool variable_divisors) {
  MapReader reader(cursor, variable_divisors);
  TRY(reader.read_header(Header::kIndexingMap));
  if (variable_divisors && !cursor.skip_space()) return with_divisors_from_1(TRY(reader.take()));
  TRY(reader.read_domain());
  return reader.take();
}

absl::StatusOr<IndexingMap> read_affine_map(Cursor& cursor, bool variable_divisors) {
  MapReader reader(cursor, variable_divisors);
  TRY(cursor.expect("<", "after 'affine_map'"));
  TRY(reader.read_header(Header::kAffineMap));
  TRY(cursor.expect(">", "to close the affine_map"));
  return with_divisors_from_1(TRY(reader.take()));
}

// `#xla.indexing_map<"MAP">`, after the name. Older versions (`#xla_gpu`) print no quotes, or do.
absl::StatusOr<IndexingMap> read_attribute(Cursor& cursor, bool is_old, bool variable_divisors) {
  TRY(cursor.expect("<", "after '#xla.indexing_map'"));
  const bool quoted = cursor.take("\"");
  if (!quoted && !is_old) return cursor.expected("'\"' to open the map");
  IndexingMap map = TRY(read_indexing_map(cursor, variable_divisors));
  if (quoted) TRY(cursor.expect("\"", "to close the map"));
  TRY(cursor.expect(">", "to close the attribute"));
  return map;
}

// Takes `#name =` or, as in tests, `#[[NAME:.*]] =` or `#[[NAME]] =`, if it is next.
void take_alias(Cursor& cursor) {
  const size_t start = cursor.token_position();
  if (cursor.take("#")) {
    bool named;
    if (cursor.take("[[")) {
      const size_t close = cursor.rest().find("]]");
      named = close != absl::string_view::npos;
      if (named) cursor.set_position(cursor.position() + close + 2);
    } else {
      named = !cursor.take_identifier().empty();
    }
    if (named && cursor.take("=")) return;
  }
  cursor.set_position(start);
}

void append_header(std::string& out, const IndexingMap& map) {
  const auto append_names = [&](Op kind, const char* open, const char* close) {
    out += open;
    for (int64_t i = 0; i < std::ssize(variables_of(map, kind)); ++i) {
      if (i > 0) out += ", ";
      out += name_of(map, kind, i);
    }
    out += close;
  };
  append_names(Op::kDimension, "(", ")");
  if (!map.ranges.empty()) append_names(Op::kRange, "[", "]");
  if (!map.runtime.empty()) append_names(Op::kRuntime, "{", "}");
  out += " -> (";
  for (size_t i = 0; i < map.results.size(); ++i) {
    if (i > 0) out += ", ";
    append_expression(out, map, map.results[i]);
  }
  out += ")";
}

void append_domain(std::string& out, const IndexingMap& map) {
  const char* separator = ", domain: ";
  const auto append_interval = [&](const Interval& interval) {
    out += " in [";
    append_number(out, interval.low);
    out += ", ";
    append_number(out, interval.high);
    out += "]";
    separator = ", ";
  };
  for (Op kind : kVariableKinds) {
    const std::vector<Variable>& variables = variables_of(map, kind);
    for (int64_t i = 0; i < std::ssize(variables); ++i) {
      out += separator;
      out += name_of(map, kind, i);
      append_interval(variables[i].bounds);
    }
  }
  for (const Constraint& constraint : map.constraints) {
    out += separator;
    append_expression(out, map, constraint.expr);
    append_interval(constraint.interval);
  }
}

// Checks what to_text relies on: every node, variable and operand exists, and the trees are not too
// large to print.
absl::Status validate_nodes(const IndexingMap& map) {
  const auto invalid = [](const std::string& message) {
    return absl::InvalidArgumentError(message);
  };
  std::vector<int64_t> sizes;
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) {
    const Node& node = map.nodes[id];
    const bool leaf = is_leaf(node.op);
    const bool placed =
        leaf || (0 <= node.left && node.left < id && 0 <= node.right && node.right < id);
    if (!placed) {
      return invalid(absl::StrCat("node ", id, ": expected its operands before it in the table"));
    }
    if (is_variable(node.op) &&
        (node.value < 0 || node.value >= std::ssize(variables_of(map, node.op)))) {
      return invalid(absl::StrCat("node ", id, ": expected a variable of the map, found ",
                                  default_name(node.op, node.value)));
    }
    sizes.push_back(leaf ? 1 : 1 + std::min(sizes[node.left] + sizes[node.right], kMostNodes));
  }
  int64_t total = 0;
  const auto check = [&](NodeId root) {
    if (root < 0 || root >= std::ssize(map.nodes)) {
      return invalid("expected results and constraints to be nodes of the map");
    }
    total = std::min(total + sizes[root], kMostNodes + 1);
    if (total <= kMostNodes) return absl::OkStatus();
    return invalid(absl::StrCat("expected expressions of at most ", kMostNodes, " nodes"));
  };
  absl::Status status;
  for (NodeId root : map.results) status.Update(check(root));
  for (const Constraint& constraint : map.constraints) status.Update(check(constraint.expr));
  return status;
}

absl::StatusOr<IndexingMap> read_any_map(Cursor& cursor, bool divisors) {
  const bool is_whole = cursor.position() == 0;
  take_alias(cursor);
  if (cursor.take("#xla.indexing_map")) return read_attribute(cursor, /*is_old=*/false, divisors);
  if (cursor.take("#xla_gpu.indexing_map"))
    return read_attribute(cursor, /*is_old=*/true, divisors);
  if (take_word(cursor, "affine_map")) return read_affine_map(cursor, divisors);
  const absl::string_view word = peek_name(cursor);
  if (word == "UNDEFINED") return cursor.expected("a map; XLA writes this where it has none");
  if (take_word(cursor, "KNOWN")) {
    if (!take_word(cursor, "EMPTY")) return cursor.expected("'EMPTY' after KNOWN");
    return no_points(IndexingMap());
  }
  if (is_whole && looks_like_tilelang(cursor.rest())) {
    MapReader reader(cursor, divisors);
    take_word(cursor, word);
    TRY(reader.read_tilelang(word == "Fragment"));
    return reader.take();
  }
  if (word == "lambda" || (is_whole && looks_like_python(cursor.rest()))) {
    MapReader reader(cursor, divisors);
    TRY(reader.read_python());
    return with_divisors_from_1(TRY(reader.take()));
  }
  return read_indexing_map(cursor, divisors);
}

// The error, or a better one if a comment hides what was expected: `(d0 // 2)` was meant to divide.
absl::Status with_comment_hint(const Cursor& cursor, absl::Status error) {
  const bool is_at_end = cursor.position() >= cursor.text().size();
  if (is_at_end && !absl::StrContains(error.message(), "found end of input")) return error;
  const absl::string_view before = cursor.text().substr(0, cursor.position());
  const size_t slashes = before.rfind("//");
  if (slashes == absl::string_view::npos) return error;
  const absl::string_view skipped =
      before.substr(std::min(before.find('\n', slashes), before.size()));
  const absl::string_view left = absl::StripTrailingAsciiWhitespace(before.substr(0, slashes));
  const bool is_operand = !left.empty() && (absl::ascii_isalnum(left.back()) || left.back() == ')');
  if (!is_operand || !absl::StripAsciiWhitespace(skipped).empty()) return error;
  // A comment goes to the end of its line; what was read on was no comment.
  if (skipped.empty() && cursor.position() < cursor.text().size()) return error;
  return cursor.error_at(slashes,
                         "expected an operator, found '//', which begins a comment; did you mean "
                         "'floordiv'?");
}

// By node: whether it is at least 1 as a sum or product of what is, also where that leaves int64.
std::vector<bool> are_positive(const IndexingMap& map) {
  std::vector<bool> positive;
  for (const Node& node : map.nodes) {
    const bool is_leaf_of_1 =
        node.op == Op::kConstant
            ? node.value > 0
            : is_variable(node.op) && variables_of(map, node.op)[node.value].bounds.low > 0;
    const bool keeps = node.op == Op::kAdd || node.op == Op::kMul;
    positive.push_back(is_leaf_of_1 || (keeps && positive[node.left] && positive[node.right]));
  }
  return positive;
}

}  // namespace

bool looks_like_tilelang(absl::string_view text) {
  Cursor cursor(text);
  return (take_word(cursor, "Fragment") || take_word(cursor, "Layout")) && cursor.peek() == '(' &&
         absl::StrContains(text, "->");
}

absl::StatusOr<IndexingMap> parse_map(Cursor& cursor) {
  absl::StatusOr<IndexingMap> map = read_any_map(cursor, /*divisors=*/false);
  if (map.ok()) return map;
  return with_comment_hint(cursor, map.status());
}

absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(absl::string_view text) {
  return read_all<IndexingMap>(
      text, [](Cursor& cursor) { return parse_map_with_variable_divisors(cursor); });
}

absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(Cursor& cursor) {
  const size_t start = cursor.token_position();
  absl::StatusOr<IndexingMap> read = read_any_map(cursor, /*divisors=*/true);
  if (!read.ok()) return with_comment_hint(cursor, read.status());
  IndexingMap map = *std::move(read);
  const std::vector<bool> positive = are_positive(map);
  for (const Node& node : map.nodes) {
    if (!is_division(node.op) || positive[node.right]) continue;
    const std::optional<Interval> bounds = interval_of(map, node.right);
    if (bounds && (bounds->low > 0 || bounds->high < 0)) continue;
    std::string text;
    append_expression(text, map, node.right);
    return cursor.error_at(
        start,
        absl::StrCat("expected a divisor whose bounds exclude 0, found ", text,
                     bounds ? absl::StrCat(" in [", bounds->low, ", ", bounds->high, "]") : ""));
  }
  return map;
}

std::set<VariableId> variables_that_divide(const IndexingMap& map) {
  std::set<VariableId> found;
  std::vector<bool> divides(map.nodes.size());
  for (NodeId id = static_cast<NodeId>(map.nodes.size()); id-- > 0;) {
    const Node& node = map.nodes[id];
    if (is_variable(node.op) && divides[id]) found.insert({node.op, node.value});
    if (is_leaf(node.op)) continue;
    divides[node.right] = divides[node.right] || divides[id] || is_division(node.op);
    divides[node.left] = divides[node.left] || divides[id];
  }
  return found;
}

bool has_variable_divisors(const IndexingMap& map) { return !variables_that_divide(map).empty(); }

absl::StatusOr<IndexingMap> parse_map(absl::string_view text) {
  return read_all<IndexingMap>(text, [](Cursor& cursor) { return parse_map(cursor); });
}

absl::StatusOr<std::vector<IndexingMap>> parse_maps(absl::string_view text) {
  std::vector<IndexingMap> maps;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (!Cursor(line).skip_space()) continue;
    absl::StatusOr<IndexingMap> map = parse_map(line);
    if (!map.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ", ", map.status().message()));
    }
    maps.push_back(*std::move(map));
  }
  return maps;
}

IndexingMap no_points(const IndexingMap& like) {
  IndexingMap map;
  for (Op kind : kVariableKinds) {
    variables_of(map, kind).resize(variables_of(like, kind).size(), {{0, -1}, ""});
  }
  map.known_empty = true;
  return map;
}

absl::StatusOr<IndexingMap> parse_answer(absl::string_view text, const IndexingMap& like) {
  Cursor cursor(text);
  if (take_word(cursor, "KNOWN") && take_word(cursor, "EMPTY") && cursor.expect_end().ok()) {
    return no_points(like);
  }
  return parse_map(text);
}

std::string with_domain_of(absl::string_view text, IndexingMap like) {
  Cursor cursor(text);
  const bool is_affine = take_word(cursor, "affine_map") && cursor.take("<");
  const size_t start = cursor.position();
  MapReader reader(cursor, /*variable_divisors=*/true);
  const absl::Status read = peek_name(cursor) == "lambda"
                                ? reader.read_python()
                                : reader.read_header(Header::kIndexingMap);
  const size_t end = cursor.position();
  if (is_affine && !cursor.take(">")) return std::string(text);
  if (!read.ok() || cursor.skip_space()) return std::string(text);
  for (const Op kind : kVariableKinds) {
    const std::vector<Variable>& given = variables_of(reader.read(), kind);
    std::vector<Variable>& variables = variables_of(like, kind);
    const bool fits = kind == Op::kDimension ? variables.size() == given.size()
                                             : variables.size() <= given.size();
    if (!fits) return std::string(text);
    variables.resize(given.size(), {kUnbounded, ""});
    for (size_t i = 0; i < given.size(); ++i) variables[i].name = given[i].name;
  }
  const std::string whole = to_text(like);
  const size_t domain = whole.find(", domain:");
  return domain == whole.npos ? std::string(text)
                              : absl::StrCat(text.substr(start, end - start), whole.substr(domain));
}

void append_text(std::string& out, const IndexingMap& map) {
  if (map.known_empty) {
    out += "KNOWN EMPTY";
    return;
  }
  append_header(out, map);
  append_domain(out, map);
}

std::string to_text(const IndexingMap& map) {
  std::string out;
  append_text(out, map);
  return out;
}

absl::Status validate(const IndexingMap& map) {
  if (map.known_empty) return absl::OkStatus();
  TRY(validate_nodes(map));
  const std::string text = to_text(map);
  IndexingMap read = TRY(parse_map(text));
  if (read == map) return absl::OkStatus();
  return absl::InvalidArgumentError("expected a default name to be stored as the empty name");
}

}  // namespace tileproof
