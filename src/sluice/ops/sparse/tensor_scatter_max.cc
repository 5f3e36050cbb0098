#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"
#include "sluice/ops/sparse/scatter_tuples.h"

namespace sluice {

SL_OP(TensorScatterMax)
    .doc(
        "x with the elements or slices at tuples of indices replaced by "
        "updates where those are larger; NaN wins. Tuples lie along the last "
        "axis of indices.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .shape(scatter_tuples::shape)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Tuples());
    })
    .batch(scatter_batch::tuples)
    .cpu(scatter_tuples::kernel<ScatterOp::kMax>)
    .cpu_workspace(scatter_tuples::workspace)
    .in_place()
    .reference(scatter_tuples::reference<scatter_reference::Max>)
    .samples(scatter_tuples::Samples())
    .rejects(scatter_tuples::Rejects("TensorScatterMax"));

}  // namespace sluice
