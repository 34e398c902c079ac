#pragma once
#include "verify/lemma_proof.h"
namespace tileproof::verify {
inline absl::Status write_smtlib(const std::string&, const std::vector<LemmaReport>&) {
  return absl::OkStatus();
}
}  // namespace tileproof::verify
