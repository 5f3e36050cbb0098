#include "sluice/placement/search.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace sluice {

namespace {

// Tasks scheduled in all, about 50 ns each: a tenth of a second for a small
// graph, which mostly reaches a local optimum before, a few for a large one, of
// which the parts that the end waits for are improved.
constexpr int64_t kLeastEffort = 1'500'000, kMostEffort = 4'000'000;
constexpr int64_t kRuns = 400;
// Up to so many units all single moves and pairs of moves are tried, and from
// every start.
constexpr size_t kFewUnits = 24;
constexpr int kKicks = 24;
constexpr size_t kStarts = 12;
// Pipelines over one part of the devices or another that are looked at.
constexpr size_t kMostPipelines = 64;

class Search {
 public:
  Search(const std::vector<Unit>& units, Schedule& schedule)
      : units_(units), schedule_(schedule) {
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].allowed.size() > 1) free_.push_back(static_cast<int>(u));
      for (int d : units[u].allowed) devices_ = std::max(devices_, d + 1);
    }
  }

  SearchResult Run() {
    std::vector<std::vector<int>> starts = Starts();
    bool few = free_.size() <= kFewUnits;
    if (few) KeepTheBest(starts);
    bool first = true;
    for (const std::vector<int>& start : starts) {
      now_ = start;
      outcome_ = Evaluate();
      if (few && !free_.empty()) ImproveByAll();
      if (first || outcome_.BetterThan(best_outcome_)) Remember();
      first = false;
    }
    if (few && free_.size() > 2) ImproveByKicks();
    now_ = best_;
    outcome_ = Evaluate();
    if (!few) ImproveCriticalPath();
    return {now_, outcome_, runs_};
  }

 private:
  std::vector<std::vector<int>> Starts() {
    std::vector<std::vector<int>> starts;
    std::vector<int> given;
    for (const Unit& unit : units_) given.push_back(unit.device);
    starts.push_back(given);
    if (free_.empty()) return starts;
    for (int d = 0; d < devices_; ++d) {
      std::vector<int> together = given;
      for (int u : free_) {
        if (Allows(u, d)) together[static_cast<size_t>(u)] = d;
      }
      starts.push_back(std::move(together));
    }
    // What is decided first sees the others where they were.
    for (size_t from : {starts.size() - 1, size_t{0}}) {
      std::vector<int> greedy = starts[from];
      schedule_.RunGreedy(units_, greedy);
      runs_ += 4;
      starts.push_back(std::move(greedy));
    }
    AddPipelines(given, starts);
    return starts;
  }

  // Over all neighbouring devices, since some may be slow, or full.
  void AddPipelines(const std::vector<int>& given,
                    std::vector<std::vector<int>>& starts) const {
    std::vector<int> used;
    for (int d = 0; d < devices_; ++d) {
      if (std::any_of(free_.begin(), free_.end(),
                      [&](int u) { return Allows(u, d); })) {
        used.push_back(d);
      }
    }
    size_t most = starts.size() + kMostPipelines;
    for (size_t first = 0; first < used.size(); ++first) {
      for (size_t end = used.size(); end >= first + 2; --end) {
        if (starts.size() == most) return;
        starts.push_back(given);
        Stages({used.data() + first, end - first}, starts.back());
      }
    }
  }

  // Program order cut into as many stretches of equal work as there are devices
  // in `on`: the stages of a pipeline.
  void Stages(std::span<const int> on, std::vector<int>& devices) const {
    double all = 0, done = 0;
    for (int u : free_) all += Work(u);
    auto stages = static_cast<double>(on.size());
    for (int u : free_) {
      // Where its middle is, so that rounding moves none across a border.
      double work = Work(u);
      auto stage = static_cast<size_t>((done + work / 2) / all * stages);
      int d = on[std::min(stage, on.size() - 1)];
      if (Allows(u, d)) devices[static_cast<size_t>(u)] = d;
      done += work;
    }
  }
  // On the device that takes least.
  double Work(int unit) const {
    double least = INFINITY;
    for (int d : units_[static_cast<size_t>(unit)].allowed) {
      least = std::min(least, schedule_.UnitSeconds(unit, d));
    }
    return least + 1e-12;
  }

  // Those from which all moves are tried.
  void KeepTheBest(std::vector<std::vector<int>>& starts) {
    if (starts.size() <= kStarts) return;
    std::vector<std::tuple<double, double, double, size_t>> order;
    for (size_t i = 0; i < starts.size(); ++i) {
      now_ = starts[i];
      Outcome o = Evaluate();
      order.emplace_back(o.bytes_over, o.seconds, o.copying, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::vector<int>> best;
    for (size_t i = 0; i < kStarts; ++i) {
      best.push_back(std::move(starts[std::get<3>(order[i])]));
    }
    starts = std::move(best);
  }

  bool Allows(int unit, int device) const {
    const std::vector<int>& allowed = units_[static_cast<size_t>(unit)].allowed;
    return std::find(allowed.begin(), allowed.end(), device) != allowed.end();
  }
  int& Device(int unit) { return now_[static_cast<size_t>(unit)]; }

  Outcome Evaluate() {
    ++runs_;
    return schedule_.Run(now_);
  }
  bool Spent() const {
    int64_t tasks = schedule_.RunCost();
    return runs_ * tasks > std::clamp(kRuns * tasks, kLeastEffort, kMostEffort);
  }

  // The placement as it has just been changed: kept when better.
  bool Improves() {
    Outcome outcome = Evaluate();
    if (!outcome.BetterThan(outcome_)) return false;
    outcome_ = outcome;
    return true;
  }

  bool TryMove(int unit, int to) {
    int from = Device(unit);
    if (from == to || !Allows(unit, to)) return false;
    Device(unit) = to;
    if (Improves()) return true;
    Device(unit) = from;
    return false;
  }

  bool TryPair(int a, int b, int to_a, int to_b) {
    int from_a = Device(a), from_b = Device(b);
    if (from_a == to_a || from_b == to_b) return false;
    Device(a) = to_a;
    Device(b) = to_b;
    if (Improves()) return true;
    Device(a) = from_a;
    Device(b) = from_b;
    return false;
  }

  bool TrySingles() {
    bool better = false;
    for (int u : free_) {
      for (int d : units_[static_cast<size_t>(u)].allowed) {
        if (Spent()) return better;
        better = TryMove(u, d) || better;
      }
    }
    return better;
  }

  bool TryPairs() {
    for (size_t i = 0; i < free_.size(); ++i) {
      for (size_t k = i + 1; k < free_.size(); ++k) {
        for (int a : units_[static_cast<size_t>(free_[i])].allowed) {
          for (int b : units_[static_cast<size_t>(free_[k])].allowed) {
            if (Spent()) return false;
            if (TryPair(free_[i], free_[k], a, b)) return true;
          }
        }
      }
    }
    return false;
  }

  void ImproveByAll() {
    while (!Spent() && (TrySingles() || TryPairs())) {
    }
  }

  void Remember() {
    best_ = now_;
    best_outcome_ = outcome_;
  }

  // Out of a local optimum: some units of the best go anywhere, and from there
  // it is improved again. The numbers are the same in each search.
  void ImproveByKicks() {
    uint64_t state = 1;
    auto pick = [&](size_t n) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<size_t>(state >> 33) % n;
    };
    for (int kick = 0; kick < kKicks && !Spent(); ++kick) {
      now_ = best_;
      for (size_t i = 0; i < 3 + free_.size() / 6; ++i) {
        int unit = free_[pick(free_.size())];
        const auto& allowed = units_[static_cast<size_t>(unit)].allowed;
        Device(unit) = allowed[pick(allowed.size())];
      }
      outcome_ = Evaluate();
      ImproveByAll();
      if (outcome_.BetterThan(best_outcome_)) Remember();
    }
  }

  // ---- Many units ----

  // Devices worth trying for a unit: those of its neighbours first.
  std::vector<int> Targets(int unit) {
    std::vector<int> targets;
    auto add = [&](int d) {
      if (d == Device(unit) || !Allows(unit, d)) return;
      if (std::find(targets.begin(), targets.end(), d) != targets.end()) return;
      targets.push_back(d);
    };
    size_t looked = 0;
    for (int other : schedule_.Neighbours(unit)) {
      if (++looked > 16) break;
      add(Device(other));
    }
    for (int d : units_[static_cast<size_t>(unit)].allowed) add(d);
    return targets;
  }

  // Neighbours on the path that are on one device, moved together.
  bool TryStretch(const std::vector<int>& path, size_t begin, size_t end,
                  int to) {
    std::vector<int> before = now_;
    bool moved = false;
    for (size_t i = begin; i < end; ++i) {
      if (!Allows(path[i], to) || Device(path[i]) == to) continue;
      Device(path[i]) = to;
      moved = true;
    }
    if (moved && Improves()) return true;
    now_ = std::move(before);
    return false;
  }

  bool TryStretches(const std::vector<int>& path) {
    for (size_t begin = 0, end = 0; begin < path.size(); begin = end) {
      int on = Device(path[begin]);
      while (end < path.size() && Device(path[end]) == on) ++end;
      if (end - begin < 2) continue;
      for (int d = 0; d < devices_ && !Spent(); ++d) {
        if (d != on && TryStretch(path, begin, end, d)) return true;
      }
    }
    return false;
  }

  bool TrySwap(int a) {
    // With neighbours elsewhere, which are likely to depend on it.
    size_t looked = 0;
    for (int b : schedule_.Neighbours(a)) {
      if (++looked > 4 || Spent()) return false;
      int on_a = Device(a), on_b = Device(b);
      if (on_a == on_b || !Allows(a, on_b) || !Allows(b, on_a)) continue;
      if (TryPair(a, b, on_b, on_a)) return true;
    }
    return false;
  }

  std::vector<int> FreeCriticalUnits() {
    std::vector<int> path = schedule_.CriticalUnits(), once;
    std::vector<char> seen(units_.size());
    for (int u : path) {
      auto i = static_cast<size_t>(u);
      if (seen[i] || units_[i].allowed.size() < 2) continue;
      seen[i] = true;
      once.push_back(u);
    }
    return once;
  }

  void ImproveCriticalPath() {
    bool better = true;
    while (better && !Spent()) {
      better = false;
      Evaluate();  // the last one tried may have been given up
      std::vector<int> path = FreeCriticalUnits();
      if (TryStretches(path)) {
        better = true;
        continue;
      }
      for (int u : path) {
        for (int d : Targets(u)) {
          if (Spent()) return;
          better = TryMove(u, d) || better;
        }
        better = better || TrySwap(u);
        if (better) break;
      }
    }
  }

  const std::vector<Unit>& units_;
  Schedule& schedule_;
  std::vector<int> free_;
  int devices_ = 1;
  int64_t runs_ = 0;
  std::vector<int> now_, best_;
  Outcome outcome_, best_outcome_;
};

}  // namespace

SearchResult SearchDevices(const std::vector<Unit>& units, Schedule& schedule) {
  return Search(units, schedule).Run();
}

}  // namespace sluice
