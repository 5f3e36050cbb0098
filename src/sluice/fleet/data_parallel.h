// DataParallel: a model with one copy per rank, each with its own data.
//
//   namespace dist = sluice::distributed;
//   dist::init_process_group();
//   nn::Linear model(784, 10);
//   dist::DataParallel parallel(model.parameters());
//   loss.backward();          // gradients are the average over the ranks
//
// At the start the tensors are broadcast from rank 0. While the object lives,
// backward() averages gradients over the ranks (fleet/reducer.h), so that the
// optimizers of all ranks make the same step.
//
// Made and used by the thread that trains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/fleet/distributed.h"
#include "sluice/fleet/reducer.h"

namespace sluice::distributed {

struct DataParallelOptions {
  std::vector<std::string> names;  // of parameters, for messages
  std::vector<Tensor> buffers;     // also broadcast from rank 0
  fleet::ReducerOptions reducer{};
};

class DataParallel {
 public:
  // `parameters` that require no gradients are only broadcast from rank 0.
  // Throws sluice::Error: no group, or no parameter to train.
  explicit DataParallel(const std::vector<Tensor>& parameters,
                        DataParallelOptions options = {},
                        Where where = Where::current());

  // While it lives, backward() accumulates this rank's gradients only; the
  // first backward() afterwards averages the total.
  class [[nodiscard]] NoSync {
   public:
    explicit NoSync(DataParallel& parallel)
        : reducer_(*parallel.reducer_), before_(reducer_.sync()) {
      reducer_.set_sync(false);
    }
    ~NoSync() { reducer_.set_sync(before_); }
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;

   private:
    fleet::Reducer& reducer_;
    const bool before_;
  };

 private:
  std::unique_ptr<fleet::Reducer> reducer_;
};

}  // namespace sluice::distributed
