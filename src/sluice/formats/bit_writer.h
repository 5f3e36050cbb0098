// BitWriter: appends bits, starting with the lowest bit of each byte. A plain
// value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

class BitWriter {
 public:
  void Put(uint32_t bits, int count) {
    held_ |= uint64_t{bits} << have_;
    for (have_ += count; have_ >= 8; have_ -= 8) {
      out_.push_back(static_cast<char>(held_));
      held_ >>= 8;
    }
  }
  void Align() {
    if (have_ > 0) Put(0, 8 - have_);
  }
  // REQUIRES: aligned.
  void PutBytes(std::string_view bytes) { out_.append(bytes); }
  std::string Take() {
    Align();
    return std::move(out_);
  }

 private:
  std::string out_;
  uint64_t held_ = 0;
  int have_ = 0;
};

}  // namespace sluice
