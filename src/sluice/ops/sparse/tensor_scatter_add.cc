#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"
#include "sluice/ops/sparse/scatter_tuples.h"

namespace sluice {

SL_OP(TensorScatterAdd)
    .doc(
        "x with the elements or slices at tuples of indices increased by "
        "updates, in order; integers wrap. Tuples lie along the last axis of "
        "indices.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .shape(scatter_tuples::shape)
    .grad([](GradContext& g) {
      scatter_grad::AddRule(g, scatter_grad::Tuples());
    })
    .batch(scatter_batch::tuples)
    .cpu(scatter_tuples::kernel<ScatterOp::kAdd>)
    .cpu_workspace(scatter_tuples::workspace)
    .in_place()
    .tolerance(1e-4)
    .reference(scatter_tuples::reference<scatter_reference::Add>)
    .samples(scatter_tuples::Samples())
    .rejects(scatter_tuples::Rejects("TensorScatterAdd"));

}  // namespace sluice
