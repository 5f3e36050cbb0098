#include "sluice/ops/state/scatter_rows.h"

namespace sluice {

SL_OP(ScatterMax)
    .doc(
        "Raises rows of a variable, picked by index, to updates where those "
        "are larger; NaN wins. In place under the variable's lock: embedding "
        "tables are trained this way. Updates have a row for each index, or "
        "are one row for all.")
    .input("handle: resource")
    .input("indices: I")
    .input("updates: T")
    .types("I", kIndices)
    .types("T", kReals)
    .shape(shapes::none)
    .cpu(scatter_rows::kernel<ScatterOp::kMax>)
    .writes()
    .rejects(scatter_rows::Rejects("ScatterMax"));

SL_KERNEL(ScatterMax, kSim, {.launch = scatter_rows::kernel<ScatterOp::kMax>});

}  // namespace sluice
