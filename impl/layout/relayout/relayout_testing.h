// SPDX-License-Identifier: Apache-2.0
// For tests of copies: memory beside which nobody may read or write.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace tileproof::impl {

// Memory that ends (or begins) at a page that nobody may touch.
class GuardedBytes {
 public:
  GuardedBytes(int64_t size, bool at_end) : size_(static_cast<size_t>(size)) {
    const size_t page = static_cast<size_t>(getpagesize());
    inner_ = (size_ + page - 1) / page * page;
    all_ = static_cast<char*>(
        mmap(nullptr, inner_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char* first = all_ + page;
    mprotect(first, inner_, PROT_READ | PROT_WRITE);
    data_ = at_end ? first + inner_ - size_ : first;
  }
  ~GuardedBytes() { munmap(all_, inner_ + 2 * static_cast<size_t>(getpagesize())); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  char* data() { return data_; }
  size_t size() const { return size_; }

 private:
  size_t size_, inner_;
  char *all_, *data_;
};

}  // namespace tileproof::impl
