// IndexAdd, IndexCopy, IndexMax and IndexMin.
#include "sluice/op/face.h"
#include "sluice/ops/family.h"
#include "sluice/ops/sparse/index_rows.h"
#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"

namespace sluice {
namespace {

OpDefinition& IndexSlices(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .input("indices: I")
      .input("updates: T")
      .output("y: T")
      .attr("axis", 0, "The axis of x that indices count along.")
      .shape(index_rows::shape)
      .batch(scatter_batch::slices)
      .in_place()
      .samples(index_rows::Samples())
      .rejects(index_rows::Rejects(name));
}

}  // namespace

SL_OP_OF(IndexAdd, IndexSlices)
    .doc(
        "x with the slices along an axis at indices increased by updates, in "
        "order; integers wrap.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::AddRule(g, scatter_grad::Rows(g));
    })
    .cpu(index_rows::kernel<ScatterOp::kAdd>)
    .role(Role::kIndexAdd)
    .tolerance(1e-4)
    .reference(index_rows::reference<scatter_reference::Add>);
SL_FACE(IndexAdd).keeps({DType::kBool});

SL_OP_OF(IndexCopy, IndexSlices)
    .doc(
        "x with the slices along an axis at indices set to those of updates; "
        "of several for one place the last counts.")
    .types("T", kPlain)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::SetRule(g, scatter_grad::Rows(g));
    })
    .cpu(index_rows::kernel<ScatterOp::kUpdate>)
    .role(Role::kIndexCopy)
    .reference(index_rows::reference<scatter_reference::Update>);

SL_OP_OF(IndexMax, IndexSlices)
    .doc(
        "x with the slices along an axis at indices replaced by updates where "
        "those are larger; NaN wins.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Rows(g));
    })
    .cpu(index_rows::kernel<ScatterOp::kMax>)
    .reference(index_rows::reference<scatter_reference::Max>);

SL_OP_OF(IndexMin, IndexSlices)
    .doc(
        "x with the slices along an axis at indices replaced by updates where "
        "those are smaller; NaN wins.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Rows(g));
    })
    .cpu(index_rows::kernel<ScatterOp::kMin>)
    .reference(index_rows::reference<scatter_reference::Min>);

}  // namespace sluice
