// Admission: decides whose gradients a synchronous step uses. Of n workers, the
// first m to deliver a complete gradient for the step are admitted; later ones
// are dropped as a whole. A worker has one ticket per step: it receives a
// token, delivers for it once, and waits for the next.
//
//   for (int w : admission.Release()) ... send w a token for step() ...
//   switch (*admission.Arrive(w, its_step)) ...
//   if (admission.complete()) members = admission.Advance();
//
// Only decides and counts; it knows nothing of graphs, sessions or time, so
// that tests and simulations use the same code as training. One thread at a
// time.
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

  // Gives a token for step() to every worker without one; returns these
  // workers, in order.
  std::vector<int> Release();
  // A worker has delivered its gradient for a step. Error: it has no token for
  // that step, or has used it already.
  Result<Verdict> Arrive(int worker, int64_t step);
  bool complete() const { return admitted_.size() >= wanted_; }
  // Returns the admitted workers by number, whatever their order of arrival,
  // and starts the next step. REQUIRES: complete().
  std::vector<int> Advance();
  // Sets how many workers the next step waits for, or this step if nobody has
  // been admitted yet. REQUIRES: 1 <= admitted <= workers.
  void set_admitted(int admitted);

  int workers() const { return static_cast<int>(token_.size()); }
  int admitted() const { return static_cast<int>(next_wanted_); }
  // How many more workers this step waits for.
  int missing() const { return static_cast<int>(wanted_ - admitted_.size()); }
  int64_t step() const { return step_; }
  // Workers that have a token and have not delivered.
  std::vector<int> Outstanding() const;
  // Gradients dropped so far, by worker.
  const std::vector<int64_t>& dropped() const { return dropped_; }

 private:
  static constexpr int64_t kNone = -1;

  int64_t step_;
  size_t wanted_, next_wanted_;
  std::vector<int64_t> token_;  // the step of each worker's token, or kNone
  std::vector<int> admitted_;   // in order of arrival
  std::vector<int64_t> dropped_;
};

}  // namespace sluice::distributed
