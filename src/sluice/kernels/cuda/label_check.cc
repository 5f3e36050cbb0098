#include "sluice/kernels/cuda/label_check.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/op/record.h"

namespace sluice {

CUdeviceptr TakeLabelCheck(const KernelContext& ctx, int input, int64_t classes,
                           const int64_t* ignored) {
  std::string name = ctx.op().InputName(input);
  std::string other = ignored ? StrCat(" or ", *ignored) : "";
  return TakeCheckWith(ctx, [=](int64_t place, int64_t label) {
    return StrCat(name, "[", place, "] is ", label, "; wanted 0 <= label < ",
                  classes, other);
  });
}

}  // namespace sluice
