#include "sluice/kernels/shape_value.h"

#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {

PoolVector<int64_t> IntValues(const Array& array) {
  PoolVector<int64_t> values;
  values.reserve(static_cast<size_t>(array.num_elements()));
  StridedWalk<1> walk(array.shape(), {array.strides()});
  DispatchIndex(array.dtype(), [&]<class I>() {
    walk.ForEachRun([&](const auto& offset, const auto& step, int64_t n) {
      const I* p = array.data<I>() + offset[0];
      for (int64_t i = 0; i < n; ++i) values.push_back(p[i * step[0]]);
    });
  });
  return values;
}

Status CheckShapes(const KernelContext& ctx) {
  std::vector<DType> dtypes, out_dtypes(static_cast<size_t>(ctx.num_outputs()));
  std::vector<PartialShape> shapes, out_shapes(out_dtypes.size());
  std::vector<const Array*> values;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    dtypes.push_back(ctx.in(i).dtype());
    shapes.push_back(ctx.in(i).shape());
    values.push_back(&ctx.in(i));
  }
  ShapeContext c(ctx.op(), ctx.attrs(), dtypes, shapes, values, out_dtypes,
                 out_shapes);
  return ctx.op().shape(c);
}

Result<PartialShape> MakeOutShape(const ShapeContext& c, Dims dims) {
  Result<PartialShape> shape = PartialShape::Make(dims);
  if (!shape.ok()) return c.Error(shape.status().message());
  return shape;
}

Result<PartialShape> ShapeFromInput(const ShapeContext& c, int i) {
  SL_RETURN_IF_ERROR(c.WantRank(i, 1));
  const PartialShape& of = c.in(i);
  if (of.rank_known() && of[0] > kMaxRank) {
    return c.Error(
        StrCat(c.Describe(i), "; wanted at most ", kMaxRank, " sizes"));
  }
  if (!c.value(i)) {
    if (!of.rank_known() || of[0] < 0) return PartialShape::Unknown();
    return PartialShape::OfRank(static_cast<int>(of[0]));
  }
  PoolVector<int64_t> dims = IntValues(*c.value(i));
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] < 0) {
      return c.Error(StrCat(c.op().InputName(i), "[", k, "] is ", dims[k],
                            "; wanted a size of at least 0"));
    }
  }
  return MakeOutShape(c, dims);
}

}  // namespace sluice
