// QueueRunner: threads that fill a queue beside training. Each runs steps that
// enqueue; they wait while the queue is full, and training while it is empty.
//
//   auto queue = sl::fifo_queue(64, {sl::f32, sl::i64}, {{784}, {}});
//   auto fill = queue.enqueue({image, label});       // reads and decodes
//   auto batch = queue.dequeue_many(32);
//   ...
//   data::QueueRunner readers(session, queue, fill, {.threads = 4});
//   while (readers.feed([&] { session.run(train); })) {}
//
// A thread ends when its step says there is no more (code OutOfRange, as the
// reader ops give it at the end of their files) or the queue is closed. The
// last one closes the queue. A step that fails otherwise stops all of them, and
// its error is what feed() throws once the elements before it are taken.
//
// Stopped and joined by the destructor. The session and its graph must outlive
// it. Calls from any thread.
#pragma once

#include <functional>
#include <memory>

#include "sluice/data/dataset.h"
#include "sluice/front/queue.h"
#include "sluice/front/session.h"

namespace sluice::data {

struct QueueRunnerOptions {
  int threads = 1;
};

class QueueRunner {
 public:
  QueueRunner(Session& session, const Queue& queue, const Operation& enqueue,
              QueueRunnerOptions options = {});
  // `step` enqueues and returns true, or false when there is no more. Called
  // from all threads at once.
  QueueRunner(Session& session, const Queue& queue, std::function<bool()> step,
              QueueRunnerOptions options = {});
  ~QueueRunner();
  QueueRunner(const QueueRunner&) = delete;
  QueueRunner& operator=(const QueueRunner&) = delete;

  // Calls `step`, which takes from the queue. False when the queue is closed
  // and what is left is not enough. Throws what a thread failed with, or what
  // the step throws otherwise.
  bool feed(const std::function<void()>& step);

  // Closes the queue, cancels waiting enqueues and joins the threads. Elements
  // in the queue stay there.
  void stop();
  // Waits until the threads have ended by themselves.
  void join();
  // What a thread failed with; OK when none did.
  Status status() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Steps that put the elements of one pass over a dataset into a queue:
// component i is fed to `to[i]`, and `enqueue` is run. Made for QueueRunner.
std::function<bool()> EnqueueSteps(Session& session, StageRef stage,
                                   Operation enqueue, std::vector<Tensor> to,
                                   uint64_t epoch);
template <size_t N>
std::function<bool()> enqueue_steps(Session& session, const Dataset<N>& dataset,
                                    const Operation& enqueue,
                                    const std::array<Tensor, N>& to,
                                    uint64_t epoch = 0) {
  return EnqueueSteps(session, dataset.stage(), enqueue, {to.begin(), to.end()},
                      epoch);
}

}  // namespace sluice::data
