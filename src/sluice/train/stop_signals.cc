#include "sluice/train/stop_signals.h"

#include <signal.h>

#include <atomic>

#include "sluice/base/thread_annotations.h"

namespace sluice::train {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

// What a handler may touch.
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free);

struct sigaction before[2];
Mutex mu;
int users SL_GUARDED_BY(mu) = 0;

void Restore() {
  for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before[i], nullptr);
}

void Note(int signal) {
  int none = 0;
  if (noted.compare_exchange_strong(none, signal)) return;
  // The second time: as without us.
  Restore();
  raise(signal);
}

}  // namespace

StopSignals::StopSignals() {
  MutexLock lock(mu);
  if (users++ > 0) return;
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = Note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // files being written are not cut short
  for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &action, &before[i]);
}

StopSignals::~StopSignals() {
  MutexLock lock(mu);
  if (--users == 0) Restore();
}

int StopSignals::caught() const { return noted; }

}  // namespace sluice::train
