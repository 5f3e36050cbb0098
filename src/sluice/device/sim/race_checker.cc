#include "sluice/device/sim/race_checker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sluice/base/strings.h"

namespace sluice {

RaceChecker::RaceChecker() { AddStream("the host"); }

int RaceChecker::AddStream(std::string name) {
  names_.push_back(std::move(name));
  clocks_.emplace_back();
  int who = static_cast<int>(names_.size()) - 1;
  clocks_.back().Tick(who);
  return who;
}

int RaceChecker::LabelNumber(const std::string& label) {
  auto [at, added] =
      label_numbers_.try_emplace(label, static_cast<int>(labels_.size()));
  if (added) labels_.push_back(label);
  return at->second;
}

const VectorClock& RaceChecker::ClockOf(int stream) const {
  return clocks_[static_cast<size_t>(stream)];
}

void RaceChecker::Wait(int stream, const VectorClock& clock) {
  clocks_[static_cast<size_t>(stream)].Join(clock);
}

void RaceChecker::HostSaw(const VectorClock& clock) {
  clocks_[kHost].Join(clock);
}

void RaceChecker::Issue(int stream, const std::string& label,
                        const std::vector<ByteRange>& reads,
                        const std::vector<ByteRange>& writes) {
  VectorClock& clock = clocks_[static_cast<size_t>(stream)];
  clock.Join(clocks_[kHost]);
  clock.Tick(stream);
  // What the host does from now on, the work does not know of.
  clocks_[kHost].Tick(kHost);
  Access access{stream, clock[stream], LabelNumber(label), 0};
  for (const ByteRange& range : reads) Touch(clock, access, range, false);
  for (const ByteRange& range : writes) Touch(clock, access, range, true);
}

void RaceChecker::HostAccess(const std::string& label, const ByteRange& range,
                             bool write) {
  const VectorClock& clock = clocks_[kHost];
  Touch(clock, {kHost, clock[kHost], LabelNumber(label), 0}, range, write);
}

RaceChecker::Segments::iterator RaceChecker::Cover(Segments& segments,
                                                   uintptr_t begin,
                                                   uintptr_t end) {
  for (uintptr_t cut : {begin, end}) {
    auto after = segments.upper_bound(cut);
    if (after == segments.begin()) continue;
    auto at = std::prev(after);
    if (at->first == cut || at->second.end <= cut) continue;
    Segment right = at->second;
    at->second.end = cut;
    segments.emplace_hint(after, cut, std::move(right));
  }
  for (uintptr_t at = begin; at < end;) {
    auto next = segments.lower_bound(at);
    if (next == segments.end() || next->first > at) {
      uintptr_t stop =
          next == segments.end() ? end : std::min(end, next->first);
      Segment gap;
      gap.end = stop;
      next = segments.emplace_hint(next, at, std::move(gap));
    }
    at = next->second.end;
  }
  return segments.find(begin);
}

void RaceChecker::Touch(const VectorClock& clock, const Access& access,
                        const ByteRange& range, bool write) {
  if (range.bytes <= 0) return;
  auto begin = reinterpret_cast<uintptr_t>(range.address);
  uintptr_t end = begin + static_cast<uintptr_t>(range.bytes);
  Segments& segments = memories_[range.memory];
  auto first = Cover(segments, begin, end);
  auto unordered = [&](const Access& earlier) {
    return earlier.who >= 0 && clock[earlier.who] < earlier.when;
  };
  using Kind = Violation::Kind;
  bool one_block = true;
  auto at = first;
  for (; at != segments.end() && at->first < end; ++at) {
    Segment& segment = at->second;
    one_block = one_block && segment.block == first->second.block;
    if (range.memory && segment.block <= 0) {
      Report(segment.block < 0 ? Kind::kFreed : Kind::kNotAllocated, access,
             write, range, nullptr, false);
    }
    auto compare = [&](const Access& earlier, bool earlier_write) {
      if (!unordered(earlier)) return;
      bool reused = range.memory && earlier.block != segment.block;
      Report(reused ? Kind::kEarlyReuse : Kind::kRace, access, write, range,
             &earlier, earlier_write);
    };
    compare(segment.write, true);
    Access now = access;
    now.block = segment.block;
    if (write) {
      for (const Access& read : segment.reads) compare(read, false);
      segment.reads.clear();
      segment.write = now;
    } else {
      // Whoever comes after this read comes after those it came after.
      std::erase_if(segment.reads,
                    [&](const Access& read) { return !unordered(read); });
      segment.reads.push_back(now);
    }
  }
  if (write && one_block) {
    first->second.end = end;
    segments.erase(std::next(first), at);
  }
}

void RaceChecker::SetBlock(const ByteRange& range, int64_t block) {
  auto begin = reinterpret_cast<uintptr_t>(range.address);
  uintptr_t end = begin + static_cast<uintptr_t>(range.bytes);
  Segments& segments = memories_[range.memory];
  // All work to come is issued by the host, so comes after what it has seen.
  auto over = [&](const Access& access) {
    return access.who < 0 || clocks_[kHost][access.who] >= access.when;
  };
  auto last = segments.end();
  for (auto at = Cover(segments, begin, end);
       at != segments.end() && at->first < end;) {
    Segment& segment = at->second;
    segment.block = block;
    if (over(segment.write)) segment.write = {};
    std::erase_if(segment.reads, over);
    if (last != segments.end() && last->second.write == segment.write &&
        last->second.reads == segment.reads) {
      last->second.end = segment.end;
      at = segments.erase(at);
    } else {
      last = at++;
    }
  }
}

void RaceChecker::Allocated(const ByteRange& range) {
  SetBlock(range, ++blocks_);
}

void RaceChecker::Freed(const ByteRange& range) { SetBlock(range, -1); }

void RaceChecker::ForgetAccesses() {
  for (auto& [memory, segments] : memories_) {
    for (auto& [begin, segment] : segments) {
      segment.write = {};
      segment.reads.clear();
    }
  }
  violations_.clear();
  reported_.clear();
}

std::string RaceChecker::Side(const Access& access) const {
  return StrCat("\"", labels_[static_cast<size_t>(access.label)], "\" on ",
                names_[static_cast<size_t>(access.who)]);
}

void RaceChecker::Report(Violation::Kind kind, const Access& access, bool write,
                         const ByteRange& range, const Access* earlier,
                         bool earlier_write) {
  if (violations_.size() == kMostViolations) return;
  std::string text =
      StrCat(Side(access), write ? " writes " : " reads ", range.bytes,
             " bytes in the memory of ", DeviceNameOf(range.memory));
  switch (kind) {
    case Violation::Kind::kRace:
    case Violation::Kind::kEarlyReuse:
      StrAppend(text, " that ", Side(*earlier),
                earlier_write ? " writes" : " reads",
                "; neither waits for the other");
      break;
    case Violation::Kind::kFreed:
      StrAppend(text, " after they were freed");
      break;
    case Violation::Kind::kNotAllocated:
      StrAppend(text, " that were not allocated");
      break;
  }
  if (kind == Violation::Kind::kEarlyReuse) {
    StrAppend(text, ", and the memory has a new owner since");
  }
  if (!reported_.try_emplace(text, true).second) return;
  violations_.push_back({kind, std::move(text)});
}

std::vector<Violation> RaceChecker::Take() {
  reported_.clear();
  return std::exchange(violations_, {});
}

}  // namespace sluice
