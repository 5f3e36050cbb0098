#include "sluice/data/parallel_cursor.h"

#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

#include "sluice/base/caught.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::data {

namespace {

class InlineCursor final : public Cursor {
 public:
  explicit InlineCursor(std::unique_ptr<JobSource> source)
      : source_(std::move(source)) {}

  Result<bool> Next(Element* element) override {
    job_.number = number_++;
    SL_ASSIGN_OR_RETURN(bool any, source_->Take(&job_));
    if (!any) return false;
    SL_ASSIGN_OR_RETURN(*element, source_->Work(job_));
    return true;
  }
  Status Skip(int64_t n) override {
    number_ += n;
    return source_->Skip(n);
  }

 private:
  std::unique_ptr<JobSource> source_;
  int64_t number_ = 0;
  Job job_;  // kept for its memory
};

class ThreadedCursor final : public Cursor {
 public:
  ThreadedCursor(std::unique_ptr<JobSource> source, int threads, int64_t window)
      : source_(std::move(source)), num_threads_(threads), window_(window) {}

  ~ThreadedCursor() override {
    {
      MutexLock lock(mu_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  Result<bool> Next(Element* element) override {
    if (threads_.empty()) Start();
    std::unique_lock lock(mu_.native());
    return Pop(lock, element);
  }

  Status Skip(int64_t n) override {
    if (!threads_.empty()) return Cursor::Skip(n);
    number_ += n;
    return source_->Skip(n);
  }

 private:
  struct Slot {
    Job job;
    bool done = false, end = false;
    Status status;
    Element result;
  };

  void Start() {
    threads_.reserve(static_cast<size_t>(num_threads_));
    for (int i = 0; i < num_threads_; ++i) {
      try {
        threads_.push_back(StartedThread([this] { Run(); }));
      } catch (const std::system_error&) {
        if (threads_.empty()) throw;
        break;  // fewer do the same work
      }
    }
  }

  Result<bool> Pop(std::unique_lock<std::mutex>& lock,
                   Element* element) SL_NO_THREAD_SAFETY_ANALYSIS {
    ready_.wait(lock, [&]() SL_NO_THREAD_SAFETY_ANALYSIS {
      return slots_.empty() ? !failed_.ok() : slots_.front()->done;
    });
    if (slots_.empty()) return failed_;
    Slot& front = *slots_.front();
    // The end and errors stay, to be told again.
    if (front.end) return false;
    if (!front.status.ok()) return front.status;
    *element = std::move(front.result);
    slots_.pop_front();
    lock.unlock();
    changed_.notify_one();
    return true;
  }

  void Run() SL_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock lock(mu_.native());
    for (;;) {
      changed_.wait(lock, [&]() SL_NO_THREAD_SAFETY_ANALYSIS {
        return stop_ || ended_ ||
               (!taking_ && static_cast<int64_t>(slots_.size()) < window_);
      });
      if (stop_ || ended_) return;
      // Jobs are taken one at a time, so that their numbers are their order.
      Slot* slot = nullptr;
      Status made = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
        slot = slots_.emplace_back(std::make_unique<Slot>()).get();
        return OkStatus();
      });
      if (!made.ok()) {
        // No place to tell it from: it comes after all others.
        failed_ = std::move(made);
        ended_ = true;
        ready_.notify_one();
        changed_.notify_all();
        return;
      }
      taking_ = true;
      slot->job.number = number_++;
      lock.unlock();
      Result<bool> any = Guarded([&] { return source_->Take(&slot->job); });
      lock.lock();
      taking_ = false;
      bool work = any.ok() && *any;
      if (!work) {
        ended_ = true;
        slot->end = any.ok();
        slot->status = any.status();
        slot->done = true;
      }
      lock.unlock();
      changed_.notify_all();
      Result<Element> result =
          work ? Guarded([&] { return source_->Work(slot->job); }) : Element();
      lock.lock();
      if (work) {
        if (result.ok()) {
          slot->result = std::move(result).value();
        } else {
          slot->status = result.status();
          ended_ = true;  // what comes after it is never asked for
        }
        slot->job.element.clear();
        slot->done = true;
      }
      if (slots_.front().get() == slot) ready_.notify_one();
    }
  }

  const std::unique_ptr<JobSource> source_;
  const int num_threads_;
  const int64_t window_;
  std::vector<std::thread> threads_;
  Mutex mu_;
  std::condition_variable changed_;  // room, a turn to take, an end
  std::condition_variable ready_;    // the first slot is done
  std::deque<std::unique_ptr<Slot>> slots_ SL_GUARDED_BY(mu_);
  bool taking_ SL_GUARDED_BY(mu_) = false;
  Status failed_ SL_GUARDED_BY(mu_);
  bool ended_ SL_GUARDED_BY(mu_) = false, stop_ SL_GUARDED_BY(mu_) = false;
  int64_t number_ = 0;  // of the next job; guarded once threads run
};

}  // namespace

std::unique_ptr<Cursor> ParallelCursor(std::unique_ptr<JobSource> source,
                                       int threads, int64_t window) {
  if (threads <= 0) return std::make_unique<InlineCursor>(std::move(source));
  return std::make_unique<ThreadedCursor>(std::move(source), threads,
                                          std::max<int64_t>(window, 1));
}

}  // namespace sluice::data
