#include "sluice/ops/state/scatter_rows.h"

namespace sluice {

SL_OP(ScatterMin)
    .doc(
        "Lowers rows of a variable, picked by index, to updates where those "
        "are smaller; NaN wins. In place under the variable's lock: embedding "
        "tables are trained this way. Updates have a row for each index, or "
        "are one row for all.")
    .input("handle: resource")
    .input("indices: I")
    .input("updates: T")
    .types("I", kIndices)
    .types("T", kReals)
    .shape(shapes::none)
    .cpu(scatter_rows::kernel<ScatterOp::kMin>)
    .writes()
    .rejects(scatter_rows::Rejects("ScatterMin"));

SL_KERNEL(ScatterMin, kSim, {.launch = scatter_rows::kernel<ScatterOp::kMin>});

}  // namespace sluice
