#include "spec/lang/base/dims.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof {

std::string dims_text(const Dims& dims) { return absl::StrCat("[", absl::StrJoin(dims, ","), "]"); }

}  // namespace tileproof
