// SPDX-License-Identifier: Apache-2.0
// Stands for Z3's header in builds without a solver: expressions without content. Questions that
// rearranging or enumeration does not decide stay undecided (verify/prove/smt/ask_no_solver.cc).
#pragma once

#include <cstdint>
#include <string>

namespace z3 {

struct symbol {
  std::string str() const { return {}; }
};
struct func_decl {
  symbol name() const { return {}; }
};
struct context;
struct params {
  explicit params(context&) {}
  void set(const char*, bool) {}
};
struct expr {
  unsigned id() const { return 0; }
  expr simplify() const { return {}; }
  expr simplify(const params&) const { return {}; }
  int64_t get_numeral_int64() const { return 0; }
  unsigned num_args() const { return 0; }
  expr arg(unsigned) const { return {}; }
  bool is_const() const { return false; }
  bool is_int() const { return false; }
  bool is_numeral() const { return false; }
  bool is_and() const { return false; }
  bool is_true() const { return false; }
  func_decl decl() const { return {}; }
  std::string to_string() const { return {}; }
};
struct context {
  expr int_val(int64_t) { return {}; }
  expr bool_val(bool) { return {}; }
  expr int_const(const char*) { return {}; }
};
struct expr_vector {
  explicit expr_vector(context&) {}
  void push_back(const expr&) {}
};

inline expr operator+(const expr&, const expr&) { return {}; }
inline expr operator-(const expr&, const expr&) { return {}; }
inline expr operator*(const expr&, const expr&) { return {}; }
inline expr operator<(const expr&, const expr&) { return {}; }
inline expr operator>=(const expr&, int) { return {}; }
inline expr operator==(const expr&, const expr&) { return {}; }
inline expr operator&&(const expr&, const expr&) { return {}; }
inline expr implies(const expr&, const expr&) { return {}; }
inline expr mk_and(const expr_vector&) { return {}; }

}  // namespace z3
