// Tallies: totals of this process's cluster work since it started, for
// monitoring (metrics.h). They only increase.
//
// Thread safe; lives as long as the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sluice/cluster/messages.h"

namespace sluice::cluster {

struct Tallies {
  std::atomic<int64_t> runs{0}, failed_runs{0}, run_nanos{0};
  std::atomic<int64_t> sent_tensors{0}, sent_bytes{0};
  std::atomic<int64_t> received_tensors{0}, received_bytes{0};
  // Of receivers that had to wait for their tensor.
  std::atomic<int64_t> waited_nanos{0};

  static Tallies& Get();
  static void Add(std::atomic<int64_t>& tally, int64_t amount = 1) {
    tally.fetch_add(amount, std::memory_order_relaxed);
  }
  void AddTo(std::vector<Gauge>* gauges) const;
};

}  // namespace sluice::cluster
