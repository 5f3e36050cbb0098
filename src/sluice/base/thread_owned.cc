#include "sluice/base/thread_owned.h"

#include <utility>

namespace sluice {

namespace {

struct Call {
  void (*f)();
  Call* next;
};

// Asked after the end, too: no member of what has ended.
thread_local bool over = false;

// One for all, for the room they take.
struct Ending {
  Call* last = nullptr;
  ~Ending() {
    while (last) {
      Call* call = std::exchange(last, last->next);
      call->f();  // may ask for more
      delete call;
    }
    over = true;
  }
};
thread_local Ending ending;

}  // namespace

bool AtThreadEnd(void (*f)()) noexcept {
  if (over) return false;
  auto* call = new (std::nothrow) Call{f, ending.last};
  if (call) ending.last = call;
  return call != nullptr;
}

}  // namespace sluice
