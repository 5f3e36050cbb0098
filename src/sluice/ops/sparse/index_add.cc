#include "sluice/ops/sparse/index_rows.h"
#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"

namespace sluice {

SL_OP(IndexAdd)
    .doc(
        "x with the slices along an axis at indices increased by updates, in "
        "order; integers wrap.")
    .input("x: T")
    .input("indices: I")
    .input("updates: T")
    .output("y: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .attr("axis", 0, "The axis of x that indices count along.")
    .shape(index_rows::shape)
    .grad([](GradContext& g) {
      scatter_grad::AddRule(g, scatter_grad::Rows(g));
    })
    .batch(scatter_batch::slices)
    .cpu(index_rows::kernel<ScatterOp::kAdd>)
    .in_place()
    .role(Role::kIndexAdd)
    .tolerance(1e-4)
    .reference(index_rows::reference<scatter_reference::Add>)
    .samples(index_rows::Samples())
    .rejects(index_rows::Rejects("IndexAdd"));

}  // namespace sluice
