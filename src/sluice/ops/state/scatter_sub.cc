#include "sluice/ops/state/scatter_rows.h"

namespace sluice {

SL_OP(ScatterSub)
    .doc(
        "Subtracts from rows of a variable, picked by index; rows named twice "
        "get both. In place under the variable's lock: embedding tables are "
        "trained this way. Updates have a row for each index, or are one row "
        "for all.")
    .input("handle: resource")
    .input("indices: I")
    .input("updates: T")
    .types("I", kIndices)
    .types("T", kNumbers)
    .shape(shapes::none)
    .cpu(scatter_rows::kernel<ScatterOp::kSub>)
    .writes()
    .rejects(scatter_rows::Rejects("ScatterSub"));

SL_KERNEL(ScatterSub, kSim, {.launch = scatter_rows::kernel<ScatterOp::kSub>});

}  // namespace sluice
