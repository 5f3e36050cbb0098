#include "sluice/eager/colocate_scope.h"

#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recording.h"
#include "sluice/graph/node.h"
#include "sluice/graph/together_with.h"

namespace sluice {

using front_internal::Building;
using front_internal::EagerMode;

ColocateScope::ColocateScope(const Tensor& with)
    : outer_(EagerMode::Current().device) {
  Device* known = nullptr;
  Recording* recording = with.traced() ? Recording::Open() : nullptr;
  if (!with.symbolic()) {
    known = &Devices::Of(with.array());
  } else if (recording) {
    known = recording->DeviceOf(*with.identity());
  }
  if (known) {
    EagerMode::Current().device = known;
    Building::Current().device = known->name_text();
  } else {
    Open(recording ? *recording->Now(*with.identity()).node
                   : with.operation().node());
  }
}

ColocateScope::ColocateScope(const Operation& with)
    : outer_(EagerMode::Current().device) {
  Open(with.node());
}

void ColocateScope::Open(const Node& with) {
  // What it asks for is asked for here, too; what asks for nothing is found by
  // placement.
  const std::string& wish = with.device();
  Building::Current().device = wish.empty() ? TogetherWith(with.name()) : wish;
}

ColocateScope::~ColocateScope() { EagerMode::Current().device = outer_; }

}  // namespace sluice
