#include "sluice/tensor/memory.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {
thread_local const Memory* open_memory = nullptr;
}  // namespace

std::string_view DeviceKindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kCuda:
      return "gpu";
    case DeviceKind::kSim:
      return "sim";
  }
  return "?";
}

const std::string& DeviceNameOf(const Memory* memory) {
  static const auto& host = *new std::string("/device:cpu:0");
  return memory ? memory->device_name() : host;
}

OpenMemory::OpenMemory(const Memory& memory) : outer_(open_memory) {
  open_memory = &memory;
}
OpenMemory::~OpenMemory() { open_memory = outer_; }
const Memory* OpenMemory::Current() { return open_memory; }

void* HostView::Of(const Memory& memory, void* address,
                   const std::string& type_text) {
  if (open_memory == &memory) return memory.HostAddress(address);
  throw Error(FailedPrecondition(
      StrCat(type_text, " is in the memory of ", memory.device_name(),
             ", which the host cannot read or write; wanted a copy on the "
             "host")));
}

}  // namespace sluice
