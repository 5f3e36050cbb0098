// HarmfulTransport: the transport of this program, which does harm to one
// message of those that go out through it: it, or its answer, is lost, it comes
// twice, a byte of it is another one. The connection lives.
//
// Outlives its channels. Thread safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/transport.h"

namespace sluice::cluster {

enum class Harm { kLost, kAnswerLost, kTwice, kAltered };

class HarmfulTransport final : public Transport {
 public:
  explicit HarmfulTransport(Transport& real) : real_(real) {}

  // To the message of this number from now on, counted from 0.
  void DoTo(int number, Harm harm);
  // Whether there was such a message.
  bool done() const { return done_.load(); }
  // Its method, and what was done; empty while there was none.
  std::string what() const;

  Result<std::unique_ptr<Server>> Listen(
      const std::string& address, Service& service,
      const TransportOptions& options) override {
    return real_.Listen(address, service, options);
  }
  Result<std::shared_ptr<Channel>> Connect(
      const std::string& address, int number,
      const TransportOptions& options) override;
  void TakesLong() override { real_.TakesLong(); }

 private:
  friend class HarmfulChannel;
  friend class HarmfulStream;
  // Counts a message. What is to be done to it, if anything.
  bool IsNext(const std::string& method, Harm* harm);

  Transport& real_;
  std::atomic<bool> done_ = false;
  mutable Mutex mu_;
  int before_ SL_GUARDED_BY(mu_) = -1;  // it; -1: all is well
  Harm harm_ SL_GUARDED_BY(mu_) = Harm::kLost;
  std::string what_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
