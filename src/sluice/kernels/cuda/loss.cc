// Losses of a formula (source/loss.cuh), which is that of the op's own file.
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/formula_source.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/loss.cuh.
struct Args {
  GpuReduceShape s;
  const void *x = nullptr, *target = nullptr;
  void* loss = nullptr;
  double number = 0, over = 1;
};

bool Reduced(const Attrs& attrs) {
  return attrs.get<std::string>("reduction") != "none";
}
ReducePlan PlanOf(const Shape& x, const Attrs& attrs) {
  if (Reduced(attrs)) return ReducePlan(x, ~0u, 1);
  return ReducePlan(x, 0, x.num_elements());
}

int64_t Space(const ShapeContext& c) {
  return PlanOf(c.in(0).ToShape(), c.attrs()).partial_bytes();
}

// The formula's text; behind headers that it uses.
std::string FormulaOf(const OpRecord& op) {
  return StrCat(
      "}\n#include \"sluice/kernels/cpu/mul_add.h\"\n"
      "#include \"sluice/kernels/cpu/vector_math.h\"\nnamespace sluice {\n",
      FormulaSource(op.line.file), "\nusing F = ", op.name, "Fn;\n");
}

// `attr`: the formula's third argument; null: it has none. Each op has a
// separate launch function, for the source text that is built once.
template <const char* kAttr, int kOp>
Status Loss(KernelContext& ctx) {
  static const auto& formula = *new std::string(FormulaOf(ctx.op()));
  const Array& x = ctx.in(0);
  Args args;
  args.x = AddressOf(x);
  args.target = AddressOf(ctx.in(1));
  args.loss = AddressOf(ctx.out(0));
  if constexpr (kAttr != nullptr) args.number = ctx.attr<double>(kAttr);
  const std::string& reduction = ctx.attr<std::string>("reduction");
  if (reduction == "mean") args.over = static_cast<double>(x.num_elements());
  if (reduction == "batchmean") args.over = static_cast<double>(x.dim(0));
  return LaunchReduce(ctx, "loss.cuh", StrCat(ElementType(x.dtype()), formula),
                      PlanOf(x.shape(), ctx.attrs()), ctx.workspace(), args);
}

constexpr char kBeta[] = "beta", kDelta[] = "delta", kMargin[] = "margin";

#define SL_LOSS(Op, attr) \
  SL_KERNEL(Op, kCuda,    \
            Kernel{.launch = Loss<attr, __LINE__>, .workspace = Space})
SL_LOSS(BceLoss, nullptr);
SL_LOSS(BceWithLogitsLoss, nullptr);
SL_LOSS(HingeLoss, kMargin);
SL_LOSS(HuberLoss, kDelta);
SL_LOSS(KlDivLoss, nullptr);
SL_LOSS(L1Loss, nullptr);
SL_LOSS(MseLoss, nullptr);
SL_LOSS(SmoothL1Loss, kBeta);

}  // namespace

}  // namespace sluice
