// Whose memory a traced value is: its own, or that of what it looks into. What
// detach() gave is itself looked into (eager/view_write.h), so that there may
// be several steps to that.
//
// Plain functions, of values of one recording.
#pragma once

#include "sluice/eager/eager_value.h"

namespace sluice {

inline const EagerValue& MemoryOf(const EagerValue& value) {
  const EagerValue* at = &value;
  while (at->view_of) at = at->view_of->base.get();
  return *at;
}

inline const EagerRef& MemoryOf(const EagerRef& value) {
  const EagerRef* at = &value;
  while ((*at)->view_of) at = &(*at)->view_of->base;
  return *at;
}

}  // namespace sluice
