// The cluster that this process is connected to: the tasks that captured
// functions may name, and the server that leads their steps. The connecting
// code (cluster/) registers it; the code that records and runs functions reads
// it.
//
// One per process; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

struct ConnectedCluster {
  std::string target;   // "grpc://host:port"
  uint64_t number = 0;  // unique per connection; 0: there is none
};

// The most recent connection among the open ones.
ConnectedCluster CurrentCluster();

// Registers a cluster for the process during its own lifetime. It does not
// check that the cluster is reachable.
class ClusterConnection {
 public:
  explicit ClusterConnection(std::string target);
  ~ClusterConnection();
  ClusterConnection(const ClusterConnection&) = delete;
  ClusterConnection& operator=(const ClusterConnection&) = delete;

 private:
  uint64_t number_;
};

}  // namespace sluice
