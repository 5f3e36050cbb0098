#include "sluice/plan/memory_forecast.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr size_t kMostShares = 12;

// "MatMul at model.cc:12".
std::string SiteText(const AllocationSite& site) {
  if (site.op.empty()) return "fed";
  if (!site.line.known()) return std::string(site.op);
  return StrCat(site.op, " at ", site.line.ToString());
}

std::vector<std::string> Names(const MemoryForecast& forecast) {
  std::vector<std::string> names;
  for (const auto& loop : forecast.loops) names.push_back(loop.count);
  return names;
}

}  // namespace

const MemoryForecast::Peak* MemoryForecast::PeakAt(std::string_view device,
                                                   int64_t trips) const {
  std::vector<int64_t> counts(loops.size(), trips);
  for (const OnDevice& on : devices) {
    if (on.device != device) continue;
    return &*std::max_element(on.peaks.begin(), on.peaks.end(),
                              [&](const Peak& a, const Peak& b) {
                                return a.bytes.At(counts) < b.bytes.At(counts);
                              });
  }
  return nullptr;
}

int64_t MemoryForecast::PeakBytes(std::string_view device,
                                  int64_t trips) const {
  const Peak* peak = PeakAt(device, trips);
  return peak ? peak->bytes.At(std::vector<int64_t>(loops.size(), trips)) : 0;
}

std::string MemoryForecast::Formula(std::string_view device) const {
  for (const OnDevice& on : devices) {
    if (on.device != device) continue;
    std::string text;
    for (const Peak& peak : on.peaks) {
      StrAppend(text, text.empty() ? "" : ", ",
                peak.bytes.ToString(Names(*this)));
    }
    return on.peaks.size() > 1 ? StrCat("the larger of ", text) : text;
  }
  return "0 B";
}

std::string MemoryForecast::ToString(int64_t trips) const {
  std::string text;
  std::vector<std::string> names = Names(*this);
  std::vector<int64_t> counts(loops.size(), trips);
  for (const OnDevice& on : devices) {
    const Peak& peak = *PeakAt(on.device, trips);
    StrAppend(text, on.device, ": at most ", Formula(on.device), "\n");
    if (!loops.empty()) {
      StrAppend(text, "  with ", trips,
                " iterations: ", HumanBytes(peak.bytes.At(counts)), "\n");
    }
    StrAppend(text, "  when ", SiteText(peak.at), " runs:\n");
    // Entries of the same size stay in the order of their sites.
    std::vector<const Share*> shares;
    for (const Share& share : peak.shares) shares.push_back(&share);
    std::sort(shares.begin(), shares.end(),
              [&](const Share* a, const Share* b) {
                int64_t x = a->bytes.At(counts), y = b->bytes.At(counts);
                return x != y ? x > y : a < b;
              });
    for (size_t i = 0; i < shares.size() && i < kMostShares; ++i) {
      StrAppend(text, "    ", shares[i]->bytes.ToString(names), "  ",
                SiteText(shares[i]->site), "\n");
    }
    if (shares.size() > kMostShares) {
      ByteCount rest;
      for (size_t i = kMostShares; i < shares.size(); ++i) {
        rest += shares[i]->bytes;
      }
      StrAppend(text, "    ", rest.ToString(names), "  ",
                shares.size() - kMostShares, " other places\n");
    }
  }
  for (const Loop& loop : loops) {
    StrAppend(text, loop.count, ": iterations of \"", loop.name, "\"");
    if (loop.line.known()) StrAppend(text, " at ", loop.line.ToString());
    text += "\n";
  }
  for (const Unknown& u : unknown) {
    StrAppend(text, "not counted, of unknown size: ", u.type, " by ",
              SiteText(u.site), " on ", u.device, "\n");
  }
  return text;
}

}  // namespace sluice
