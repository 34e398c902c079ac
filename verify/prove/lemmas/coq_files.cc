// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/coq_files.h"

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/lemma_coq.h"
#include "verify/prove/lemmas/write_file.h"

namespace tileproof::lemmas {

absl::Status write_coq(const std::string& directory, const std::vector<LemmaReport>& reports) {
  std::string text = coq_prelude();
  for (const LemmaReport& report : reports) {
    const StatedLemma* lemma = find_lemma(report.name);
    if (lemma == nullptr) continue;  // a fold
    if (!report.proven) {
      return absl::FailedPreconditionError(absl::StrCat(report.name, " has no certificate"));
    }
    absl::StrAppend(&text, TRY(coq_theorem(*lemma, report.certificate)));
  }
  TRY(write_file(directory + "/lemmas.v", text));
  return write_file(directory + "/tilings.v", coq_tilings());
}

}  // namespace tileproof::lemmas
