// The cluster of this process: whose tasks captured functions may name, and
// which server leads their steps. Whoever connects says so here (cluster/);
// what records and runs functions asks.
//
// Of the whole process; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

struct ConnectedCluster {
  std::string target;   // "grpc://host:port"
  uint64_t number = 0;  // which connection, each another; 0: there is none
};

// The connection that was made last, of those that are open.
ConnectedCluster CurrentCluster();

// Makes a cluster the process's while this lives. Nobody is asked whether it is
// there.
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
