#include "sluice/session/remote_master.h"

#include <atomic>

#include "sluice/base/strings.h"

namespace sluice {

namespace {
constinit std::atomic<ConnectMaster> connect_master{nullptr};
}  // namespace

bool SetConnectMaster(ConnectMaster connect) {
  connect_master.store(connect);
  return true;
}

Result<std::unique_ptr<RemoteMaster>> ConnectToMaster(Graph& graph,
                                                      const std::string& target,
                                                      uint64_t seed) {
  ConnectMaster connect = connect_master.load();
  if (!connect) {
    return Unimplemented(
        StrCat("cannot reach \"", target,
               "\": this program was linked without Sluice's cluster part"));
  }
  return connect(graph, target, seed);
}

}  // namespace sluice
