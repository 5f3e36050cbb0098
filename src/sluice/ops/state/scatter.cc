// ScatterAdd, ScatterMax, ScatterMin, ScatterSub and ScatterUpdate.
#include "sluice/ops/family.h"
#include "sluice/ops/state/scatter_rows.h"

namespace sluice {
namespace {

OpDefinition& Scatter(OpDefinition&& op, std::string_view name) {
  return op.input("handle: resource")
      .input("indices: I")
      .input("updates: T")
      .types("I", kIndices)
      .shape(shapes::none)
      .writes()
      .rejects(scatter_rows::Rejects(name));
}

}  // namespace

SL_OP_OF(ScatterAdd, Scatter)
    .doc(
        "Adds to rows of a variable, picked by index; rows named twice get "
        "both. In place under the variable's lock: embedding tables are "
        "trained this way. Updates have a row for each index, or are one row "
        "for all.")
    .types("T", kNumbers)
    .cpu(scatter_rows::kernel<ScatterOp::kAdd>);

SL_KERNEL(ScatterAdd, kSim, {.launch = scatter_rows::kernel<ScatterOp::kAdd>});

SL_OP_OF(ScatterMax, Scatter)
    .doc(
        "Raises rows of a variable, picked by index, to updates where those "
        "are larger; NaN wins. In place under the variable's lock: embedding "
        "tables are trained this way. Updates have a row for each index, or "
        "are one row for all.")
    .types("T", kReals)
    .cpu(scatter_rows::kernel<ScatterOp::kMax>);

SL_KERNEL(ScatterMax, kSim, {.launch = scatter_rows::kernel<ScatterOp::kMax>});

SL_OP_OF(ScatterMin, Scatter)
    .doc(
        "Lowers rows of a variable, picked by index, to updates where those "
        "are smaller; NaN wins. In place under the variable's lock: embedding "
        "tables are trained this way. Updates have a row for each index, or "
        "are one row for all.")
    .types("T", kReals)
    .cpu(scatter_rows::kernel<ScatterOp::kMin>);

SL_KERNEL(ScatterMin, kSim, {.launch = scatter_rows::kernel<ScatterOp::kMin>});

SL_OP_OF(ScatterSub, Scatter)
    .doc(
        "Subtracts from rows of a variable, picked by index; rows named twice "
        "get both. In place under the variable's lock: embedding tables are "
        "trained this way. Updates have a row for each index, or are one row "
        "for all.")
    .types("T", kNumbers)
    .cpu(scatter_rows::kernel<ScatterOp::kSub>);

SL_KERNEL(ScatterSub, kSim, {.launch = scatter_rows::kernel<ScatterOp::kSub>});

SL_OP_OF(ScatterUpdate, Scatter)
    .doc(
        "Sets rows of a variable, picked by index; of several for one row the "
        "last counts. In place under the variable's lock: embedding tables are "
        "trained this way. Updates have a row for each index, or are one row "
        "for all.")
    .types("T", kPlain)
    .cpu(scatter_rows::kernel<ScatterOp::kUpdate>);

SL_KERNEL(ScatterUpdate, kSim,
          {.launch = scatter_rows::kernel<ScatterOp::kUpdate>});

}  // namespace sluice
