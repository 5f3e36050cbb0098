// Settings of a run as TensorBoard's HPARAMS tab reads them: what was set,
// which metrics count, and that the run has ended.
//
// Pure functions.
#pragma once

#include "sluice/formats/protobuf_writer.h"
#include "sluice/report/event_writer.h"

namespace sluice::report {

// One summary of three values. `time`: seconds since 1970.
ProtoWriter HParamsSummary(double time, const HParams& settings,
                           const std::vector<std::string>& metrics);

}  // namespace sluice::report
