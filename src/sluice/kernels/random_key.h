// The key of the random numbers of a launch.
//
// A plain function; any thread.
#pragma once

#include "sluice/base/random.h"
#include "sluice/op/call_key.h"
#include "sluice/op/record.h"

namespace sluice {

// A last input with two elements is a position in the process's stream: a seed,
// and the number of calls that drew since it was set. An imperative call draws
// from there. One element is the iteration.
inline constexpr int64_t kRandomPlaceSize = 2;

// The numbers depend only on the session's seed, the op's seed and position in
// the graph, the step and the iteration; or on the op's seed and the given
// position. REQUIRES: the last input, if there is one, is on the host.
inline RandomKey RandomKeyOf(const KernelContext& ctx) {
  auto seed = static_cast<uint64_t>(ctx.attr<int64_t>("seed"));
  uint64_t tag = ctx.step().tag;
  auto declared = static_cast<int>(ctx.op().inputs.size());
  if (ctx.num_inputs() >= declared) {
    const Array& told = ctx.in(declared - 1);
    const int64_t* parts = told.data<int64_t>();
    if (told.num_elements() == kRandomPlaceSize) {
      return RandomKey::Of(static_cast<uint64_t>(parts[0]), seed, CallKey(),
                           static_cast<uint64_t>(parts[1]));
    }
    if (told.num_elements() != 0) tag = static_cast<uint64_t>(*parts);
  }
  return RandomKey::Of(ctx.step().seed, seed, ctx.node().key ^ tag,
                       static_cast<uint64_t>(ctx.step().step_id));
}

}  // namespace sluice
