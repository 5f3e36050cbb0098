#include "sluice/formats/protobuf_reader.h"

#include "sluice/base/strings.h"

namespace sluice {

Status WireReader::Wrong(std::string_view what) const {
  return DataLoss(StrCat("protobuf data at byte ", position(), ": ", what));
}

Result<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (done()) return Wrong("the data end in a number");
    auto byte = static_cast<unsigned char>(bytes_[at_]);
    if (shift == 63 && byte > 1) return Wrong("a number beyond 64 bits");
    ++at_;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return Wrong("a number of more than 10 bytes");
}

Result<uint64_t> WireReader::Fixed(size_t n) {
  if (bytes_.size() - at_ < n) return Wrong("the data end in a number");
  uint64_t value = 0;
  for (size_t i = 0; i < n; ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
  }
  at_ += n;
  return value;
}

Result<uint32_t> WireReader::Fixed32() {
  SL_ASSIGN_OR_RETURN(uint64_t value, Fixed(4));
  return static_cast<uint32_t>(value);
}

Result<WireReader::Field> WireReader::Next() {
  size_t begin = at_;
  SL_ASSIGN_OR_RETURN(uint64_t key, Varint());
  Field field;
  uint64_t number = key >> 3;
  if (number == 0 || number >= (uint64_t{1} << 29)) {
    at_ = begin;
    return Wrong(StrCat("field number ", number, "; wanted 1 to 2^29 - 1"));
  }
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<Type>(key & 7);
  switch (field.type) {
    case Type::kVarint: {
      SL_ASSIGN_OR_RETURN(field.value, Varint());
      return field;
    }
    case Type::k64: {
      SL_ASSIGN_OR_RETURN(field.value, Fixed(8));
      return field;
    }
    case Type::k32: {
      SL_ASSIGN_OR_RETURN(field.value, Fixed(4));
      return field;
    }
    case Type::kBytes: {
      SL_ASSIGN_OR_RETURN(uint64_t length, Varint());
      if (length > bytes_.size() - at_) {
        return Wrong(StrCat("a field of ", length, " bytes, of which ",
                            bytes_.size() - at_, " are there"));
      }
      field.bytes = bytes_.substr(at_, static_cast<size_t>(length));
      field.position = position();
      at_ += static_cast<size_t>(length);
      return field;
    }
  }
  at_ = begin;
  return Wrong(StrCat("field type ", key & 7, "; wanted 0, 1, 2 or 5"));
}

}  // namespace sluice
