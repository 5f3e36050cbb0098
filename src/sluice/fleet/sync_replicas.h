// SyncReplicas: synchronous training with m of n workers, as part of a graph.
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
// One step of a worker is one run: it takes a token, which has the step number,
// from its own queue, then reads the variables, puts its gradients into its own
// queues next to the variables, and then reports their arrival ("arrivals"). An
// arrival therefore means a complete gradient. The chief admits the first m of
// a step (fleet/admission.h). Each task sums the members' gradients, in order
// of their numbers, and updates its variables by the mean; then the chief hands
// out tokens again. The gradients of other workers are taken from their queues
// and dropped as a whole, and their samples return to the queue they came from.
//
// All of it is built from queues, conditionals and a variable, which programs
// may use themselves. Names of state begin with SyncOptions::name, so processes
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
  // The number of gradients that a step does not wait for.
  int backups = 0;
  // `backups` is the initial number; later the best number for the workers'
  // times, at most half of the workers (fleet/backup_choice.h).
  bool adapt = false;
  std::string name = "sync";
  // The task of tokens and arrivals, for example the first that has variables.
  // Empty: none, for a session within one process.
  std::string task{};
};

struct Gradient {
  Tensor value;  // may be sparse
  Variable variable;
};

// The samples a worker has taken from a queue for a step; they return there
// when the step's gradient is dropped. The queue must stay open during
// training.
struct Samples {
  Queue input{};
  std::vector<Tensor> values{};
  bool many = true;  // taken by dequeue_many; false: by dequeue
};

class SyncReplicas {
 public:
  using Where = std::source_location;

  // Throws sluice::Error: invalid options.
  explicit SyncReplicas(SyncOptions options);

  // ---- The step of a worker ----
  struct WorkerStep {
    Tensor token;    // the step it computes; negative: the last one
    Operation done;  // to be run
  };
  // `compute` is called once, here; its reads wait for the token. Every worker
  // returns gradients of the same variables, in the same order.
  WorkerStep worker(int worker,
                    const std::function<std::vector<Gradient>()>& compute,
                    Where where = Where::current());
  // The same in two halves: the nodes in between wait for the first
  // (ControlScope), and the second delivers the gradients.
  Tensor begin(int worker, Where where = Where::current());
  WorkerStep hand_in(int worker, const Tensor& token,
                     const std::vector<Gradient>& gradients,
                     const Samples& samples = {},
                     Where where = Where::current());
  static std::vector<Gradient> gradients(const Tensor& loss,
                                         const std::vector<Variable>& variables,
                                         Where where = Where::current());

  // ---- The update, once a worker's step has been added ----
  // The mean of the admitted gradients, for each variable.
  std::vector<Gradient> means(Where where = Where::current());
  // Sets the op that applies them; it runs next to the variables, like
  // optimizers.
  void set_update(const Operation& applied, Where where = Where::current());

  // ---- For the chief ----
  struct Chief {
    Operation initialize;
    Tensor step;  // the number of updates so far
    // Fed: the number of arrivals to wait for. Fetched: their workers and
    // steps.
    Tensor arrivals_wanted, arrived_workers, arrived_steps;
    // Fed to both: bool[n], the admitted or dropped workers; i64[n], the step
    // of each worker's new token, or kNoToken.
    Tensor chosen, tokens;
    Tensor count;      // fed: f64, the number admitted
    Operation update;  // from the chosen members
    Operation drop;    // of the chosen gradients
  };
  static constexpr int64_t kNoToken = INT64_MIN;
  static constexpr int64_t kLastToken = -1;
  // Throws if set_update has not been called.
  const Chief& chief() const;
  const SyncOptions& options() const { return options_; }
  // The step of a worker; throws if it was not made here.
  const WorkerStep& step_of(int worker) const;

 private:
  // The variables in one task, and the queues of their gradients.
  struct Place {
    std::string device;
    std::vector<size_t> members;  // indices into variables_
    std::vector<DType> dtypes;
    std::vector<PartialShape> shapes;
  };
  struct Trained {
    Variable variable;
    bool sparse;
  };

  [[noreturn]] void Refuse(const std::string& message, Where where) const;
  void CheckWorker(int worker, Where where) const;
  // Gets the variables from the first gradients; checks later ones.
  void Learn(const std::vector<Gradient>& gradients, Where where);
  void MakeQueues(Where where);
  Queue SlotOf(const Place& place, int worker, Where where) const;
  Queue TokensOf(int worker, Where where) const;
  // The queue in which `samples` wait for the decision.
  Queue PendingOf(const Samples& samples, int worker, Where where) const;
  const Samples* SamplesOf(int worker) const;
  std::string Named(std::string_view part) const;
  std::vector<Tensor> SumAt(const Place& place, Where where);
  void GiveTokens(std::vector<Operation>& done, Where where) const;
  // Takes the samples of the chosen workers from their queues.
  void Settle(bool give_back, std::vector<Operation>& done, Where where) const;

  const SyncOptions options_;
  std::vector<Trained> trained_;
  std::vector<Place> places_;
  std::vector<Samples> samples_;  // by worker, where known
  std::vector<WorkerStep> steps_;
  Queue arrivals_;
  Variable step_;
  Chief chief_;
  bool means_made_ = false;
};

}  // namespace sluice::distributed
