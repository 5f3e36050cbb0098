// Schedule: how long a run takes by the cost model for a given placement. Each
// device does its nodes one after another in program order, as a stream does;
// a value another device needs is copied there once, over a link that carries
// one copy at a time; memory is what values occupy from being made to their
// last use.
//
// Loops count as a fixed number of iterations, which overlap as far as devices,
// links, what is carried and the loop's own bound allow; branches as equally
// likely. Which device a unit of nodes is on may change from run to run;
// everything else is worked out once. Used by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/placement/homes.h"
#include "sluice/placement/placer.h"
#include "sluice/placement/value_flow.h"

namespace sluice {

// Nodes that are on one device, whichever that is.
struct Unit {
  std::vector<Node*> nodes;
  std::vector<int> allowed;  // devices, at least one
  int device = 0;
};

// What a placement leads to; less is better, in this order.
struct Outcome {
  double bytes_over = 0;  // beyond the memory of devices
  double seconds = 0;     // until everything is done
  double copying = 0;     // seconds of all copies together
  bool BetterThan(const Outcome& o) const;
};

class Schedule {
 public:
  // `unit_of`: by node id; -1 for control flow and what follows others.
  Schedule(const ValueFlow& flow, const Homes& homes,
           const std::vector<int>& unit_of, size_t num_units,
           const PlacementOptions& options);

  int num_tasks() const { return static_cast<int>(tasks_.size()); }
  // How long a run takes, as a number of tasks outside of loops.
  int64_t RunCost() const { return int64_t{num_tasks()} * (16 + slots_) / 16; }
  // REQUIRES: a device for each unit.
  Outcome Run(const std::vector<int>& devices);
  // Gives every unit that has a choice the device where its first node
  // finishes first, in program order, those before it as they are by then.
  Outcome RunGreedy(const std::vector<Unit>& units, std::vector<int>& devices);
  // The units that the end of the last run waited for, from the end back; those
  // next to each other may be one unit.
  std::vector<int> CriticalUnits() const;
  // What its nodes take on a device, without copies.
  double UnitSeconds(int unit, int device) const {
    return unit_seconds_[static_cast<size_t>(unit * num_devices_ + device)];
  }
  // Those a unit exchanges values with.
  const std::vector<int>& Neighbours(int unit) const {
    return neighbours_[static_cast<size_t>(unit)];
  }

 private:
  struct Edge {
    int task;       // that makes the value; -1: there from the start
    int value;      // -1: order alone, nothing is copied
    int home_unit;  // whose device the value is on; -1: device 0
    double bytes, weight;
  };
  struct Task {
    int unit;  // -1: device 0
    int first_edge, num_edges;
    int64_t out_bytes;
    bool works;                  // occupies its device; else only passes on
    int begins = -1, ends = -1;  // a loop
    int slot = -1;               // holds a carried value at first
  };
  // The tasks from begin to end are one iteration.
  struct Loop {
    int begin = 0, end = 0;
    double trips = 1, parallel = 1;
    bool innermost = true;
    std::vector<std::pair<int, int>> carried;  // slot, the task that makes it
    // When the loop began, in this run.
    double time = 0, copying = 0;
    std::vector<double> busy, link_busy;
  };
  // Ways round a loop that are told apart; more carried values share some, and
  // the loop then counts as slower than it is.
  static constexpr int kMostSlots = 64;
  friend class ScheduleBuilder;

  int DeviceOf(int unit) const {
    return unit < 0 ? 0 : (*devices_)[static_cast<size_t>(unit)];
  }
  void Begin(const std::vector<int>& devices);
  // When the task would end on device d; takes place when `commit`.
  double Finish(int task, int d, bool commit);
  double CopySeconds(const Edge& edge, int from, int to) const {
    auto link = static_cast<size_t>(from * num_devices_ + to);
    return (edge.bytes / bandwidth_[link] + latency_[link]) * edge.weight;
  }
  // The longest way from each carried value to the task.
  void Measure(int task, int d);
  void BeginLoop(Loop& loop, double now);
  // How much later the last iteration ends than the first.
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
  bool capped_ = false;
  std::vector<std::vector<int>> neighbours_;
  // What nobody uses after a task: values, by task.
  std::vector<int> first_release_, released_;
  std::vector<double> value_bytes_, copy_bytes_;  // at home; elsewhere
  std::vector<int> value_unit_;                   // its home

  std::vector<Loop> loops_;
  int slots_ = 1;  // the most that a loop has

  // One run.
  std::vector<double> busy_, link_busy_;
  int in_loop_ = -1;          // the innermost one, whose ways are measured
  std::vector<double> ways_;  // by task and slot
  const std::vector<int>* devices_ = nullptr;
  std::vector<double> ready_, device_free_, link_free_, live_, peak_;
  std::vector<int> waited_for_, last_on_;
  std::vector<double> arrival_;  // by value and device
  std::vector<int> arrived_in_;  // the run in which it did
  int run_ = 0;
  double copying_ = 0;
  double end_ = 0;
  int end_task_ = -1;
};

}  // namespace sluice
