#include "sluice/cluster/connect.h"

#include "sluice/cluster/remote_session.h"

namespace sluice::cluster {

Result<std::unique_ptr<ClusterConnection>> Connect(const std::string& target) {
  SL_ASSIGN_OR_RETURN(std::string address, AddressIn(target));
  SL_RETURN_IF_ERROR(AskStatus(address, TransportFromEnvironment()).status());
  return std::make_unique<ClusterConnection>(target);
}

}  // namespace sluice::cluster
