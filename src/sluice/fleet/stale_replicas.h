// StaleReplicas: asynchronous training with a staleness bound. Every worker
// applies its own gradients immediately, and is at most `bound` steps ahead of
// the slowest: it begins its step c when every other worker has done c - bound
// steps.
//
//   dist::StaleReplicas stale({.workers = 4, .bound = 3, .task = ps0});
//   Operation start = stale.start();              // once, after variables
//   steps[w] = stale.worker(w, [&] { return optimizer.minimize(loss()); });
//
// Built from queues alone, one from each worker to each other one: a worker
// takes a token from each incoming queue when it begins, and puts one into each
// outgoing queue when its update is done. Initially each queue has bound + 1
// tokens. There is no coordinator, and a program may do the same with its own
// queues. Without a bound (-1) no worker waits.
//
// Names of state begin with StaleOptions::name, so processes that build the
// same graph share it. One thread at a time; the graph must outlive it.
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

  // Throws sluice::Error: invalid options, no open graph.
  explicit StaleReplicas(StaleOptions options, Where where = Where::current());

  // Resets the clocks and adds the initial tokens. Run it once.
  const Operation& start() const { return start_; }

  struct WorkerStep {
    // How many steps the slowest worker was behind when this one began; at most
    // the bound.
    Tensor ahead;
    Operation done;  // to be run
  };
  // `update` is called once, here; its reads wait for the tokens.
  WorkerStep worker(int worker, const std::function<Operation()>& update,
                    Where where = Where::current());
  // The same in two halves: the nodes in between wait for `begun`.
  Operation begin(int worker, Where where = Where::current());
  WorkerStep end(int worker, const Operation& begun, const Operation& applied,
                 Where where = Where::current());
  const StaleOptions& options() const { return options_; }

 private:
  Queue Between(int from, int to, Where where) const;
  void CheckWorker(int worker, Where where) const;

  const StaleOptions options_;
  std::vector<Variable> clocks_;  // steps done, by worker
  Operation start_;
};

// Runs every worker's step `steps` times, each on its own thread. Returns, by
// worker, the maximum distance to the slowest. Throws the first error of any
// worker, with its number, after stopping the others.
std::vector<int64_t> Train(
    const std::vector<StaleReplicas::WorkerStep>& workers, Session& session,
    int64_t steps, const std::function<Feeds(int)>& feeds = nullptr);

}  // namespace sluice::distributed
