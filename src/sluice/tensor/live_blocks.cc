#include "sluice/tensor/live_blocks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <tuple>

#include "sluice/base/strings.h"
#include "sluice/tensor/memory.h"

namespace sluice {

constinit thread_local const AllocatesFor* AllocatesFor::current_ = nullptr;

namespace {

constexpr size_t kMostLines = 12;

std::string SiteText(const AllocationSite& site) {
  if (site.op.empty() && !site.line.known()) return "by no op of a graph";
  std::string text;
  if (!site.op.empty()) StrAppend(text, "by ", site.op);
  if (site.line.known()) {
    StrAppend(text, text.empty() ? "at " : " at ", site.line.ToString());
  }
  return text;
}

const char* Arrays(int64_t n) { return n == 1 ? " array" : " arrays"; }

}  // namespace

std::vector<LiveGroup> Merged(std::vector<LiveGroup> groups) {
  std::map<std::tuple<std::string_view, std::string_view, int>, LiveGroup> by;
  for (const LiveGroup& group : groups) {
    LiveGroup& sum =
        by[{group.site.op, group.site.line.file, group.site.line.line}];
    sum.site = group.site;
    sum.bytes += group.bytes;
    sum.blocks += group.blocks;
  }
  std::vector<LiveGroup> merged;
  for (auto& [key, group] : by) merged.push_back(group);
  std::sort(merged.begin(), merged.end(),
            [](const LiveGroup& a, const LiveGroup& b) {
              if (a.bytes != b.bytes) return a.bytes > b.bytes;
              if (a.site.op != b.site.op) return a.site.op < b.site.op;
              return a.site.line.line < b.site.line.line;
            });
  return merged;
}

std::string OutOfMemoryText(const Allocator& allocator, int64_t wanted) {
  AllocatorStats stats = allocator.stats();
  std::string text = "out of memory";
  if (allocator.memory()) {
    StrAppend(text, " on ", DeviceNameOf(allocator.memory()));
  }
  StrAppend(text, ": wanted ", HumanBytes(wanted), " (", wanted, " bytes), ",
            HumanBytes(stats.bytes_in_use));
  const auto* tells = dynamic_cast<const TellsLive*>(&allocator);
  if (!tells) return text + " are in use";
  TellsLive::Live live = tells->TellLive();
  if (live.limit < INT64_MAX) {
    StrAppend(text, " of ", HumanBytes(live.limit));
  }
  text += " are in use";
  std::vector<LiveGroup> groups = Merged(std::move(live.groups));
  size_t shown = std::min(groups.size(), kMostLines);
  for (size_t i = 0; i < shown; ++i) {
    const LiveGroup& group = groups[i];
    StrAppend(text, i == 0 ? ":\n  " : "\n  ", HumanBytes(group.bytes), " in ",
              group.blocks, Arrays(group.blocks), " made ",
              SiteText(group.site));
  }
  LiveGroup rest;
  for (size_t i = shown; i < groups.size(); ++i) {
    rest.bytes += groups[i].bytes;
    rest.blocks += groups[i].blocks;
  }
  if (rest.blocks > 0) {
    StrAppend(text, "\n  ", HumanBytes(rest.bytes), " in ", rest.blocks,
              Arrays(rest.blocks), " made at ", groups.size() - shown,
              " other places");
  }
  return text;
}

LiveBlocks::Entry* LiveBlocks::Add(int64_t bytes, void* record) {
  auto* entry = new (std::nothrow) Entry;
  if (!entry) return nullptr;
  entry->bytes = bytes;
  entry->site = AllocatesFor::Current();
  entry->record = record;
  MutexLock lock(mu_);
  entry->after = first_;
  if (first_) first_->before = entry;
  first_ = entry;
  return entry;
}

void LiveBlocks::Remove(Entry* entry) {
  {
    MutexLock lock(mu_);
    (entry->before ? entry->before->after : first_) = entry->after;
    if (entry->after) entry->after->before = entry->before;
  }
  delete entry;
}

std::vector<LiveGroup> LiveBlocks::Groups() const {
  // Merged while they are read: a list of all blocks might not fit in memory.
  std::map<std::tuple<const char*, const char*, int>, LiveGroup> by;
  MutexLock lock(mu_);
  for (const Entry* e = first_; e; e = e->after) {
    const SourceLine& line = e->site.line;
    LiveGroup& sum = by[{e->site.op.data(), line.file, line.line}];
    sum.site = e->site;
    sum.bytes += e->bytes;
    ++sum.blocks;
  }
  std::vector<LiveGroup> groups;
  for (auto& [key, group] : by) groups.push_back(group);
  return groups;
}

}  // namespace sluice
