// RaiseLoops: turns frames of the regular form into While. One thread; no other
// sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/batch_edit.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

// Raises the frames that contain only their own primitives: inner ones first,
// enclosing ones in the next iteration. The regular form: one LoopCond, read
// only by Switches. Every changing value goes through Enter, Merge, Switch,
// body and NextIteration, and leaves through Exits of the Switch output for the
// end of the loop. All other values enter as constants. Other frames are left
// alone. A valid graph causes no error.
Status RaiseLoops(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                  std::vector<std::string>* notes);

}  // namespace sluice
