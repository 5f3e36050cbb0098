// Protobuf's wire format, the reading half: fields of a number and a type, one
// after another. protobuf_writer.h is the other half.
//
// Ours: a few messages are read, and a machine need not have libprotobuf.
// Reads only inside the bytes it was given. Plain values, for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

class WireReader {
 public:
  // `offset`: where the bytes begin in what messages count.
  explicit WireReader(std::string_view bytes, size_t offset = 0)
      : bytes_(bytes), offset_(offset) {}

  bool done() const { return at_ == bytes_.size(); }
  size_t position() const { return offset_ + at_; }

  enum class Type : uint8_t { kVarint = 0, k64 = 1, kBytes = 2, k32 = 5 };
  struct Field {
    uint32_t number = 0;
    Type type = Type::kVarint;
    uint64_t value = 0;      // of a number
    std::string_view bytes;  // of kBytes
    size_t position = 0;     // where those begin
  };
  // The next field. REQUIRES: !done(). Error: DataLoss with the byte.
  Result<Field> Next();
  // One number where only numbers are: a packed list.
  Result<uint64_t> Varint();
  Result<uint32_t> Fixed32();

 private:
  Status Wrong(std::string_view what) const;
  Result<uint64_t> Fixed(size_t n);

  std::string_view bytes_;
  size_t offset_;
  size_t at_ = 0;
};

}  // namespace sluice
