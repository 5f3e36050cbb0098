#include "sluice/kernels/cuda/cubin_cache.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sluice/base/crc32c.h"
#include "sluice/base/file.h"
#include "sluice/base/file_system.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr std::string_view kMagic = "sluice kernel 1\n";

struct Head {
  uint64_t key_bytes = 0, cubin_bytes = 0;
  uint32_t crc = 0, unused = 0;
};

uint64_t Hash(std::string_view text, uint64_t h) {
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return h ^ (h >> 29);
}

std::string Hex(uint64_t v) {
  std::string text(16, '0');
  for (size_t i = 16; i-- > 0; v >>= 4) text[i] = "0123456789abcdef"[v & 15];
  return text;
}

std::string DefaultFolder() {
  if (const char* chosen = std::getenv("SLUICE_KERNEL_CACHE")) return chosen;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return StrCat(cache, "/sluice/kernels");
  }
  const char* home = std::getenv("HOME");
  return home && *home ? StrCat(home, "/.cache/sluice/kernels") : "";
}

}  // namespace

const CubinCache& CubinCache::Default() {
  static const auto& cache = *new CubinCache(DefaultFolder());
  return cache;
}

std::string CubinCache::PathOf(const std::string& key) const {
  return StrCat(folder_, "/", Hex(Hash(key, 0xcbf29ce484222325u)),
                Hex(Hash(key, 0x9e3779b97f4a7c15u)), ".cubin");
}

std::optional<std::string> CubinCache::Find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  Result<std::string> file = ReadFileBytes(PathOf(key));
  if (!file.ok()) return std::nullopt;
  std::string_view bytes = *file;
  Head head;
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + sizeof head)
    return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  if (head.key_bytes != key.size() || bytes.size() < key.size() ||
      head.cubin_bytes != bytes.size() - key.size() ||
      !bytes.starts_with(key) || Crc32c(bytes) != head.crc) {
    return std::nullopt;
  }
  return std::string(bytes.substr(key.size()));
}

void CubinCache::Store(const std::string& key, const std::string& cubin) const {
  if (folder_.empty()) return;
  FileSystem& files = FileSystem::Current();
  if (!MakeFolders(files, folder_).ok()) return;
  Head head{key.size(), cubin.size(), Crc32c(cubin, Crc32c(key)), 0};
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  (void)WriteFileSafely(files, PathOf(key), bytes + key + cubin);
}

}  // namespace sluice
