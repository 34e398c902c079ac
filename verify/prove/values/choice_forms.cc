// SPDX-License-Identifier: Apache-2.0
// Choices by clamped offsets, as dynamic-slice and dynamic-update-slice make them.
//
//     choose c (x[0] + choose c (y[0], y[1]), ..)      choose c (x[0] + y[0], ..): c is 0 there
//     choose c (a, a, b, a)                            select(c == 2, b, a)
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/operands_first.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using spec::TermId;

namespace {

constexpr ElementType kIndex = ElementType::kU64;

// A position among the offsets on which no choice depends.
std::optional<size_t> needless(const std::vector<int64_t>& sizes,
                               const std::vector<FormId>& table) {
  int64_t step = std::ssize(table);
  for (size_t k = 0; k < sizes.size(); ++k) {
    step /= sizes[k];
    bool matters = false;
    for (int64_t e = 0; e < std::ssize(table) && !matters; ++e) {
      matters = table[e] != table[e - (e / step % sizes[k]) * step];
    }
    if (!matters) return k;
  }
  return std::nullopt;
}

// The choices that are left if offset `k` has this value.
std::vector<FormId> part_of(const std::vector<int64_t>& sizes, const std::vector<FormId>& table,
                            size_t k, int64_t value) {
  int64_t step = 1;
  for (size_t d = k + 1; d < sizes.size(); ++d) step *= sizes[d];
  std::vector<FormId> left;
  for (int64_t e = 0; e < std::ssize(table); ++e) {
    if (e / step % sizes[k] == value) left.push_back(table[e]);
  }
  return left;
}

}  // namespace

// Clamped offsets choose one element of an array. Equal offsets are asked once; the order is that of
// the forms.
FormId Forms::choose(const spec::Symbol& read, absl::Span<const TermId> offset_terms,
                     const Ids& given) {
  const size_t count = offset_terms.size();
  Ids offsets;
  std::vector<int64_t> sizes;
  for (size_t k = 0; k < count; ++k) {
    const bool is_signed = !spec::is_unsigned(terms_.symbol_of(offset_terms[k]).type);
    const auto [low, high] = read.bounds[k];
    FormId wide = resized(given[k], kIndex, is_signed);
    const bool is_plain = !is_signed || range(wide, true).low >= 0;
    wide = extreme(true, !is_plain, kIndex, {wide, integer(kIndex, low)});
    wide = extreme(false, !is_plain, kIndex, {wide, integer(kIndex, high)});
    offsets.push_back(sum(kIndex, -low, {{wide, 1}}));
    sizes.push_back(high - low + 1);
  }
  std::map<FormId, int64_t> used;  // offsets that are not known, and how many values they have
  for (size_t k = 0; k < count; ++k) {
    if (constant_of(offsets[k])) continue;
    const absl::int128 values = range(offsets[k], false).high + 1;  // a u8 has no more than 256
    used.emplace(offsets[k], static_cast<int64_t>(std::min<absl::int128>(values, sizes[k])));
  }
  Ids all;
  std::vector<int64_t> dims;
  for (const auto& [offset, size] : used) {
    all.push_back(offset);
    dims.push_back(size);
  }
  Ids table;
  std::vector<int64_t> at(dims.size(), 0);
  do {
    int64_t number = 0;
    for (size_t k = 0; k < count; ++k) {
      const auto known = constant_of(offsets[k]);
      const auto place = std::ranges::find(all, offsets[k]) - all.begin();
      number = number * sizes[k] + (known ? *known : std::min(at[place], sizes[k] - 1));
    }
    table.push_back(given[count + number]);
    --work_;
  } while (next_index(dims, at));
  return chosen(std::move(all), std::move(dims), std::move(table));
}

// One of the table, in row-major order. The offsets are sorted, not known, and less than the sizes.
FormId Forms::chosen(Ids offsets, std::vector<int64_t> sizes, Ids table) {
  work_ -= std::ssize(table);
  for (size_t k = 0; k < offsets.size(); ++k) {
    const uint64_t bit = bit_of(offsets[k]);
    int64_t step = 1;
    for (size_t d = k + 1; d < sizes.size(); ++d) step *= sizes[d];
    for (int64_t e = 0; e < std::ssize(table); ++e) {
      if ((forms_[table[e]].offsets & bit) == 0) continue;
      table[e] = given_all(table[e], offsets[k], e / step % sizes[k]);
    }
  }
  while (const auto k = needless(sizes, table)) {
    table = part_of(sizes, table, *k, 0);
    offsets.erase(offsets.begin() + static_cast<int64_t>(*k));
    sizes.erase(sizes.begin() + static_cast<int64_t>(*k));
  }
  if (offsets.empty()) return table[0];
  if (offsets.size() == 1) {
    if (const auto along = sorted_along(offsets[0], table)) return *along;
  }
  if (const auto selected = one_exception(offsets, sizes, table)) return *selected;
  std::string name = "choose";
  for (const int64_t size : sizes) absl::StrAppend(&name, " ", size);
  const ElementType type = forms_[table[0]].type;
  const auto count = std::ssize(offsets);
  offsets.insert(offsets.end(), table.begin(), table.end());
  return intern(
      {.kind = Kind::kChoose, .type = type, .symbol = symbol_number(name), .number = count},
      offsets);
}

// A select, if all choices but one are the same.
std::optional<FormId> Forms::one_exception(const Ids& offsets, const std::vector<int64_t>& sizes,
                                           const Ids& table) {
  const FormId usual = table[0] == table.back() ? table[0] : table[1];
  int64_t exception = -1;
  for (int64_t e = 0; e < std::ssize(table); ++e) {
    if (table[e] == usual) continue;
    if (exception >= 0) return std::nullopt;
    exception = e;
  }
  Ids is_there;
  int64_t rest = exception;
  for (size_t k = sizes.size(); k-- > 0; rest /= sizes[k]) {
    is_there.push_back(equals(offsets[k], integer(kIndex, rest % sizes[k])));
  }
  return select(both(is_there), table[exception], usual);
}

// ---- Where an offset has a value ----

// Marks forms that are made from now on and hold this one. Other offsets may have the same bit.
uint64_t Forms::bit_of(FormId offset) {
  const auto [at, is_new] =
      offset_bits_.try_emplace(offset, uint64_t{1} << (offset_bits_.size() % 64));
  if (is_new) forms_[offset].offsets |= at->second;
  return at->second;
}

// The form where the offset has this value.
FormId Forms::given_all(FormId form, FormId offset, int64_t value) {
  const uint64_t bit = bit_of(offset);
  const FormId known = integer(forms_[offset].type, value);
  return rebuilt_all(
      form, [&](FormId at) { return at == offset || (forms_[at].offsets & bit) == 0; },
      [&](FormId at) { return at == offset ? known : at; });
}

// The form made anew, operands first, with `put(x)` in place of each x. What is whole is not looked into.
FormId Forms::rebuilt_all(FormId form, absl::FunctionRef<bool(FormId)> is_whole,
                          absl::FunctionRef<FormId(FormId)> put) {
  absl::flat_hash_map<FormId, FormId> done;
  const bool is_done = operands_first(
      form, [&](FormId at) { return is_whole(at) ? absl::Span<const FormId>() : operands(at); },
      [&](FormId at) { return done.contains(at); },
      [&](FormId at) {
        --work_;
        Ids changed;
        if (!is_whole(at)) changed.assign(operands(at).begin(), operands(at).end());
        for (FormId& operand : changed) operand = done.at(operand);
        const bool is_same = is_whole(at) || std::ranges::equal(changed, operands(at));
        done.emplace(at, put(is_same ? at : rebuilt(at, changed)));
      },
      [&] { return work_ >= 0; });
  return is_done ? done.at(form) : form;
}

// The form with other operands.
FormId Forms::rebuilt(FormId id, const Ids& changed) {
  const Form form = forms_[id];
  const ElementType type = form.type;
  switch (form.kind) {
    case Kind::kElement:
    case Kind::kConstant:
      return id;
    case Kind::kSum: {
      Scaled terms;
      for (size_t k = 0; k < changed.size(); ++k) terms.emplace_back(changed[k], factors(id)[k]);
      return sum(type, form.number, std::move(terms));
    }
    case Kind::kProduct: {
      FormId all = integer(type, 1);
      for (const FormId one : changed) all = product(all, one);
      return all;
    }
    case Kind::kTruth:
      return truth(changed[0], type);
    case Kind::kAnd:
      return both(changed);
    case Kind::kXor:
      return differ(changed, form.number == 1);
    case Kind::kBag:
      return bag(symbol(id),
                 absl::StartsWith(symbol(id), "add") ? HloOpcode::kAdd : HloOpcode::kMultiply, type,
                 changed);
    case Kind::kChoose: {
      Ids offsets(changed.begin(), changed.begin() + form.number);
      Ids table(changed.begin() + form.number, changed.end());
      std::vector<int64_t> sizes;
      for (const absl::string_view size : absl::StrSplit(symbol(id), ' ')) {
        int64_t value = 0;
        if (absl::SimpleAtoi(size, &value)) sizes.push_back(value);
      }
      for (size_t k = offsets.size(); k-- > 0;) {
        const auto known = constant_of(offsets[k]);
        if (!known) continue;
        table = part_of(sizes, table, k, std::min(*known, sizes[k] - 1));
        offsets.erase(offsets.begin() + static_cast<int64_t>(k));
        sizes.erase(sizes.begin() + static_cast<int64_t>(k));
      }
      if (std::ranges::is_sorted(offsets)) return chosen(offsets, sizes, table);
      break;
    }
    case Kind::kRealSum: {
      std::vector<std::pair<FormId, double>> terms;
      const RealSum sum = real_sum_of(id);
      for (size_t k = 0; k < changed.size(); ++k)
        terms.emplace_back(changed[k], sum.terms[k].second);
      terms.emplace_back(number(type, 1), sum.number);
      return real_sum(type, terms);
    }
    case Kind::kRealProduct: {
      FormId all = number(type, 1);
      for (size_t k = 0; k < changed.size(); ++k) {
        const int64_t exponent = factors(id)[k];
        const FormId one = exponent < 0 ? real_inverse(changed[k]) : changed[k];
        for (int64_t n = 0; n < std::abs(exponent); ++n) all = real_product(all, one);
      }
      return all;
    }
    case Kind::kOfArrays:
      return intern(form, changed);
    case Kind::kApply: {
      const std::string name = symbol(id);
      if (name == "select") return select(changed[0], changed[1], changed[2]);
      if (const auto floats = rebuilt_of_floats(id, changed)) return *floats;
      if (const auto integers = rebuilt_of_integers(id, changed)) return *integers;
      return apply(name, type, changed, form.number);
    }
  }
  return id;
}

}  // namespace tileproof::verify
