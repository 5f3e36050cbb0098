#include "sluice/report/event_proto.h"

#include <cstdio>

#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"

namespace sluice::report {

namespace {

// Numbers of fields.
constexpr int kTime = 1, kStep = 2, kFileVersion = 3, kGraphDef = 4,
              kSummary = 5, kSessionLog = 7;  // Event
constexpr int kTag = 1, kSimpleValue = 2, kImage = 4, kHisto = 5, kTensor = 8,
              kMetadata = 9;  // Summary.Value
constexpr int kStringType = 7;
constexpr size_t kLongestTag = 512;

ProtoWriter Event(double time, int64_t step) {
  ProtoWriter event;
  event.Double(kTime, time);
  if (step != 0) event.Int(kStep, step);
  return event;
}

}  // namespace

Result<std::string> EventTag(std::string_view tag) {
  if (tag.empty()) {
    return InvalidArgument("[EventWriter] the tag is empty; wanted a name");
  }
  if (tag.size() <= kLongestTag) return ValidUtf8(tag);
  // Tags that differ only in what is cut off stay different.
  char number[16];
  std::snprintf(number, sizeof number, "...%08x", Crc32c(tag));
  return ValidUtf8(Utf8Prefix(tag, kLongestTag)) + number;
}

ProtoWriter ScalarValue(std::string_view tag, double value) {
  return ProtoWriter().Bytes(kTag, tag).Float(kSimpleValue,
                                              static_cast<float>(value));
}

ProtoWriter HistogramValue(std::string_view tag, const Histogram& h) {
  ProtoWriter histo;
  histo.Double(1, h.min).Double(2, h.max);
  histo.Double(3, static_cast<double>(h.count));
  histo.Double(4, h.sum).Double(5, h.sum_squares);
  histo.PackedDoubles(6, h.limits).PackedDoubles(7, h.counts);
  return ProtoWriter().Bytes(kTag, tag).Message(kHisto, histo);
}

ProtoWriter ImageValue(std::string_view tag, int64_t width, int64_t height,
                       int channels, std::string_view png) {
  ProtoWriter image;
  image.Int(1, height).Int(2, width).Int(3, channels).Bytes(4, png);
  return ProtoWriter().Bytes(kTag, tag).Message(kImage, image);
}

ProtoWriter TextValue(std::string_view tag, std::string_view markdown) {
  ProtoWriter plugin, metadata, tensor;
  plugin.Bytes(1, "text");
  metadata.Message(1, plugin).Int(4, 2);  // data of class tensor
  // Of no dimensions: a vector would be shown as a table.
  tensor.Int(1, kStringType).Message(2, ProtoWriter());
  tensor.Bytes(8, ValidUtf8(markdown));
  return ProtoWriter()
      .Bytes(kTag, tag)
      .Message(kTensor, tensor)
      .Message(kMetadata, metadata);
}

ProtoWriter SummaryEvent(double time, int64_t step, const ProtoWriter& value) {
  return Event(time, step).Message(kSummary, value);
}

ProtoWriter GraphEvent(double time, std::string_view graph_def) {
  return Event(time, 0).Bytes(kGraphDef, graph_def);
}

ProtoWriter VersionEvent(double time) {
  return Event(time, 0).Bytes(kFileVersion, "brain.Event:2");
}

ProtoWriter RestartEvent(double time, int64_t step) {
  return Event(time, step).Message(kSessionLog, ProtoWriter().Int(1, 1));
}

}  // namespace sluice::report
