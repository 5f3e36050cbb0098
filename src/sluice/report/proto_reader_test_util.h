// ProtoMessage: the fields of an encoded message, for tests. An independent
// reader, written from the format's specification, so that it can disagree with
// the writer.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::report {

class ProtoMessage {
 public:
  explicit ProtoMessage(std::string_view bytes) {
    while (!bytes.empty()) {
      uint64_t key = TakeVarint(bytes);
      Field field{static_cast<int>(key >> 3), 0, {}};
      switch (key & 7) {
        case 0:
          field.number = TakeVarint(bytes);
          break;
        case 1:
          field.number = TakeFixed(bytes, 8);
          break;
        case 2: {
          uint64_t length = TakeVarint(bytes);
          EXPECT_LE(length, bytes.size());
          field.bytes = std::string(bytes.substr(0, length));
          bytes.remove_prefix(std::min<size_t>(length, bytes.size()));
          break;
        }
        case 5:
          field.number = TakeFixed(bytes, 4);
          break;
        default:
          ADD_FAILURE() << "kind " << (key & 7);
          return;
      }
      fields_.push_back(std::move(field));
    }
  }

  bool has(int id) const { return find(id) != nullptr; }
  int64_t integer(int id) const {
    return static_cast<int64_t>(find(id) ? find(id)->number : 0);
  }
  double real(int id) const {
    return std::bit_cast<double>(find(id) ? find(id)->number : 0);
  }
  float real32(int id) const {
    return std::bit_cast<float>(
        static_cast<uint32_t>(find(id) ? find(id)->number : 0));
  }
  std::string bytes(int id) const { return find(id) ? find(id)->bytes : ""; }
  ProtoMessage message(int id) const { return ProtoMessage(bytes(id)); }
  std::vector<std::string> all(int id) const {
    std::vector<std::string> found;
    for (const Field& f : fields_) {
      if (f.id == id) found.push_back(f.bytes);
    }
    return found;
  }
  std::vector<double> packed_doubles(int id) const {
    std::vector<double> values;
    std::string held = bytes(id);
    for (std::string_view rest = held; !rest.empty();) {
      values.push_back(std::bit_cast<double>(TakeFixed(rest, 8)));
    }
    return values;
  }

 private:
  struct Field {
    int id;
    uint64_t number;
    std::string bytes;
  };

  const Field* find(int id) const {
    for (const Field& f : fields_) {
      if (f.id == id) return &f;
    }
    return nullptr;
  }
  static uint64_t TakeVarint(std::string_view& bytes) {
    uint64_t value = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(bytes[0]);
      bytes.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "a number is cut off";
    return value;
  }
  static uint64_t TakeFixed(std::string_view& bytes, size_t size) {
    EXPECT_LE(size, bytes.size());
    uint64_t value = 0;
    for (size_t i = 0; i < size && i < bytes.size(); ++i) {
      value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    bytes.remove_prefix(std::min(size, bytes.size()));
    return value;
  }

  std::vector<Field> fields_;
};

}  // namespace sluice::report
