// LzMatches: splits bytes into literals and copies from up to 32 KiB before,
// found by chains of positions with the same first three bytes.
//
// Borrows the bytes; one pass from front to back, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice {

// One byte (length 0), or `length` bytes from `distance` before.
struct LzToken {
  uint16_t length = 0;
  uint16_t distance = 0;
  uint8_t literal = 0;
};

class LzMatches {
 public:
  static constexpr size_t kShortest = 3, kLongest = 258, kWindow = 1 << 15;

  explicit LzMatches(std::string_view bytes);

  // The next token; false at the end.
  bool Next(LzToken* token);
  // The number of bytes that the tokens so far represent.
  size_t position() const { return at_; }

 private:
  struct Match {
    size_t length = 0, distance = 0;
  };
  Match Longest(size_t at) const;
  // Adds the position to the chains for later matches.
  void Insert(size_t at);
  uint32_t HashAt(size_t at) const;

  std::string_view bytes_;
  size_t at_ = 0;
  size_t inserted_ = 0;         // positions before this one are in the chains
  std::vector<int64_t> head_;   // by hash: the last position, -1 for none
  std::vector<int64_t> chain_;  // by place in the window: the one before
};

}  // namespace sluice
