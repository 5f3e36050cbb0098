#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

// The axis of the results along which input i runs.
int AxisOf(int i, int inputs, const Attrs& attrs) {
  bool swap = attrs.get<std::string>("indexing") == "xy" && inputs >= 2;
  return swap && i < 2 ? 1 - i : i;
}

Status Infer(ShapeContext& c) {
  Ints dims(static_cast<size_t>(c.num_inputs()), kUnknownDim);
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& x = c.in(i);
    if (x.rank_known() && x.rank() > 1) {
      return c.Error(StrCat(c.Describe(i), "; wanted rank 1 or 0"));
    }
    if (x.rank_known()) {
      dims[static_cast<size_t>(AxisOf(i, c.num_inputs(), c.attrs()))] =
          x.rank() == 0 ? 1 : x[0];
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Array &x = ctx.in(i), &y = ctx.out(i);
    Strides strides{};
    strides[static_cast<size_t>(AxisOf(i, ctx.num_inputs(), ctx.attrs()))] =
        x.rank() == 0 ? 0 : x.strides()[0];
    CopyRegion(y.dtype(), y.shape(), x.raw(), strides, y.mutable_raw(),
               y.strides(), ctx.step().pool);
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool xy = attrs.get<std::string>("indexing") == "xy" && in.size() >= 2;
  Ints dims;
  for (const RefArray& x : in) dims.push_back(static_cast<int64_t>(x.v.size()));
  if (xy) std::swap(dims[0], dims[1]);
  std::vector<RefArray> out;
  for (size_t i = 0; i < in.size(); ++i) {
    size_t axis = !xy || i > 1 ? i : 1 - i;
    out.push_back(ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
      return in[i].v[static_cast<size_t>(index[axis])];
    }));
  }
  return out;
}

}  // namespace

SL_OP(Meshgrid)
    .doc(
        "The coordinates of a grid: for each vector an array that repeats it "
        "along the axes of all the others.")
    .input("xs: T*")
    .output("ys: T * xs")
    .types("T", kAnyData)
    .attr("indexing", "ij",
          "ij: vector i runs along axis i; xy: the first two change places.")
    .one_of({"ij", "xy"})
    .shape(Infer)
    .grad([](GradContext& g) {
      int n = g.num_inputs();
      for (int i = 0; i < n; ++i) {
        if (!g.wants(i) || !g.has_dy(i)) continue;
        Ints others;
        for (int k = 0; k < n; ++k) {
          if (k != AxisOf(i, n, g.attrs())) others.push_back(k);
        }
        // Without axes the sum would be over all of them.
        GradVar sum = others.empty()
                          ? g.dy(i)
                          : g.call("Sum", {g.dy(i)}, {{"axes", others}});
        g.set_dx(i, g.reshape_as(sum, g.in(i)));
      }
    })
    .cpu(Launch)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{2}, {3}}},
              {.in = {{2}, {3}}, .attrs = {{"indexing", "xy"}}},
              {.in = {{2}, {3}, {4}}, .attrs = {{"indexing", "xy"}}},
              {.in = {{3}}, .attrs = {{"indexing", "xy"}}},
              {.in = {Shape(), {2}}},
              {.in = {{0}, {2}}}})
    .rejects({{.in = {{2}, {1, 2}},
               .message = "[Meshgrid] xs[1] is f32[1,2]; wanted rank 1 or 0"},
              {.in = {{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}},
               .message = "[Meshgrid] rank 9 is too large"}});

}  // namespace sluice
