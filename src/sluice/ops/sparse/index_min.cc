#include "sluice/ops/sparse/index_rows.h"
#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"

namespace sluice {

SL_OP(IndexMin)
    .doc(
        "x with the slices along an axis at indices replaced by updates where "
        "those are smaller; NaN wins.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .attr("axis", 0, "The axis of x that indices count along.")
    .shape(index_rows::shape)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Rows(g));
    })
    .batch(scatter_batch::slices)
    .cpu(index_rows::kernel<ScatterOp::kMin>)
    .in_place()
    .reference(index_rows::reference<scatter_reference::Min>)
    .samples(index_rows::Samples())
    .rejects(index_rows::Rejects("IndexMin"));

}  // namespace sluice
