// Poller: a gRPC completion queue, served by one thread at a time, which waits
// for events and runs their handlers. With two waiting threads, gRPC passes its
// descriptors from thread to thread, which costs a context switch per message;
// so one thread waits, and runs the handlers itself.
//
// A handler may take long, for example a kernel. A second thread watches: when
// the first has been busy for some milliseconds, the second serves the queue in
// its place, and the first becomes the watcher or rests. No thread is woken
// while handlers are short.
//
// A program thread that waits for an answer may serve the queue in the meantime
// (HelpUntil): the answer then arrives without a context switch.
//
// Lives while a server, a channel or a call holds it; its threads end after the
// last of those, when the queue is empty. Thread safe.
#pragma once

#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>

namespace sluice::cluster {

// Called when a gRPC operation is done; it is the operation's tag.
class Completion {
 public:
  // ok: as gRPC defines it for the operation.
  virtual void Done(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// A Completion that calls a member function of its owner.
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

  // The poller for the channels of this process: that of its first server, if
  // one was started before any channel, so that one thread does everything.
  static std::shared_ptr<Poller> Home();
  // Makes `poller` the home poller, if there is none.
  static void OfferHome(const std::shared_ptr<Poller>& poller);

  grpc::CompletionQueue* queue();
  // An operation was started that no program thread will wait for.
  void Hurry();
  // The current handler, if this thread runs one, takes long from here on:
  // another thread must serve the queue now.
  static void TakesLong();
  // Serves the queue until `done` returns true, which is checked after each
  // event; another thread may serve it instead. An event of this queue must
  // make `done` true.
  void HelpUntil(const std::function<bool()>& done);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace sluice::cluster
