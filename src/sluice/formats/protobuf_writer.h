// ProtoWriter: protobuf's wire format, the writing half: consecutive fields,
// each a number, a kind and its bytes. protobuf_reader.h explains why it is our
// own.
//
// ProtoWriter event;
// event.Double(1, wall_time).Int(2, step).Message(5, summary);
//
// A plain value; it holds the encoded message.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class ProtoWriter {
 public:
  // int64, int32, enum and bool fields. Negative ones take ten bytes, as the
  // format requires.
  ProtoWriter& Int(int field, int64_t value) {
    Key(field, kVarint);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  ProtoWriter& Double(int field, double value) {
    Key(field, kFixed64);
    Fixed(std::bit_cast<uint64_t>(value));
    return *this;
  }
  ProtoWriter& Float(int field, float value) {
    Key(field, kFixed32);
    Fixed(std::bit_cast<uint32_t>(value));
    return *this;
  }
  // string, bytes and message fields.
  ProtoWriter& Bytes(int field, std::string_view bytes) {
    Key(field, kLength);
    Varint(bytes.size());
    bytes_.append(bytes);
    return *this;
  }
  ProtoWriter& Message(int field, const ProtoWriter& message) {
    return Bytes(field, message.bytes_);
  }
  ProtoWriter& PackedInts(int field, std::span<const int64_t> values) {
    ProtoWriter all;
    for (int64_t v : values) all.Varint(static_cast<uint64_t>(v));
    return Message(field, all);
  }
  ProtoWriter& PackedFloats(int field, std::span<const float> values) {
    ProtoWriter all;
    for (float v : values) all.Fixed(std::bit_cast<uint32_t>(v));
    return Message(field, all);
  }
  ProtoWriter& PackedDoubles(int field, const std::vector<double>& values) {
    ProtoWriter all;
    for (double v : values) all.Fixed(std::bit_cast<uint64_t>(v));
    return Message(field, all);
  }

  // Appends all fields of another message.
  ProtoWriter& Append(const ProtoWriter& other) {
    bytes_ += other.bytes_;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  enum Kind : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

  void Key(int field, Kind kind) {
    Varint(static_cast<uint64_t>(field) << 3 | kind);
  }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_.push_back(static_cast<char>(value | 0x80));
    }
    bytes_.push_back(static_cast<char>(value));
  }
  template <class T>
  void Fixed(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
  }

  std::string bytes_;
};

}  // namespace sluice
