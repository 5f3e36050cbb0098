// Peer: another task that this one sends tensors to and fetches them from. One
// for each incarnation of a task; its connections are made when they are first
// needed.
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
    // What came back: kTaken, kCounts.
    std::function<void(Peer&, Frame)> frame;
    // The stream has ended; the next write opens another.
    std::function<void(Peer&, Status)> lost;
  };
  Peer(TaskInfo info, Hello hello, Transport& transport,
       TransportOptions options, Events events);
  ~Peer();

  const TaskInfo& info() const { return info_; }
  // Error: the address is none.
  Status Write(Payload frame);
  // One of the connections that large tensors are fetched by.
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
  uint64_t opened_ SL_GUARDED_BY(mu_) = 0;  // how many streams there were
};

}  // namespace sluice::cluster
