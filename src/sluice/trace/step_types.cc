#include "sluice/trace/step_types.h"

#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

StepTypes TypesOfStep(const StepQuestion& question) {
  std::vector<ValueType> args = question.args;
  // A temporary graph, unless one is open whose values the code reads.
  SavedBuilding saved;
  Graph scratch("scratch");
  if (!Building::Current().graph) {
    Building::Current() = Building();
    Building::Current().graph = &scratch;
    for (const Tensor& t : question.around) {
      if (t.symbolic()) Building::Current().graph = &t.graph();
    }
  }
  for (;;) {
    RegionDraft draft("Function", {}, {}, "types", question.where);
    CodeResult result = RecordRegion(draft, {"body", args, question.step,
                                             question.what, question.where})
                            .code;
    StepTypes types;
    bool wider = false;
    for (size_t i = 0; i < result.tensors.size(); ++i) {
      const Tensor& t = result.tensors[i];
      ValueType type{t.dtype(), t.shape()};
      if (i >= question.num_carried) {
        types.collected.push_back(type);
        continue;
      }
      PartialShape joined = JoinShapes(args[i].shape, type.shape);
      wider = wider || !(joined == args[i].shape);
      args[i].shape = joined;
      types.carried.push_back({type.dtype, joined});
    }
    if (!wider) return types;
  }
}

}  // namespace sluice::front_internal
