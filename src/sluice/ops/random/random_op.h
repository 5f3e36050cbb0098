// Shared by random ops: the key of a launch, and the shape, samples and rejects
// of ops that draw numbers of a given shape.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/kernels/random_key.h"
#include "sluice/op/record.h"

namespace sluice::random_op {

inline constexpr char kSeedDoc[] = "Tells apart ops that should differ.";

// The last input of every random op, omitted by its callers: the iteration to
// draw for (IterationTag) instead of the one it runs in. Recomputation for a
// gradient draws the original numbers.
inline constexpr char kTagInput[] = "tag: i64*";

inline RandomKey KeyOf(const KernelContext& ctx) { return RandomKeyOf(ctx); }

// Output 0 is of the attribute `shape`.
inline Status Infer(ShapeContext& c) {
  const PartialShape& shape = c.attr<PartialShape>("shape");
  if (!shape.fully_known()) {
    return c.Error(StrCat("shape is ", shape, "; wanted every size known"));
  }
  c.set_out(0, shape);
  return OkStatus();
}

inline std::vector<Sample> Samples() {
  return {
      {.in = {}, .attrs = {{"shape", Shape{3, 5}}}},
      {.in = {}, .attrs = {{"shape", Shape{1001}}, {"dtype", DType::kF64}}},
      {.in = {},
       .attrs = {{"shape", Shape{70}}, {"dtype", DType::kF16}, {"seed", 7}}},
      {.in = {}, .attrs = {{"shape", Shape()}, {"dtype", DType::kBF16}}},
      {.in = {}, .attrs = {{"shape", Shape{0, 2}}}}};
}

inline std::vector<Reject> Rejects(std::string_view op) {
  return {
      {.in = {},
       .attrs = {{"shape", PartialShape({2, any})}},
       .message = StrCat("[", op, "] shape is [2,?]; wanted every size known")},
      {.in = {},
       .attrs = {{"shape", Shape{2}}, {"dtype", DType::kI32}},
       .message = StrCat("[", op, "] attribute dtype is i32")},
      {.in = {},
       .message =
           StrCat("[", op, "] attribute shape is missing; wanted shape")}};
}

}  // namespace sluice::random_op
