// TensorBoard's summary values as bytes: the fields its reader has always
// supported (simple_value, histo, image), and text as a string tensor marked
// for the text tab.
//
// Pure functions; each returns one Summary.Value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/formats/protobuf_writer.h"
#include "sluice/report/histogram.h"

namespace sluice::report {

// A tag as stored in files: valid UTF-8, truncated if very long. Error:
// InvalidArgument if it is empty.
Result<std::string> EventTag(std::string_view tag);

ProtoWriter ScalarValue(std::string_view tag, double value);
ProtoWriter HistogramValue(std::string_view tag, const Histogram& histogram);
ProtoWriter ImageValue(std::string_view tag, int64_t width, int64_t height,
                       int channels, std::string_view png);
ProtoWriter TextValue(std::string_view tag, std::string_view markdown);

// Events: a summary, a graph, the first of a file, and the one that marks a
// restart of step numbers.
ProtoWriter SummaryEvent(double time, int64_t step, const ProtoWriter& value);
ProtoWriter GraphEvent(double time, std::string_view graph_def);
ProtoWriter VersionEvent(double time);
ProtoWriter RestartEvent(double time, int64_t step);

}  // namespace sluice::report
