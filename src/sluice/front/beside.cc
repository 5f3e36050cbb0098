#include "sluice/front/beside.h"

#include "sluice/device/names_task.h"
#include "sluice/graph/node.h"

namespace sluice {

Beside::Beside(const Tensor& value) {
  if (!value.symbolic()) return;
  const std::string& device = value.value().node->device();
  if (NamesTask(device)) front_internal::Building::Current().device = device;
}

}  // namespace sluice
