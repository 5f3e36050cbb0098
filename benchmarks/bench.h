// Benchmarks: each is a function registered under a group and a name; it
// measures and reports. One JSON line per figure.
//
//   SL_BENCH(executor, tape_scalar_ops, "dependent scalar adds on a tape") {
//     report.Line("tape_scalar_ops", rate, "ops/s", {{"nodes", "100000"}});
//   }
//
// Machines are noisy: take the best of several rounds, and interleave what is
// compared (Best below).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::bench {

using Settings = std::vector<std::pair<std::string, std::string>>;

// A limit a figure must keep, printed beside it.
struct Bar {
  enum Kind { kNone, kAtLeast, kAtMost } kind = kNone;
  double limit = 0;
};
inline Bar AtLeast(double limit) { return {Bar::kAtLeast, limit}; }
inline Bar AtMost(double limit) { return {Bar::kAtMost, limit}; }

class Report {
 public:
  explicit Report(std::string group) : group_(std::move(group)) {}
  void Line(const std::string& metric, double value, const std::string& unit,
            const Settings& settings, Bar bar = {});
  // A figure that could not be taken: no value, and a bar counts as missed.
  void Missing(const std::string& metric, const std::string& why,
               const Settings& settings, Bar bar = {});
  int missed() const { return missed_; }
  int rounds = 7;  // what Best should be called with
  // True for cases the user asked for (--only TEXT): all, or those whose name
  // has that text in it.
  bool Wants(std::string_view name) const {
    return name.find(only) != std::string_view::npos;
  }
  std::string only;
  bool json = false;  // for benchmarks that print a table otherwise

 private:
  std::string group_;
  int missed_ = 0;
};

struct Benchmark {
  std::string group, name, doc;
  void (*run)(Report&);
};

std::vector<Benchmark>& AllBenchmarks();

struct Registration {
  Registration(const char* group, const char* name, const char* doc,
               void (*run)(Report&));
};

// Seconds of the fastest of `rounds` calls of each function, called in turn so
// that a slow spell of the machine hits all of them.
std::vector<double> Best(int rounds,
                         const std::vector<std::function<void()>>& functions);

}  // namespace sluice::bench

#define SL_BENCH(group, name, doc)                              \
  static void Bench_##name(::sluice::bench::Report& report);    \
  static const ::sluice::bench::Registration registered_##name( \
      #group, #name, doc, Bench_##name);                        \
  static void Bench_##name([[maybe_unused]] ::sluice::bench::Report& report)
