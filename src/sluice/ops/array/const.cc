#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const Array& value = c.attr<Array>("value");
  if (value.dtype() == DType::kList) {
    return c.Error("value is a list; wanted ops that make it (ListNew, ...)");
  }
  c.set_out(0, value.shape());
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  CopyStrided(ctx.attr<Array>("value"), ctx.out(0));
  return OkStatus();
}

// Every type the attribute may hold, as numbers.
std::vector<RefArray> Reference(const std::vector<RefArray>&,
                                const Attrs& attrs) {
  const Array& value = attrs.get<Array>("value");
  RefArray y{value.shape(), {}};
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    y.v.push_back(value.dtype() == DType::kF32 ? value.data<float>()[i]
                  : value.dtype() == DType::kI64
                      ? double(value.data<int64_t>()[i])
                      : double(value.data<bool>()[i]));
  }
  return {y};
}

}  // namespace

SL_OP(Const)
    .doc("A value fixed when the graph is built.")
    .output("y: value")
    .attr("value", AttrKind::kArray, "The value.")
    .shape(Infer)
    .role(Role::kConst)
    .cpu(Launch)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples(
        {{.in = {}, .attrs = {{"value", Array::Scalar(2.5f)}}},
         {.in = {},
          .attrs = {{"value", Array::Of<int64_t>({2, 2}, {1, -2, 3, -4})}}},
         {.in = {}, .attrs = {{"value", Array::Vector<bool>({true, false})}}},
         {.in = {}, .attrs = {{"value", Array::Zeros(DType::kF32, {0, 3})}}}})
    .rejects({{.in = {},
               .attrs = {{"value", Array::Zeros(DType::kList, {})}},
               .message = "[Const] value is a list; wanted ops that make it"},
              {.in = {},
               .attrs = {{"value", Array()}},
               .message = "[Const] attribute value holds no array"}});

}  // namespace sluice
