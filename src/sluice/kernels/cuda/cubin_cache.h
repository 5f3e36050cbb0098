// CubinCache: compiled kernels on disk, so that a program compiles them once
// and starts quickly from then on.
//
// An entry holds what it was made of: one that does not fit, or is damaged, is
// as good as none and is written anew. Written beside and renamed, so that
// programs may share the folder. What cannot be read or written costs
// compilations, never a result.
//
// Thread safe.
#pragma once

#include <optional>
#include <string>

namespace sluice {

class CubinCache {
 public:
  // In `folder`; empty: nothing is kept.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}
  // Where SLUICE_KERNEL_CACHE says (empty: nowhere), or below the user's cache
  // folder.
  static const CubinCache& Default();

  const std::string& folder() const { return folder_; }
  // What was stored under this very key, whole.
  std::optional<std::string> Find(const std::string& key) const;
  void Store(const std::string& key, const std::string& cubin) const;

 private:
  std::string PathOf(const std::string& key) const;

  const std::string folder_;
};

}  // namespace sluice
