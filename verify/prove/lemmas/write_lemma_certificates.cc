// SPDX-License-Identifier: Apache-2.0
// Finds the certificate of every lemma with Z3 and writes verify/lemmas/certificates/NAME.cert.
//
//     write_lemma_certificates verify/lemmas/certificates
//
// Run it after adding or changing a lemma. Exit status: 0 all lemmas are proven; 1 some are not,
// and are listed; 2 wrong usage.
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "verify/prove/lemmas/lemma_proof.h"

int main(int count, char** arguments) {
  using tileproof::lemmas::LemmaReport;
  if (count != 2) {
    std::cerr << "usage: write_lemma_certificates DIRECTORY\n";
    return 2;
  }
  const auto reports = tileproof::lemmas::prove_lemmas({});
  if (!reports.ok()) {
    std::cerr << reports.status().message() << "\n";
    return 1;
  }
  bool all_proven = true;
  for (const LemmaReport& report : *reports) {
    if (!report.proven) {
      std::cerr << report.name << ": " << report.bounded << "\n";
      all_proven = false;
      continue;
    }
    if (report.certificate.lemma.empty()) continue;  // follows from other lemmas
    std::ofstream file(absl::StrCat(arguments[1], "/", report.name, ".cert"));
    file << to_text(report.certificate);
    if (!file.flush()) {
      std::cerr << report.name << ": cannot write the certificate\n";
      return 1;
    }
  }
  std::cout << summary(*reports) << "\n";
  return all_proven ? 0 : 1;
}
