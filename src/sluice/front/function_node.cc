#include "sluice/front/function_node.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/autograd.h"
#include "sluice/front/grad_mode.h"

namespace sluice::front_internal {

// Imperatively, so that the gradient itself is recorded.
Status FunctionTapeNode::Again(std::span<const EagerRef> dy,
                               std::span<EagerRef> dx) {
  // Its code, run op by op, would draw others.
  if (trace->random) {
    return Unimplemented(
        StrCat("[", name_,
               "] a gradient of the gradient of a captured function that draws "
               "random numbers; wanted them as arguments"));
  }
  EnableGrad on;
  std::vector<Tensor> args, targets, flows;
  std::vector<size_t> which;
  for (size_t i = 0; i < edges.size(); ++i) {
    EagerRef value = edges[i].leaf;
    if (!value) {
      value = MakeRef<EagerValue>(feeds[i]);
      value->producer = edges[i].node;
      value->output = edges[i].output;
    }
    if (i < num_args) args.push_back(Tensor(value));
    // What was captured is what the code reads by itself.
    if (i >= num_args && edges[i].node) {
      return Unimplemented(StrCat(
          "[", name_,
          "] a gradient of the gradient of a captured function "
          "that uses a computed tensor beside its arguments; wanted it as an "
          "argument"));
    }
    if (!edges[i]) continue;
    targets.push_back(Tensor(value));
    which.push_back(i);
  }
  try {
    std::vector<Tensor> results = body_(args).tensors, ys;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!dy[i] || !results[i].requires_grad()) continue;
      ys.push_back(results[i]);
      flows.push_back(Tensor(dy[i]));
    }
    std::vector<Tensor> found = gradients(ys, targets,
                                          {.grad_ys = flows,
                                           .zeros_when_unconnected = true,
                                           .create_graph = true,
                                           .dense = true});
    for (size_t k = 0; k < which.size(); ++k) dx[which[k]] = found[k].eager();
  } catch (const Error& e) {
    return Status(e.code(), e.what());
  }
  return OkStatus();
}

Status FunctionTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                                  std::span<EagerRef> dx) {
  if (dropped_) {
    return FailedPrecondition(
        StrCat("[", name_,
               "] backward went through here before and gave up what it kept; "
               "wanted retain_graph in the first backward"));
  }
  if (record) return Again(dy, dx);
  SL_ASSIGN_OR_RETURN(TraceGradient gradient, trace->Gradient());
  std::vector<Array> all = feeds, results;
  for (size_t i = 0; i < num_results; ++i) {
    if (!trace->flow_args[i]) continue;
    if (dy[i]) {
      all.push_back(dy[i]->array);
      continue;
    }
    all.push_back(Array::Zeros(trace->results[i].dtype(), result_shapes[i]));
  }
  SL_RETURN_IF_ERROR(trace->master->RunProgram(*gradient.program, all, &results,
                                               run, nullptr));
  for (size_t i = 0; i < dx.size(); ++i) {
    int k = gradient.wanted[i];
    if (k >= 0 && edges[i]) {
      dx[i] = MakeRef<EagerValue>(std::move(results[static_cast<size_t>(k)]));
    }
  }
  return OkStatus();
}

}  // namespace sluice::front_internal
