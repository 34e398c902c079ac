// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_file.h"

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/text.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {

absl::Status write_picture(const std::string& svg, const std::string& file) {
  if (file == "-") {
    std::cout << svg;
    return absl::OkStatus();
  }
  std::ofstream out(file);
  out << svg;
  if (out.flush()) {
    std::cerr << "wrote " << file << "\n";
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("cannot write ", file));
}

absl::Status draw_instruction(
    const std::vector<HloModule>& modules, absl::string_view name, int32_t output,
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const explorer::InstructionAccess&)> draw) {
  const Asked at = TRY(find_asked(modules, name));
  impl::IndexingAnalysis analysis(at.module);
  const explorer::InstructionAccess access = TRY(
      explorer::instruction_access(analysis, at.module, at.computation, at.instruction, output));
  return write_picture(TRY(draw(access)), file);
}

}  // namespace tileproof::cli
