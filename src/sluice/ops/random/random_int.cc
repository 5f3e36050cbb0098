#include "sluice/kernels/cpu/random_int.h"

#include <limits>

#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

// The smallest and the largest value of an integer type.
struct Limits {
  int64_t low;
  uint64_t high;
};
Limits LimitsOf(DType dtype) {
  Limits out{0, 0};
  DispatchReals(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      out.low = static_cast<int64_t>(std::numeric_limits<T>::min());
      out.high = static_cast<uint64_t>(std::numeric_limits<T>::max());
    }
  });
  return out;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(random_op::Infer(c));
  int64_t lo = c.attr<int64_t>("lo"), hi = c.attr<int64_t>("hi");
  if (lo >= hi) {
    return c.Error(
        StrCat("lo is ", lo, " and hi is ", hi, "; wanted lo less than hi"));
  }
  DType dtype = c.attr<DType>("dtype");
  Limits limits = LimitsOf(dtype);
  if (lo < limits.low ||
      (hi > 0 && static_cast<uint64_t>(hi) - 1 > limits.high)) {
    return c.Error(StrCat("lo is ", lo, " and hi is ", hi,
                          "; wanted numbers of type ", DTypeName(dtype)));
  }
  return OkStatus();
}

template <class T>
void Run(const KernelContext& ctx) {
  RandomKey key = random_op::KeyOf(ctx);
  auto lo = static_cast<uint64_t>(ctx.attr<int64_t>("lo"));
  uint64_t range = static_cast<uint64_t>(ctx.attr<int64_t>("hi")) - lo;
  T* y = ctx.out(0).mutable_data<T>();
  ParallelFor(
      ctx.step().pool, ctx.out(0).num_elements(), 1 << 14,
      [&](int64_t begin, int64_t end) {
        if (range <= UINT32_MAX) {
          auto bound = static_cast<uint32_t>(range);
          ForEachWord(key, begin, end, [&](int64_t i, uint32_t word) {
            y[i] = static_cast<T>(lo + BelowFrom32(word, bound, key, i));
          });
          return;
        }
        for (int64_t i = begin; i < end; ++i) {
          RandomBlock bits = RandomBits(key, static_cast<uint64_t>(i) / 2);
          auto k = static_cast<size_t>(i % 2 * 2);
          uint64_t word = uint64_t{bits[k]} << 32 | bits[k + 1];
          y[i] = static_cast<T>(lo + BelowFrom64(word, range, key, i));
        }
      });
}

Status Launch(KernelContext& ctx) {
  DispatchReals(ctx.out(0).dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) Run<T>(ctx);
  });
  return OkStatus();
}

}  // namespace

SL_OP(RandomInt)
    .doc(
        "Random whole numbers, every one of lo <= y < hi as likely as every "
        "other. They depend on the session's seed, this op's seed and place in "
        "the graph, and the step, and on nothing else.")
    .input(random_op::kTagInput)
    .output("y: dtype")
    .types("dtype", kInts)
    .attr("shape", AttrKind::kShape, "The shape of the result.")
    .attr("hi", AttrKind::kInt, "One more than the largest number.")
    .attr("lo", 0, "The smallest number.")
    .attr("dtype", DType::kI64, "The type of the result.")
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(Infer)
    .batch(batch_rules::random_of_shape)
    .cpu(Launch)
    .random()
    .samples(
        {{.in = {}, .attrs = {{"shape", Shape{3, 5}}, {"hi", 1000}}},
         {.in = {},
          .attrs = {{"shape", Shape{2000}},
                    {"lo", -5},
                    {"hi", 5},
                    {"dtype", DType::kI8},
                    {"seed", 3}}},
         {.in = {},
          .attrs = {{"shape", Shape{20}},
                    {"lo", INT64_MIN},
                    {"hi", INT64_MAX}}},
         {.in = {},
          .attrs = {{"shape", Shape{64}}, {"hi", 256}, {"dtype", DType::kU8}}},
         {.in = {},
          .attrs = {{"shape", Shape{9}},
                    {"hi", int64_t{1} << 40},
                    {"dtype", DType::kU64}}},
         {.in = {}, .attrs = {{"shape", Shape{5}}, {"lo", 3}, {"hi", 4}}},
         {.in = {}, .attrs = {{"shape", Shape{0}}, {"hi", 1}}}})
    .rejects(
        {{.in = {},
          .attrs = {{"shape", Shape{2}}, {"lo", 3}, {"hi", 3}},
          .message = "[RandomInt] lo is 3 and hi is 3; wanted lo less "
                     "than hi"},
         {.in = {},
          .attrs = {{"shape", Shape{2}}, {"hi", 257}, {"dtype", DType::kU8}},
          .message = "[RandomInt] lo is 0 and hi is 257; wanted numbers "
                     "of type u8"},
         {.in = {},
          .attrs = {{"shape", Shape{2}},
                    {"lo", -1},
                    {"hi", 7},
                    {"dtype", DType::kU32}},
          .message = "[RandomInt] lo is -1 and hi is 7; wanted numbers "
                     "of type u32"},
         {.in = {},
          .attrs = {{"shape", PartialShape({any})}, {"hi", 7}},
          .message = "[RandomInt] shape is [?]; wanted every size known"}});

}  // namespace sluice
