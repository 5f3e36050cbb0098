// CheckpointWalk: determines where the gradient of a loop with a budget
// continues. It works backwards through stretches of iterations whose values
// fit in a quarter of the budget; to reach one it reruns the loop from the
// previous checkpoint and stores more checkpoints on the way while memory
// allows: they may use up to half of the budget. The last quarter is for one
// iteration itself.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  for (int i = 1; i < 4; ++i) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
  c.set_out(0, PartialShape::OfRank(1));
  for (int i = 1; i < 5; ++i) c.set_out(i, PartialShape::Scalar());
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  auto at = ctx.in(0).i64s();
  int64_t left = *ctx.in(1).data<int64_t>();
  int64_t per_trip = *ctx.in(2).data<int64_t>();
  int64_t each = std::max<int64_t>(1, *ctx.in(3).data<int64_t>());
  auto budget = ctx.attr<int64_t>("budget");
  // Far above every possible value, and far below overflow.
  constexpr int64_t kMost = int64_t{1} << 60;
  for (int64_t number : {left, per_trip, each}) {
    if (number >= 0 && number < kMost) continue;
    return ctx.Error(
        StrCat("a number is ", number, "; wanted 0 <= number < ", kMost));
  }
  bool sound = !at.empty() && at.back() < left;
  for (size_t i = 0; i < at.size(); ++i) {
    sound = sound && at[i] >= 0 && (i == 0 || at[i - 1] < at[i]);
  }
  if (!sound) {
    return ctx.Error(StrCat("positions are ", ctx.in(0).ToString(),
                            "; wanted some, all below ", left,
                            ", the iterations that are left"));
  }
  if (int64_t wanted = 2 * each + per_trip; wanted > budget) {
    return ctx.Error(
        Code::kResourceExhausted,
        StrCat("a budget of ", budget, " bytes is too small for the gradient ",
               "of the loop: it carries ", each, " bytes and one iteration ",
               "keeps ", per_trip, "; wanted at least ", wanted, " bytes"));
  }
  // Before the first iteration has been measured: one.
  int64_t stretch =
      per_trip > 0 ? std::max<int64_t>(1, budget / 4 / per_trip) : 1;
  auto n = static_cast<int64_t>(at.size());
  int64_t index =
      std::lower_bound(at.begin(), at.end(), left - stretch) - at.begin();
  int64_t advance = 0, trips = 0, keep = index, leave = -1;
  if (index < n) {
    trips = left - at[static_cast<size_t>(index)];
  } else {
    index = n - 1;
    keep = n;
    int64_t gap = left - at.back();
    int64_t room = std::max<int64_t>(2, budget / 2 / each) - n;
    if (room <= 0 || per_trip <= 0) {
      trips = stretch;
      advance = gap - stretch;
    } else {
      // Evenly, unless every stretch can have its own.
      int64_t pieces = (gap + stretch - 1) / stretch;
      advance = (pieces + room) / (room + 1) * stretch;
      leave = at.back() + advance;
    }
  }
  std::vector<int64_t> next(at.begin(), at.begin() + keep);
  if (leave >= 0) next.push_back(leave);
  ctx.set_out(0, Array::Vector(next));
  int64_t scalars[] = {index, advance, trips, keep};
  for (int i = 0; i < 4; ++i) {
    SL_RETURN_IF_ERROR(ctx.AllocateOut(1 + i, DType::kI64, Shape()));
    *ctx.out(1 + i).mutable_data<int64_t>() = scalars[i];
  }
  return OkStatus();
}

SL_OP(CheckpointWalk)
    .doc(
        "From checkpoint `index` a loop is to run `advance` iterations on. "
        "There begin the last `trips` of those that are left, of which the "
        "gradient comes next; or, when that is 0, a checkpoint is to be left "
        "there. `next` are the positions then, `keep` how many of the old ones "
        "are among them.")
    .input("positions: i64")
    .input("left: i64")
    .input("per_trip: i64")
    .input("each: i64")
    .output("next: i64")
    .output("index: i64")
    .output("advance: i64")
    .output("trips: i64")
    .output("keep: i64")
    .attr("budget", AttrKind::kInt, "In bytes.")
    .between(1, int64_t{1} << 62)
    .shape(Infer)
    .no_grad("it counts")
    .cpu(Launch)
    .dynamic_output()
    // Worked by hand for one checkpoint, at 0, and iterations not measured yet.
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      double left = in[1].v[0];
      RefArray next{{1}, {0}};
      if (left == 1) next = {{0}, {}};
      return std::vector<RefArray>{next,
                                   {{}, {0}},
                                   {{}, {left - 1}},
                                   {{}, {1}},
                                   {{}, {left == 1 ? 0.0 : 1.0}}};
    })
    .samples({{.in = {Array::Vector<int64_t>({0}), Array::Scalar<int64_t>(1),
                      Array::Scalar<int64_t>(0), Array::Scalar<int64_t>(1)},
               .attrs = {{"budget", 16}}},
              {.in = {Array::Vector<int64_t>({0}), Array::Scalar<int64_t>(10),
                      Array::Scalar<int64_t>(0), Array::Scalar<int64_t>(1)},
               .attrs = {{"budget", 16}}}})
    .rejects({{.in = {Array::Zeros(DType::kI64, {0}), Array::Scalar<int64_t>(1),
                      Array::Scalar<int64_t>(1), Array::Scalar<int64_t>(1)},
               .attrs = {{"budget", 10}},
               .message = "wanted some, all below 1, the iterations that are"},
              {.in = {Array::Vector<int64_t>({0}), Array::Scalar<int64_t>(1),
                      Array::Scalar<int64_t>(5), Array::Scalar<int64_t>(3)},
               .attrs = {{"budget", 10}},
               .message = "[CheckpointWalk] a budget of 10 bytes is too small "
                          "for the gradient of the loop: it carries 3 bytes "
                          "and one iteration keeps 5; wanted at least 11 "
                          "bytes"}});

}  // namespace
}  // namespace sluice
