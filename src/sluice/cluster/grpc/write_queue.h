// WriteQueue: data waiting to be written to a gRPC stream, which accepts one
// message at a time. Everything queued is sent as one message, so that many
// small tensors cost one write.
//
// Guarded by the stream's lock.
#pragma once

#include <deque>

#include "sluice/cluster/grpc/byte_buffer.h"

namespace sluice::cluster {

class WriteQueue {
 public:
  void Add(Payload payload) { waiting_.push_back(std::move(payload)); }
  bool empty() const { return waiting_.empty(); }
  bool writing() const { return writing_; }
  void Clear() { waiting_.clear(); }
  // The next message; it is valid until Wrote. REQUIRES: !empty(), !writing().
  const grpc::ByteBuffer* Next() {
    Payload all;
    while (!waiting_.empty()) {
      if (all.size() > 0 && all.size() + waiting_.front().size() > kMost) break;
      all.Append(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    buffer_ = ToByteBuffer(all);
    writing_ = true;
    return &buffer_;
  }
  void Wrote() {
    writing_ = false;
    buffer_.Clear();
  }

 private:
  static constexpr size_t kMost = size_t{1} << 20;
  std::deque<Payload> waiting_;
  grpc::ByteBuffer buffer_;
  bool writing_ = false;
};

}  // namespace sluice::cluster
