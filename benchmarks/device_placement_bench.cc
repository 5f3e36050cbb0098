// How long it takes to find devices for the nodes of a large graph.
#include <memory>

#include "benchmarks/bench.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/place_locally.h"

namespace sluice::bench {
namespace {

// Eight chains of products and sums that exchange values now and then.
std::string LargeGraph(int nodes) {
  constexpr int kChains = 8;
  std::string text = "graph large(%w: f32[256,256]";
  for (int c = 0; c < kChains; ++c) StrAppend(text, ", %x", c, ": f32[64,256]");
  StrAppend(text, ") -> (%x", nodes + kChains - 1, ") {\n");
  for (int i = kChains; i < nodes + kChains; ++i) {
    int before = i - kChains, aside = i - 1 - i * 7 % kChains;
    StrAppend(text, "  %x", i, " = ");
    if (i % 5 == 0) {
      StrAppend(text, "MatMul(%x", before, ", %w)\n");
    } else if (i % 16 == 1) {
      StrAppend(text, "Add(%x", before, ", %x", aside, ")\n");
    } else {
      StrAppend(text, "Tanh(%x", before, ")\n");
    }
  }
  return text + "}";
}

SL_BENCH(devices, placement_10k,
         "placement by search of a graph of 10,000 nodes") {
  constexpr int kNodes = 10'000;
  SL_CHECK(Devices::AddCpus(4).ok() && AddSimDevices(8).ok());
  std::unique_ptr<Graph> graph = ParseGraph(LargeGraph(kNodes)).value();
  LocalPlacement placement;
  placement.search = true;
  placement.device = "/device:cpu:0";
  std::unique_ptr<Graph> fresh;
  double best = 1e9;
  for (int i = 0; i < report.rounds; ++i) {
    fresh = graph->Clone();
    best = std::min(best,
                    Best(1, {[&] {
                           SL_CHECK(PlaceLocally(*fresh, {}, placement).ok());
                         }})[0]);
  }
  report.Line(
      "placement_10k", best, "s",
      {{"nodes", StrCat(kNodes)}, {"devices", StrCat(Devices::All().size())}},
      AtMost(1));
}

}  // namespace
}  // namespace sluice::bench
