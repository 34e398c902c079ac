// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/logged_simplification.h"

#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {

bool simplification_is_logged(const IndexingMap& map, const IndexingMap& simple) {
  if (map == simple) return true;
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!traced.ok() || traced->trace.empty()) return false;
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  return checked.ok() && to_text(checked->before) == to_text(map) &&
         to_text(checked->after) == to_text(simple);
}

}  // namespace tileproof::verify
