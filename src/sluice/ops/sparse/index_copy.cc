#include "sluice/ops/sparse/index_rows.h"
#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"

namespace sluice {

SL_OP(IndexCopy)
    .doc(
        "x with the slices along an axis at indices set to those of updates; "
        "of several for one place the last counts.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kPlain)
    .types("I", kIndices)
    .attr("axis", 0, "The axis of x that indices count along.")
    .shape(index_rows::shape)
    .grad([](GradContext& g) {
      scatter_grad::SetRule(g, scatter_grad::Rows(g));
    })
    .batch(scatter_batch::slices)
    .cpu(index_rows::kernel<ScatterOp::kUpdate>)
    .in_place()
    .role(Role::kIndexCopy)
    .reference(index_rows::reference<scatter_reference::Update>)
    .samples(index_rows::Samples())
    .rejects(index_rows::Rejects("IndexCopy"));

}  // namespace sluice
