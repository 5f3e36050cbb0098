#include "sluice/cluster/tallies.h"

namespace sluice::cluster {

Tallies& Tallies::Get() {
  static auto& tallies = *new Tallies;
  return tallies;
}

void Tallies::AddTo(std::vector<Gauge>* gauges) const {
  gauges->push_back({"runs_total", runs.load()});
  gauges->push_back({"failed_runs_total", failed_runs.load()});
  gauges->push_back({"run_nanoseconds_total", run_nanos.load()});
  gauges->push_back({"sent_tensors_total", sent_tensors.load()});
  gauges->push_back({"sent_bytes_total", sent_bytes.load()});
  gauges->push_back({"received_tensors_total", received_tensors.load()});
  gauges->push_back({"received_bytes_total", received_bytes.load()});
  gauges->push_back({"waited_nanoseconds_total", waited_nanos.load()});
}

}  // namespace sluice::cluster
