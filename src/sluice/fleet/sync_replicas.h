// SyncReplicas: synchronous training, of m of n workers, as part of a graph.
//
//   dist::SyncReplicas sync({.workers = 5, .backups = 1});
//   for (int w = 0; w < 5; ++w) {               // or w alone, in its process
//     DeviceScope here(worker_task(w));
//     steps[w] = sync.worker(w, [&] {
//       loss = ...;
//       return sync.gradients(loss, variables);
//     });
//   }
//   sync.set_update(optimizer.apply_gradients(sync.means()));
//   dist::Train(sync, session, 1000);           // fleet/sync_chief.h
//
// One step of a worker, one run: it takes its token from a queue of its own,
// which says the step, then reads the variables, puts its gradients into a
// queue of its own beside each of the variables, and then says that they are
// there ("arrivals"). So what has arrived is whole. The chief admits the first
// m of a step (fleet/admission.h), and has each task add up the gradients of
// the members, in order of their numbers, and change its variables by the mean;
// then it gives out tokens again. Gradients of others are taken from their
// queues and dropped, whole, and the samples they were made of go back to the
// queue they came from.
//
// All of it is queues, conditionals and a variable, which programs may use
// themselves; names of state begin with SyncOptions::name, so that processes
// that build the same graph share it. One thread at a time; the graph must
// outlive it.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/eager/scope.h"
#include "sluice/front/queue.h"
#include "sluice/front/variable.h"

namespace sluice::distributed {

struct SyncOptions {
  int workers = 1;
  // Gradients of a step that are not waited for.
  int backups = 0;
  // `backups` is what training begins with; then as many as the times of the
  // workers make best, and at most half of them (fleet/backup_choice.h).
  bool adapt = false;
  std::string name = "sync";
  // The task of tokens and arrivals, such as the first that keeps variables.
  // Empty: none that is named, for a session within one process.
  std::string task{};
};

struct Gradient {
  Tensor value;  // may be sparse
  Variable variable;
};

// What a worker has taken from a queue for a step; it goes back there when the
// step's gradient is dropped. The queue must take it: it is not closed while
// training goes on.
struct Samples {
  Queue input{};
  std::vector<Tensor> values{};
  bool many = true;  // taken by dequeue_many; false: by dequeue
};

class SyncReplicas {
 public:
  using Where = std::source_location;

  // Throws sluice::Error: options that make no sense.
  explicit SyncReplicas(SyncOptions options);

  // ---- The step of a worker ----
  struct WorkerStep {
    Tensor token;    // the step it computes for; negative: it is the last
    Operation done;  // to be run
  };
  // `compute` is called once, here; what it reads waits for the token. Every
  // worker gives gradients of the same variables, in the same order.
  WorkerStep worker(int worker,
                    const std::function<std::vector<Gradient>()>& compute,
                    Where where = Where::current());
  // The same in two halves: what comes between waits for the first
  // (ControlScope), and the second hands in.
  Tensor begin(int worker, Where where = Where::current());
  WorkerStep hand_in(int worker, const Tensor& token,
                     const std::vector<Gradient>& gradients,
                     const Samples& samples = {},
                     Where where = Where::current());
  static std::vector<Gradient> gradients(const Tensor& loss,
                                         const std::vector<Variable>& variables,
                                         Where where = Where::current());

  // ---- The update, once a worker's step is there ----
  // The mean of the gradients of those admitted, for each variable.
  std::vector<Gradient> means(Where where = Where::current());
  // What applies them: beside the variables, as optimizers do.
  void set_update(const Operation& applied, Where where = Where::current());

  // ---- For the chief ----
  struct Chief {
    Operation initialize;
    Tensor step;  // the number of updates done
    // Fed: how many arrivals to wait for. Fetched: whose, of which steps.
    Tensor arrivals_wanted, arrived_workers, arrived_steps;
    // Fed to both: bool[n] who is admitted or dropped; i64[n] the step of the
    // token each is given, or kNoToken.
    Tensor chosen, tokens;
    Tensor count;      // fed: f64, how many are admitted
    Operation update;  // of the members chosen
    Operation drop;    // of what those chosen handed in
  };
  static constexpr int64_t kNoToken = INT64_MIN;
  static constexpr int64_t kLastToken = -1;
  // Throws when set_update has not been called.
  const Chief& chief() const;
  const SyncOptions& options() const { return options_; }
  // Of a worker's step; throws when it was not made here.
  const WorkerStep& step_of(int worker) const;

 private:
  // The variables in one task, and the queues their gradients go through.
  struct Place {
    std::string device;
    std::vector<size_t> members;  // of variables_
    std::vector<DType> dtypes;
    std::vector<PartialShape> shapes;
  };
  struct Trained {
    Variable variable;
    bool sparse;
  };

  [[noreturn]] void Refuse(const std::string& message, Where where) const;
  void CheckWorker(int worker, Where where) const;
  // Learns the variables from the first gradients; checks the others.
  void Learn(const std::vector<Gradient>& gradients, Where where);
  void MakeQueues(Where where);
  Queue SlotOf(const Place& place, int worker, Where where) const;
  Queue TokensOf(int worker, Where where) const;
  // Where `samples` wait for the verdict.
  Queue PendingOf(const Samples& samples, int worker, Where where) const;
  const Samples* SamplesOf(int worker) const;
  std::string Named(std::string_view part) const;
  std::vector<Tensor> SumAt(const Place& place, Where where);
  void GiveTokens(std::vector<Operation>& done, Where where) const;
  // Takes the samples of those chosen from where they wait.
  void Settle(bool give_back, std::vector<Operation>& done, Where where) const;

  const SyncOptions options_;
  std::vector<Trained> trained_;
  std::vector<Place> places_;
  std::vector<Samples> samples_;  // of each worker, as far as they are here
  std::vector<WorkerStep> steps_;
  Queue arrivals_;
  Variable step_;
  Chief chief_;
  bool means_made_ = false;
};

}  // namespace sluice::distributed
