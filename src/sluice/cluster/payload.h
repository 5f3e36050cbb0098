// Payload: the bytes of one message, as reference-counted slices. A slice may
// point into a tensor, whose memory is then written to the network directly.
//
// A value; slices are immutable. PayloadReader borrows one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/tensor/array.h"

namespace sluice::cluster {

struct Slice {
  const char* data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> owner;
};

class Payload {
 public:
  Payload() = default;
  explicit Payload(std::string bytes) { Append(std::move(bytes)); }

  void Append(std::string bytes);
  void Append(Slice slice);
  void Append(Payload other);
  // Appends the elements without a copy. REQUIRES: contiguous, plain data, on
  // the host.
  void AppendElements(const Array& array);

  size_t size() const { return size_; }
  std::span<const Slice> slices() const { return slices_; }
  std::string ToString() const;  // a copy of all bytes
  // A range of bytes, without a copy. REQUIRES: the range is valid.
  Payload Part(size_t offset, size_t size) const;

 private:
  std::vector<Slice> slices_;
  size_t size_ = 0;
};

// Reads a payload from its beginning, and never past its end.
class PayloadReader {
 public:
  explicit PayloadReader(const Payload& payload)
      : slices_(payload.slices()), left_(payload.size()) {}
  size_t left() const { return left_; }
  // False if fewer bytes are left; then nothing is read.
  bool Read(void* to, size_t size);
  bool ReadString(std::string* to, size_t size);
  // The checksum of the next bytes, which are not consumed, continued from the
  // checksum `before`.
  // REQUIRES: size <= left().
  uint32_t Crc(size_t size, uint32_t before = 0) const;

 private:
  template <class F>
  void Walk(size_t size, const F& visit) const;

  std::span<const Slice> slices_;
  size_t offset_ = 0;  // in the first slice
  size_t left_;
};

}  // namespace sluice::cluster
