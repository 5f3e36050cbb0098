#include "benchmarks/bench.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

namespace sluice::bench {

std::vector<Benchmark>& AllBenchmarks() {
  static auto* all = new std::vector<Benchmark>;
  return *all;
}

Registration::Registration(const char* group, const char* name, const char* doc,
                           void (*run)(Report&)) {
  AllBenchmarks().push_back({group, name, doc, run});
}

namespace {

std::string BarText(Bar bar) {
  return StrCat(bar.kind == Bar::kAtLeast ? ">= " : "<= ", bar.limit);
}

}  // namespace

void Report::Missing(const std::string& metric, const std::string& why,
                     const Settings& settings, Bar bar) {
  std::string line =
      StrCat("{\"bench\":", JsonQuote(group_),
             ",\"metric\":", JsonQuote(metric), ",\"value\":null");
  for (const auto& [key, text] : settings) {
    StrAppend(line, ",", JsonQuote(key), ":", JsonQuote(text));
  }
  if (bar.kind != Bar::kNone) {
    ++missed_;
    StrAppend(line, ",\"bar\":", JsonQuote(BarText(bar)), ",\"holds\":false");
  }
  std::printf("%s,\"error\":%s}\n", line.c_str(), JsonQuote(why).c_str());
  std::fflush(stdout);
}

void Report::Line(const std::string& metric, double value,
                  const std::string& unit, const Settings& settings, Bar bar) {
  char number[40];
  std::snprintf(number, sizeof number, "%.4g", value);
  std::string line = StrCat(
      "{\"bench\":", JsonQuote(group_), ",\"metric\":", JsonQuote(metric),
      ",\"value\":", number, ",\"unit\":", JsonQuote(unit));
  for (const auto& [key, text] : settings) {
    StrAppend(line, ",", JsonQuote(key), ":", JsonQuote(text));
  }
  if (bar.kind != Bar::kNone) {
    bool holds =
        bar.kind == Bar::kAtLeast ? value >= bar.limit : value <= bar.limit;
    if (!holds) ++missed_;
    StrAppend(line, ",\"bar\":", JsonQuote(BarText(bar)), ",\"holds\":", holds);
  }
  std::printf("%s}\n", line.c_str());
  std::fflush(stdout);
}

std::vector<double> Best(int rounds,
                         const std::vector<std::function<void()>>& functions) {
  std::vector<double> best(functions.size(),
                           std::numeric_limits<double>::max());
  for (int r = 0; r < rounds; ++r) {
    for (size_t i = 0; i < functions.size(); ++i) {
      int64_t start = NowNanos();
      functions[i]();
      best[i] =
          std::min(best[i], static_cast<double>(NowNanos() - start) * 1e-9);
    }
  }
  return best;
}

}  // namespace sluice::bench
