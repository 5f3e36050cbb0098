// EarlyStopping: whether a metric has stopped getting better. A plain value.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace sluice::train {

struct EarlyStopping {
  std::string metric = "loss";  // of the evaluation
  int64_t patience = 3;         // evaluations that may be no better
  double min_delta = 0;         // what counts as better
  bool larger_is_better = false;
};

class Patience {
 public:
  explicit Patience(EarlyStopping rule) : rule_(std::move(rule)) {}

  // True when it is time to stop. NaN is no better than anything.
  bool Tell(double value) {
    double sign = rule_.larger_is_better ? -1 : 1;
    if (sign * value < best_ - rule_.min_delta) {
      best_ = sign * value;
      bad_ = 0;
      return false;
    }
    return ++bad_ > rule_.patience;
  }

  // For checkpoints; `best` is infinite before the first.
  double best() const { return best_; }
  int64_t bad() const { return bad_; }
  void Restore(double best, int64_t bad) {
    best_ = best;
    bad_ = bad;
  }
  const EarlyStopping& rule() const { return rule_; }

 private:
  EarlyStopping rule_;
  double best_ = std::numeric_limits<double>::infinity();
  int64_t bad_ = 0;
};

}  // namespace sluice::train
