#include "sluice/vm/bytecode.h"

#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/swap.h"
#include "sluice/vm/compiler.h"
#include "sluice/vm/cost.h"
#include "sluice/vm/explain.h"
#include "sluice/vm/machine.h"
#include "sluice/vm/native.h"
#include "sluice/vm/values.h"

namespace sluice {

namespace {

// A piece is compiled for one device.
bool OnHost(const Node& node) {
  return node.device().empty() || node.device() == DeviceNameOf(nullptr);
}

std::string WhyNot(const Region& region,
                   std::unordered_set<const Node*>& called) {
  for (const Node* node : region.nodes()) {
    if (!OnHost(*node)) {
      return StrCat(node->op().name, " \"", node->name(), "\" is on ",
                    node->device());
    }
    if (!node->device().empty() && IsCopy(*node)) {
      return StrCat("\"", node->name(), "\" copies to ", node->device());
    }
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

std::string WhyNotBytecode(const Node& node) {
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

Bytecode::Bytecode() = default;
Bytecode::~Bytecode() = default;

Result<std::unique_ptr<Bytecode>> Bytecode::Build(
    const Node& node, const BytecodeOptions& options) {
  SL_ASSIGN_OR_RETURN(VmValues values, VmValues::Of(node));
  std::unique_ptr<Bytecode> code(new Bytecode);
  SL_ASSIGN_OR_RETURN(code->program_,
                      CompileBytecode(node, values, options.fuse));
  code->native_ = VmNative::For(*code->program_, options.native);
  code->node_ = &node;
  code->inputs_ = values.inputs();
  for (const Value& v : code->inputs_) {
    code->kept_.push_back(VmConstant(v) || v.node->op().handle);
  }
  code->cost_ns_ = BytecodeCostNanos(node);
  return code;
}

Status Bytecode::Run(const StepContext& step, std::span<Array> inputs,
                     std::span<Array> outputs) const {
  std::unique_ptr<VmMachine> machine;
  {
    MutexLock lock(mu_);
    if (!idle_.empty()) {
      machine = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!machine) machine = std::make_unique<VmMachine>(*program_, native_.get());
  Status status = machine->Run(step, inputs, kept_, outputs);
  MutexLock lock(mu_);
  idle_.push_back(std::move(machine));
  return status;
}

std::string Bytecode::Explain() const {
  return (native_ ? native_->Explain() : "") + ExplainBytecode(*program_);
}

}  // namespace sluice
