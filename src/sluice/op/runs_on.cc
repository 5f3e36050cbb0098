#include "sluice/op/runs_on.h"

#include <algorithm>

namespace sluice {

namespace {

// Its host kernel is a function of its inputs and has finished on return.
bool HostComputes(const OpRecord& op) {
  return HasHostCode(op) && op.effect == Effect::kNone && !op.stateful &&
         !op.handle && op.global_effect.empty();
}

// The host's kernel may be run for a simulated device: it only reads its inputs
// and writes its outputs, whose sizes are known before the launch.
bool HostKernelServes(const OpRecord& op, std::span<const DType> dtypes) {
  return HostComputes(op) && !op.dynamic_output &&
         std::all_of(dtypes.begin(), dtypes.end(), IsPlainData);
}

}  // namespace

bool HasHostCode(const OpRecord& op) { return op.block || op.cpu().launch; }

bool RunsOn(const OpRecord& op, DeviceKind kind,
            std::span<const DType> dtypes) {
  if (kind == DeviceKind::kCpu) {
    return op.structural || op.block || op.view || op.cpu().defined();
  }
  if (std::count(dtypes.begin(), dtypes.end(), DType::kString)) return false;
  // Work that follows a check must not run if the check fails: the host waits.
  if (op.role == Role::kAssert || op.role == Role::kTrapNan) return false;
  if (op.structural || op.view || op.shape_only || op.any_memory) return true;
  const Kernel& own = op.kernel(kind);
  auto takes = [&](DType dtype) { return own.dtypes.contains(dtype); };
  if (own.defined() && std::all_of(dtypes.begin(), dtypes.end(), takes)) {
    return true;
  }
  return kind == DeviceKind::kSim && HostKernelServes(op, dtypes);
}

bool RunsWhenIdle(const OpRecord& op, DeviceKind kind,
                  std::span<const DType> dtypes) {
  auto plain_or_list = [](DType dtype) {
    return IsPlainData(dtype) || dtype == DType::kList;
  };
  return kind == DeviceKind::kSim && HostComputes(op) &&
         std::count(dtypes.begin(), dtypes.end(), DType::kList) &&
         std::all_of(dtypes.begin(), dtypes.end(), plain_or_list);
}

}  // namespace sluice
