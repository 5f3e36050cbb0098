// Maps numbers to unsigned integers in the same order, so that sorting,
// selecting and comparing work on plain bits. All NaNs have one key above all
// others; -0 and +0 have one key unless signs are kept. Stateless.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "sluice/tensor/dtype.h"

namespace sluice {

template <int bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = uint64_t;
};

template <class T>
struct SortKey {
  using Key = typename UnsignedOf<sizeof(T)>::type;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr Key kSign = static_cast<Key>(Key{1} << (kBits - 1));
  static constexpr bool kFloat = !std::is_integral_v<T>;
  // The bits of infinity; larger magnitudes are NaN.
  static constexpr Key kInf =
      std::is_same_v<T, f16>    ? static_cast<Key>(0x7c00)
      : std::is_same_v<T, bf16> ? static_cast<Key>(0x7f80)
      : sizeof(T) == 4          ? static_cast<Key>(0x7f800000)
                                : static_cast<Key>(uint64_t{0x7ff} << 52);

  template <bool kKeepZeros = false>
  static Key Of(T v) {
    Key bits = std::bit_cast<Key>(v);
    if constexpr (!kFloat) {
      return std::is_signed_v<T> ? static_cast<Key>(bits ^ kSign) : bits;
    } else {
      auto size = static_cast<Key>(bits & static_cast<Key>(~kSign));
      if (!kKeepZeros && size == 0) bits = 0;
      auto flip =
          static_cast<Key>(bits & kSign ? static_cast<Key>(~Key{0}) : kSign);
      return size > kInf ? static_cast<Key>(~Key{0})
                         : static_cast<Key>(bits ^ flip);
    }
  }

  // The number of a key made with kKeepZeros; some quiet NaN for a NaN key.
  static T From(Key key) {
    if constexpr (!kFloat) {
      return std::bit_cast<T>(
          std::is_signed_v<T> ? static_cast<Key>(key ^ kSign) : key);
    } else {
      auto flip =
          static_cast<Key>(key & kSign ? kSign : static_cast<Key>(~Key{0}));
      return std::bit_cast<T>(static_cast<Key>(key ^ flip));
    }
  }
};

}  // namespace sluice
