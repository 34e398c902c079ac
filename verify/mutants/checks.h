// What a faulty implementation must not get past: the comparisons with the reference that campaigns
// make, case by case, answers on record, and the unit tests. Linked with the faulty implementation
// and nothing of the right one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tileproof::mutants {

struct Check {
  std::string name;   // "layout"
  int64_t cases = 0;  // looked at for every fault that they reach; further ones if `endless`
  bool endless = false;
  // "" if case number i is right, else one line.
  std::function<std::string(int64_t)> run;
  // Every case is right without a fault. Else such as are not are passed over, and counted.
  bool holds = true;
};

Check layout_check();
std::vector<Check> map_checks();
std::vector<Check> hlo_checks();
std::vector<Check> access_checks();
Check golden_check(absl::string_view file);  // of corpus/golden
Check changed_check();                       // modules near to these
Check unit_tests(int argc, char** argv);     // of GoogleTest; each test is a case

}  // namespace tileproof::mutants
