// CubinCache: compiled kernels on disk, so that a program compiles them once
// and starts quickly afterwards.
//
// An entry contains its full key: one that does not match, or is damaged, is
// ignored and rewritten. Files are written under a temporary name and renamed,
// so that programs may share the folder. A read or write error costs a
// compilation, never a result.
//
// Thread safe.
#pragma once

#include <optional>
#include <string>

namespace sluice {

class CubinCache {
 public:
  // In `folder`; empty: no caching.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}
  // The cache in SLUICE_KERNEL_CACHE (empty: none), or below the user's cache
  // folder.
  static const CubinCache& Default();

  const std::string& folder() const { return folder_; }
  // The complete entry stored under exactly this key.
  std::optional<std::string> Find(const std::string& key) const;
  void Store(const std::string& key, const std::string& cubin) const;

 private:
  std::string PathOf(const std::string& key) const;

  const std::string folder_;
};

}  // namespace sluice
