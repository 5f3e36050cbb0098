// ArgMax and ArgMin.
#include <limits>

#include "sluice/kernels/cpu/arg_reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct ArgMax {
  template <class C>
  static bool Better(C a, C b) {
    return a > b;
  }
};

struct ArgMin {
  template <class C>
  static bool Better(C a, C b) {
    return a < b;
  }
};

template <bool kMax>
std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray& x = in[0];
  int axis = ref::Axis(attrs.get<int64_t>("axis"), x.shape.rank());
  Ints dims = ref::DimsOf(x.shape), keep = dims;
  int64_t n = dims[static_cast<size_t>(axis)];
  dims[static_cast<size_t>(axis)] = 1;
  RefArray y = ref::Build(ref::MakeShape(dims), [&](Ints index) {
    double best = ref::At(x, index);
    int64_t at = 0;
    for (int64_t i = 1; i < n && best == best; ++i) {
      index[static_cast<size_t>(axis)] = i;
      double v = ref::At(x, index);
      if ((kMax ? v > best : v < best) || v != v) {
        best = v;
        at = i;
      }
    }
    return static_cast<double>(at);
  });
  keep.erase(keep.begin() + axis);
  if (!attrs.get<bool>("keep_dims")) y.shape = ref::MakeShape(keep);
  return {y};
}

OpDefinition& ArgExtreme(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: i64")
      .types("T", kReals)
      .attr("axis", -1, "The axis to search.")
      .attr("keep_dims", false, "Keep the axis with size 1.")
      .shape(arg_reduce_shape)
      .no_grad("its result is an index")
      .batch(batch_rules::along_axis)
      .cpu_workspace(arg_reduce_workspace)
      .fuse_input()
      .fuse_output()
      .samples(
          {{.in = {{5}}},
           {.in = {{3, 4}}, .attrs = {{"axis", 0}}},
           {.in = {{2, 3, 4}}, .attrs = {{"axis", -2}, {"keep_dims", true}}},
           {.in = {{3, 0}}, .attrs = {{"axis", 0}}},
           {.in = {{7, 31}}},
           {.in = {Array::Vector<float>(
                {1, std::numeric_limits<float>::quiet_NaN(), 3})}}})
      .rejects(
          {{.in = {Shape()},
            .message =
                StrCat("[", name, "] x is f32[]; wanted rank 1 or more")},
           {.in = {{2}},
            .attrs = {{"axis", 1}},
            .message = StrCat(
                "[", name, "] axis 1 is out of range; wanted -1 <= axis < 1")},
           {.in = {{2, 0}},
            .message = StrCat("[", name,
                              "] x is f32[2,0]; wanted at least one element "
                              "along axis 1")}});
}

}  // namespace

SL_OP_OF(ArgMax, ArgExtreme)
    .doc(
        "The index of the largest element along an axis: the first of equals, "
        "and "
        "the first NaN when there is one.")
    .function("argmax")
    .cpu(arg_reduce_kernel<ArgMax>)
    .reference(Reference<true>);

SL_OP_OF(ArgMin, ArgExtreme)
    .doc(
        "The index of the smallest element along an axis: the first of equals, "
        "and "
        "the first NaN when there is one.")
    .function("argmin")
    .cpu(arg_reduce_kernel<ArgMin>)
    .reference(Reference<false>);

}  // namespace sluice
