// MemoryForecast: the most bytes a run of a graph has live at once, on each
// device, by the user's lines, before it runs.
//
// Counted is what values occupy in program order, from being made to their last
// use: an op that may write over an input that ends there takes no memory; what
// a list holds lives as long as the list; branches count as the larger one;
// loops as a function of how often they run. Memory that is not a value's
// (kernels' workspaces, code) is not counted; ops that are fused may need less,
// iterations that run at once more. Sizes that are not known are told, and
// count as nothing.
//
// A value; made by one call from a graph that is ready to run.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/plan/byte_count.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

struct MemoryForecast {
  // How often a loop runs; those that are known to run as often as another, as
  // the gradient of a loop does, share a count.
  struct Loop {
    std::string count;  // "T", or "T1", "T2", ...
    std::string name;   // of its node
    SourceLine line;
  };
  // What one line keeps live at a peak.
  struct Share {
    AllocationSite site;
    ByteCount bytes;
    int64_t arrays = 0;  // that are counted once
  };
  struct Peak {
    ByteCount bytes;
    AllocationSite at;  // when this op runs
    std::vector<Share> shares;
  };
  struct OnDevice {
    std::string device;
    // None of them is always above another: which one is the peak depends on
    // the counts.
    std::vector<Peak> peaks;
  };
  // An array of a size that nobody knows before.
  struct Unknown {
    AllocationSite site;
    std::string device, type;
    int64_t arrays = 0;
  };

  std::vector<Loop> loops;
  std::vector<OnDevice> devices;  // those with any bytes
  std::vector<Unknown> unknown;

  // The most on that device when every loop whose count is not known runs
  // `trips` times; 0 for a device that is not there.
  int64_t PeakBytes(std::string_view device, int64_t trips) const;
  // The peak that this is.
  const Peak* PeakAt(std::string_view device, int64_t trips) const;
  // "8.1 MiB + 4 MiB*T", or the larger of several.
  std::string Formula(std::string_view device) const;
  // All of it; lines are those of the peak for so many trips.
  std::string ToString(int64_t trips = 100) const;
};

// `args`: where each of the graph's arguments lies, by the device's name; the
// host for those that are not told. Nodes that name no device are the host's.
// Error: a cycle.
Result<MemoryForecast> ForecastMemory(const Graph& graph,
                                      std::vector<std::string> args = {});

}  // namespace sluice
