// SPDX-License-Identifier: Apache-2.0
// The page of the manual that lists all lemmas (docs/lemmas.md).
#pragma once

#include <string>

namespace tileproof::lemmas {

// Markdown: one section for each subject, one entry for each lemma with its prose and its
// statement.
std::string lemma_page();

}  // namespace tileproof::lemmas
