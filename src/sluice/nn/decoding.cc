#include "sluice/nn/decoding.h"

#include <limits>

#include "sluice/eager/constants.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/decode_start.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;
using decoding_internal::Tensors;

Tensor repeat_for_beams(const Tensor& x, int64_t beams, Where where) {
  return repeat(x, beams, {}, {}, where);
}

namespace decoding_internal {

Tensor BatchOf(const char* what, const Tensors& state, Where where) {
  SL_WANT(!state.empty(), where, what,
          ": the state has no tensors; wanted one at least, which tells the "
          "number of examples");
  for (const Tensor& s : state) {
    SL_WANT(s.defined() && s.rank() != 0, where, what, ": a state is ",
            s.defined() ? "a scalar" : "nothing", "; wanted [batch, ...]");
  }
  return gather(shape(state[0], {}, where), int64_t{0}, {}, {}, where);
}

void CheckRange(const char* what, int64_t max_length, int64_t start,
                int64_t end, Where where) {
  SL_WANT(max_length >= 0 && start >= 0 && end >= 0, where, what,
          ": max_length is ", max_length, ", start is ", start, ", end is ",
          end, "; wanted none negative");
}

Tensor Filled(const std::vector<Tensor>& sizes, const Tensor& value,
              Where where) {
  return fill(stack(sizes, {}, {}, where), value, {}, where);
}

Tensor CheckedLogits(const char* what, const Tensor& logits, Where where) {
  bool fits = logits.defined() && (logits.rank() < 0 || logits.rank() == 2);
  SL_WANT(
      fits, where, what, ": logits are ",
      logits.defined() ? TypeText(logits.dtype(), logits.shape()) : "nothing",
      "; wanted [n, vocabulary]");
  return cast(logits, DType::kF32, {}, where);
}

Decoded Greedy(const front_internal::Code& step, const Tensors& state,
               const DecodeOptions& o, Where where) {
  const char* what = "greedy_decode";
  CheckRange(what, o.max_length, o.start, o.end, where);
  Tensor batch = BatchOf(what, state, where), none = constant(int64_t{0});
  Tensor first = Filled({batch}, constant(o.start), where);
  Tensor done = Filled({batch}, constant(false), where);
  Tensor lengths = Filled({batch}, none, where);
  Tensor tokens = Filled({batch, none}, none, where);
  auto goes_on = [&](const Tensor& t, const Tensor&, const Tensor&,
                     const Tensor& ended, const Tensor&, const Tensors&) {
    return logical_and(less(t, o.max_length, {}, where),
                       logical_not(all_of(ended, {}, {}, where), {}, where), {},
                       where);
  };
  auto body = [&](const Tensor& t, const Tensor& said, const Tensor& last,
                  const Tensor& ended, const Tensor& count,
                  const Tensors& now) {
    Tensors in = now;
    in.push_back(last);
    Tensors out = step(in).tensors;
    Tensor logits = CheckedLogits(what, out.back(), where);
    out.pop_back();
    Tensor next = argmax(logits, {.axis = 1}, {}, where);
    next = sluice::where(ended, o.end, next, {}, where);
    Tensor over = logical_or(ended, equal(next, o.end, {}, where), {}, where);
    Tensor more = cast(logical_not(over, {}, where), DType::kI64, {}, where);
    return std::tuple(
        add(t, int64_t{1}, {}, where),
        concat({said, expand_dims(next, 1, {}, where)}, {.axis = 1}, {}, where),
        next, over, add(count, more, {}, where), out);
  };
  LoopOptions options = o.loop;
  if (options.name.empty()) options.name = what;
  auto made = while_loop(goes_on, body, none, tokens, first, done, lengths,
                         state, options, where);
  return {std::get<1>(made), std::get<4>(made)};
}

}  // namespace decoding_internal
}  // namespace sluice::nn
