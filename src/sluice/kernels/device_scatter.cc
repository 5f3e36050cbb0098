#include "sluice/kernels/device_scatter.h"

#include <array>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

DeviceScatter::Fn& FnOf(DeviceKind kind) {
  static std::array<DeviceScatter::Fn, kNumDeviceKinds> all{};
  return all[static_cast<size_t>(kind)];
}

}  // namespace

Status DeviceScatter::Run(const KernelContext& ctx, const RowScatter& scatter,
                          const Array& target) {
  Fn fn = FnOf(target.memory()->kind());
  if (fn && ctx.device()) return fn(ctx, scatter, target);
  return Unimplemented(StrCat("the variable is ", target.TypeText(), " on ",
                              DeviceNameOf(target.memory()),
                              ", which changes no rows by index"));
}

bool DeviceScatter::Set(DeviceKind kind, Fn fn) {
  FnOf(kind) = fn;
  return true;
}

}  // namespace sluice
