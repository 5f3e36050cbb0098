// CheckpointChoice: decides whether a recomputing loop keeps its carried values
// in this iteration. The number of iterations is unknown. Without a budget
// there are at most twice as many checkpoints as iterations between them, so
// both grow with the square root of the number of iterations.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/ops/list/kept_bytes.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  c.set_out(0, PartialShape::Scalar());
  c.set_out(1, PartialShape::Scalar());
  c.set_out(2, PartialShape({3}));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  int64_t trip = *ctx.in(0).data<int64_t>();
  auto state = ctx.in(1).i64s();
  // Far above every possible value, and far below overflow.
  constexpr int64_t kMost = int64_t{1} << 60;
  bool sound = trip >= 0 && trip < kMost && state.size() == 3 && state[0] >= 1;
  for (int64_t number : state) sound = sound && number >= 0 && number < kMost;
  if (!sound) {
    return ctx.Error(StrCat("trip is ", trip, " and state ",
                            ctx.in(1).ToString(),
                            "; wanted trip >= 0 and a state of 3 numbers"));
  }
  int64_t every = state[0], held = state[1], largest = state[2];
  int64_t index = trip % every == 0 ? trip / every : -1;
  bool thin = false;
  if (index >= 0) {
    auto budget = ctx.attr<int64_t>("budget");
    int64_t bytes = 0;
    for (int i = 2; i < ctx.num_inputs(); ++i) bytes += KeptBytes(ctx.in(i));
    if (budget > 0 && bytes > budget) {
      return ctx.Error(
          Code::kResourceExhausted,
          StrCat("the loop carries ", bytes, " bytes into iteration ", trip,
                 " and its budget is ", budget,
                 "; wanted a budget for at least two of that and what one "
                 "iteration keeps"));
    }
    held += bytes;
    largest = std::max(largest, bytes);
    // Three eighths of a budget; the rest is for the backward pass.
    thin =
        budget > 0 ? index > 0 && held > budget / 8 * 3 : index + 1 > 2 * every;
    if (thin) {
      held = held / (index + 1) * ((index + 2) / 2);
      every *= 2;
    }
  }
  *ctx.out(0).mutable_data<int64_t>() = index;
  *ctx.out(1).mutable_data<bool>() = thin;
  int64_t next[] = {every, held, largest};
  std::copy_n(next, 3, ctx.out(2).mutable_data<int64_t>());
  return OkStatus();
}

SL_OP(CheckpointChoice)
    .doc(
        "Whether iteration `trip` of a loop is a checkpoint, of number "
        "`index` or -1, and whether there are then too many. The state is: "
        "iterations between checkpoints, bytes they hold, those of the "
        "largest; xs are what one would hold.")
    .input("trip: i64")
    .input("state: i64")
    .input("xs: any*")
    .output("index: i64")
    .output("thin: bool")
    .output("next: i64")
    .attr("budget", 0, "In bytes; 0: as many as iterations between them.")
    .between(0, int64_t{1} << 62)
    .shape(Infer)
    .no_grad("it counts")
    .cpu(Launch)
    // Worked by hand for one iteration between checkpoints and no budget.
    .role(Role::kCheckpointChoice)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      double trip = in[0].v[0], thin = trip >= 2 ? 1 : 0;
      return std::vector<RefArray>{
          {{}, {trip}}, {{}, {thin}}, {{3}, {1 + thin, 0, 0}}};
    })
    .samples({{.in = {Array::Scalar<int64_t>(0),
                      Array::Vector<int64_t>({1, 0, 0})}},
              {.in = {Array::Scalar<int64_t>(2),
                      Array::Vector<int64_t>({1, 0, 0})}}})
    .rejects({{.in = {Array::Scalar<int64_t>(0), Array::Scalar<int64_t>(1)},
               .message = "[CheckpointChoice] state is i64[]; wanted rank 1"},
              {.in = {Array::Scalar<int64_t>(0), Array::Vector<int64_t>({0})},
               .message = "wanted trip >= 0 and a state of 3 numbers"}});

}  // namespace
}  // namespace sluice
