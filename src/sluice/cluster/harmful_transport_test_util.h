// HarmfulTransport: a transport that damages one outgoing message: it or its
// answer is lost, it is duplicated, or one byte changes. The connection stays
// up.
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

  // Damages the message with this number, counted from 0 from now on.
  void DoTo(int number, Harm harm);
  // Whether there was such a message.
  bool done() const { return done_.load(); }
  // Its method and the damage; empty if there was none.
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
  // Counts a message and returns the damage to apply, if any.
  bool IsNext(const std::string& method, Harm* harm);

  Transport& real_;
  std::atomic<bool> done_ = false;
  mutable Mutex mu_;
  int before_ SL_GUARDED_BY(mu_) = -1;  // messages before it; -1: no damage
  Harm harm_ SL_GUARDED_BY(mu_) = Harm::kLost;
  std::string what_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
