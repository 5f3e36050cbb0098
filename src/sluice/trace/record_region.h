// Records user code into the regions of a control-flow node, or runs it at once
// when nothing is recorded. control_flow.h is built on this.
//
// The code may be called more than once: again, with less known shapes, when
// what it gives has other sizes than what it was given.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/call.h"
#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"
#include "sluice/trace/save.h"

namespace sluice::front_internal {

// What code gave: its tensors, and their structure as text, to be compared.
struct CodeResult {
  std::vector<Tensor> tensors;
  std::string structure;
};
using Code = std::function<CodeResult(const std::vector<Tensor>&)>;

struct LoopSettings {
  std::string name;
  int64_t parallel = 10;
  int64_t maximum = -1;
  Save save{};
  bool repeatable = false;  // the body's code may be called when it is over
};

// What a branch gave, and the node it became, which holds nothing when it ran
// at once.
struct BranchOutcome {
  std::vector<Tensor> tensors;
  Operation node;
};
BranchOutcome RunBranch(const Tensor& chooser,
                        const std::vector<Code>& branches, bool has_default,
                        std::source_location where);
std::vector<Tensor> RunLoop(const Code& cond, const Code& body,
                            const std::vector<Tensor>& inits,
                            const std::string& structure,
                            const LoopSettings& settings,
                            std::source_location where);

}  // namespace sluice::front_internal
