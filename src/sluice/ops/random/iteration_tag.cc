// IterationTag: the tag of an iteration (op/step_context.h), computed, so that
// one that is run again elsewhere can draw the same random numbers.
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

namespace sluice {

SL_OP(IterationTag)
    .doc("The tag of an iteration of a loop that stands where `parent` is.")
    .input("parent: i64")
    .input("iteration: i64")
    .output("tag: i64")
    .attr("key", 0, "Of the loop.")
    .shape([](ShapeContext& c) {
      for (int i : {0, 1}) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
      return shapes::scalar(c);
    })
    .cpu([](KernelContext& ctx) {
      *ctx.out(0).mutable_data<int64_t>() = static_cast<int64_t>(
          IterationTag(static_cast<uint64_t>(*ctx.in(0).data<int64_t>()),
                       static_cast<uint64_t>(ctx.attr<int64_t>("key")),
                       static_cast<uint64_t>(*ctx.in(1).data<int64_t>())));
      return OkStatus();
    })
    .role(Role::kIterationTag)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      uint64_t tag =
          IterationTag(static_cast<uint64_t>(in[0].v[0]),
                       static_cast<uint64_t>(attrs.get<int64_t>("key")),
                       static_cast<uint64_t>(in[1].v[0]));
      return std::vector<RefArray>{
          {{}, {static_cast<double>(static_cast<int64_t>(tag))}}};
    })
    .samples({{.in = {Array::Scalar<int64_t>(0), Array::Scalar<int64_t>(0)}},
              {.in = {Array::Scalar<int64_t>(5), Array::Scalar<int64_t>(3)},
               .attrs = {{"key", 7}}}});

}  // namespace sluice
