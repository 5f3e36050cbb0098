#include "sluice/fleet/run_workers.h"

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::distributed {

namespace {

// The first error; it cancels the others, so later errors are consequences.
class First {
 public:
  explicit First(Cancellation& cancellation) : cancellation_(cancellation) {}

  void Run(const std::string& who, const std::function<void()>& code) {
    try {
      code();
    } catch (const Error& error) {
      Keep(std::make_exception_ptr(
          who.empty()
              ? error
              : Error(Status(error.code(), StrCat(who, ": ", error.what())))));
    } catch (...) {
      Keep(std::current_exception());
    }
  }
  void Rethrow() {
    MutexLock lock(mu_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void Keep(std::exception_ptr error) {
    {
      MutexLock lock(mu_);
      if (!error_) error_ = std::move(error);
    }
    cancellation_.Cancel(Cancelled("another worker has failed"));
  }

  Cancellation& cancellation_;
  Mutex mu_;
  std::exception_ptr error_ SL_GUARDED_BY(mu_);
};

}  // namespace

void RunWorkers(int workers, Cancellation& cancellation,
                const std::function<void(int)>& worker,
                const std::function<void()>& lead) {
  First first(cancellation);
  std::vector<std::thread> threads;
  for (int w = 0; w < workers; ++w) {
    // A thread may fail to start: then the running ones are cancelled.
    first.Run("", [&] {
      threads.emplace_back(
          [&, w] { first.Run(StrCat("worker ", w), [&] { worker(w); }); });
    });
  }
  if (lead) first.Run("", lead);
  for (std::thread& t : threads) t.join();
  first.Rethrow();
}

}  // namespace sluice::distributed
