#include "sluice/device/reclaimer.h"

#include <algorithm>
#include <vector>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct Everybody {
  Mutex mu;
  std::vector<Reclaimer*> there SL_GUARDED_BY(mu);

  static Everybody& Get() {
    static auto& everybody = *new Everybody;
    return everybody;
  }
};

}  // namespace

Reclaimer::Reclaimer() {
  Everybody& all = Everybody::Get();
  MutexLock lock(all.mu);
  all.there.push_back(this);
}

Reclaimer::~Reclaimer() { Leave(); }

void Reclaimer::Leave() {
  Everybody& all = Everybody::Get();
  MutexLock lock(all.mu);
  all.there.erase(std::remove(all.there.begin(), all.there.end(), this),
                  all.there.end());
}

bool Reclaimer::AllGiveBack() {
  Everybody& all = Everybody::Get();
  MutexLock lock(all.mu);
  bool some = false;
  for (Reclaimer* one : all.there) some = one->GiveBack() || some;
  return some;
}

}  // namespace sluice
