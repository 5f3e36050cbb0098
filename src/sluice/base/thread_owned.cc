#include "sluice/base/thread_owned.h"

#include <utility>

namespace sluice {

namespace {

struct Call {
  void (*f)();
  Call* next;
};

// Also read after the thread's end, so it must not be a member of a destroyed
// object.
thread_local bool over = false;

// One variable for all, to save thread-local storage.
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
