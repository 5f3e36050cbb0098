#include "sluice/front/region_draft.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

void Refuse(std::string_view what, std::string_view message,
            std::source_location where) {
  throw Error(InvalidArgument(StrCat("[", what, "] ", message))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

RegionDraft::RegionDraft(std::string_view op, std::span<const Operand> inputs,
                         const Attrs& attrs, std::string_view name,
                         std::source_location where)
    : operation_(AddNode({.op = op,
                          .inputs = inputs,
                          .attrs = &attrs,
                          .hint = name,
                          .line = SourceLine::From(where)})) {}

RegionDraft::~RegionDraft() {
  if (keep_) return;
  MutexLock lock(graph().mu());
  graph().Erase(node());
}

Operation RegionDraft::Keep() {
  keep_ = true;
  MutexLock lock(graph().mu());
  graph().MoveToEnd(node());
  return operation_;
}

namespace {

// The value of a tensor inside the region being recorded.
Value ValueHere(const Tensor& tensor, std::string_view what,
                std::source_location where) {
  if (!tensor) Refuse(what, "a result is a Tensor that holds nothing", where);
  if (tensor.is_sparse()) {
    Refuse(what, "a result is sparse; wanted to_dense() of it", where);
  }
  if (tensor.symbolic()) return tensor.value();
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() == Building::Current().graph) {
    return capture->At(tensor.eager()).now;
  }
  return CallOne("Identity", std::vector<Operand>{tensor}, {}, "", where)
      .value();
}

}  // namespace

CodeResult RecordRegion(RegionDraft& draft, std::string_view label,
                        const std::vector<ValueType>& args, const Code& code,
                        std::string_view what, std::source_location where) {
  Graph& graph = draft.graph();
  Region* region = nullptr;
  std::vector<Tensor> tensors;
  {
    MutexLock lock(graph.mu());
    region = ValueOrThrow(graph.AddRegion(draft.node(), label));
    for (size_t i = 0; i < args.size(); ++i) {
      Value arg = ValueOrThrow(graph.AddArg(*region, StrCat("v", i), args[i]));
      tensors.push_back(Tensor(graph, arg));
    }
  }
  CodeResult result;
  {
    SavedBuilding saved;
    Building& building = Building::Current();
    building.graph = &graph;
    building.region = region;
    building.controls.clear();  // the node itself waits for them
    result = code(tensors);
    std::vector<Value> values;
    for (Tensor& t : result.tensors) {
      Value v = ValueHere(t, what, where);
      if (!v.node->region()->Encloses(region)) {
        Refuse(what,
               StrCat("\"", v.ToString(),
                      "\" belongs to another region or graph; wanted a value "
                      "made here or around here"),
               where);
      }
      values.push_back(v);
      t = Tensor(graph, v);
    }
    MutexLock lock(graph.mu());
    graph.SetResults(*region, std::move(values));
  }
  if (Capture* capture = Capture::Current()) {
    for (Capture::Entry& entry : capture->entries()) {
      if (entry.now.node->region() != region) continue;
      Refuse(what,
             StrCat(entry.value->Describe(),
                    " is written in place inside; wanted it carried or "
                    "returned, or a variable()"),
             where);
    }
  }
  return result;
}

}  // namespace sluice::front_internal
