#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"
#include "sluice/ops/sparse/scatter_tuples.h"

namespace sluice {

SL_OP(TensorScatterUpdate)
    .doc(
        "x with the elements or slices at tuples of indices set to those of "
        "updates; of several for one place the last counts. Tuples lie along "
        "the last axis of indices.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kPlain)
    .types("I", kIndices)
    .shape(scatter_tuples::shape)
    .grad([](GradContext& g) {
      scatter_grad::SetRule(g, scatter_grad::Tuples());
    })
    .batch(scatter_batch::tuples)
    .cpu(scatter_tuples::kernel<ScatterOp::kUpdate>)
    .cpu_workspace(scatter_tuples::workspace)
    .in_place()
    .reference(scatter_tuples::reference<scatter_reference::Update>)
    .samples(scatter_tuples::Samples())
    .rejects(scatter_tuples::Rejects("TensorScatterUpdate"));

}  // namespace sluice
