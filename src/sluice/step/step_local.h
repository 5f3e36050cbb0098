// A thread's share of a step: its stack of ready tokens. Lives while the thread
// works on the step; only that thread touches it. Part of step.cc.
#pragma once

#include <bit>
#include <vector>

#include "sluice/step/step.h"

namespace sluice {

struct Step::Local {
  // Tokens of later iterations: first in, first out. Current work finishes
  // first, so that few iterations are alive.
  struct Queue {
    std::vector<Token> tokens;
    size_t head = 0;
  };
  static constexpr uint32_t kDepths = 16;
  std::vector<Token> light;  // newest first: its inputs are still in the cache
  Queue later[kDepths];      // by loop depth: inner ones first
  uint32_t later_mask = 0;   // which of the queues have tokens
  std::vector<Token> heavy;  // run when no light token is left; exported first
  std::vector<FiringRecord> firings;
  std::vector<Array> dropped;  // arrays to destroy once no lock is held
  uint32_t worker = 0;
  uint32_t fired = 0;     // for sampling costs
  uint64_t last_end = 0;  // end of the last firing, if recording; 0: none

  // For a driver of several steps: where the turn of this one ends.
  bool limited = false;
  uint32_t last_turn = 0;  // in terms of `fired`
  bool used_up() const {
    return limited && static_cast<int32_t>(fired - last_turn) >= 0;
  }

  int64_t pushed = 0;       // tokens created and not yet counted
  bool heavy_last = false;  // others may take the heavy tokens meanwhile

  bool empty() const {
    return light.empty() && heavy.empty() && later_mask == 0;
  }
  void PushLater(uint32_t depth, const Token& token) {
    if (depth >= kDepths) depth = kDepths - 1;
    later[depth].tokens.push_back(token);
    later_mask |= 1u << depth;
  }
  bool Pop(Token* token) {
    if (!light.empty()) {
      *token = light.back();
      light.pop_back();
      return true;
    }
    if (!heavy.empty() && !(heavy_last && later_mask)) {
      *token = heavy.back();
      heavy.pop_back();
      return true;
    }
    if (!later_mask) return false;
    auto depth = static_cast<uint32_t>(std::bit_width(later_mask)) - 1;
    Queue& queue = later[depth];
    *token = queue.tokens[queue.head++];
    if (queue.head == queue.tokens.size()) {
      queue.tokens.clear();
      queue.head = 0;
      later_mask &= ~(1u << depth);
    }
    return true;
  }
};

struct Step::Batch : Task {
  Step* step = nullptr;
  std::vector<Token> tokens;
};

}  // namespace sluice
