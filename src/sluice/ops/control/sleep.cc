#include <atomic>
#include <memory>

#include "sluice/base/timer.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

// One sleeping launch. Timer and cancellation race to finish it; the one that
// sets `done` calls Done, the other only releases it.
struct Sleeper {
  AsyncContext* ctx;
  Cancellation* cancellation;
  Cancellation::Token token = 0;
  std::atomic<bool> done{false};
};

void Launch(AsyncContext& ctx) {
  ctx.set_out(0, ctx.in(0));
  Cancellation* cancellation = ctx.step().cancellation;
  int64_t nanos = ctx.attr<int64_t>("micros") * 1000;
  auto sleeper = std::make_shared<Sleeper>();
  sleeper->ctx = &ctx;
  sleeper->cancellation = cancellation;
  if (cancellation) {
    bool registered = cancellation->Register(&sleeper->token, [sleeper] {
      if (!sleeper->done.exchange(true)) {
        sleeper->ctx->Done(sleeper->cancellation->status());
      }
    });
    if (!registered) {
      ctx.Done(cancellation->status());
      return;
    }
  }
  // From here on `ctx` may be destroyed at any moment.
  try {
    Timer::Default().After(nanos, [sleeper] {
      if (sleeper->done.exchange(true)) return;
      if (sleeper->cancellation) {
        (void)sleeper->cancellation->Deregister(sleeper->token);
      }
      sleeper->ctx->Done(OkStatus());
    });
  } catch (...) {
    // No thread or no memory: the launching thread answers, unless the sleep
    // has already been cancelled.
    if (sleeper->done.exchange(true)) return;
    if (cancellation) (void)cancellation->Deregister(sleeper->token);
    throw;
  }
}

}  // namespace

SL_OP(Sleep)
    .doc("x itself, after a while; no thread waits for it.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("micros", 0, "How long, in microseconds.")
    .between(0, int64_t{1} << 40)
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .cpu_async(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {{2}},
               .attrs = {{"micros", 10}},
               .only = {DType::kI64, DType::kString}}});

}  // namespace sluice
