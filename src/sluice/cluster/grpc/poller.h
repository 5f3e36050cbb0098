// Poller: a queue of what gRPC has done, and the one thread at a time that
// waits at it and runs what follows. gRPC hands its descriptors from thread to
// thread whenever two wait, which costs a switch of threads for each message;
// so one waits, and runs what it gets by itself.
//
// What it runs may take long, a kernel say. A second thread watches: when the
// first has been busy for some milliseconds, the second waits at the queue in
// its place, and the first becomes the one that watches, or rests.
// Nobody is woken while what is run is short.
//
// A program's own thread that waits for an answer may do the work in the
// meantime (HelpUntil): the answer then comes without any switch.
//
// Lives while a server, a channel or a call holds it; the threads end after the
// last of those, having run what is left in the queue. Thread safe.
#pragma once

#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>

namespace sluice::cluster {

// What is told when an operation of gRPC is done; the tag of the operation.
class Completion {
 public:
  // ok: as gRPC has it for the kind of operation.
  virtual void Done(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// One that calls a member of whatever it is in.
template <class T, void (T::*kMember)(bool)>
class MemberCompletion final : public Completion {
 public:
  explicit MemberCompletion(T& owner) : owner_(owner) {}
  void Done(bool ok) override { (owner_.*kMember)(ok); }

 private:
  T& owner_;
};

class Poller {
 public:
  explicit Poller(std::unique_ptr<grpc::CompletionQueue> queue);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // That of the channels of this process: of its first server when it has one
  // before any channel, so that one thread does all.
  static std::shared_ptr<Poller> Home();
  // Makes `poller` the home, where there is none.
  static void OfferHome(const std::shared_ptr<Poller>& poller);

  grpc::CompletionQueue* queue();
  // Something was started that nobody may help with.
  void Hurry();
  // What this thread runs for a poller, if it does, takes long from here on:
  // another thread is to wait at the queue now.
  static void TakesLong();
  // Runs what comes until `done`, which is looked at after each event; another
  // thread may do so instead. `done` must come true by an event of this queue.
  void HelpUntil(const std::function<bool()>& done);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace sluice::cluster
