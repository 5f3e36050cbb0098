#include "sluice/device/stream_order.h"

#include <algorithm>

#include "sluice/tensor/array.h"

namespace sluice {

UseUntil UseNow(Stream& stream) {
  // Marks and stamps are made together: of two marks in one stream the one with
  // the later stamp must not stand earlier, whichever threads set them.
  static Mutex mu;
  static uint64_t last SL_GUARDED_BY(mu) = 0;
  MutexLock lock(mu);
  return {&stream, stream.Record(), ++last};
}

const EventRef& UseUntil::Mark() {
  if (!event) *this = UseNow(*stream);
  return event;
}

void AddUse(std::vector<UseUntil>& uses, UseUntil use) {
  for (UseUntil& there : uses) {
    if (there.stream != use.stream) continue;
    bool later = there.event && (!use.event || use.stamp > there.stamp);
    if (later) there = std::move(use);
    return;
  }
  uses.push_back(std::move(use));
}

void BlockUse::Begin(Stream& home, bool fresh) {
  MutexLock lock(mu_);
  home_ = &home;
  write_ = {};
  if (!fresh) write_.stream = &home;
  seen_.clear();
  reads_.clear();
  home_read_ = false;
}

std::vector<UseUntil> BlockUse::End(bool mark) {
  MutexLock lock(mu_);
  std::vector<UseUntil> uses = std::move(reads_);
  if (write_.stream && write_.stream != home_) {
    write_.Mark();
    AddUse(uses, std::move(write_));
  }
  // The home stream may have used it without saying so: its order was enough.
  AddUse(uses, mark ? UseNow(*home_) : UseUntil{home_, nullptr, 0});
  write_ = {};
  reads_.clear();
  seen_.clear();
  return uses;
}

void BlockUse::WaitForWriter(Stream& s) {
  if (!write_.stream || write_.stream == &s) return;
  if (std::find(seen_.begin(), seen_.end(), &s) != seen_.end()) return;
  s.WaitFor(write_.Mark());
  seen_.push_back(&s);
}

void BlockUse::BeforeRead(Stream& s) {
  MutexLock lock(mu_);
  WaitForWriter(s);
}

void BlockUse::AfterRead(Stream& s) {
  MutexLock lock(mu_);
  if (&s == home_) {
    home_read_ = true;
  } else {
    AddUse(reads_, UseNow(s));
  }
}

void BlockUse::BeforeWrite(Stream& s) {
  MutexLock lock(mu_);
  WaitForWriter(s);
  for (UseUntil& read : reads_) {
    if (read.stream != &s) s.WaitFor(read.Mark());
  }
  if (home_read_ && &s != home_) s.WaitFor(home_->Record());
}

void BlockUse::AfterWrite(Stream& s, bool mark) {
  MutexLock lock(mu_);
  // It came after everything before it, so later uses need wait for it alone.
  reads_.clear();
  seen_.clear();
  home_read_ = false;
  write_ = mark ? UseNow(s) : UseUntil{&s, nullptr, 0};
}

BlockUse* BlockUseOf(const Array& array) {
  if (!array || array.on_host() || !array.buffer()) return nullptr;
  return static_cast<BlockUse*>(array.buffer()->block().record);
}

void BeforeRead(Stream& s, const Array& a) {
  if (BlockUse* use = BlockUseOf(a)) use->BeforeRead(s);
}
void AfterRead(Stream& s, const Array& a) {
  if (BlockUse* use = BlockUseOf(a)) use->AfterRead(s);
}
void BeforeWrite(Stream& s, const Array& a) {
  if (BlockUse* use = BlockUseOf(a)) use->BeforeWrite(s);
}
void AfterWrite(Stream& s, const Array& a, bool mark) {
  if (BlockUse* use = BlockUseOf(a)) use->AfterWrite(s, mark);
}

}  // namespace sluice
