#include "sluice/cluster/harmful_transport_test_util.h"

#include "sluice/base/strings.h"
#include "sluice/base/timer.h"

namespace sluice::cluster {

namespace {

const char* NameOf(Harm harm) {
  switch (harm) {
    case Harm::kLost:
      return "lost";
    case Harm::kAnswerLost:
      return "unanswered";
    case Harm::kTwice:
      return "twice";
    case Harm::kAltered:
      return "altered";
  }
  return "";
}

Payload Altered(const Payload& payload) {
  std::string bytes = payload.ToString();
  if (!bytes.empty()) bytes[bytes.size() / 2] ^= 0x20;
  return Payload(std::move(bytes));
}

}  // namespace

class HarmfulStream final : public Stream {
 public:
  HarmfulStream(HarmfulTransport& transport, std::string method,
                std::shared_ptr<Stream> real)
      : transport_(transport),
        method_(std::move(method)),
        real_(std::move(real)) {}
  void Write(Payload payload) override {
    Harm harm;
    if (!transport_.IsNext(method_, &harm)) {
      return real_->Write(std::move(payload));
    }
    if (harm == Harm::kTwice) real_->Write(payload);
    if (harm == Harm::kAltered) payload = Altered(payload);
    // Writes to a stream have no answer to lose.
    if (harm != Harm::kLost && harm != Harm::kAnswerLost) {
      real_->Write(std::move(payload));
    }
  }
  void Close(const Status& why) override { real_->Close(why); }
  std::string peer() const override { return real_->peer(); }

 private:
  HarmfulTransport& transport_;
  const std::string method_;
  const std::shared_ptr<Stream> real_;
};

class HarmfulChannel final : public Channel {
 public:
  HarmfulChannel(HarmfulTransport& transport, std::shared_ptr<Channel> real)
      : transport_(transport), real_(std::move(real)) {}
  void Call(const std::string& method, Payload request, int64_t timeout_ms,
            Done done) override {
    Harm harm;
    if (!transport_.IsNext(method, &harm)) {
      return real_->Call(method, std::move(request), timeout_ms,
                         std::move(done));
    }
    const auto nobody = [](const Status&, const Payload&) {};
    if (harm == Harm::kTwice || harm == Harm::kAnswerLost) {
      real_->Call(method, request, timeout_ms, nobody);
    }
    if (harm == Harm::kTwice || harm == Harm::kAltered) {
      return real_->Call(method,
                         harm == Harm::kAltered ? Altered(request) : request,
                         timeout_ms, std::move(done));
    }
    if (timeout_ms == 0) return;  // while the connection is up
    Timer::Default().After(timeout_ms * 1'000'000, [done = std::move(done)] {
      done(DeadlineExceeded("no answer came in time"), {});
    });
  }
  std::shared_ptr<Stream> Open(const std::string& method,
                               StreamEvents events) override {
    return std::make_shared<HarmfulStream>(
        transport_, method, real_->Open(method, std::move(events)));
  }
  // Does not help: the timeout of a lost message is no event of the real
  // transport.
  // transport.

 private:
  HarmfulTransport& transport_;
  const std::shared_ptr<Channel> real_;
};

void HarmfulTransport::DoTo(int number, Harm harm) {
  MutexLock lock(mu_);
  before_ = number;
  harm_ = harm;
  what_.clear();
  done_.store(false);
}

std::string HarmfulTransport::what() const {
  MutexLock lock(mu_);
  return what_;
}

bool HarmfulTransport::IsNext(const std::string& method, Harm* harm) {
  MutexLock lock(mu_);
  if (before_ < 0 || before_-- > 0) return false;
  *harm = harm_;
  what_ = StrCat(method, " ", NameOf(harm_));
  done_.store(true);
  return true;
}

Result<std::shared_ptr<Channel>> HarmfulTransport::Connect(
    const std::string& address, int number, const TransportOptions& options) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Channel> real,
                      real_.Connect(address, number, options));
  return std::shared_ptr<Channel>(
      std::make_shared<HarmfulChannel>(*this, std::move(real)));
}

}  // namespace sluice::cluster
