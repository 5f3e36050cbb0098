// StepContext: what a kernel may know of the run it is part of. Made by the
// executor for each step, alive until the step's last kernel has finished.
#pragma once

#include <cstdint>

#include "sluice/base/cancellation.h"

namespace sluice {

class ResourceManager;
class WorkerPool;

struct StepContext {
  int64_t step_id = 0;
  uint64_t seed = 0;  // of the session; random ops add their own and the step
  ResourceManager* resources = nullptr;  // outlives steps
  ResourceManager* step_resources =
      nullptr;                           // dies with this step; may be null
  WorkerPool* pool = nullptr;            // null: run everything on this thread
  Cancellation* cancellation = nullptr;  // may be null outside a step
};

}  // namespace sluice
