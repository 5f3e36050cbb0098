// The transport over gRPC. Programs that link it register it at startup; others
// load it from libsluice_grpc.so (default_transport.cc).
#include "sluice/cluster/grpc/grpc_channel.h"
#include "sluice/cluster/grpc/grpc_server.h"
#include "sluice/cluster/grpc/poller.h"
#include "sluice/cluster/transport.h"

namespace sluice::cluster {

namespace {

class GrpcTransport final : public Transport {
 public:
  Result<std::unique_ptr<Server>> Listen(
      const std::string& address, Service& service,
      const TransportOptions& options) override {
    return ListenGrpc(address, service, options);
  }
  Result<std::shared_ptr<Channel>> Connect(
      const std::string& address, int number,
      const TransportOptions& options) override {
    return ConnectGrpc(address, number, options);
  }
  void TakesLong() override { Poller::TakesLong(); }
};

}  // namespace

}  // namespace sluice::cluster

extern "C" __attribute__((visibility("default"))) sluice::cluster::Transport*
sluice_grpc_transport() {
  static sluice::cluster::GrpcTransport transport;
  return &transport;
}
