// GradientScopes: the open scopes on this thread while gradients are built, in
// one object because there must be few thread-local variables
// (base/thread_owned.h).
//
// One per thread; lives as long as the thread.
//
// Of one thread, for as long as it lives.
#pragma once

#include "sluice/base/thread_owned.h"

namespace sluice {

class CallTwins;
class NoneGiven;
class RowsLost;

struct GradientScopes {
  // The innermost scope of each kind; null: none.
  CallTwins* call_twins = nullptr;
  NoneGiven* none_given = nullptr;
  RowsLost* rows_lost = nullptr;

  static GradientScopes& Here() { return ThreadOwned<GradientScopes>::Get(); }
};

}  // namespace sluice
