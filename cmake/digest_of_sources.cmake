# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=DIR -DOUTPUT=FILE -P digest_of_sources.cmake
#
# Writes a C++ file with a digest of the sources of the definitions and of the prover. If either changes, old proofs no longer count.
# verify/prove/smt/proof_digest.h says what for.
set(text "")
foreach(folder spec verify/prove verify/lemmas impl/lemmas)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test(ing)?\\.(h|cc)$")
  list(SORT sources)
  foreach(source ${sources})
    file(SHA256 ${ROOT}/${source} digest)
    string(APPEND text "${source} ${digest}\n")
  endforeach()
endforeach()
string(SHA256 digest "${text}")
set(content "#include \"verify/prove/smt/proof_digest.h\"\n
namespace tileproof::verify {
const char kProofDigest[] = \"${digest}\"\;
}  // namespace tileproof::verify
")
string(REPLACE "\\;" ";" content "${content}")
file(WRITE ${OUTPUT} "${content}")
