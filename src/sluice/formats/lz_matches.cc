#include "sluice/formats/lz_matches.h"

#include <algorithm>

namespace sluice {

namespace {
constexpr int kHashBits = 15;
// The number of candidates examined for one match, and the length that is good
// enough to stop: images and numbers gain little from more.
constexpr int kMostTries = 48;
constexpr size_t kGoodEnough = 128;
}  // namespace

LzMatches::LzMatches(std::string_view bytes)
    : bytes_(bytes), head_(size_t{1} << kHashBits, -1), chain_(kWindow, -1) {}

uint32_t LzMatches::HashAt(size_t at) const {
  uint32_t three = 0;
  for (size_t i = 0; i < kShortest; ++i) {
    three = three << 8 | static_cast<unsigned char>(bytes_[at + i]);
  }
  return three * 0x9e3779b1u >> (32 - kHashBits);
}

void LzMatches::Insert(size_t at) {
  if (at + kShortest > bytes_.size()) return;
  int64_t& head = head_[HashAt(at)];
  chain_[at % kWindow] = head;
  head = static_cast<int64_t>(at);
}

LzMatches::Match LzMatches::Longest(size_t at) const {
  Match best;
  if (at + kShortest > bytes_.size()) return best;
  size_t most = std::min(kLongest, bytes_.size() - at);
  int64_t place = head_[HashAt(at)];
  for (int tries = 0; tries < kMostTries && place >= 0; ++tries) {
    auto from = static_cast<size_t>(place);
    if (at - from >= kWindow) break;
    // Only matches longer than the best so far matter.
    if (best.length == 0 ||
        bytes_[from + best.length] == bytes_[at + best.length]) {
      size_t length = 0;
      while (length < most && bytes_[from + length] == bytes_[at + length]) {
        ++length;
      }
      if (length >= kShortest && length > best.length) {
        best = {length, at - from};
        if (length == most || length >= kGoodEnough) break;
      }
    }
    place = chain_[from % kWindow];
  }
  return best;
}

bool LzMatches::Next(LzToken* token) {
  if (at_ >= bytes_.size()) return false;
  while (inserted_ < at_) Insert(inserted_++);
  Match match = Longest(at_);
  if (match.length > 0 && match.length < kGoodEnough) {
    // A literal is better if a longer match begins right after it.
    Insert(inserted_++);
    if (Longest(at_ + 1).length > match.length) match = {};
  }
  if (match.length == 0) {
    *token = {.literal = static_cast<uint8_t>(bytes_[at_])};
    ++at_;
  } else {
    *token = {.length = static_cast<uint16_t>(match.length),
              .distance = static_cast<uint16_t>(match.distance)};
    at_ += match.length;
  }
  return true;
}

}  // namespace sluice
