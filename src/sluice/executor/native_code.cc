#include "sluice/executor/native_code.h"

#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/executor/reference_interpreter.h"
#include "sluice/graph/traverse.h"

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

Result<std::unique_ptr<NativeCode>> NativeCode::Build(
    const Node& node, const NativeOptions& options) {
  (void)options;
  std::unique_ptr<NativeCode> code(new NativeCode(node));
  std::unordered_set<Value, ValueHash> seen;
  for (const Value& v : node.inputs()) {
    code->inputs_.push_back(v);
    seen.insert(v);
  }
  for (const Value& v : InputsWithCaptures(node)) {
    if (seen.insert(v).second) code->inputs_.push_back(v);
  }
  code->cost_ns_ = 1e5;
  return code;
}

NativeCode::~NativeCode() = default;

Status NativeCode::Run(const StepContext& step, std::span<Array> inputs,
                       std::span<Array> outputs) const {
  SL_ASSIGN_OR_RETURN(std::vector<Array> results,
                      InterpretNode(node_, inputs_, inputs, step));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = results[i];
  return OkStatus();
}

std::string NativeCode::Explain() const {
  return StrCat("    interpreted: ", node_.op().name, "\n");
}

}  // namespace sluice
