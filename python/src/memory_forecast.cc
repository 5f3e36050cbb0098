// The peak memory of a run, before it runs.
#include "sluice/plan/memory_forecast.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "graph.h"
#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/device/names_task.h"

namespace sluice::py {

namespace {

// As the forecast has it: "sim:0" is "/device:sim:0". Of a step over tasks the
// devices are theirs, and a task alone is its first CPU.
std::string FullName(std::string_view device) {
  DeviceName name = ValueOrThrow(DeviceName::Parse(device));
  if (!NamesTask(name)) {
    return ValueOrThrow(Devices::Find(device))->name_text();
  }
  if (!name.kind) name.kind = DeviceKind::kCpu;
  if (!name.index) name.index = 0;
  return name.ToString();
}

nb::dict UnknownOf(const MemoryForecast::Unknown& unknown) {
  nb::dict entry;
  entry["type"] = unknown.type;
  entry["op"] = std::string(unknown.site.op);
  entry["line"] = unknown.site.line.known() ? unknown.site.line.ToString() : "";
  entry["device"] = unknown.device;
  return entry;
}

}  // namespace

void BindMemoryForecast(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<MemoryForecast>(
      m, "MemoryForecast",
      "What a run has live at most, on each device and by your lines, before "
      "it runs. Loops count as a function of how often they run; sizes that "
      "are not known are told and count as nothing. `str()` prints it all.")
      .def_prop_ro(
          "devices",
          [](const MemoryForecast& f) {
            std::vector<std::string> names;
            for (const auto& on : f.devices) names.push_back(on.device);
            return names;
          },
          "Devices on which something is live.")
      .def_prop_ro(
          "unknown",
          [](const MemoryForecast& f) {
            nb::list all;
            for (const auto& u : f.unknown) all.append(UnknownOf(u));
            return all;
          },
          "Arrays of a size that is not known before the run.")
      .def(
          "peak_bytes",
          [](const MemoryForecast& f, std::string_view device, int64_t trips) {
            return f.PeakBytes(FullName(device), trips);
          },
          "device"_a = "cpu:0", "trips"_a = 100,
          "The most bytes on a device when loops whose number of iterations is "
          "not known run `trips` times.")
      .def(
          "formula",
          [](const MemoryForecast& f, std::string_view device) {
            return f.Formula(FullName(device));
          },
          "device"_a = "cpu:0", "The same as a formula, \"8 KiB + 4 KiB*T\".")
      .def("text", &MemoryForecast::ToString, "trips"_a = 100,
           "All of it; lines are those of the peak for so many trips.")
      .def("__str__", [](const MemoryForecast& f) { return f.ToString(); });
}

}  // namespace sluice::py
