// StepContext: the run that a kernel is part of. Made by the executor for each
// step; lives until the step's last kernel has finished.
#pragma once

#include <cstdint>

#include "sluice/base/cancellation.h"

namespace sluice {

class Memory;
class Rendezvous;
class ResourceManager;
class WorkerPool;

struct StepContext {
  int64_t step_id = 0;
  uint64_t seed = 0;  // of the session; random ops add their key and the step
  // Identifies the iteration and its loops, 0 outside of loops: random ops add
  // it, so that every iteration draws different numbers.
  uint64_t tag = 0;
  ResourceManager* resources = nullptr;  // outlives steps
  ResourceManager* step_resources =
      nullptr;                           // ends with this step; may be null
  WorkerPool* pool = nullptr;            // null: run everything on this thread
  Cancellation* cancellation = nullptr;  // may be null outside a step
  // Memory for outputs; null: the host's main memory.
  Memory* memory = nullptr;
  // Connects the parts of a step that runs in several tasks; else null.
  Rendezvous* rendezvous = nullptr;
};

// The tag of an iteration: the same for all executors. `key` is that of the
// loop's node; a call is a loop with one iteration.
inline uint64_t IterationTag(uint64_t parent, uint64_t key,
                             uint64_t iteration) {
  uint64_t h = (parent ^ key) * 0x9e3779b97f4a7c15u + iteration + 1;
  h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 29);
}

}  // namespace sluice
