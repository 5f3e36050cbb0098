// StaleReplicas: asynchronous training with a bound. Every worker applies its
// own gradients as soon as it has them, and is at most `bound` steps ahead of
// the slowest: it begins its step c when every other one has done c - bound.
//
//   dist::StaleReplicas stale({.workers = 4, .bound = 3, .task = ps0});
//   Operation start = stale.start();              // once, after variables
//   steps[w] = stale.worker(w, [&] { return optimizer.minimize(loss()); });
//
// Made of queues alone, one from each worker to each other one: a worker takes
// a token from all that lead to it when it begins, and puts one into all that
// lead from it when its update is done. At the start each has bound + 1.
// So nobody is in the middle, and a program may do the same with queues of its
// own. Without a bound (-1) nobody waits for anybody.
//
// Names of state begin with StaleOptions::name, so that processes that build
// the same graph share it. One thread at a time; the graph must outlive it.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/front/queue.h"
#include "sluice/front/session.h"
#include "sluice/front/variable.h"

namespace sluice::distributed {

struct StaleOptions {
  int workers = 1;
  int64_t bound = -1;
  std::string name = "stale";
  std::string task{};  // of the queues and clocks
};

class StaleReplicas {
 public:
  using Where = std::source_location;

  // Throws sluice::Error: options that make no sense, no graph open.
  explicit StaleReplicas(StaleOptions options, Where where = Where::current());

  // Clocks at 0, and the tokens of the start. To be run once.
  const Operation& start() const { return start_; }

  struct WorkerStep {
    // How many steps the slowest was behind this worker when it began; at most
    // the bound.
    Tensor ahead;
    Operation done;  // to be run
  };
  // `update` is called once, here; what it reads waits for the tokens.
  WorkerStep worker(int worker, const std::function<Operation()>& update,
                    Where where = Where::current());
  // The same in two halves: what comes between waits for `begun`.
  Operation begin(int worker, Where where = Where::current());
  WorkerStep end(int worker, const Operation& begun, const Operation& applied,
                 Where where = Where::current());
  const StaleOptions& options() const { return options_; }

 private:
  Queue Between(int from, int to, Where where) const;
  void CheckWorker(int worker, Where where) const;

  const StaleOptions options_;
  std::vector<Variable> clocks_;  // steps each worker has done
  Operation start_;
};

// Every worker's step so many times, each in a thread of its own. Returns how
// far each was ahead of the slowest, at most. Throws the first error of any,
// with the worker's number; the others are stopped then.
std::vector<int64_t> Train(
    const std::vector<StaleReplicas::WorkerStep>& workers, Session& session,
    int64_t steps, const std::function<Feeds(int)>& feeds = nullptr);

}  // namespace sluice::distributed
