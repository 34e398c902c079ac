// The page of the manual that lists all lemmas (docs/lemmas.md).
#pragma once

#include <string>

namespace tileproof::lemmas {

// Markdown: one section a subject, one entry a lemma, with its words and its statement.
std::string lemma_page();

}  // namespace tileproof::lemmas
