#include "sluice/executor/native_code.h"

#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/executor/native_compiler.h"
#include "sluice/executor/native_cost.h"
#include "sluice/executor/native_explain.h"
#include "sluice/executor/native_machine.h"
#include "sluice/executor/native_values.h"

namespace sluice {

namespace {

std::string WhyNot(const Region& region,
                   std::unordered_set<const Node*>& called) {
  for (const Node* node : region.nodes()) {
    if (node->op().async()) {
      return StrCat(node->op().name, " \"", node->name(), "\" is asynchronous");
    }
    if (node->op().flow > Flow::kCall) {
      return StrCat("raw ", node->op().name, " \"", node->name(), "\"");
    }
    for (const auto& inner : node->regions()) {
      std::string why = WhyNot(*inner, called);
      if (!why.empty()) return why;
    }
    if (node->op().flow == Flow::kCall) {
      const Node* function = node->input(0).node;
      if (!function->regions().empty() && called.insert(function).second) {
        std::string why = WhyNot(*function->regions()[0], called);
        if (!why.empty()) return why;
      }
    }
  }
  return "";
}

}  // namespace

std::string WhyNotNative(const Node& node) {
  std::unordered_set<const Node*> called;
  for (const auto& region : node.regions()) {
    std::string why = WhyNot(*region, called);
    if (!why.empty()) return why;
  }
  if (node.op().flow == Flow::kCall) {
    const Node* function = node.input(0).node;
    if (function->regions().empty()) return "calls what is no function";
    return WhyNot(*function->regions()[0], called);
  }
  return "";
}

NativeCode::NativeCode() = default;
NativeCode::~NativeCode() = default;

Result<std::unique_ptr<NativeCode>> NativeCode::Build(
    const Node& node, const NativeOptions& options) {
  SL_ASSIGN_OR_RETURN(NativeValues values, NativeValues::Of(node));
  std::unique_ptr<NativeCode> code(new NativeCode);
  SL_ASSIGN_OR_RETURN(code->program_,
                      CompileNative(node, values, options.fuse));
  code->inputs_ = values.inputs();
  for (const Value& v : code->inputs_) {
    code->kept_.push_back(NativeConstant(v) || v.node->op().handle);
  }
  code->cost_ns_ = NativeCostNanos(node);
  return code;
}

Status NativeCode::Run(const StepContext& step, std::span<Array> inputs,
                       std::span<Array> outputs) const {
  std::unique_ptr<NativeMachine> machine;
  {
    MutexLock lock(mu_);
    if (!idle_.empty()) {
      machine = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!machine) machine = std::make_unique<NativeMachine>(*program_);
  Status status = machine->Run(step, inputs, kept_, outputs);
  MutexLock lock(mu_);
  idle_.push_back(std::move(machine));
  return status;
}

std::string NativeCode::Explain() const { return ExplainNative(*program_); }

}  // namespace sluice
