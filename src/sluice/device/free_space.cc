#include "sluice/device/free_space.h"

#include <algorithm>
#include <iterator>

namespace sluice {

namespace {

// A search for the best place looks at so many before it makes do with another.
constexpr size_t kMostTried = 32;

bool Over(const UseUntil& use) { return use.event && use.event->Reached(); }

bool ReadyFor(const FreeSpace::Part& part, const Stream& stream) {
  return std::all_of(
      part.uses.begin(), part.uses.end(),
      [&](const UseUntil& use) { return use.stream == &stream || Over(use); });
}

bool AllOver(const FreeSpace::Part& part) {
  return std::all_of(part.uses.begin(), part.uses.end(), Over);
}

// Of its last use; those that nobody has marked come last.
uint64_t LastStamp(const FreeSpace::Part& part) {
  uint64_t last = 0;
  for (const UseUntil& use : part.uses) {
    last = std::max(last, use.event ? use.stamp : UINT64_MAX);
  }
  return last;
}

bool SameUses(const FreeSpace::Part& a, const FreeSpace::Part& b) {
  return a.uses.size() == b.uses.size() &&
         std::all_of(a.uses.begin(), a.uses.end(), [&](const UseUntil& use) {
           return std::any_of(
               b.uses.begin(), b.uses.end(), [&](const UseUntil& u) {
                 return u.stream == use.stream && u.event == use.event;
               });
         });
}

}  // namespace

FreeSpace::FreeSpace(char* begin, int64_t bytes, int64_t apart_up_to)
    : apart_up_to_(apart_up_to) {
  Insert({begin, bytes, {}});
}

// Those that are in one stream's plain order: who asks there waits for nothing.
bool FreeSpace::KeepApart(Part& part) {
  constexpr int64_t kMostBytes = int64_t{16} << 20;
  constexpr size_t kMostOfASize = 16;
  if (part.bytes > apart_up_to_ || part.uses.size() != 1 ||
      part.uses[0].event || bytes_apart_ + part.bytes > kMostBytes) {
    return false;
  }
  std::vector<Part>& alike = apart_[part.bytes];
  if (alike.size() >= kMostOfASize) return false;
  bytes_apart_ += part.bytes;
  ++num_apart_;
  alike.push_back(std::move(part));
  return true;
}

std::optional<FreeSpace::Part> FreeSpace::TakeApart(int64_t bytes,
                                                    const Stream& stream) {
  if (num_apart_ == 0) return std::nullopt;
  auto alike = apart_.find(bytes);
  if (alike == apart_.end() || alike->second.empty() ||
      alike->second.back().uses[0].stream != &stream) {
    return std::nullopt;
  }
  Part part = std::move(alike->second.back());
  alike->second.pop_back();
  bytes_apart_ -= part.bytes;
  --num_apart_;
  owed_ -= part.owed;
  part.owed = 0;
  return part;
}

void FreeSpace::GiveApart() {
  for (auto& [bytes, alike] : apart_) {
    for (Part& part : alike) Join(std::move(part));
  }
  apart_.clear();
  num_apart_ = 0;
  bytes_apart_ = 0;
}

void FreeSpace::Index(const Part& part) {
  by_size_.insert({part.bytes, part.begin});
  if (part.owed > 0) by_age_.insert({LastStamp(part), part.begin});
}

void FreeSpace::Unindex(const Part& part) {
  by_size_.erase({part.bytes, part.begin});
  if (part.owed > 0) by_age_.erase({LastStamp(part), part.begin});
}

void FreeSpace::Insert(Part part) {
  Index(part);
  char* begin = part.begin;
  parts_.emplace(begin, std::move(part));
}

bool FreeSpace::Join(Parts::iterator left, Parts::iterator right) {
  Part& a = left->second;
  Part& b = right->second;
  if (a.begin + a.bytes != b.begin) return false;
  if (!SameUses(a, b) && !(AllOver(a) && AllOver(b))) return false;
  Unindex(a);
  Unindex(b);
  a.bytes += b.bytes;
  a.owed += b.owed;
  for (UseUntil& use : b.uses) AddUse(a.uses, std::move(use));
  Index(a);
  parts_.erase(right);
  return true;
}

void FreeSpace::Give(Part part) {
  owed_ += part.owed;
  if (!KeepApart(part)) Join(std::move(part));
}

void FreeSpace::Join(Part part) {
  char* begin = part.begin;
  Insert(std::move(part));
  auto at = parts_.find(begin);
  if (auto next = std::next(at); next != parts_.end()) Join(at, next);
  if (at != parts_.begin()) Join(std::prev(at), at);
  // Uses end without anybody being told; looking now and then is enough.
  if (parts_.size() > 2 * joined_parts_ + 64) JoinAll();
}

void FreeSpace::JoinAll() {
  for (auto at = parts_.begin(); at != parts_.end();) {
    auto next = std::next(at);
    if (next == parts_.end() || !Join(at, next)) at = next;
  }
  joined_parts_ = parts_.size();
}

std::optional<FreeSpace::Run> FreeSpace::FindPart(int64_t bytes,
                                                  const Stream& stream) {
  size_t tried = 0;
  for (auto at = by_size_.lower_bound({bytes, nullptr}); at != by_size_.end();
       ++at) {
    auto part = parts_.find(at->second);
    if (ReadyFor(part->second, stream)) return Run{part, at->first};
    if (++tried == kMostTried) break;
  }
  // The largest is often the one that nobody has used yet.
  auto largest =
      by_size_.empty() ? parts_.end() : parts_.find(by_size_.rbegin()->second);
  if (largest != parts_.end() && largest->second.bytes >= bytes &&
      ReadyFor(largest->second, stream)) {
    return Run{largest, largest->second.bytes};
  }
  return std::nullopt;
}

std::optional<FreeSpace::Run> FreeSpace::FindRun(int64_t bytes,
                                                 const Stream* ready_for) {
  std::optional<Run> best;
  Run run{parts_.end(), 0};
  char* end = nullptr;
  auto take = [&] {
    if (run.bytes >= bytes && (!best || run.bytes < best->bytes)) best = run;
  };
  for (auto at = parts_.begin(); at != parts_.end(); ++at) {
    const Part& part = at->second;
    bool usable = !ready_for || ReadyFor(part, *ready_for);
    if (!usable || part.begin != end) {
      take();
      run = {at, 0};
    }
    if (usable) {
      run.bytes += part.bytes;
      end = part.begin + part.bytes;
    } else {
      end = nullptr;
    }
  }
  take();
  return best;
}

FreeSpace::Part FreeSpace::Cut(Run run, int64_t bytes) {
  Part taken{run.first->second.begin, bytes};
  auto at = run.first;
  for (int64_t left = bytes; left > 0;) {
    Unindex(at->second);
    Part part = std::move(at->second);
    at = parts_.erase(at);
    for (const UseUntil& use : part.uses) AddUse(taken.uses, use);
    // Whoever takes addresses takes the memory that comes with them.
    int64_t owed = std::min(part.owed, left);
    owed_ -= owed;
    if (part.bytes > left) {
      Insert({part.begin + left, part.bytes - left, std::move(part.uses),
              part.owed - owed});
    }
    left -= std::min(left, part.bytes);
  }
  return taken;
}

std::vector<UseUntil> FreeSpace::Settle(int64_t bytes, const Stream& stream) {
  GiveApart();
  std::vector<UseUntil> uses;
  auto settle = [&](Part& part) {
    Unindex(part);
    int64_t settled = std::min(bytes, part.owed);
    part.owed -= settled;
    owed_ -= settled;
    bytes -= settled;
    Index(part);
    for (const UseUntil& use : part.uses) AddUse(uses, use);
  };
  std::vector<Part*> oldest;
  for (const auto& [stamp, begin] : by_age_) {
    if (oldest.size() == kMostTried) break;
    oldest.push_back(&parts_.find(begin)->second);
  }
  for (Part* part : oldest) {
    if (bytes > 0 && ReadyFor(*part, stream)) settle(*part);
  }
  while (bytes > 0) settle(parts_.find(by_age_.begin()->second)->second);
  return uses;
}

std::optional<FreeSpace::Part> FreeSpace::Take(int64_t bytes,
                                               const Stream& stream) {
  if (std::optional<Part> same = TakeApart(bytes, stream)) return same;
  std::optional<Run> run = FindPart(bytes, stream);
  if (!run) {
    GiveApart();
    JoinAll();
    run = FindRun(bytes, &stream);
  }
  if (!run) run = FindRun(bytes, nullptr);
  if (!run) return std::nullopt;
  return Cut(*run, bytes);
}

}  // namespace sluice
