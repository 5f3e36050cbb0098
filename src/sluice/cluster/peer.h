// Peer: another task that this one sends tensors to and fetches them from. One
// per incarnation of a task; its connections are made on first use.
//
// Thread safe. Lives while a session or a fetch uses it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/frame.h"
#include "sluice/cluster/messages.h"
#include "sluice/cluster/transport.h"

namespace sluice::cluster {

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  struct Events {
    // A received acknowledgement: kTaken or kCounts.
    std::function<void(Peer&, Frame)> frame;
    // The stream has ended; the next write opens another.
    std::function<void(Peer&, Status)> lost;
  };
  Peer(TaskInfo info, Hello hello, Transport& transport,
       TransportOptions options, Events events);
  ~Peer();

  const TaskInfo& info() const { return info_; }
  // Error: invalid address.
  Status Write(Payload frame);
  // One of the connections for fetching large tensors.
  Result<std::shared_ptr<Channel>> FetchChannel(size_t number);
  void Close();

  static constexpr size_t kFetchChannels = 4;

 private:
  Result<std::shared_ptr<Channel>> ChannelLocked(size_t number)
      SL_REQUIRES(mu_);

  const TaskInfo info_;
  const Hello hello_;
  Transport& transport_;
  const TransportOptions options_;
  const Events events_;
  Mutex mu_;
  std::vector<std::shared_ptr<Channel>> channels_ SL_GUARDED_BY(mu_);
  std::shared_ptr<Stream> stream_ SL_GUARDED_BY(mu_);
  uint64_t opened_ SL_GUARDED_BY(mu_) = 0;  // number of streams so far
};

}  // namespace sluice::cluster
