// GradientScopes: what is open on this thread while gradients are built. One
// object for all of it: thread-local variables have to be few
// (base/thread_owned.h).
//
// Of one thread, for as long as it lives.
#pragma once

#include "sluice/base/thread_owned.h"

namespace sluice {

class CallTwins;
class NoneGiven;
class RowsLost;

struct GradientScopes {
  // The innermost of each; null: none is open.
  CallTwins* call_twins = nullptr;
  NoneGiven* none_given = nullptr;
  RowsLost* rows_lost = nullptr;

  static GradientScopes& Here() { return ThreadOwned<GradientScopes>::Get(); }
};

}  // namespace sluice
