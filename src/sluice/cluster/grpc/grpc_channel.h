// The client side of gRPC: channels to other processes.
#pragma once

#include <memory>
#include <string>

#include "sluice/cluster/transport.h"

namespace sluice::cluster {

Result<std::shared_ptr<Channel>> ConnectGrpc(const std::string& address,
                                             int number,
                                             const TransportOptions& options);

// Replaces the paths by the contents of the files; empty ones stay empty.
// Error: the first file that cannot be read.
Result<TlsFiles> ReadTlsFiles(const TlsFiles& files);

}  // namespace sluice::cluster
