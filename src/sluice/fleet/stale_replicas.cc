#include "sluice/fleet/stale_replicas.h"

#include <algorithm>
#include <memory>

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"
#include "sluice/eager/operators.h"
#include "sluice/fleet/calls.h"
#include "sluice/fleet/in_task.h"
#include "sluice/fleet/run_workers.h"

namespace sluice::distributed {

StaleReplicas::StaleReplicas(StaleOptions options, Where where)
    : options_(std::move(options)) {
  if (options_.workers < 1 || options_.bound < -1) {
    throw Error(InvalidArgument(
        StrCat("training by ", options_.workers, " workers that are at most ",
               options_.bound,
               " steps ahead; wanted 1 worker or more, and a bound from 0, or "
               "-1 for none")));
  }
  InTask there(options_.task);
  std::vector<Operation> begun;
  for (int w = 0; w < options_.workers; ++w) {
    clocks_.push_back(
        variable(int64_t{0}, StrCat(options_.name, "/clock_", w), {}, where));
    begun.push_back(clocks_.back().initializer());
  }
  // Each worker's first step takes one, before any step is done.
  std::vector<int64_t> tokens(static_cast<size_t>(options_.bound + 1));
  for (int from = 0; from < options_.workers && !tokens.empty(); ++from) {
    for (int to = 0; to < options_.workers; ++to) {
      if (from == to) continue;
      begun.push_back(
          Between(from, to, where)
              .enqueue_many({Array::Vector(std::span<const int64_t>(tokens))},
                            where));
    }
  }
  ControlScope after(begun);
  start_ = calls::NoOp(where);
}

void StaleReplicas::CheckWorker(int worker, Where where) const {
  if (worker >= 0 && worker < options_.workers) return;
  throw Error(
      InvalidArgument(StrCat(options_.name, ": there is no worker ", worker,
                             "; wanted 0 to ", options_.workers - 1))
          .WithLine(StrCat("at ", SourceLine::From(where))));
}

Queue StaleReplicas::Between(int from, int to, Where where) const {
  InTask there(options_.task);
  return fifo_queue(
      -1, {DType::kI64}, {Shape()},
      {.shared_name = StrCat(options_.name, "/from_", from, "_to_", to)},
      where);
}

Operation StaleReplicas::begin(int worker, Where where) {
  CheckWorker(worker, where);
  std::vector<Operation> taken;
  for (int from = 0; from < options_.workers && options_.bound >= 0; ++from) {
    if (from == worker) continue;
    taken.push_back(Between(from, worker, where).dequeue(where)[0].operation());
  }
  InTask there(options_.task);
  ControlScope after(taken);
  return calls::NoOp(where);
}

StaleReplicas::WorkerStep StaleReplicas::end(int worker, const Operation& begun,
                                             const Operation& applied,
                                             Where where) {
  CheckWorker(worker, where);
  InTask there(options_.task);
  Tensor slowest;
  Tensor ahead;
  {
    ControlScope after({begun});
    for (const Variable& clock : clocks_) {
      Tensor now = clock.read(where);
      slowest = slowest.defined() ? calls::One("Minimum", {slowest, now}, where)
                                  : now;
    }
    ahead = clocks_[static_cast<size_t>(worker)].read(where) - slowest;
  }
  // The clock advances before others may continue, and after it was read.
  ControlScope after({applied, ahead.operation()});
  std::vector<Operation> told = {
      clocks_[static_cast<size_t>(worker)].assign_add(int64_t{1}, {}, where)};
  ControlScope moved({told[0]});
  for (int to = 0; to < options_.workers && options_.bound >= 0; ++to) {
    if (to == worker) continue;
    told.push_back(Between(worker, to, where).enqueue({int64_t{0}}, where));
  }
  ControlScope all(told);
  return {ahead, calls::NoOp(where)};
}

StaleReplicas::WorkerStep StaleReplicas::worker(
    int worker, const std::function<Operation()>& update, Where where) {
  Operation begun = begin(worker, where);
  ControlScope after({begun});
  return end(worker, begun, update(), where);
}

std::vector<int64_t> Train(
    const std::vector<StaleReplicas::WorkerStep>& workers, Session& session,
    int64_t steps, const std::function<Feeds(int)>& feeds) {
  RunOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  std::vector<int64_t> most(workers.size());
  RunWorkers(
      static_cast<int>(workers.size()), *options.cancellation, [&](int w) {
        const auto& step = workers[static_cast<size_t>(w)];
        int64_t& ahead = most[static_cast<size_t>(w)];
        for (int64_t i = 0; i < steps; ++i) {
          auto got =
              session.run({Fetch(step.ahead)}, feeds ? feeds(w) : Feeds{},
                          {step.done}, options);
          ahead = std::max(ahead, got[0].data<int64_t>()[0]);
        }
      });
  return most;
}

}  // namespace sluice::distributed
