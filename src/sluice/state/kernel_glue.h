// Shared by kernels of state ops: making handles, looking through them, and
// ending an asynchronous launch with a resource's reply. Knows kernel contexts
// but no op by name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"
#include "sluice/state/tuple_spec.h"
#include "sluice/state/waiting.h"

namespace sluice {

// A resource's error as the op's: "[Op] ..." in front of its message.
Status AsOpError(const KernelContext& ctx, const Status& status);

// The kernel of a handle op. Looks the resource up by the attributes
// `container` and `shared_name` (empty: the node's name), makes it when there
// is none, and sets output 0. An existing one must be of the same signature.
using MakeResource =
    std::function<Result<Ref<ResourceBase>>(const std::string& name)>;
Status MakeHandle(KernelContext& ctx, const std::string& signature,
                  const MakeResource& make);

// "[Op] handle is a variable f32[2]; wanted a queue".
Status WrongHandle(const KernelContext& ctx, std::string_view wanted);

// The resource behind input 0; the reference keeps it alive while a reply may
// already have ended the step.
template <class R>
Result<Ref<R>> ResourceOf(const KernelContext& ctx) {
  const Array& handle = ctx.in(0);
  if (handle.dtype() == DType::kResource && handle.num_elements() == 1) {
    if (R* r = As<R>(handle.handle().get())) return Ref<R>::Share(r);
  }
  return WrongHandle(ctx, R::kKind);
}

// Sets the outputs and ends the launch.
Reply ReplyTo(AsyncContext& ctx);

// The element of a scalar i32 or i64 input.
Result<int64_t> ScalarInt(const KernelContext& ctx, int i);
// The same in a shape function: kUnknownDim when it is not known yet. An error
// when it is known and negative, or not a scalar.
Result<int64_t> ScalarCount(const ShapeContext& c, int i);

// What a graph says about the components it takes out, against what the
// resource gives. `shapes` may be empty; `who` is `queue "q"`.
Status CheckClaims(const KernelContext& ctx, const TupleSpec& actual,
                   std::span<const DType> dtypes,
                   std::span<const PartialShape> shapes,
                   const std::string& who);
Status CheckClaim(const KernelContext& ctx, DType dtype,
                  const PartialShape& shape, DType actual_dtype,
                  const PartialShape& actual_shape, const std::string& who);

// For shape functions of ops with attributes `dtypes` and `shapes`: the shapes
// to outputs first, first + 1, ..., with an axis of size n in front when
// `batch`.
Status ClaimedShapes(ShapeContext& c, int first, bool batch, int64_t n);

}  // namespace sluice
