#include "verify/lemmas/lemma_page.h"

#include "absl/strings/str_cat.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

std::string lemma_page() {
  std::string page =
      "# The lemmas\n\n"
      "The facts about integers that the simplifier and the tilings rest on, as "
      "`impl/lemmas/lemmas*.h` "
      "states "
      "them. Each is proven for all\nintegers (`tileproof prove lemmas`), its certificate in "
      "`verify/lemmas/certificates` is re-checked by the tests without a solver,\nand it is tried "
      "at "
      "every point of a box. `floordiv` rounds down; `x mod c` is `x - c * (x floordiv c)`.\n\n"
      "This page is written by `tileproof prove lemmas --list`.\n";
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
