#include "sluice/base/source_line.h"

#include <string_view>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

constinit std::atomic<SourceLine::FindCaller*> SourceLine::find_caller =
    nullptr;

std::string SourceLine::ToString() const {
  if (!known()) return "(unknown line)";
  std::string_view name = file;
  if (size_t slash = name.rfind('/'); slash != name.npos) {
    name.remove_prefix(slash + 1);
  }
  return StrCat(name, ":", line);
}

const char* InternString(std::string_view text) {
  static Mutex mu;
  // Never destroyed: nodes may outlive static destruction.
  static std::unordered_set<std::string>& pool SL_GUARDED_BY(mu) =
      *new std::unordered_set<std::string>;
  MutexLock lock(mu);
  return pool.emplace(text).first->c_str();
}

}  // namespace sluice
