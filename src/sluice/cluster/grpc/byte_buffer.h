// Payloads as gRPC buffers and back, without copying tensor data, and gRPC
// statuses as ours.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "sluice/cluster/payload.h"

namespace sluice::cluster {

grpc::ByteBuffer ToByteBuffer(const Payload& payload);
Payload FromByteBuffer(const grpc::ByteBuffer& buffer);

Status FromGrpc(const grpc::Status& status);
grpc::Status ToGrpc(const Status& status);

}  // namespace sluice::cluster
