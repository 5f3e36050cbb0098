// Call: one run of a function.
#include "sluice/op/record.h"

namespace sluice {

namespace {

Status Infer(ShapeContext& c) {
  const auto& shapes = c.attr<std::vector<PartialShape>>("shapes");
  if (!shapes.empty() && static_cast<int>(shapes.size()) != c.num_outputs()) {
    return c.Error("attribute shapes must have one shape per result or none");
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    c.set_out(static_cast<int>(i), shapes[i]);
  }
  return OkStatus();
}

}  // namespace

SL_OP(Call)
    .doc("Runs the function f on xs.")
    .input("f: resource")
    .input("xs: any*")
    .output("ys: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "Of the results.")
    .attr("shapes", std::vector<PartialShape>(), "Of the results, if known.")
    .attr("lanes", std::vector<int64_t>(),
          "Of a vmap inside of another, until that is recorded: f is code for "
          "one lane, 1 says which of xs have lanes along axis 0, and all "
          "results have.")
    .shape(Infer)
    .flow(Flow::kCall);

}  // namespace sluice
