#include "sluice/fleet/backup_choice.h"

#include <algorithm>
#include <limits>

#include "sluice/base/status.h"

namespace sluice::distributed {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

BackupChoice::BackupChoice(int workers, int least, int window)
    : workers_(workers), least_(least), window_(window) {
  SL_CHECK(least >= 1 && least <= workers && window >= 1);
}

void BackupChoice::Arrived(int worker, int64_t step, double seconds) {
  // From the newest: late gradients belong to a recent step.
  auto it = std::find_if(steps_.rbegin(), steps_.rend(),
                         [&](const Step& s) { return s.number == step; });
  if (it != steps_.rend()) {
    it->seconds[static_cast<size_t>(worker)] = seconds;
    return;
  }
  if (!steps_.empty() && step < steps_.back().number) return;  // forgotten
  steps_.push_back(
      {step, std::vector<double>(static_cast<size_t>(workers_), kNever)});
  steps_.back().seconds[static_cast<size_t>(worker)] = seconds;
  if (steps_.size() > static_cast<size_t>(window_) + 1) steps_.pop_front();
}

int BackupChoice::Choose(int before) const {
  // The newest step is not over.
  if (steps_.size() <= static_cast<size_t>(window_)) return before;
  std::vector<double> total(static_cast<size_t>(workers_), 0);
  for (size_t i = 0; i + 1 < steps_.size(); ++i) {
    std::vector<double> sorted = steps_[i].seconds;
    std::sort(sorted.begin(), sorted.end());
    // A worker that did not arrive at all is assumed to take at least twice as
    // long as the slowest that did: its time is unknown without waiting.
    double last = 0;
    for (size_t k = 0; k < sorted.size(); ++k) {
      last = sorted[k] == kNever ? 2 * last : sorted[k];
      total[k] += last;
    }
  }
  int best = workers_;
  for (int m = workers_; m >= least_; --m) {
    auto gain = [&](int n) { return n / total[static_cast<size_t>(n - 1)]; };
    if (gain(m) > gain(best)) best = m;
  }
  return best;
}

}  // namespace sluice::distributed
