// LzMatches: bytes as literals and copies of what stood up to 32 KiB before,
// found by chains of places that begin with the same three bytes.
//
// Looks at the bytes, which must stay; one pass from front to back, one thread.
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
  // How many bytes the tokens so far stand for.
  size_t position() const { return at_; }

 private:
  struct Match {
    size_t length = 0, distance = 0;
  };
  Match Longest(size_t at) const;
  // Makes the place known to later ones.
  void Insert(size_t at);
  uint32_t HashAt(size_t at) const;

  std::string_view bytes_;
  size_t at_ = 0;
  size_t inserted_ = 0;         // places before this one are in the chains
  std::vector<int64_t> head_;   // by hash: the last place, -1 for none
  std::vector<int64_t> chain_;  // by place in the window: the one before
};

}  // namespace sluice
