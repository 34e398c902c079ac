// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/map_transactions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conform/oracle/map_ops.h"
#include "impl/access/coalescing.h"
#include "spec/access/coalescing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kBudget = 2'000'000;  // points that the reference enumerates

struct Question {
  IndexingMap threads, access;
  Shape array;
  spec::Warps warps;
};

absl::Status invalid(absl::string_view key, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(key, ": ", why));
}

absl::StatusOr<int64_t> number_under(const Json& request, absl::string_view key, int64_t most) {
  const Json* given = find(request, key);
  if (given == nullptr) return 32;
  const auto* number = given->as<int64_t>();
  if (number != nullptr && *number >= 1 && *number <= most) return *number;
  return invalid(key, absl::StrCat("expected a number in [1, ", most, "]"));
}

absl::StatusOr<Question> read_question(const Json& request) {
  Question question;
  IndexingMap threads = TRY(map_under(request, "threads"));
  IndexingMap access = TRY(map_under(request, "access"));
  const auto* text = find_as<std::string>(request, "shape");
  if (text == nullptr) return invalid("shape", "expected a shape");
  absl::StatusOr<Shape> shape = parse_shape(*text);
  if (!shape.ok()) return invalid("shape", shape.status().message());
  const auto warp = TRY(number_under(request, "warp", 1024));
  const auto width = TRY(number_under(request, "width", 4096));
  return Question{std::move(threads), std::move(access), *std::move(shape), {warp, width}};
}

template <class TransactionCounts>
Json to_json(const TransactionCounts& accesses) {
  return json_object({{"accesses", accesses.accesses},
                      {"transactions", accesses.transactions},
                      {"most", accesses.most},
                      {"elements", accesses.elements}});
}

}  // namespace

absl::StatusOr<Result> map_transactions(const Json& request, Engine engine) {
  const auto [threads, access, array, warps] = TRY(read_question(request));
  if (engine == Engine::kSpec) {
    const auto found = TRY(spec::count_transactions(threads, access, array, warps, kBudget));
    return Result(to_json(found));
  }
  const auto found =
      TRY(impl::count_transactions(threads, access, array, {warps.warp, warps.width}));
  return Result(to_json(found));
}

Assessment judge_transactions(const Json& request, const Answer& answer) {
  const absl::StatusOr<Result> right = map_transactions(request, Engine::kSpec);
  if (!right.ok()) return {Assessment::Kind::kOpen, std::string(right.status().message())};
  for (const char* key : {"accesses", "transactions", "most", "elements"}) {
    const Json* given = find(answer.result, key);
    const Json* expected = find(right->value, key);
    if (given != nullptr && *given == *expected) continue;
    return {Assessment::Kind::kWrong,
            absl::StrCat(key, ": expected ", to_text(*expected), ", found ",
                         given ? shown(to_text(*given), 40) : "none")};
  }
  return {};
}

}  // namespace tileproof::conform
