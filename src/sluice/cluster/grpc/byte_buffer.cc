#include "sluice/cluster/grpc/byte_buffer.h"

#include <grpcpp/support/slice.h>

#include "sluice/base/strings.h"

namespace sluice::cluster {

namespace {

// Smaller slices are copied: that is cheaper than reference counting.
constexpr size_t kCopyBelow = 512;

void Release(void* owner) {
  delete static_cast<std::shared_ptr<const void>*>(owner);
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(const Payload& payload) {
  std::vector<grpc::Slice> slices;
  slices.reserve(payload.slices().size());
  for (const Slice& s : payload.slices()) {
    if (s.size < kCopyBelow) {
      slices.emplace_back(s.data, s.size);
    } else {
      slices.emplace_back(const_cast<char*>(s.data), s.size, Release,
                          new std::shared_ptr<const void>(s.owner));
    }
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

Payload FromByteBuffer(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  Payload payload;
  if (!buffer.Dump(&slices).ok()) return payload;
  for (grpc::Slice& s : slices) {
    auto owner = std::make_shared<const grpc::Slice>(std::move(s));
    payload.Append(Slice{reinterpret_cast<const char*>(owner->begin()),
                         owner->size(), owner});
  }
  return payload;
}

Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  auto code = [&] {
    switch (status.error_code()) {
      case grpc::StatusCode::CANCELLED:
        return Code::kCancelled;
      case grpc::StatusCode::INVALID_ARGUMENT:
        return Code::kInvalidArgument;
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return Code::kDeadlineExceeded;
      case grpc::StatusCode::RESOURCE_EXHAUSTED:
        return Code::kResourceExhausted;
      case grpc::StatusCode::FAILED_PRECONDITION:
        return Code::kFailedPrecondition;
      case grpc::StatusCode::ABORTED:
        return Code::kAborted;
      case grpc::StatusCode::UNIMPLEMENTED:
        return Code::kUnimplemented;
      case grpc::StatusCode::DATA_LOSS:
        return Code::kDataLoss;
      case grpc::StatusCode::INTERNAL:
        return Code::kInternal;
      default:
        return Code::kUnavailable;
    }
  }();
  return Status(code, status.error_message());
}

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  auto code = [&] {
    switch (status.code()) {
      case Code::kCancelled:
        return grpc::StatusCode::CANCELLED;
      case Code::kInvalidArgument:
        return grpc::StatusCode::INVALID_ARGUMENT;
      case Code::kDeadlineExceeded:
        return grpc::StatusCode::DEADLINE_EXCEEDED;
      case Code::kResourceExhausted:
        return grpc::StatusCode::RESOURCE_EXHAUSTED;
      case Code::kFailedPrecondition:
        return grpc::StatusCode::FAILED_PRECONDITION;
      case Code::kAborted:
        return grpc::StatusCode::ABORTED;
      case Code::kUnimplemented:
        return grpc::StatusCode::UNIMPLEMENTED;
      case Code::kDataLoss:
        return grpc::StatusCode::DATA_LOSS;
      case Code::kInternal:
        return grpc::StatusCode::INTERNAL;
      default:
        return grpc::StatusCode::UNAVAILABLE;
    }
  }();
  // Headers are limited in size; errors that matter are in the answer's body.
  return grpc::Status(code, status.message().substr(0, 1000));
}

}  // namespace sluice::cluster
