// Records user code into the regions of a control-flow node, or runs it at once
// when nothing is being recorded. control_flow.h is built on this.
//
// The code may be called more than once: again, with less specific shapes, if
// its results have other sizes than its inputs.
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

// The results of code: its tensors, and their structure as text, for
// comparison.
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
  bool repeatable = false;  // the body's code may be called after recording
};

// The results of a branch, and the node it became; the node is empty if the
// branch ran at once.
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
