#include "sluice/data/parallel_cursor.h"

#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

#include "sluice/base/caught.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/wait_on.h"

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
  Job job_;  // kept to reuse its memory
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
    {
      MutexLock lock(mu_);
      while (!Ready()) WaitOn(ready_, mu_);
      if (slots_.empty()) return failed_;
      Slot& front = *slots_.front();
      // The end and errors stay in place, to be returned again.
      if (front.end) return false;
      if (!front.status.ok()) return front.status;
      *element = std::move(front.result);
      slots_.pop_front();
    }
    changed_.notify_one();
    return true;
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
        break;  // fewer threads do the same work
      }
    }
  }

  // Whether the first slot is done, or no further one will come.
  bool Ready() const SL_REQUIRES(mu_) {
    return slots_.empty() ? !failed_.ok() : slots_.front()->done;
  }
  bool MayTake() const SL_REQUIRES(mu_) {
    return !taking_ && static_cast<int64_t>(slots_.size()) < window_;
  }

  // The thread function: takes and processes jobs until the end.
  void Run() {
    mu_.lock();
    while (Slot* slot = NextSlot()) {
      mu_.unlock();
      Result<bool> any = Guarded([&] { return source_->Take(&slot->job); });
      mu_.lock();
      bool work = any.ok() && *any;
      taking_ = false;
      if (!work) {
        ended_ = true;
        slot->end = any.ok();
        slot->status = any.status();
        slot->done = true;
      }
      mu_.unlock();
      changed_.notify_all();
      Result<Element> result =
          work ? Guarded([&] { return source_->Work(slot->job); }) : Element();
      mu_.lock();
      if (work) SetResult(*slot, std::move(result));
      if (slots_.front().get() == slot) ready_.notify_one();
    }
    mu_.unlock();
  }

  // Waits for space and for its turn, and returns a slot for the next job; null
  // if there are no more jobs. Jobs are taken one at a time, so that their
  // numbers are in order.
  Slot* NextSlot() SL_REQUIRES(mu_) {
    while (!stop_ && !ended_ && !MayTake()) WaitOn(changed_, mu_);
    if (stop_ || ended_) return nullptr;
    // Runs at once, under the lock, which the analysis cannot see.
    Status made = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
      slots_.push_back(std::make_unique<Slot>());
      return OkStatus();
    });
    if (!made.ok()) {
      // There is no slot for this error: it comes after all others.
      failed_ = std::move(made);
      ended_ = true;
      ready_.notify_one();
      changed_.notify_all();
      return nullptr;
    }
    taking_ = true;
    slots_.back()->job.number = number_++;
    return slots_.back().get();
  }

  void SetResult(Slot& slot, Result<Element> result) SL_REQUIRES(mu_) {
    if (result.ok()) {
      slot.result = std::move(result).value();
    } else {
      slot.status = result.status();
      ended_ = true;  // later jobs are never requested
    }
    slot.job.element.clear();
    slot.done = true;
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
  int64_t number_ = 0;  // of the next job; guarded by mu_ once threads run
};

}  // namespace

std::unique_ptr<Cursor> ParallelCursor(std::unique_ptr<JobSource> source,
                                       int threads, int64_t window) {
  if (threads <= 0) return std::make_unique<InlineCursor>(std::move(source));
  return std::make_unique<ThreadedCursor>(std::move(source), threads,
                                          std::max<int64_t>(window, 1));
}

}  // namespace sluice::data
