// Task: a model, the batches it learns from and the loss that teaches it. What
// `sluice train` runs, the benchmarks time and the tests check.
//
//   auto task = sl::models::make_task("resnet50");
//   auto step = sl::models::train_step(*task, optimizer);
//   step(task->batch(8, /*seed=*/1));
//
// Models keep PyTorch's names of parameters. `width` below 1 makes a model of
// the same layers with fewer channels, for tests and small machines.
#pragma once

#include <sluice/sluice.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::models {

struct TaskOptions {
  double width = 1;     // of the channels
  int64_t image = 0;    // its height and width; 0: as in the paper
  int64_t classes = 0;  // 0: as in the paper
  double dropout = -1;  // negative: as in the paper
};

class Task {
 public:
  using Batch = std::vector<Tensor>;

  virtual ~Task() = default;
  virtual nn::Module& model() = 0;
  // Real data where the project has it, numbers drawn from the seed elsewhere;
  // the same for the same seed.
  virtual Batch batch(int64_t size, uint64_t seed) = 0;
  virtual Tensor loss(const Batch& batch) = 0;
  // On data the model has not learned from, where there is some.
  virtual train::Metrics evaluate() { return {}; }
};

struct TaskKind {
  const char* name;
  const char* summary;
  int64_t batch;          // that suits two cores
  const char* optimizer;  // "momentum", "adam", ...
  double lr;
  std::unique_ptr<Task> (*make)(const TaskOptions& options);
};

const std::vector<TaskKind>& task_kinds();
// Throws when there is none of that name; the message lists them.
const TaskKind& task_kind(std::string_view name);
std::unique_ptr<Task> make_task(std::string_view name,
                                const TaskOptions& options = {});
// The optimizer a kind asks for.
std::unique_ptr<optim::Optimizer> make_optimizer(
    const std::string& kind, double lr, const std::vector<Tensor>& parameters);

// One step of training as a captured function: forward, backward, update.
// Returns the loss. Task and optimizer must outlive it.
Function<Tensor, Task::Batch> train_step(Task& task,
                                         optim::Optimizer& optimizer);

}  // namespace sluice::models
