// Hyperparameters of a run in the format of TensorBoard's HPARAMS tab: their
// values, the relevant metrics, and the end of the run.
//
// Pure functions.
#pragma once

#include "sluice/formats/protobuf_writer.h"
#include "sluice/report/event_writer.h"

namespace sluice::report {

// One summary with three values. `time`: seconds since 1970.
ProtoWriter HParamsSummary(double time, const HParams& settings,
                           const std::vector<std::string>& metrics);

}  // namespace sluice::report
