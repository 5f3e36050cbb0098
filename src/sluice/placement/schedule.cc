#include "sluice/placement/schedule.h"

#include <algorithm>
#include <cmath>

namespace sluice {

namespace {

// Less by more than rounding.
bool Less(double a, double b) {
  return a < b - 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace

bool Outcome::BetterThan(const Outcome& o) const {
  if (Less(bytes_over, o.bytes_over)) return true;
  if (Less(o.bytes_over, bytes_over)) return false;
  if (Less(seconds, o.seconds)) return true;
  if (Less(o.seconds, seconds)) return false;
  return Less(copying, o.copying);
}

void Schedule::Begin(const std::vector<int>& devices) {
  devices_ = &devices;
  ++run_;
  copying_ = end_ = 0;
  end_task_ = -1;
  auto zero = [](std::vector<double>& v) {
    std::fill(v.begin(), v.end(), 0.0);
  };
  zero(device_free_);
  zero(link_free_);
  zero(busy_);
  zero(link_busy_);
  in_loop_ = -1;
  zero(live_);
  zero(peak_);
  std::fill(last_on_.begin(), last_on_.end(), -1);
}

void Schedule::Occupy(int d, double bytes) {
  auto i = static_cast<size_t>(d);
  live_[i] += bytes;
  peak_[i] = std::max(peak_[i], live_[i]);
}

double Schedule::Finish(int task, int d, bool commit) {
  const Task& t = tasks_[static_cast<size_t>(task)];
  auto here = static_cast<size_t>(d);
  double start = t.works ? device_free_[here] : 0;
  int waited_for = t.works ? last_on_[here] : -1;
  for (int e = t.first_edge; e < t.first_edge + t.num_edges; ++e) {
    const Edge& edge = edges_[static_cast<size_t>(e)];
    double at = edge.task < 0 ? 0 : ready_[static_cast<size_t>(edge.task)];
    int home = edge.value < 0 ? d : DeviceOf(edge.home_unit);
    if (home != d) {
      size_t copy = static_cast<size_t>(edge.value * num_devices_ + d);
      if (arrived_in_[copy] == run_) {
        at = arrival_[copy];
      } else {
        auto link = static_cast<size_t>(home * num_devices_ + d);
        double moving = edge.bytes / bandwidth_[link] * edge.weight;
        double begin = std::max(at, link_free_[link]);
        at = begin + CopySeconds(edge, home, d);
        if (commit) {
          link_free_[link] = begin + moving;
          // What comes from outside a loop is copied once.
          bool again = in_loop_ < 0 ||
                       edge.task >= loops_[static_cast<size_t>(in_loop_)].begin;
          if (again) link_busy_[link] += moving;
          copying_ += at - begin;
          arrived_in_[copy] = run_;
          arrival_[copy] = at;
          if (capped_) Occupy(d, edge.bytes);
        }
      }
    }
    if (at > start || (at == start && waited_for < 0)) {
      start = at;
      waited_for = edge.task;
    }
  }
  double end = start + seconds_[static_cast<size_t>(task * num_devices_ + d)];
  if (!commit) return end;
  if (in_loop_ >= 0 && t.works) {
    double& began = loops_[static_cast<size_t>(in_loop_)].began[here];
    began = std::min(began, start);
  }
  if (t.begins >= 0) BeginLoop(loops_[static_cast<size_t>(t.begins)], end);
  if (in_loop_ >= 0) Measure(task, d);
  if (t.ends >= 0) {
    end += EndLoop(loops_[static_cast<size_t>(t.ends)], end, &waited_for);
  }
  ready_[static_cast<size_t>(task)] = end;
  waited_for_[static_cast<size_t>(task)] = waited_for;
  if (t.works) {
    device_free_[here] = end;
    last_on_[here] = task;
    busy_[here] += end - start;
  }
  if (end > end_ || end_task_ < 0) {
    end_ = end;
    end_task_ = task;
  }
  if (capped_) {
    Occupy(d, static_cast<double>(t.out_bytes));
    Release(task);
  }
  return end;
}

void Schedule::Measure(int task, int d) {
  const Task& t = tasks_[static_cast<size_t>(task)];
  const Loop& loop = loops_[static_cast<size_t>(in_loop_)];
  double* ways = &ways_[static_cast<size_t>(task * slots_)];
  std::fill_n(ways, slots_, -INFINITY);
  if (t.slot >= 0) {
    ways[t.slot] = 0;
    return;
  }
  for (int e = t.first_edge; e < t.first_edge + t.num_edges; ++e) {
    const Edge& edge = edges_[static_cast<size_t>(e)];
    if (edge.task < loop.begin) continue;
    int home = edge.value < 0 ? d : DeviceOf(edge.home_unit);
    double copy = home == d ? 0 : CopySeconds(edge, home, d);
    const double* from = &ways_[static_cast<size_t>(edge.task * slots_)];
    for (int k = 0; k < slots_; ++k) {
      ways[k] = std::max(ways[k], from[k] + copy);
    }
  }
  double own = seconds_[static_cast<size_t>(task * num_devices_ + d)];
  for (int k = 0; k < slots_; ++k) ways[k] += own;
}

void Schedule::BeginLoop(Loop& loop, double now) {
  loop.time = now;
  loop.copying = copying_;
  loop.busy = busy_;
  loop.link_busy = link_busy_;
  loop.began.assign(busy_.size(), INFINITY);
  in_loop_ = loop.innermost ? static_cast<int>(&loop - loops_.data()) : -1;
}

double Schedule::EndLoop(Loop& loop, double now, int* waited_for) {
  in_loop_ = -1;
  double once = std::max(0.0, now - loop.time);
  // From one iteration to the next: what is carried must be there, and every
  // device and link has its share to do.
  double step = loop.innermost ? 0 : once;
  for (auto [slot, task] : loop.carried) {
    if (!loop.innermost || task < loop.begin) continue;
    step = std::max(step, ways_[static_cast<size_t>(task * slots_ + slot)]);
  }
  step = std::max(step, once / loop.parallel);
  for (size_t d = 0; d < busy_.size(); ++d) {
    double busy = busy_[d] - loop.busy[d];
    // Iterations shifted against each other, each as the first one was.
    double part = busy;
    if (in_order_[d] && loop.innermost && loop.began[d] < INFINITY) {
      part = std::max(busy, device_free_[d] - loop.began[d]);
    }
    if (part > step) {
      step = part;
      *waited_for = last_on_[d];
    }
    busy_[d] += busy * (loop.trips - 1);
    device_free_[d] += busy * (loop.trips - 1);
  }
  for (size_t l = 0; l < link_busy_.size(); ++l) {
    double busy = link_busy_[l] - loop.link_busy[l];
    step = std::max(step, busy);
    link_busy_[l] += busy * (loop.trips - 1);
    link_free_[l] += busy * (loop.trips - 1);
  }
  copying_ += (copying_ - loop.copying) * (loop.trips - 1);
  return step * (loop.trips - 1);
}

void Schedule::Release(int task) {
  auto t = static_cast<size_t>(task);
  for (int i = first_release_[t]; i < first_release_[t + 1]; ++i) {
    int value = released_[static_cast<size_t>(i)];
    auto v = static_cast<size_t>(value);
    live_[static_cast<size_t>(DeviceOf(value_unit_[v]))] -= value_bytes_[v];
    for (int d = 0; d < num_devices_; ++d) {
      if (arrived_in_[static_cast<size_t>(value * num_devices_ + d)] == run_) {
        live_[static_cast<size_t>(d)] -= copy_bytes_[v];
      }
    }
  }
}

Outcome Schedule::End() const {
  Outcome outcome;
  outcome.seconds = end_;
  outcome.copying = copying_;
  for (size_t d = 0; capped_ && d < memory_.size(); ++d) {
    outcome.bytes_over += std::max(0.0, peak_[d] - memory_[d]);
  }
  return outcome;
}

Outcome Schedule::Run(const std::vector<int>& devices) {
  Begin(devices);
  for (int t = 0; t < num_tasks(); ++t) {
    Finish(t, DeviceOf(tasks_[static_cast<size_t>(t)].unit), true);
  }
  return End();
}

Outcome Schedule::RunGreedy(const std::vector<Unit>& units,
                            std::vector<int>& devices) {
  Begin(devices);
  std::vector<char> decided(units.size());
  for (int t = 0; t < num_tasks(); ++t) {
    const Task& task = tasks_[static_cast<size_t>(t)];
    if (task.works && task.unit >= 0 &&
        !decided[static_cast<size_t>(task.unit)]) {
      auto u = static_cast<size_t>(task.unit);
      decided[u] = true;
      double best = INFINITY;
      for (int d : units[u].allowed) {
        double end = Finish(t, d, false);
        // Where there is no room only when there is none anywhere.
        auto here = static_cast<size_t>(d);
        double over =
            live_[here] + static_cast<double>(task.out_bytes) - memory_[here];
        if (capped_ && over > 0) end += 1e9 + over;
        if (end >= best) continue;
        best = end;
        devices[u] = d;
      }
    }
    Finish(t, DeviceOf(task.unit), true);
  }
  // What was taken to be elsewhere when it was decided counts as it is now.
  return Run(devices);
}

std::vector<int> Schedule::CriticalUnits() const {
  std::vector<int> units;
  for (int t = end_task_; t >= 0; t = waited_for_[static_cast<size_t>(t)]) {
    const Task& task = tasks_[static_cast<size_t>(t)];
    if (task.works && task.unit >= 0) units.push_back(task.unit);
  }
  return units;
}

}  // namespace sluice
