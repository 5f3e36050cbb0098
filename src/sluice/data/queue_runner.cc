#include "sluice/data/queue_runner.h"

#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "sluice/base/caught.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/eager/scope.h"

namespace sluice::data {

struct QueueRunner::Impl {
  Impl(Session& s, const Queue& queue, std::function<bool()> st)
      : session(s), step(std::move(st)) {
    GraphScope building(session.graph());
    close = queue.close();
    cancel = queue.close(/*cancel_pending=*/true);
  }

  void Start(int threads_wanted) {
    Want(threads_wanted >= 1 && threads_wanted <= 1024,
         StrCat("[QueueRunner] threads is ", threads_wanted,
                "; wanted 1 to 1024"));
    {
      MutexLock lock(mu);
      running = threads_wanted;
    }
    MutexLock joining(join_mu);
    threads.reserve(static_cast<size_t>(threads_wanted));
    for (int i = 0; i < threads_wanted; ++i) {
      try {
        threads.push_back(StartedThread([this] { Run(); }));
      } catch (const std::system_error&) {
        if (threads.empty()) throw;
        // Fewer threads do the same work. The last to end closes the queue, so
        // threads that never started must not be counted.
        bool none_left;
        {
          MutexLock lock(mu);
          running -= threads_wanted - i;
          none_left = running == 0;
        }
        if (none_left) Close(close);
        break;
      }
    }
  }

  void Run() {
    Status ended;
    while (ended.ok()) ended = OneStep();
    bool normal =
        ended.code() == Code::kOutOfRange || ended.code() == Code::kCancelled;
    if (!normal) {
      ended = Guarded([&]() -> Status {
        return Status(ended.code(),
                      StrCat("[QueueRunner] a step that fills the queue "
                             "failed: ",
                             ended.message()));
      });
    }
    bool last;
    {
      MutexLock lock(mu);
      if (!normal && status.ok()) status = ended;
      last = --running == 0;
    }
    // Consumers must not wait forever.
    if (!normal) Close(cancel);
    if (last) Close(close);
  }

  Status OneStep() {
    return Guarded([&]() -> Status {
      try {
        return step() ? OkStatus() : OutOfRange("no more");
      } catch (const Error&) {
        throw;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception& e) {
        return Aborted(e.what());
      } catch (...) {
        return Aborted("threw what is no std::exception");
      }
    });
  }

  void Close(const Operation& how) {
    // Retried while there is no memory for it: otherwise consumers would wait
    // forever.
    for (int tries = 0; tries < 100; ++tries) {
      Status status = Guarded([&]() -> Status {
        session.run(how);
        return OkStatus();
      });
      // Otherwise the session is closed: nobody waits for this queue any more.
      if (status.code() != Code::kResourceExhausted) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(tries));
    }
  }

  void Join() {
    MutexLock one_at_a_time(join_mu);
    for (std::thread& t : threads) {
      if (t.joinable()) t.join();
    }
  }

  Session& session;
  const std::function<bool()> step;
  Operation close, cancel;
  mutable Mutex mu;
  Status status SL_GUARDED_BY(mu);
  int running SL_GUARDED_BY(mu) = 0;
  Mutex join_mu;  // acquired before mu
  std::vector<std::thread> threads SL_GUARDED_BY(join_mu);
};

QueueRunner::QueueRunner(Session& session, const Queue& queue,
                         const Operation& enqueue, QueueRunnerOptions options)
    : QueueRunner(
          session, queue,
          [&session, enqueue] {
            session.run(enqueue);
            return true;
          },
          options) {}

QueueRunner::QueueRunner(Session& session, const Queue& queue,
                         std::function<bool()> step, QueueRunnerOptions options)
    : impl_(std::make_unique<Impl>(session, queue, std::move(step))) {
  impl_->Start(options.threads);
}

QueueRunner::~QueueRunner() { stop(); }

bool QueueRunner::feed(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const Error& e) {
    if (e.code() != Code::kOutOfRange) throw;
  }
  ThrowIfError(status());
  return false;
}

void QueueRunner::stop() {
  impl_->Close(impl_->cancel);
  impl_->Join();
}

void QueueRunner::join() { impl_->Join(); }

Status QueueRunner::status() const {
  MutexLock lock(impl_->mu);
  return impl_->status;
}

std::function<bool()> EnqueueSteps(Session& session, StageRef stage,
                                   Operation enqueue, std::vector<Tensor> to,
                                   uint64_t epoch) {
  struct Shared {
    Shared(StageRef stage, uint64_t epoch) : pass(std::move(stage), epoch) {}
    Mutex mu;
    Position pass SL_GUARDED_BY(mu);
  };
  auto shared = std::make_shared<Shared>(std::move(stage), epoch);
  return [&session, shared, enqueue, to = std::move(to)] {
    Element element;
    {
      MutexLock lock(shared->mu);
      if (!shared->pass.Next(&element)) return false;
    }
    data_internal::WantComponents(element, to.size());
    Feeds feeds;
    for (size_t i = 0; i < to.size(); ++i) {
      feeds.push_back({to[i], element[i].array()});
    }
    session.run(enqueue, feeds);
    return true;
  };
}

}  // namespace sluice::data
