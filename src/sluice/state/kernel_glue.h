// Helpers for the kernels of state ops: creating handles, resolving them, and
// ending an asynchronous launch with the reply of a resource. Plain functions
// for any thread; they know kernel contexts but no op by name.
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

// Adds "[Op] ..." in front of the message of a resource's error.
Status AsOpError(const KernelContext& ctx, const Status& status);

// The kernel of a handle op. It looks up the resource by the attributes
// `container` and `shared_name` (empty: the node's name), creates it if it does
// not exist, and sets output 0. An existing one must have the same signature.
using MakeResource =
    std::function<Result<Ref<ResourceBase>>(const std::string& name)>;
Status MakeHandle(KernelContext& ctx, const std::string& signature,
                  const MakeResource& make);

// "[Op] handle is a variable f32[2]; wanted a queue".
Status WrongHandle(const KernelContext& ctx, std::string_view wanted);

// The resource behind input 0. The reference keeps it alive even if a reply has
// already ended the step.
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
// The same in a shape function: kUnknownDim if it is not known yet. Error: a
// known negative value, or not a scalar.
Result<int64_t> ScalarCount(const ShapeContext& c, int i);

// Compares the component types stated in the graph with those of the resource.
// `shapes` may be empty; `who` reads like `queue "q"`.
Status CheckClaims(const KernelContext& ctx, const TupleSpec& actual,
                   std::span<const DType> dtypes,
                   std::span<const PartialShape> shapes,
                   const std::string& who);
Status CheckClaim(const KernelContext& ctx, DType dtype,
                  const PartialShape& shape, DType actual_dtype,
                  const PartialShape& actual_shape, const std::string& who);

// For shape functions of ops with attributes `dtypes` and `shapes`: sets
// outputs first, first + 1, ... to these shapes, with a leading axis of size n
// if `batch`.
Status ClaimedShapes(ShapeContext& c, int first, bool batch, int64_t n);

}  // namespace sluice
