// ByteCursor: reads the numbers and texts of the graph's binary form from bytes
// that may be truncated or altered. The first error sticks and every later read
// returns zero, so a decoder checks once per record. Borrows the bytes.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/base/strings.h"

namespace sluice {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  size_t left() const { return bytes_.size() - at_; }
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  void Fail(std::string_view what) {
    if (!ok()) return;
    status_ = DataLoss(StrCat("graph bytes at ", at_, ": ", what));
    at_ = bytes_.size();
  }
  // Another function's error, with this position.
  Status At(const Status& status) const {
    return Status(status.code(),
                  StrCat("graph bytes at ", at_, ": ", status.message()));
  }

  uint8_t Byte() {
    if (left() < 1) {
      Fail("cut short");
      return 0;
    }
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t Int() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    Fail("a number is too long");
    return 0;
  }
  int64_t Signed() {
    uint64_t v = Int();
    return static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1));
  }
  uint64_t Fixed64() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= static_cast<uint64_t>(Byte()) << (8 * i);
    return value;
  }
  std::string_view Take(size_t n) {
    if (n > left()) {
      Fail("cut short");
      return {};
    }
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  std::string_view Bytes() { return Take(Count(1)); }
  // A count of items of at least `bytes_each` bytes.
  size_t Count(size_t bytes_each) {
    uint64_t n = Int();
    if (n > left() / bytes_each) {
      Fail(StrCat("a count is ", n, " with ", left(), " bytes left"));
      return 0;
    }
    return static_cast<size_t>(n);
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace sluice
