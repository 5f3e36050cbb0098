#include "sluice/data/packed_file.h"

#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/inflate.h"

namespace sluice::data {

namespace {
// Deflate packs at most about 1000 to 1, so that a small file that unpacks to
// more is no data of anybody's.
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr int64_t kMostRatio = 1100;
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
  Result<std::string> plain = Gunzip(bytes, most);
  if (plain.ok()) return plain;
  return Status(plain.status().code(),
                StrCat(QuotedPath(path), ": ", plain.status().message()));
}

}  // namespace sluice::data
