// ChooseBranch: an index as one predicate per branch.
#include "sluice/op/branch_index.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

Status Infer(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, Shape());
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  Result<size_t> chosen =
      BranchIndex(ctx.in(0), static_cast<size_t>(ctx.num_outputs()),
                  ctx.attr<bool>("has_default"));
  if (!chosen.ok()) {
    return ctx.Error(chosen.status().code(), chosen.status().message());
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    *ctx.out(i).mutable_data<bool>() = static_cast<size_t>(i) == *chosen;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  std::vector<RefArray> out;
  auto count = attrs.get<int64_t>("branches");
  double index = in[0].v[0];
  if (index < 0 || index >= double(count)) index = double(count - 1);
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(RefArray{Shape(), {index == double(i) ? 1.0 : 0.0}});
  }
  return out;
}

}  // namespace

SL_OP(ChooseBranch)
    .doc(
        "One predicate per branch, of which exactly one is true: that of "
        "number `index`.")
    .input("index: T")
    .output("preds: bool * branches")
    .types("T", kIndices)
    .attr("branches", 1, "How many there are.")
    .between(1, 1 << 16)
    .attr("has_default", false,
          "The last one is for an index that is out of range, which is an "
          "error otherwise.")
    .shape(Infer)
    .cpu(Launch)
    .internal()
    .reference(Reference)
    .samples({{.in = {Shape()},
               .attrs = {{"branches", 3}, {"has_default", true}},
               .lo = 0,
               .hi = 5},
              {.in = {{1}}, .attrs = {{"branches", 2}, {"has_default", true}}}})
    .rejects({{.in = {Array::Vector<int64_t>({0, 1})},
               .attrs = {{"branches", 2}},
               .message = "[ChooseBranch] the index is i64[2]; wanted a "
                          "scalar"},
              {.in = {Array::Scalar<int32_t>(2)},
               .attrs = {{"branches", 2}},
               .message = "[ChooseBranch] the index is 2; wanted one of the 2 "
                          "branches, 0 to 1"}});

}  // namespace sluice
