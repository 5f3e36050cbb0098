// What the network of this machine can do at best, for comparison: the same
// bytes by plain TCP, and by gRPC with nothing around it. Both go over the
// loopback interface into memory of the receiver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sluice::bench {

// Something that answers, kept running while it is compared with.
struct Floor {
  std::function<void()> ask;  // one question and its answer
  std::shared_ptr<void> keep;
};

// Answers of so many bytes.
Floor TcpFloor(int64_t bytes);
Floor GrpcFloor(int64_t bytes);

}  // namespace sluice::bench
