// SPDX-License-Identifier: Apache-2.0
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "bench/peers.h"
#include "conform/peers/isl_text.h"

namespace tileproof {

std::optional<double> simplify_with_isl(const IndexingMap& map) {
  using Clock = std::chrono::steady_clock;
  const std::optional<std::string> text = peers::isl_text(map, false),
                                   domain = peers::isl_text(map, true);
  if (!text || !domain) return std::nullopt;
  isl_ctx* context = isl_ctx_alloc();
  isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context, 10'000'000);
  isl_pw_multi_aff* whole = isl_pw_multi_aff_read_from_str(context, text->c_str());
  isl_set* box = isl_set_read_from_str(context, domain->c_str());
  double best = 1e18;
  bool done = whole != nullptr && box != nullptr;
  for (int i = 0; i < 5 && done; ++i) {
    const auto start = Clock::now();
    isl_pw_multi_aff* simplified = isl_pw_multi_aff_coalesce(
        isl_pw_multi_aff_gist(isl_pw_multi_aff_copy(whole), isl_set_copy(box)));
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    done = simplified != nullptr;
    isl_pw_multi_aff_free(simplified);
    best = std::min(best, time.count());
  }
  isl_pw_multi_aff_free(whole);
  isl_set_free(box);
  isl_ctx_free(context);
  return done ? std::optional(best) : std::nullopt;
}

}  // namespace tileproof
