// SPDX-License-Identifier: Apache-2.0
// Re-checks every stored certificate without a solver, and that nothing else passes.

#include "verify/lemmas/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <limits>

#include "corpus/files.h"
#include "corpus/paths.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/polynomial.h"

namespace tileproof::lemmas {
namespace {

using testing::HasSubstr;

std::string stored_text(const std::string& name) {
  return project_text("verify/lemmas/certificates/" + name + ".cert");
}

Certificate stored(const std::string& name) {
  absl::StatusOr<Certificate> certificate = parse_certificate(stored_text(name));
  EXPECT_TRUE(certificate.ok()) << name << ": " << certificate.status();
  return certificate.ok() ? *std::move(certificate) : Certificate{};
}

TEST(Certificates, ProveEveryLemmaForAllIntegers) {
  int queries = 0, terms = 0;
  for (const StatedLemma& lemma : all_lemmas()) {
    const Certificate certificate = stored(lemma.name);
    const absl::Status status = check_certificate(lemma, certificate);
    EXPECT_TRUE(status.ok()) << lemma.name << ": " << status
                             << " (write_lemma_certificates renews the certificates)";
    for (const ScriptCertificate& script : certificate.scripts) {
      queries += static_cast<int>(script.queries.size());
      for (const QueryCertificate& query : script.queries)
        terms += static_cast<int>(query.terms.size());
    }
  }
  std::cout << all_lemmas().size() << " lemmas, " << queries << " queries, " << terms
            << " terms added up\n";
}

TEST(Certificates, AreStoredOnlyForExistingLemmas) {
  for (const auto& entry :
       std::filesystem::directory_iterator(project_path("verify/lemmas/certificates"))) {
    EXPECT_NE(find_lemma(entry.path().stem().string()), nullptr) << entry.path();
  }
}

TEST(Certificates, ReadBackAsTheyWereWritten) {
  for (const StatedLemma& lemma : all_lemmas()) {
    EXPECT_EQ(to_text(stored(lemma.name)), stored_text(lemma.name)) << lemma.name;
  }
}

TEST(Certificates, AreRejectedIfAnyTermChanges) {
  int changes = 0;
  for (const StatedLemma& lemma : all_lemmas()) {
    const Certificate good = stored(lemma.name);
    for (size_t s = 0; s < good.scripts.size(); ++s) {
      for (size_t q = 0; q < good.scripts[s].queries.size(); ++q) {
        for (size_t t = 0; t < good.scripts[s].queries[q].terms.size(); ++t) {
          Certificate dropped = good, doubled = good, negated = good;
          std::vector<CertificateTerm>& fewer = dropped.scripts[s].queries[q].terms;
          fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(t));
          Fraction& twice = doubled.scripts[s].queries[q].terms[t].multiplier;
          twice = twice * make_fraction(2, 1);
          Fraction& minus = negated.scripts[s].queries[q].terms[t].multiplier;
          minus = minus * make_fraction(-1, 1);
          for (const Certificate& bad : {dropped, doubled, negated}) {
            EXPECT_FALSE(check_certificate(lemma, bad).ok()) << to_text(bad);
            ++changes;
          }
        }
      }
    }
  }
  std::cout << changes << " changed certificates, 0 accepted\n";
  EXPECT_GT(changes, 0);
}

TEST(Certificates, AreRejectedIfTheyProveSomethingElse) {
  const StatedLemma& lemma = *find_lemma("one-cell");
  Certificate other = stored("drop-small-part");
  EXPECT_THAT(check_certificate(lemma, other).message(),
              HasSubstr("the certificate is for drop-small-part"));
  other.lemma = lemma.name;
  EXPECT_THAT(check_certificate(lemma, other).message(), HasSubstr("another statement"));
  other.statement = to_text(lemma.claim);
  EXPECT_FALSE(check_certificate(lemma, other).ok());
}

// A false statement cannot use the proof of a true one: everything to be shown is derived from the
// declaration.
TEST(Certificates, DoNotProveALemmaWithoutAHypothesis) {
  int weakened = 0;
  for (const StatedLemma& lemma : all_lemmas()) {
    for (size_t k = 0; k < lemma.claim.hypotheses.size(); ++k) {
      StatedLemma weaker = lemma;
      weaker.claim.hypotheses.erase(weaker.claim.hypotheses.begin() + static_cast<ptrdiff_t>(k));
      Certificate certificate = stored(lemma.name);
      certificate.statement = to_text(weaker.claim);
      EXPECT_FALSE(check_certificate(weaker, certificate).ok()) << certificate.statement;
      ++weakened;
    }
  }
  EXPECT_GT(weakened, 0);
}

TEST(Certificates, ThePointMustSatisfyTheHypotheses) {
  const StatedLemma& lemma = *find_lemma("constraint-floordiv");
  Certificate certificate = stored(lemma.name);
  certificate.point = {0, -1, 0, 0};
  EXPECT_THAT(check_certificate(lemma, certificate).message(),
              HasSubstr("does not satisfy the hypotheses"));
  certificate.point = {0, 1, 1, 0};
  EXPECT_THAT(check_certificate(lemma, certificate).message(),
              HasSubstr("does not satisfy the left side"));
  certificate.point = {0, 1};
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
}

TEST(Certificates, TheSignOfADivisorMustBeShown) {
  const StatedLemma& lemma = *find_lemma("negative-divisor");
  Certificate certificate = stored(lemma.name);
  ASSERT_EQ(certificate.scripts[0].negative, (std::vector<bool>{true, false}));
  certificate.scripts[0].negative = {false, false};
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
  certificate.scripts[0].negative = {true, true};
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
}

TEST(Certificates, MissingOrRepeatedPartsAreRejected) {
  const StatedLemma& lemma = *find_lemma("constraint-floordiv");
  Certificate certificate = stored(lemma.name);
  certificate.scripts.pop_back();
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
  certificate = stored(lemma.name);
  certificate.scripts[1] = certificate.scripts[0];
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
  certificate = stored(lemma.name);
  certificate.scripts[0].queries.pop_back();
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
  certificate = stored(lemma.name);
  certificate.scripts[0].witnesses.clear();
  EXPECT_FALSE(check_certificate(lemma, certificate).ok());
}

TEST(Certificates, SumsAndProductsBeyond64BitsAreRejected) {
  const Polynomial huge = Polynomial::constant(int64_t{1} << 40) * Polynomial::variable("x");
  const Query query{"", {}, {huge, -huge, Polynomial::constant(-1)}, false};
  const Fraction one = make_fraction(1, 1);
  EXPECT_TRUE(
      check_query(query, {{one, false, {0}, {}}, {one, false, {1}, {}}, {one, false, {2}, {}}})
          .ok());
  EXPECT_THAT(check_query(query, {{one, false, {0, 1}, {}}}).message(), HasSubstr("does not fit"));
  const Fraction large = make_fraction(int64_t{1} << 40, 1);
  EXPECT_THAT(check_query(query, {{large, false, {0}, {}}}).message(), HasSubstr("does not fit"));
  EXPECT_THAT(check_query(query, {{one, false, {7}, {}}}).message(), HasSubstr("does not exist"));
  EXPECT_THAT(check_query(query, {{one, false, {}, {}}}).message(), HasSubstr("does not exist"));
  EXPECT_THAT(check_query(query, {{one, false, {0, 0, 0, 0, 0}, {}}}).message(),
              HasSubstr("too many"));
  EXPECT_THAT(check_query(query, {}).message(), HasSubstr("not -1"));
}

TEST(Certificates, DoNotProveALemmaThatClaimsNothing) {
  StatedLemma lemma = *find_lemma("range-product");
  lemma.claim.after.clear();
  Certificate certificate = stored("range-product");
  certificate.statement = to_text(lemma.claim);
  certificate.scripts[0].queries.clear();
  EXPECT_THAT(check_certificate(lemma, certificate).message(), HasSubstr("claims nothing"));
}

TEST(Certificates, AVariableCannotBeMistakenForAWitness) {
  StatedLemma lemma = *find_lemma("split-undone");
  lemma.claim = instance(lemma, {variable("q0"), variable("t")});
  EXPECT_FALSE(make_script(lemma.claim, 0, {}).ok());
}

TEST(CertificateText, MalformedLinesAreErrorsThatNameTheLine) {
  const auto error = [](absl::string_view text) {
    return std::string(parse_certificate(text).status().message());
  };
  EXPECT_THAT(error("nonsense"), HasSubstr("line 1: expected a script"));
  EXPECT_THAT(error("lemma x\n  1 i0"), HasSubstr("line 2"));
  for (const char* term : {"1", "x i0", "1 j0", "1 i", "1 i-1", "1 i00", "1 i99999999999", "1 e0",
                           "1 e0 x y", "1  i0", "", " ", "1 i0 e1", "1/0 i0"}) {
    EXPECT_THAT(error(std::string("script s\nquery q\n  ") + term), HasSubstr("line 3"))
        << '"' << term << '"';
  }
  EXPECT_THAT(error("point x=1 y="), HasSubstr("line 1: expected name=integer"));
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Polynomial x() { return Polynomial::variable("x"); }
Polynomial y() { return Polynomial::variable("y"); }
Polynomial number(int64_t value) { return Polynomial::constant(value); }

TEST(Polynomial, ProductsCollectAndCancelTerms) {
  EXPECT_EQ(to_text((x() + y()) * (x() - y())), "x*x - y*y");
  EXPECT_EQ(x() * y() * x(), Polynomial::term(1, {"y", "x", "x"}));
  EXPECT_EQ(to_text((x() - number(2)) * (x() - number(2))), "-4*x + x*x + 4");
  EXPECT_EQ(to_text(x() - x()), "0");
}

TEST(Polynomial, AnOverflowingCoefficientMakesItInvalidForever) {
  const Polynomial big = number(kMost) * x();
  EXPECT_TRUE(big.valid());
  const Polynomial sum = big + x();
  EXPECT_FALSE(sum.valid());
  EXPECT_FALSE((sum - x()).valid());
  EXPECT_FALSE((sum * number(0)).valid());
  EXPECT_FALSE(sum == sum);
  EXPECT_FALSE((big * number(2)).valid());
  EXPECT_FALSE((-number(std::numeric_limits<int64_t>::min())).valid());
}

TEST(Fraction, IsKeptInLowestTerms) {
  EXPECT_EQ(make_fraction(6, -4), (Fraction{-3, 2}));
  EXPECT_EQ(make_fraction(1, 3) + make_fraction(1, 6), (Fraction{1, 2}));
  EXPECT_EQ(make_fraction(2, 3) * make_fraction(-3, 2), (Fraction{-1, 1}));
  EXPECT_EQ(make_fraction(0, 7), (Fraction{0, 1}));
}

TEST(Fraction, OverflowIsInvalid) {
  EXPECT_FALSE(make_fraction(1, 0).valid());
  EXPECT_FALSE(make_fraction(std::numeric_limits<int64_t>::min(), 1).valid());
  EXPECT_FALSE((make_fraction(kMost, 1) + make_fraction(1, 1)).valid());
  EXPECT_FALSE((make_fraction(1, kMost) * make_fraction(1, 2)).valid());
  EXPECT_FALSE((make_fraction(1, 0) * make_fraction(0, 1)).valid());
}

TEST(Fraction, ParsesOnlyItsOwnText) {
  EXPECT_EQ(parse_fraction("-3/2"), (Fraction{-3, 2}));
  EXPECT_EQ(parse_fraction("7"), (Fraction{7, 1}));
  for (const char* text :
       {"", "x", "2/4", "1/-2", "+1", "1/1", "1/2/3", " 1", "99999999999999999999", "1/0", "-0"}) {
    EXPECT_FALSE(parse_fraction(text).valid()) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace tileproof::lemmas
