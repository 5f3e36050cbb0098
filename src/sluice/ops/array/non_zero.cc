#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  c.set_out(
      0, PartialShape({kUnknownDim, x.rank_known() ? x.rank() : kUnknownDim}));
  return OkStatus();
}

template <class T>
bool IsNonZero(const T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return !v.empty();
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return static_cast<float>(v) != 0;
  } else {
    return v != T(0);
  }
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  Status status;
  DispatchAll(x.dtype(), [&]<class T>() {
    const T* data = x.data<T>();
    int64_t count = 0;
    for (int64_t i = 0; i < x.num_elements(); ++i) count += IsNonZero(data[i]);
    status = ctx.AllocateOut(0, DType::kI64, Shape({count, x.rank()}));
    if (!status.ok()) return;
    int64_t* y = ctx.out(0).mutable_data<int64_t>();
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (!IsNonZero(data[i])) continue;
      int64_t rest = i;
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        y[axis] = rest % x.dim(axis);
        rest /= x.dim(axis);
      }
      y += x.rank();
    }
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y;
  int64_t count = 0;
  ref::ForEach(in[0].shape, [&](const Ints& index) {
    if (ref::At(in[0], index) == 0) return;
    ++count;
    y.v.insert(y.v.end(), index.begin(), index.end());
  });
  y.shape = ref::MakeShape({count, in[0].shape.rank()});
  return {y};
}

}  // namespace

SL_OP(NonZero)
    .doc(
        "The indices of x's elements that are not zero, one per row, in "
        "row-major order.")
    .input("x: T")
    .output("y: i64")
    .types("T", kPlain)
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples({{.in = {{5}}, .lo = 0, .hi = 1},
              {.in = {{3, 4}}, .lo = 0, .hi = 1},
              {.in = {Shape()}, .lo = 1, .hi = 1},
              {.in = {Array::Of<float>({2, 3}, {0, 1, -0.0f, 2, 0, 3})}},
              {.in = {{0, 3}}}})
    .rejects({{.in = {}, .message = "[NonZero] takes 1 input, got 0"},
              {.in = {Array::Vector<std::string>({"a"})},
               .message = "[NonZero] x is string; wanted one of "}});

}  // namespace sluice
