#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/placement/placer.h"

namespace sluice {

std::string PlacementReport::Explain() const {
  std::string out;
  int placed = 0;
  int64_t copied = 0;
  for (const NodePlacement& node : nodes) {
    if (node.device < 0) continue;
    ++placed;
    copied += node.bytes_copied;
    StrAppend(out, node.node, " -> ", devices[static_cast<size_t>(node.device)],
              ": ", node.why);
    if (!node.asked.empty()) StrAppend(out, "; asked \"", node.asked, "\"");
    if (node.bytes_copied > 0) {
      StrAppend(out, "; ", HumanBytes(node.bytes_copied), " copied to it");
    }
    StrAppend(out, " (", node.line, ")\n");
  }
  StrAppend(out, placed, " nodes on ", devices.size(), " devices, ",
            HumanBytes(copied), " copied, ", predicted_seconds, " s predicted");
  if (unmet_wishes > 0) StrAppend(out, ", ", unmet_wishes, " wishes not met");
  if (bytes_over_memory > 0) {
    StrAppend(out, ", ", HumanBytes(bytes_over_memory),
              " more than the devices' memory");
  }
  return out + "\n";
}

}  // namespace sluice
