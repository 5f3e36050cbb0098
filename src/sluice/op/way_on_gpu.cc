#include "sluice/op/way_on_gpu.h"

#include <algorithm>

#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// Kernels that call a library for floats.
constexpr std::string_view kByLibrary[] = {
    "BatchMatMul",      "Conv1D",
    "Conv1DFilterGrad", "Conv1DInputGrad",
    "Conv2D",           "Conv2DFilterGrad",
    "Conv2DInputGrad",  "Conv3D",
    "Conv3DFilterGrad", "Conv3DInputGrad",
    "ConvTranspose1D",  "ConvTranspose2D",
    "ConvTranspose3D",  "Dot",
    "Einsum",           "MatMul",
    "MatVec",           "Outer",
};

bool ByLibrary(std::string_view name) {
  return std::find(std::begin(kByLibrary), std::end(kByLibrary), name) !=
         std::end(kByLibrary);
}

// No operand of these types can be in GPU memory.
bool NeedsHost(const OpRecord& op) {
  auto host_type = [&](const ArgSpec& arg) {
    if (const TypeVar* type = op.FindType(arg.type)) {
      return (type->allowed & kPlain).empty();
    }
    DType dtype = DTypeFromName(arg.type);
    return dtype == DType::kString || dtype == DType::kResource;
  };
  return op.role == Role::kAssert || op.role == Role::kTrapNan || op.handle ||
         op.async() || !op.global_effect.empty() ||
         std::any_of(op.inputs.begin(), op.inputs.end(), host_type) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), host_type);
}

}  // namespace

WayOnGpu WayOf(const OpRecord& op) {
  if (op.structural || op.flow != Flow::kNone) return WayOnGpu::kStructure;
  if (op.view) return WayOnGpu::kView;
  const Kernel& kernel = op.kernel(DeviceKind::kCuda);
  if (kernel.defined()) {
    if (op.block) return WayOnGpu::kFormula;
    return ByLibrary(op.name) ? WayOnGpu::kLibrary : WayOnGpu::kKernel;
  }
  bool nothing_runs = op.shape_only || op.any_memory || GivesSizes(op) ||
                      (op.inputs.empty() && op.outputs.empty()) ||
                      op.role == Role::kConst ||
                      op.role == Role::kCustomGradient;
  if (nothing_runs) return WayOnGpu::kHandsOn;
  if (NeedsHost(op)) return WayOnGpu::kHostOnly;
  return WayOnGpu::kThroughHost;
}

std::string_view NameOf(WayOnGpu way) {
  constexpr std::string_view kNames[kNumWaysOnGpu] = {
      "formula",  "kernel",    "library",          "view",
      "hands on", "structure", "through the host", "host only"};
  return kNames[static_cast<size_t>(way)];
}

}  // namespace sluice
