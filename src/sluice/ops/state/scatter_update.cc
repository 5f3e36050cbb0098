#include "sluice/ops/state/scatter_rows.h"

namespace sluice {

SL_OP(ScatterUpdate)
    .doc(
        "Sets rows of a variable, picked by index; of several for one row the "
        "last counts. In place under the variable's lock: embedding tables are "
        "trained this way. Updates have a row for each index, or are one row "
        "for all.")
    .input("handle: resource")
    .input("indices: I")
    .input("updates: T")
    .types("I", kIndices)
    .types("T", kPlain)
    .shape(shapes::none)
    .cpu(scatter_rows::kernel<ScatterOp::kUpdate>)
    .writes()
    .rejects(scatter_rows::Rejects("ScatterUpdate"));

SL_KERNEL(ScatterUpdate, kSim,
          {.launch = scatter_rows::kernel<ScatterOp::kUpdate>});

}  // namespace sluice
