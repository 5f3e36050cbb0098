// A thread's share of a step: its stack of ready tokens. Part of step.cc.
#pragma once

#include <vector>

#include "sluice/executor/step.h"

namespace sluice {

struct Step::Local {
  std::vector<Token> light;  // newest first: its inputs are still in cache
  std::vector<Token> heavy;  // run when nothing light is left; exported first
  std::vector<FiringRecord> firings;
  uint32_t worker = 0;
  uint32_t fired = 0;     // for sampling costs
  uint64_t last_end = 0;  // of the firing before, when recording; 0: none

  bool empty() const { return light.empty() && heavy.empty(); }
  bool Pop(Token* token) {
    if (!light.empty()) {
      *token = light.back();
      light.pop_back();
      return true;
    }
    if (!heavy.empty()) {
      *token = heavy.back();
      heavy.pop_back();
      return true;
    }
    return false;
  }
};

struct Step::Batch : Task {
  Step* step = nullptr;
  std::vector<Token> tokens;
};

}  // namespace sluice
