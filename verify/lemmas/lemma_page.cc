// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_page.h"

#include "absl/strings/str_cat.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

std::string lemma_page() {
  std::string page = absl::StrCat(
      "# The lemmas\n\nThe ", all_lemmas().size(),
      " facts about integers that the simplifier, the proofs and the tilings use, as "
      "`impl/lemmas/lemmas*.h` states them.\nEach is proven for all integers (`tileproof prove "
      "lemmas`), the tests re-check its certificate in\n`verify/lemmas/certificates` without a "
      "solver, and it is tried at every point of a box. `floordiv` rounds down;\n`x mod c` is `x - "
      "c * (x floordiv c)`.\n\n`tileproof prove lemmas --list` writes this page.\n");
  std::string subject;
  for (const StatedLemma& lemma : all_lemmas()) {
    if (lemma.subject != subject) {
      subject = lemma.subject;
      absl::StrAppend(&page, "\n## ", subject, "\n\n");
    }
    absl::StrAppend(&page, "* **", lemma.name, "**: ", lemma.says, "\n\n      ",
                    to_text(lemma.claim), "\n\n");
  }
  page.pop_back();
  return page;
}

}  // namespace tileproof::lemmas
