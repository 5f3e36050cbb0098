// TensorScatterAdd, TensorScatterMax, TensorScatterMin, TensorScatterMul,
// TensorScatterSub and TensorScatterUpdate.
#include "sluice/ops/family.h"
#include "sluice/ops/sparse/scatter_batch.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/ops/sparse/scatter_reference.h"
#include "sluice/ops/sparse/scatter_tuples.h"

namespace sluice {
namespace {

OpDefinition& TensorScatter(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .input("indices: I")
      .input("updates: T")
      .output("y: T")
      .shape(scatter_tuples::shape)
      .batch(scatter_batch::tuples)
      .cpu_workspace(scatter_tuples::workspace)
      .in_place()
      .rejects(scatter_tuples::Rejects(name));
}

}  // namespace

SL_OP_OF(TensorScatterAdd, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices increased by "
        "updates, in order; integers wrap. Tuples lie along the last axis of "
        "indices.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::AddRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kAdd>)
    .tolerance(1e-4)
    .reference(scatter_tuples::reference<scatter_reference::Add>)
    .samples(scatter_tuples::Samples());

SL_OP_OF(TensorScatterMax, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices replaced by "
        "updates where those are larger; NaN wins. Tuples lie along the last "
        "axis of indices.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kMax>)
    .reference(scatter_tuples::reference<scatter_reference::Max>)
    .samples(scatter_tuples::Samples());

SL_OP_OF(TensorScatterMin, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices replaced by "
        "updates where those are smaller; NaN wins. Tuples lie along the last "
        "axis of indices.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::ExtremeRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kMin>)
    .reference(scatter_tuples::reference<scatter_reference::Min>)
    .samples(scatter_tuples::Samples());

SL_OP_OF(TensorScatterMul, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices multiplied by "
        "updates, in order; integers wrap. Tuples lie along the last axis of "
        "indices.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::MulRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kMul>)
    .tolerance(1e-4)
    .reference(scatter_tuples::reference<scatter_reference::Mul>)
    .samples(scatter_tuples::Samples(/*many=*/false));

SL_OP_OF(TensorScatterSub, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices decreased by "
        "updates, in order; integers wrap. Tuples lie along the last axis of "
        "indices.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::SubRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kSub>)
    .tolerance(1e-4)
    .reference(scatter_tuples::reference<scatter_reference::Sub>)
    .samples(scatter_tuples::Samples());

SL_OP_OF(TensorScatterUpdate, TensorScatter)
    .doc(
        "x with the elements or slices at tuples of indices set to those of "
        "updates; of several for one place the last counts. Tuples lie along "
        "the last axis of indices.")
    .types("T", kPlain)
    .types("I", kIndices)
    .grad([](GradContext& g) {
      scatter_grad::SetRule(g, scatter_grad::Tuples());
    })
    .cpu(scatter_tuples::kernel<ScatterOp::kUpdate>)
    .reference(scatter_tuples::reference<scatter_reference::Update>)
    .samples(scatter_tuples::Samples());

}  // namespace sluice
