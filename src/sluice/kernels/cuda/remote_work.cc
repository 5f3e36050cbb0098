// Operations of lists and state on elements in a GPU's memory
// (tensor/remote_work.h).
#include "sluice/tensor/remote_work.h"

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// A launch outside of any op, on the device whose memory contains an array.
class PlainLaunch {
 public:
  explicit PlainLaunch(const Array& array)
      : device_(Devices::Of(array)),
        context_(NoOp(), NoAttrs(), node_, step_, {}, {}) {
    context_.set_device(&device_, &device_.stream());
  }
  const KernelContext& context() const { return context_; }
  Stream& stream() { return device_.stream(); }

 private:
  static const OpRecord& NoOp() {
    static const auto& op = *new OpRecord;
    return op;
  }
  static const Attrs& NoAttrs() {
    static const auto& attrs = *new Attrs;
    return attrs;
  }

  NodeInfo node_;
  StepContext step_;
  Device& device_;
  KernelContext context_;
};

Status AddOnGpu(const Array& a, const Array& b, bool subtract,
                const Array& out) {
  struct Args {
    const void *a, *b;
    void* out;
    int64_t n;
  } args = {AddressOf(a), AddressOf(b), AddressOf(out), out.num_elements()};
  if (args.n == 0) return OkStatus();
  PlainLaunch launch(out);
  std::string_view formula = subtract ? "SubFn" : "AddFn";
  std::string before =
      StrCat("using T = ", CudaTypeName(out.dtype()),
             ";\nnamespace scatter_formulas {\nstruct ", formula,
             ";\n}\nusing F = scatter_formulas::", formula, ";\n");
  CudaDevice& device = GpuOf(launch.context());
  SL_ASSIGN_OR_RETURN(CUfunction add,
                      FileFunction(device, "add_flat.cuh", before, "add_flat"));
  BeforeRead(launch.stream(), a);
  BeforeRead(launch.stream(), b);
  BeforeWrite(launch.stream(), out);
  SL_RETURN_IF_ERROR(
      LaunchCuda(launch.context(), add, GridFor(device, args.n), args));
  AfterRead(launch.stream(), a);
  AfterRead(launch.stream(), b);
  AfterWrite(launch.stream(), out, /*mark=*/false);
  return OkStatus();
}

Status ZeroOnGpu(const Array& to) {
  PlainLaunch launch(to);
  BeforeWrite(launch.stream(), to);
  SL_RETURN_IF_ERROR(FillOnGpu(launch.context(), to, 0));
  AfterWrite(launch.stream(), to, /*mark=*/false);
  return OkStatus();
}

[[maybe_unused]] const bool kSet =
    RemoteWork::Set(DeviceKind::kCuda, AddOnGpu, ZeroOnGpu);

}  // namespace
}  // namespace sluice
