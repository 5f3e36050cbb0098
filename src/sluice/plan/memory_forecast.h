// MemoryForecast: predicts, before a graph runs, the peak number of live bytes
// on each device and which source lines hold them.
//
// Values are counted in program order from creation to last use. An op that can
// work in place on an input that ends there takes no memory. The elements of a
// list live as long as the list. A conditional counts as its larger branch, a
// loop as a function of its iteration count. Memory other than values (kernel
// workspaces, code) is not counted. Fused ops may need less, parallel
// iterations more. Unknown sizes are reported and count as zero.
//
// A value, computed by one call from a graph that is ready to run.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/plan/byte_count.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

struct MemoryForecast {
  // The iteration count of a loop. Loops known to run equally often, such as a
  // loop and its gradient, share a count.
  struct Loop {
    std::string count;  // "T", or "T1", "T2", ...
    std::string name;   // of the node
    SourceLine line;
  };
  // The bytes that one line keeps live at a peak.
  struct Share {
    AllocationSite site;
    ByteCount bytes;
    int64_t arrays = 0;  // arrays counted once
  };
  struct Peak {
    ByteCount bytes;
    AllocationSite at;  // the op that runs at the peak
    std::vector<Share> shares;
  };
  struct OnDevice {
    std::string device;
    // The candidates for the peak: which is the largest depends on the counts.
    std::vector<Peak> peaks;
  };
  // Arrays whose size is not known in advance.
  struct Unknown {
    AllocationSite site;
    std::string device, type;
    int64_t arrays = 0;
  };

  std::vector<Loop> loops;
  std::vector<OnDevice> devices;  // devices with any bytes
  std::vector<Unknown> unknown;

  // The peak on `device` if every loop of unknown count runs `trips` times; 0
  // for an unknown device.
  int64_t PeakBytes(std::string_view device, int64_t trips) const;
  // The peak that determines PeakBytes.
  const Peak* PeakAt(std::string_view device, int64_t trips) const;
  // "8.1 MiB + 4 MiB*T", or the maximum of several.
  std::string Formula(std::string_view device) const;
  // The whole report; the lines are those of the peak for `trips` iterations.
  std::string ToString(int64_t trips = 100) const;
};

// `args`: the device name for each argument of the graph; missing entries mean
// the host. Nodes without a device run on the host. Error: a cycle.
Result<MemoryForecast> ForecastMemory(const Graph& graph,
                                      std::vector<std::string> args = {});

}  // namespace sluice
