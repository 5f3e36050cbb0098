#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

template <class T>
struct SelectLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const uint8_t* cond = static_cast<const uint8_t*>(in[0]);
    const T* a = static_cast<const T*>(in[1]);
    const T* b = static_cast<const T*>(in[2]);
    T* y = static_cast<T*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      // Both are read first: a load under a condition would not vectorise.
      T u = a[i], v = b[i];
      y[i] = cond[i] ? u : v;
    }
  }
};

BlockKernel Pick(const Attrs&, std::span<const DType>, DType out) {
  BlockKernel kernel;
  kernel.formula = "formula::Select";
  DispatchBySize(out,
                 [&]<class T>() { kernel.fn = PickLevel<SelectLoop<T>>(); });
  return kernel;
}

bool OnConstant(SimplifyContext& s) {
  const Array* condition = s.in(0).constant();
  if (!condition || condition->rank() != 0 ||
      condition->dtype() != DType::kBool) {
    return false;
  }
  SimplifyVar taken = s.in(condition->data<bool>()[0] ? 1 : 2);
  return s.out_like(taken) && s.becomes(taken);
}

}  // namespace

SL_OP(Select)
    .doc(
        "where: a where cond is true, else b; elementwise, all three broadcast "
        "together.")
    .function("where")
    .input("cond: bool")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kPlain)
    .grad([](GradContext& g) {
      GradVar zero = g.scalar(0, g.dy().dtype());
      if (g.wants(1)) g.set_dx(1, g.call("Select", {g.in(0), g.dy(), zero}));
      if (g.wants(2)) g.set_dx(2, g.call("Select", {g.in(0), zero, g.dy()}));
    })
    .elementwise(Pick)
    .simplify("Select(true, x, y) = x", OnConstant)
    .role(Role::kSelect)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          ref::Map(in, [](const std::vector<double>& v) {
            return v[0] != 0 ? v[1] : v[2];
          })};
    })
    .samples({{.in = {{4}, {4}, {4}}},
              {.in = {Shape(), {2, 3}, {3}}},
              {.in = {{2, 1}, {3}, Shape()}},
              {.in = {{2, 3}, Shape(), Shape()}},
              {.in = {{0, 3}, {3}, {1, 1}}},
              {.in = {{131}, {131}, {131}}}})
    .rejects({{.in = {Array::Zeros(DType::kBool, {2}), {2}, {3}},
               .message = "[Select] shapes do not broadcast: cond is bool[2], "
                          "a is f32[2], b is f32[3]"}});

}  // namespace sluice
