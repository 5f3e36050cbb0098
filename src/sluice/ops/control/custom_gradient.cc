#include "sluice/op/custom_gradient.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

int Results(const ShapeContext& c) {
  return c.num_inputs() - static_cast<int>(c.attr<int64_t>("num_inputs"));
}

Status Infer(ShapeContext& c) {
  const Array& number = c.attr<Array>("function");
  if (number.dtype() != DType::kI64 || number.rank() != 0) {
    return c.Error(StrCat("function is ", number.TypeText(), "; wanted i64[]"));
  }
  int results = Results(c), first = c.num_inputs() - results;
  if (results < 0 || results != c.num_outputs()) {
    return c.Error(StrCat(c.num_inputs(), " operands, num_inputs is ", first,
                          ", dtypes has ", c.num_outputs(),
                          " entries; wanted inputs and then one result per "
                          "entry"));
  }
  for (int i = 0; i < results; ++i) {
    if (c.in_dtype(first + i) != c.out_dtype(i)) {
      return c.Error(StrCat(c.Describe(first + i), "; wanted ",
                            DTypeName(c.out_dtype(i)), " as dtypes says"));
    }
    c.set_out(i, c.in(first + i));
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  int first = ctx.num_inputs() - ctx.num_outputs();
  if (first != ctx.attr<int64_t>("num_inputs")) {
    return ctx.Error(StrCat(ctx.num_inputs(), " operands; wanted num_inputs + ",
                            ctx.num_outputs()));
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    CopyStrided(ctx.in(first + i), ctx.out(i), ctx.step().pool);
  }
  return OkStatus();
}

void Rule(GradContext& g) {
  int64_t number = g.attr<Array>("function").data<int64_t>()[0];
  std::shared_ptr<const CustomGradientFn> fn = FindCustomGradient(number);
  if (!fn) {
    return g.fail(StrCat("function ", number,
                         " is not known to this process: the graph was read "
                         "from text or a file, and the one it was written from "
                         "was made by another process or is gone"));
  }
  (*fn)(g);
}

}  // namespace

SL_OP(CustomGradient)
    .doc(
        "The results handed on as they are, with a gradient the user's program "
        "gives: operands are the inputs of the user's function, then its "
        "results.")
    .input("xs: any*")
    .output("ys: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "Types of the results.")
    .attr("num_inputs", AttrKind::kInt, "How many operands are inputs.")
    .between(0, 1 << 20)
    .attr("function", AttrKind::kArray,
          "The number of the gradient function: an i64.")
    .shape(Infer)
    .grad(Rule)
    .cpu(Launch)
    .strided_inputs()
    .role(Role::kCustomGradient)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>(
          in.begin() + attrs.get<int64_t>("num_inputs"), in.end());
    })
    .samples({{.in = {{2}, {2, 3}},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                         {"num_inputs", 1},
                         {"function", Array::Scalar<int64_t>(-1)}}},
              {.in = {{2}, {0}, Shape()},
               .attrs = {{"dtypes", std::vector<DType>(2, DType::kF32)},
                         {"num_inputs", 1},
                         {"function", Array::Scalar<int64_t>(-1)}}}})
    .rejects(
        {{.in = {{2}},
          .attrs = {{"dtypes", std::vector<DType>{}},
                    {"num_inputs", 2},
                    {"function", Array::Scalar<int64_t>(0)}},
          .message = "[CustomGradient] 1 operands, num_inputs is 2"},
         {.in = {{2}, {2}},
          .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                    {"num_inputs", 1},
                    {"function", Array::Scalar<float>(0)}},
          .message = "[CustomGradient] function is f32[]; wanted i64[]"},
         {.in = {{2}, {2}},
          .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                    {"num_inputs", 1},
                    {"function", Array::Vector<int64_t>({1, 2})}},
          .message = "[CustomGradient] function is i64[2]; wanted i64[]"}});

}  // namespace sluice
