#include "sluice/report/hparams_proto.h"

#include "sluice/formats/utf8.h"

namespace sluice::report {

namespace {

// Numbers of fields.
constexpr int kExperiment = 2, kStart = 3, kEnd = 4;  // HParamsPluginData
constexpr int kSuccess = 1;                           // Status
constexpr int kText = 1, kBool = 2, kNumber = 3;      // DataType

// A Summary.Value that is all metadata.
ProtoWriter PluginValue(const char* tag, int field, const ProtoWriter& data) {
  ProtoWriter content, plugin, metadata;
  content.Int(1, 0).Message(field, data);
  plugin.Bytes(1, "hparams").Message(2, content);
  metadata.Message(1, plugin);
  return ProtoWriter().Bytes(1, tag).Message(9, metadata);
}

int TypeOf(const HParam& value) {
  if (std::holds_alternative<bool>(value)) return kBool;
  return std::holds_alternative<double>(value) ? kNumber : kText;
}

// google.protobuf.Value
ProtoWriter ValueOf(const HParam& value) {
  if (auto* flag = std::get_if<bool>(&value)) {
    return ProtoWriter().Int(4, *flag ? 1 : 0);
  }
  if (auto* number = std::get_if<double>(&value)) {
    return ProtoWriter().Double(2, *number);
  }
  return ProtoWriter().Bytes(3, ValidUtf8(std::get<std::string>(value)));
}

}  // namespace

ProtoWriter HParamsSummary(double time, const HParams& settings,
                           const std::vector<std::string>& metrics) {
  ProtoWriter experiment, start, end;
  experiment.Double(3, time);
  for (const auto& [name, value] : settings) {
    std::string valid = ValidUtf8(name);
    experiment.Message(4, ProtoWriter().Bytes(1, valid).Int(4, TypeOf(value)));
    start.Message(1, ProtoWriter().Bytes(1, valid).Message(2, ValueOf(value)));
  }
  for (const std::string& metric : metrics) {
    ProtoWriter name = ProtoWriter().Bytes(2, ValidUtf8(metric));
    experiment.Message(5, ProtoWriter().Message(1, name));
  }
  start.Double(5, time);
  end.Int(1, kSuccess).Double(2, time);
  return ProtoWriter()
      .Message(1, PluginValue("_hparams_/experiment", kExperiment, experiment))
      .Message(1, PluginValue("_hparams_/session_start_info", kStart, start))
      .Message(1, PluginValue("_hparams_/session_end_info", kEnd, end));
}

}  // namespace sluice::report
