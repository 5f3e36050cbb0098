// Connect: makes a cluster available to this process, so that captured
// functions may name its tasks:
//
//   auto connected = sluice::cluster::Connect((*cluster)->target());
//   auto f = sl::function([](sl::Tensor x) {
//     sl::DeviceScope there("/job:worker/task:1");
//     return x * 2;
//   });
//   f(x);  // one step over the tasks; what it gives is here
//
// The connection lasts as long as the returned object; the most recent one is
// used.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/status.h"
#include "sluice/session/connected_cluster.h"

namespace sluice::cluster {

// Connects to "grpc://host:port", which leads the steps, and waits for its
// answer. Errors: another form; no answer.
Result<std::unique_ptr<ClusterConnection>> Connect(const std::string& target);

}  // namespace sluice::cluster
