#include "sluice/front/variable_placer.h"

#include <utility>

namespace sluice {

namespace {

thread_local PlacerScope* open_scope = nullptr;

int64_t Bytes(DType dtype, const PartialShape& shape) {
  if (!shape.fully_known()) return -1;
  return shape.ToShape().num_elements() * DTypeSize(dtype);
}

}  // namespace

PlacerScope::PlacerScope(VariablePlacer& placer)
    : placer_(placer),
      device_(front_internal::Building::Current().device),
      outer_(open_scope) {
  open_scope = this;
}

PlacerScope::~PlacerScope() { open_scope = outer_; }

PlacedVariable::PlacedVariable(std::string_view name, DType dtype,
                               const PartialShape& shape)
    : scope_(std::exchange(open_scope, nullptr)) {
  std::string& device = front_internal::Building::Current().device;
  // A graph that was opened since starts without a device.
  if (!scope_ || (!device.empty() && device != scope_->device_)) return;
  device = scope_->placer_.TaskFor(name, Bytes(dtype, shape));
}

PlacedVariable::~PlacedVariable() { open_scope = scope_; }

}  // namespace sluice
