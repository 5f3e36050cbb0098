#include "sluice/cluster/peer.h"

#include "sluice/base/strings.h"

namespace sluice::cluster {

Peer::Peer(TaskInfo info, Hello hello, Transport& transport,
           TransportOptions options, Events events)
    : info_(std::move(info)),
      hello_(std::move(hello)),
      transport_(transport),
      options_(std::move(options)),
      events_(std::move(events)),
      // The first channel is that of the stream.
      channels_(1 + kFetchChannels) {}

Peer::~Peer() { Close(); }

Result<std::shared_ptr<Channel>> Peer::ChannelLocked(size_t number) {
  if (!channels_[number]) {
    SL_ASSIGN_OR_RETURN(
        channels_[number],
        transport_.Connect(info_.address, static_cast<int>(number), options_));
  }
  return channels_[number];
}

Result<std::shared_ptr<Channel>> Peer::FetchChannel(size_t number) {
  MutexLock lock(mu_);
  return ChannelLocked(1 + number % kFetchChannels);
}

Status Peer::Write(Payload frame) {
  std::shared_ptr<Stream> stream;
  {
    MutexLock lock(mu_);
    if (!stream_) {
      SL_ASSIGN_OR_RETURN(std::shared_ptr<Channel> channel, ChannelLocked(0));
      const uint64_t which = ++opened_;
      auto weak = weak_from_this();
      stream_ = channel->Open(
          methods::kTensors,
          {.message =
               [weak](Payload back) {
                 auto self = weak.lock();
                 if (!self) return;
                 Status status = ReadFrames(back, [&](Frame f) {
                   self->events_.frame(*self, std::move(f));
                 });
                 if (status.ok()) return;
                 self->events_.lost(*self, status);
               },
           .closed =
               [weak, which](Status why) {
                 auto self = weak.lock();
                 if (!self) return;
                 std::shared_ptr<Stream> last;
                 {
                   MutexLock lock(self->mu_);
                   if (self->opened_ == which) last = std::move(self->stream_);
                 }
                 if (why.ok()) {
                   why = Status(Code::kUnavailable, "it has ended");
                 }
                 self->events_.lost(*self, why);
               }});
      Frame hello;
      hello.kind = FrameKind::kHello;
      hello.head = Encode(hello_);
      stream_->Write(WriteFrame(hello));
    }
    stream = stream_;
  }
  stream->Write(std::move(frame));
  return OkStatus();
}

void Peer::Close() {
  std::shared_ptr<Stream> last;
  {
    MutexLock lock(mu_);
    last = std::move(stream_);
    ++opened_;
  }
  if (last) last->Close(OkStatus());
}

}  // namespace sluice::cluster
