#include "sluice/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sluice {

namespace {

// tables[k][b]: the checksum of byte b followed by k zero bytes.
using Tables = std::array<std::array<uint32_t, 256>, 8>;
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0);
    }
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      uint32_t crc = tables[k - 1][b];
      tables[k][b] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();

#if defined(__aarch64__)
__attribute__((target("+crc"))) uint32_t ByInstruction(std::string_view bytes,
                                                       uint32_t crc) {
  const char* p = bytes.data();
  size_t n = bytes.size();
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = __crc32cd(crc, word);
  }
  for (; n > 0; ++p, --n) crc = __crc32cb(crc, static_cast<uint8_t>(*p));
  return crc;
}
bool HasInstruction() { return (getauxval(AT_HWCAP) & (1u << 7)) != 0; }
#elif defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes,
                                                         uint32_t crc) {
  const char* p = bytes.data();
  size_t n = bytes.size();
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = static_cast<uint32_t>(_mm_crc32_u64(crc, word));
  }
  for (; n > 0; ++p, --n) {
    crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*p));
  }
  return crc;
}
bool HasInstruction() { return __builtin_cpu_supports("sse4.2"); }
#else
uint32_t ByInstruction(std::string_view bytes, uint32_t crc) {
  return ~Crc32cByTable(bytes, ~crc);
}
bool HasInstruction() { return false; }
#endif

}  // namespace

uint32_t Crc32cByTable(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t n = bytes.size();
  for (; n >= 8; p += 8, n -= 8) {
    crc ^= uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 |
           uint32_t{p[3]} << 24;
    crc = kTables[7][crc & 0xff] ^ kTables[6][crc >> 8 & 0xff] ^
          kTables[5][crc >> 16 & 0xff] ^ kTables[4][crc >> 24] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^
          kTables[0][p[7]];
  }
  for (; n > 0; ++p, --n) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

uint32_t Crc32c(std::string_view bytes, uint32_t before) {
  static const bool kHasInstruction = HasInstruction();
  if (!kHasInstruction) return Crc32cByTable(bytes, before);
  return ~ByInstruction(bytes, ~before);
}

}  // namespace sluice
