#include "sluice/eager/shared_outside.h"

#include <unordered_map>

#include "sluice/base/crc32c.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

// Never destroyed: sharing may end while the process does.
struct Sharings {
  Mutex mu;
  std::unordered_multimap<const WriteLog*, SharedOutside*> by_log
      SL_GUARDED_BY(mu);
};
Sharings& All() {
  static auto* all = new Sharings;
  return *all;
}

}  // namespace

std::atomic<int> SharedOutside::any_{0};

uint32_t SharedOutside::SumOf(const Array& array) {
  if (!IsPlainData(array.dtype()) || !array.on_host()) return 0;
  Result<Array> flat = array.AsContiguous();
  // Without memory for it, nothing is noticed.
  if (!flat.ok()) return 0;
  return Crc32c({static_cast<const char*>(flat->raw()),
                 static_cast<size_t>(flat->bytes())});
}

SharedOutside::SharedOutside(EagerValue& value, SourceLine line) : line_(line) {
  // In the hands of the value alone, its elements are kept by nobody.
  bool others = !value.writes().unique();
  log_ = value.log;
  if (others && IsPlainData(value.array.dtype()) && value.array.on_host()) {
    array_ = value.array;
    sum_ = SumOf(array_);
  }
  Join();
}

SharedOutside::SharedOutside(WriteLog& log) : log_(Ref<WriteLog>::Share(&log)) {
  Join();
}

void SharedOutside::Join() {
  Sharings& all = All();
  MutexLock lock(all.mu);
  all.by_log.emplace(log_.get(), this);
  ++any_;
}

SharedOutside::~SharedOutside() {
  Sharings& all = All();
  MutexLock lock(all.mu);
  Look();
  auto [begin, end] = all.by_log.equal_range(log_.get());
  for (auto it = begin; it != end; ++it) {
    if (it->second != this) continue;
    all.by_log.erase(it);
    break;
  }
  --any_;
}

void SharedOutside::Look() {
  if (!array_) return;
  uint32_t now = SumOf(array_);
  if (now == sum_) return;
  sum_ = now;
  ++log_->count;
  log_->last = line_;
}

bool SharedOutside::Find(const WriteLog* log) {
  Sharings& all = All();
  MutexLock lock(all.mu);
  return all.by_log.contains(log);
}

void SharedOutside::Notice(WriteLog& log) {
  Sharings& all = All();
  MutexLock lock(all.mu);
  auto [begin, end] = all.by_log.equal_range(&log);
  for (auto it = begin; it != end; ++it) it->second->Look();
}

}  // namespace sluice
