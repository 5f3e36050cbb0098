// Whose memory a traced value uses: its own, or that of the value it is a view
// of. What detach() gave can be viewed itself (eager/view_write.h), so this may
// take several steps.
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
