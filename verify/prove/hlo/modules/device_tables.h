// SPDX-License-Identifier: Apache-2.0
// Tables of numbers in closed form, so that they can be asked at an expression: a device that stands for
// all of them.
//
//     group of two   {{0,2},{1,3}}      the device at place k of group j     j + 2 k
//     sharding       <=[2,2]T(1,0)      the part of device v                 v floordiv 2 + 2 (v mod 2)
//     ring           {{0,1},{1,2},..}   who sends to device v                (v + n - 1) mod n
//
// A table is a sum over digits of its argument, each turned by some places and times a factor. Cost and
// text do not grow with the number of devices. Tables of no such form are not known.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/hlo/device_routes.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/sharding.h"
#include "verify/prove/hlo/modules/index_expressions.h"

namespace tileproof::verify {

// table[x] for x in [0, size).
class DigitTable {
 public:
  static std::optional<DigitTable> of(absl::Span<const int64_t> table);
  IndexNumber at(const IndexNumber& x) const;
  // The same by cases, of which one holds: a digit that is turned is past its end, or not.
  std::vector<std::pair<IndexTruth, IndexNumber>> cases(const IndexNumber& x) const;

 private:
  // factor * (((x floordiv weight) mod size + turn) mod size)
  struct Digit {
    int64_t weight = 1, size = 1, factor = 1, turn = 0;
    bool is_first = false;  // nothing is above it
  };
  static std::optional<Digit> digit_of(absl::Span<const int64_t> table, int64_t weight,
                                       int64_t size);
  int64_t value(int64_t x) const;
  static IndexNumber digit(const Digit& d, const IndexNumber& x);

  std::vector<Digit> digits_;
  int64_t constant_ = 0;
};

// Which part of an array a device holds (spec/lang/hlo/sharding.h), and which devices hold a part.
class PartTable {
 public:
  // Unknown if a device holds no part, or some part is on more devices than another.
  explicit PartTable(const Sharding& sharding);
  bool is_known() const { return part_of_ && holders_; }
  IndexNumber part(const IndexNumber& device) const { return part_of_->at(device); }
  int64_t copies() const { return copies_; }
  IndexNumber holder(const IndexNumber& part, const IndexNumber& copy) const {
    return holders_->at(part * copies_ + copy);
  }

 private:
  std::optional<DigitTable> part_of_, holders_;
  int64_t copies_ = 1;
};

using SentElement = spec::ExchangedElement<IndexNumber>;

// What a collective sends: the definition (spec/hlo/definition_devices.h) at expressions. The routes must
// outlive it.
class DeviceTables {
 public:
  DeviceTables(const spec::Routes& routes, int64_t devices);
  bool is_known() const { return is_known_; }
  bool is_bag() const { return is_bag_; }
  int64_t group_size() const { return group_size_; }
  // What may be sent to a device for the element `o`, of which one is, or none. Of a bag: what the
  // device at place `s` of its group sends.
  std::vector<SentElement> sent(const IndexNumber& device, const std::vector<IndexNumber>& o,
                                const IndexNumber& s) const;
  // The only one, which exists if these numbers are in their intervals. Nothing if there are several.
  struct Only {
    SentElement element;
    IndexExpressions::Inside receives;
  };
  std::optional<Only> sent_to(const IndexNumber& device, const std::vector<IndexNumber>& o,
                              const IndexNumber& s) const;

 private:
  void set_groups(const DeviceGroups& groups, int64_t devices);
  void set_pairs(const DevicePairs& pairs, int64_t devices);
  void set_blocks(const Blocks& blocks);

  const spec::Routes& routes_;
  bool is_known_ = false, is_bag_ = false;
  int64_t group_size_ = 1;
  std::optional<DigitTable> members_, places_;  // of all groups, one after the other
  std::optional<DigitTable> source_;
  IndexNumber receiving_digit(const IndexNumber& device) const {
    return mod(floordiv(device, weight_), size_);
  }
  // The targets that receive something: (v floordiv weight) mod size is from low to high.
  int64_t weight_ = 1, size_ = 1, low_ = 0, high_ = 0;
  std::optional<PartTable> parts_;
};

}  // namespace tileproof::verify
