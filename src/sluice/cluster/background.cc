#include "sluice/cluster/background.h"

#include <atomic>
#include <memory>

#include "sluice/base/event_count.h"
#include "sluice/base/started_thread.h"

namespace sluice::cluster {

namespace {

struct Count {
  std::atomic<int> running{0};
  EventCount ended;
  static Count& Get() {
    static Count* count = new Count;  // threads may outlive main
    return *count;
  }
};

}  // namespace

void Background::Start(std::function<void()> work) {
  Count& count = Count::Get();
  count.running.fetch_add(1);
  auto shared = std::make_shared<std::function<void()>>(std::move(work));
  auto run = [shared, &count] {
    (*shared)();
    *shared = nullptr;
    if (count.running.fetch_sub(1) == 1) count.ended.Notify();
  };
  try {
    StartedThread(run).detach();
  } catch (...) {
    run();
  }
}

void Background::WaitForAll() {
  Count& count = Count::Get();
  while (count.running.load() != 0) {
    uint32_t seen = count.ended.Prepare();
    if (count.running.load() == 0) {
      count.ended.Cancel();
    } else {
      count.ended.Wait(seen);
    }
  }
}

}  // namespace sluice::cluster
