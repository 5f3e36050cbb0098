#include "sluice/formats/inflate_raw_test_util.h"

#include "sluice/formats/inflate.h"

namespace sluice {

namespace {

void AppendLittle32(std::string* to, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    to->push_back(static_cast<char>(value >> shift));
  }
}

}  // namespace

std::string InflateRaw(std::string_view packed, std::string_view expected) {
  std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  gzip += packed;
  AppendLittle32(&gzip, Crc32(expected));
  AppendLittle32(&gzip, static_cast<uint32_t>(expected.size()));
  Result<std::string> bytes =
      Gunzip(gzip, static_cast<int64_t>(expected.size()));
  return bytes.ok() ? *bytes : bytes.status().message();
}

}  // namespace sluice
