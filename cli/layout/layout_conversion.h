// SPDX-License-Identifier: Apache-2.0
// tileproof layout --as: writes a layout in the notation of another system.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"

namespace tileproof::cli {

// `system` is xla, tla, cute or dnnl. `type` is the element type of a layout that names none.
// The exit status of the answer: 0 if the printed layout is proven equal, 1 if a counterexample shows
// that no equal layout exists, 3 if no layout or no proof was found.
absl::StatusOr<Answer> convert_layout(const std::string& text, const std::string& system,
                                      const std::string& type);

// The answer with a layout in another notation: `proven` says what is the same, or is "" if nothing
// is proven, and `open` says why.
Answer written_answer(const std::string& layout, const std::string& proven, const std::string& open,
                      const std::vector<std::string>& notes);

// The answer that there is none, or that none was found.
Answer no_layout(const std::string& system, absl::string_view reason, bool is_ruled_out);

// tileproof layout --format: the layout that a named format chooses for a shape, and why.

// `text` is a shape.
absl::StatusOr<Answer> choose_layout(const std::string& format, const std::string& text);

}  // namespace tileproof::cli
