#include "sluice/formats/packed_file.h"

#include <algorithm>

#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/formats/inflate.h"

namespace sluice {

namespace {
// Deflate compresses up to 1000 to 1, but real data hardly 100 to 1: a small
// file that expands to more than this is meant to exhaust memory.
constexpr int64_t kAlwaysTaken = int64_t{256} << 20;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr int64_t kMostRatio = 100;
}  // namespace

std::string QuotedPath(const std::string& path) {
  return StrCat("\"", EscapeString(path), "\"");
}

Result<std::string> ReadMaybePacked(const std::string& path) {
  SL_ASSIGN_OR_RETURN(std::string bytes, ReadFileBytes(path));
  if (!LooksLikeGzip(bytes)) return bytes;
  auto size = static_cast<int64_t>(bytes.size());
  int64_t most =
      size < kMostBytes / kMostRatio ? size * kMostRatio : kMostBytes;
  most = std::max(most, kAlwaysTaken);
  Result<std::string> plain = Gunzip(bytes, most);
  if (plain.ok()) return plain;
  if (plain.status().code() == Code::kResourceExhausted) {
    return ResourceExhausted(StrCat(
        QuotedPath(path), ": ", plain.status().message(), ", which is ",
        most / std::max<int64_t>(size, 1),
        " times its size; unpack it first if it is meant to be so large"));
  }
  return Status(plain.status().code(),
                StrCat(QuotedPath(path), ": ", plain.status().message()));
}

}  // namespace sluice
