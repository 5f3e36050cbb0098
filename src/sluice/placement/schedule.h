// Schedule: predicts the time of a run for a given placement by the cost model.
// Each device runs its nodes one after another in program order, like a stream.
// A value needed on another device is copied there once, over a link that
// carries one copy at a time. Values occupy memory from creation to last use.
//
// Loops count as a fixed number of iterations, which overlap as far as devices,
// links, carried values and the loop's own bound allow; a device that works
// behind the host ends its part of one before it begins the next. Branches
// count as equally likely. The devices of units may change between runs;
// everything else is computed once. Used by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/placement/homes.h"
#include "sluice/placement/placer.h"
#include "sluice/placement/value_flow.h"

namespace sluice {

// Nodes that share one device.
struct Unit {
  std::vector<Node*> nodes;
  std::vector<int> allowed;  // allowed devices, at least one
  int device = 0;
};

// The predicted outcome of a placement; less is better, in this order.
struct Outcome {
  double bytes_over = 0;  // beyond the memory of the devices
  double seconds = 0;     // until everything is done
  double copying = 0;     // seconds of all copies
  bool BetterThan(const Outcome& o) const;
};

class Schedule {
 public:
  // `unit_of`: by node id; -1 for control flow and nodes that follow others.
  Schedule(const ValueFlow& flow, const Homes& homes,
           const std::vector<int>& unit_of, size_t num_units,
           const PlacementOptions& options);

  int num_tasks() const { return static_cast<int>(tasks_.size()); }
  // The cost of a run, as a number of tasks outside of loops.
  int64_t RunCost() const { return int64_t{num_tasks()} * (16 + slots_) / 16; }
  // REQUIRES: a device for each unit.
  Outcome Run(const std::vector<int>& devices);
  // Gives every unit with a choice the device where its first node finishes
  // first, in program order, given the devices chosen before it.
  Outcome RunGreedy(const std::vector<Unit>& units, std::vector<int>& devices);
  // The units on the critical path of the last run, from the end backwards;
  // neighbours may be equal.
  std::vector<int> CriticalUnits() const;
  // The time of its nodes on a device, without copies.
  double UnitSeconds(int unit, int device) const {
    return unit_seconds_[static_cast<size_t>(unit * num_devices_ + device)];
  }
  // The units with which a unit exchanges values.
  const std::vector<int>& Neighbours(int unit) const {
    return neighbours_[static_cast<size_t>(unit)];
  }

 private:
  struct Edge {
    int task;       // producer of the value; -1: available from the start
    int value;      // -1: order only, nothing is copied
    int home_unit;  // the unit whose device holds the value; -1: device 0
    double bytes, weight;
  };
  struct Task {
    int unit;  // -1: device 0
    int first_edge, num_edges;
    int64_t out_bytes;
    bool works;                  // occupies its device; else only forwards
    int begins = -1, ends = -1;  // a loop
    int slot = -1;  // the slot of the carried value that starts here
  };
  // Tasks begin to end are one iteration.
  struct Loop {
    int begin = 0, end = 0;
    double trips = 1, parallel = 1;
    bool innermost = true;
    // Slot, and the task that computes it.
    std::vector<std::pair<int, int>> carried;
    // The start of the loop in this run.
    double time = 0, copying = 0;
    std::vector<double> busy, link_busy;
    // When each device began its part of the first iteration.
    std::vector<double> began;
  };
  // The number of distinct paths around a loop. Further carried values share
  // paths, and the loop is then predicted slower than it is.
  static constexpr int kMostSlots = 64;
  friend class ScheduleBuilder;

  int DeviceOf(int unit) const {
    return unit < 0 ? 0 : (*devices_)[static_cast<size_t>(unit)];
  }
  void Begin(const std::vector<int>& devices);
  // The time when the task would end on device d; takes effect if `commit`.
  double Finish(int task, int d, bool commit);
  double CopySeconds(const Edge& edge, int from, int to) const {
    auto link = static_cast<size_t>(from * num_devices_ + to);
    return (edge.bytes / bandwidth_[link] + latency_[link]) * edge.weight;
  }
  // The longest path from each carried value to the task.
  void Measure(int task, int d);
  void BeginLoop(Loop& loop, double now);
  // The time from the end of the first iteration to the end of the last.
  double EndLoop(Loop& loop, double now, int* waited_for);
  void Occupy(int d, double bytes);
  void Release(int task);
  Outcome End() const;

  int num_devices_ = 0;
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
  std::vector<double> seconds_;              // by task and device
  std::vector<double> unit_seconds_;         // by unit and device
  std::vector<double> bandwidth_, latency_;  // by pair of devices
  std::vector<double> memory_;
  std::vector<char> in_order_;  // devices that work behind the host, as streams
  bool capped_ = false;
  std::vector<std::vector<int>> neighbours_;
  // Values whose last use is a task, by task.
  std::vector<int> first_release_, released_;
  std::vector<double> value_bytes_, copy_bytes_;  // at home; elsewhere
  std::vector<int> value_unit_;                   // its home

  std::vector<Loop> loops_;
  int slots_ = 1;  // the maximum over all loops

  // State of one run.
  std::vector<double> busy_, link_busy_;
  int in_loop_ = -1;          // the innermost loop, whose paths are measured
  std::vector<double> ways_;  // by task and slot
  const std::vector<int>* devices_ = nullptr;
  std::vector<double> ready_, device_free_, link_free_, live_, peak_;
  std::vector<int> waited_for_, last_on_;
  std::vector<double> arrival_;  // by value and device
  std::vector<int> arrived_in_;  // the run in which it arrived
  int run_ = 0;
  double copying_ = 0;
  double end_ = 0;
  int end_task_ = -1;
};

}  // namespace sluice
