// The server side of gRPC.
#pragma once

#include <memory>
#include <string>

#include "sluice/cluster/transport.h"

namespace sluice::cluster {

Result<std::unique_ptr<Server>> ListenGrpc(const std::string& address,
                                           Service& service,
                                           const TransportOptions& options);

}  // namespace sluice::cluster
