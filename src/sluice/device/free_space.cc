#include "sluice/device/free_space.h"

#include <algorithm>
#include <iterator>

namespace sluice {

namespace {

// A search by size gives up after so many places that would have to wait, and
// goes through all of them instead: there is either a free one soon or hardly
// any.
constexpr int kMostTried = 32;

bool Over(const UseUntil& use) { return use.event && use.event->Reached(); }

bool ReadyFor(const FreeSpace::Part& part, const Stream& stream) {
  return std::all_of(
      part.uses.begin(), part.uses.end(),
      [&](const UseUntil& use) { return use.stream == &stream || Over(use); });
}

bool AllOver(const FreeSpace::Part& part) {
  return std::all_of(part.uses.begin(), part.uses.end(), Over);
}

bool SameStreams(const FreeSpace::Part& a, const FreeSpace::Part& b) {
  return a.uses.size() == b.uses.size() &&
         std::all_of(a.uses.begin(), a.uses.end(), [&](const UseUntil& use) {
           return std::any_of(
               b.uses.begin(), b.uses.end(),
               [&](const UseUntil& u) { return u.stream == use.stream; });
         });
}

}  // namespace

FreeSpace::FreeSpace(char* begin, int64_t bytes) { Insert({begin, bytes, {}}); }

void FreeSpace::Insert(Part part) {
  by_size_.insert({part.bytes, part.begin});
  char* begin = part.begin;
  parts_.emplace(begin, std::move(part));
}

FreeSpace::Parts::iterator FreeSpace::Erase(Parts::iterator part) {
  by_size_.erase({part->second.bytes, part->first});
  return parts_.erase(part);
}

bool FreeSpace::Join(Parts::iterator left, Parts::iterator right) {
  Part& a = left->second;
  Part& b = right->second;
  if (a.begin + a.bytes != b.begin) return false;
  if (!SameStreams(a, b) && !(AllOver(a) && AllOver(b))) return false;
  by_size_.erase({a.bytes, a.begin});
  a.bytes += b.bytes;
  by_size_.insert({a.bytes, a.begin});
  for (UseUntil& use : b.uses) AddUse(a.uses, std::move(use));
  Erase(right);
  return true;
}

void FreeSpace::Give(Part part) {
  char* begin = part.begin;
  Insert(std::move(part));
  auto at = parts_.find(begin);
  if (auto next = std::next(at); next != parts_.end()) Join(at, next);
  if (at != parts_.begin()) Join(std::prev(at), at);
}

std::optional<FreeSpace::Run> FreeSpace::FindPart(int64_t bytes,
                                                  const Stream& stream) {
  int tried = 0;
  for (auto at = by_size_.lower_bound({bytes, nullptr}); at != by_size_.end();
       ++at) {
    auto part = parts_.find(at->second);
    if (ReadyFor(part->second, stream)) return Run{part, at->first};
    if (++tried == kMostTried) break;
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
  Part taken{run.first->second.begin, bytes, {}};
  auto at = run.first;
  for (int64_t left = bytes; left > 0;) {
    Part part = std::move(at->second);
    by_size_.erase({part.bytes, part.begin});
    at = parts_.erase(at);
    for (const UseUntil& use : part.uses) AddUse(taken.uses, use);
    if (part.bytes > left) {
      Insert({part.begin + left, part.bytes - left, std::move(part.uses)});
    }
    left -= std::min(left, part.bytes);
  }
  return taken;
}

std::optional<FreeSpace::Part> FreeSpace::Take(int64_t bytes,
                                               const Stream& stream) {
  std::optional<Run> run = FindPart(bytes, stream);
  if (!run) run = FindRun(bytes, &stream);
  if (!run) run = FindRun(bytes, nullptr);
  if (!run) return std::nullopt;
  return Cut(*run, bytes);
}

}  // namespace sluice
