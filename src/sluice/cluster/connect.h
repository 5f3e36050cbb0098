// Connect: makes a cluster the process's, so that captured functions may name
// its tasks:
//
//   auto connected = sluice::cluster::Connect((*cluster)->target());
//   auto f = sl::function([](sl::Tensor x) {
//     sl::DeviceScope there("/job:worker/task:1");
//     return x * 2;
//   });
//   f(x);  // one step over the tasks; what it gives is here
//
// While what it gives lives; the connection that was made last is the one.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/status.h"
#include "sluice/session/connected_cluster.h"

namespace sluice::cluster {

// To "grpc://host:port", which leads the steps. Waits for its answer. Errors:
// another form; nobody answers.
Result<std::unique_ptr<ClusterConnection>> Connect(const std::string& target);

}  // namespace sluice::cluster
