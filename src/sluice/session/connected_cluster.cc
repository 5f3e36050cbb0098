#include "sluice/session/connected_cluster.h"

#include <vector>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct Connections {
  // Never destroyed: threads may ask while the process ends.
  static Connections& Get() {
    static auto* all = new Connections;
    return *all;
  }
  Mutex mu;
  std::vector<ConnectedCluster> open SL_GUARDED_BY(mu);
  uint64_t next SL_GUARDED_BY(mu) = 1;
};

}  // namespace

ConnectedCluster CurrentCluster() {
  Connections& all = Connections::Get();
  MutexLock lock(all.mu);
  return all.open.empty() ? ConnectedCluster() : all.open.back();
}

ClusterConnection::ClusterConnection(std::string target) {
  Connections& all = Connections::Get();
  MutexLock lock(all.mu);
  number_ = all.next++;
  all.open.push_back({std::move(target), number_});
}

ClusterConnection::~ClusterConnection() {
  Connections& all = Connections::Get();
  MutexLock lock(all.mu);
  std::erase_if(all.open, [this](const ConnectedCluster& c) {
    return c.number == number_;
  });
}

}  // namespace sluice
