#include "sluice/ops/collective/collective_op.h"

namespace sluice {

namespace {

using collective::NeedGroup;
using collective::ProcessGroup;
using collective::Work;

// One launch in progress. Shared by the group's thread, which completes it, and
// by a cancellation, which aborts it.
struct Flight {
  AsyncContext* ctx;
  Cancellation* cancellation;
  Cancellation::Token token = 0;
  std::shared_ptr<ProcessGroup> group;
};

}  // namespace

void LaunchCollective(AsyncContext& ctx, const CollectiveCall& call) {
  auto group = NeedGroup(ctx.attr<std::string>("group"));
  if (!group.ok()) {
    return ctx.Done(ctx.Error(group.status().code(), group.status().message()));
  }
  auto flight = std::make_shared<Flight>();
  flight->ctx = &ctx;
  flight->cancellation = ctx.step().cancellation;
  flight->group = *group;
  if (flight->cancellation) {
    // By then the group's thread holds the flight, or nobody does.
    std::weak_ptr<Flight> weak = flight;
    bool registered = flight->cancellation->Register(&flight->token, [weak] {
      std::shared_ptr<Flight> f = weak.lock();
      if (!f) return;
      Status why = f->cancellation->status();
      f->group->Abort(
          Status(why.code(), StrCat("rank ", f->group->rank(),
                                    " gave up its step: ", why.message())));
    });
    if (!registered) return ctx.Done(flight->cancellation->status());
  }
  call(**group).Then([flight](const Status& status) {
    if (flight->cancellation) {
      (void)flight->cancellation->Deregister(flight->token);
    }
    flight->ctx->Done(status);
  });
}

Array ContiguousInput(AsyncContext& ctx) {
  Result<Array> x = ctx.in(0).AsContiguous();
  if (x.ok()) return *x;
  ctx.Done(x.status());
  return {};
}

Array CopyOfInput(AsyncContext& ctx) {
  Result<Array> copy = ctx.in(0).Clone();
  if (!copy.ok()) {
    ctx.Done(copy.status());
    return {};
  }
  ctx.set_out(0, *copy);
  return *copy;
}

Status TimesRanks(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  PartialShape out = c.in(0);
  if (out.rank_known() && out.dim(0) >= 0) {
    out.set_dim(0, out.dim(0) * c.attr<int64_t>("ranks"));
  }
  c.set_out(0, out);
  return OkStatus();
}

Status DividedByRanks(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  PartialShape out = c.in(0);
  const int64_t ranks = c.attr<int64_t>("ranks");
  if (out.rank_known() && out.dim(0) >= 0) {
    if (out.dim(0) % ranks != 0) {
      return c.Error(StrCat(c.Describe(0), "; wanted a first axis in ", ranks,
                            " equal parts"));
    }
    out.set_dim(0, out.dim(0) / ranks);
  }
  c.set_out(0, out);
  return OkStatus();
}

namespace {

// The checks of the shape functions at graph construction; an asynchronous
// kernel may get shapes known only at run time.
Status CheckInput(AsyncContext& ctx, bool parts) {
  const int64_t ranks = ctx.attr<int64_t>("ranks");
  const Array& x = ctx.in(0);
  if (x.rank() < 1) {
    return ctx.Error(StrCat("x is ", x.TypeText(), "; wanted rank 1 or more"));
  }
  if (parts && x.dim(0) % ranks != 0) {
    return ctx.Error(StrCat("x is ", x.TypeText(), "; wanted a first axis in ",
                            ranks, " equal parts"));
  }
  auto group = collective::FindGroup(ctx.attr<std::string>("group"));
  // The launch reports a missing group.
  if (!group || group->size() == ranks) return OkStatus();
  return ctx.Error(StrCat("ranks is ", ranks, ", the group has ", group->size(),
                          "; wanted as many"));
}

Array Make(AsyncContext& ctx, bool parts, int64_t times, int64_t over) {
  Status status = CheckInput(ctx, parts);
  if (status.ok()) {
    PartialShape sizes = ctx.in(0).shape();
    sizes.set_dim(0, sizes.dim(0) / over * times);
    Result<Shape> shape = Shape::Make(sizes.dims());
    status = shape.ok() ? ctx.AllocateOut(0, ctx.in(0).dtype(), *shape)
                        : ctx.Error(shape.status().message());
  }
  if (status.ok()) return ctx.out(0);
  ctx.Done(std::move(status));
  return {};
}

}  // namespace

Array MakeGathered(AsyncContext& ctx) {
  return Make(ctx, /*parts=*/false, ctx.attr<int64_t>("ranks"), 1);
}
Array MakeScattered(AsyncContext& ctx) {
  return Make(ctx, /*parts=*/true, 1, ctx.attr<int64_t>("ranks"));
}
Array MakeMoved(AsyncContext& ctx) { return Make(ctx, /*parts=*/true, 1, 1); }

bool LinearReduction(GradContext& g) {
  const auto& op = g.attr<std::string>("op");
  if (op == "sum" || op == "avg") return true;
  g.fail(StrCat("op is \"", op,
                "\", which has no gradient; wanted \"sum\" or \"avg\""));
  return false;
}

}  // namespace sluice
