// Admission: whose gradients a synchronous step is made of. Of n workers the
// first m to hand in a whole gradient of the step are admitted, whoever they
// are; what comes later is dropped, whole. A worker has one ticket per step: it
// is given a token, hands in for it once, and waits for the next.
//
//   for (int w : admission.Release()) ... send w a token for step() ...
//   switch (*admission.Arrive(w, its_step)) ...
//   if (admission.complete()) members = admission.Advance();
//
// Decides and counts; knows nothing of graphs, sessions or time, so that tests
// and simulations use what training does. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/base/status.h"

namespace sluice::distributed {

class Admission {
 public:
  enum class Verdict { kAdmitted, kLate };

  // REQUIRES: 1 <= admitted <= workers.
  Admission(int workers, int admitted, int64_t first_step = 0);

  // The workers without a token, in order; from now on they have one of
  // step().
  std::vector<int> Release();
  // A worker has handed in what it computed for a step. Error: it has no token
  // for it, or used it already.
  Result<Verdict> Arrive(int worker, int64_t step);
  bool complete() const { return admitted_.size() >= wanted_; }
  // Those admitted, in order of their numbers whatever order they came in; the
  // next step begins.  REQUIRES: complete().
  std::vector<int> Advance();
  // How many the next step waits for; this one, as long as nobody is admitted.
  // REQUIRES: 1 <= admitted <= workers.
  void set_admitted(int admitted);

  int workers() const { return static_cast<int>(token_.size()); }
  int admitted() const { return static_cast<int>(next_wanted_); }
  // How many more this step waits for.
  int missing() const { return static_cast<int>(wanted_ - admitted_.size()); }
  int64_t step() const { return step_; }
  // Workers that have a token and have not handed in.
  std::vector<int> Outstanding() const;
  // Gradients dropped so far, of each worker.
  const std::vector<int64_t>& dropped() const { return dropped_; }

 private:
  static constexpr int64_t kNone = -1;

  int64_t step_;
  size_t wanted_, next_wanted_;
  std::vector<int64_t> token_;  // the step each has a token of, or kNone
  std::vector<int> admitted_;   // in the order they came
  std::vector<int64_t> dropped_;
};

}  // namespace sluice::distributed
