#include <cmath>
#include <limits>

#include "sluice/eager/constants.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/decode_start.h"
#include "sluice/nn/decoding.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn::decoding_internal {

namespace {

using Where = std::source_location;

constexpr float kNever = -std::numeric_limits<float>::infinity();

// What is carried from step to step: one row for each beam of each example.
struct Pool {
  Tensor t;
  Tensor tokens;  // [batch * beams, t]
  Tensor total;   // [batch, beams] log of the probability
  Tensor score;   // [batch, beams] by which they are compared
  Tensor length;  // [batch * beams] with the end
  Tensor ended;   // [batch * beams]
  Tensors state;

  Tensors Flat() const {
    Tensors all{t, tokens, total, score, length, ended};
    all.insert(all.end(), state.begin(), state.end());
    return all;
  }
  static Pool Of(const Tensors& all) {
    return {all[0],
            all[1],
            all[2],
            all[3],
            all[4],
            all[5],
            Tensors(all.begin() + 6, all.end())};
  }
};

class Searcher {
 public:
  Searcher(const front_internal::Code& step, const BeamOptions& options,
           Tensor batch, Where where)
      : step_(step), o_(options), batch_(std::move(batch)), where_(where) {
    rows_ = mul(batch_, o_.beams, {}, where_);
  }

  Pool First(const Tensors& state) {
    Tensor none = constant(int64_t{0});
    Pool pool{.t = none,
              .tokens = Filled({rows_, none}, none, where_),
              .total = {},
              .score = {},
              .length = Filled({rows_}, none, where_),
              .ended = Filled({rows_}, constant(false), where_),
              .state = {}};
    // One beam of each example is there, or all would say the same.
    std::vector<float> one(static_cast<size_t>(o_.beams), kNever);
    one[0] = 0;
    Tensor beams = constant(o_.beams);
    pool.total = broadcast_to(
        constant(Array::Of<float>({o_.beams}, std::span<const float>(one))),
        stack({batch_, beams}, {}, {}, where_), {}, where_);
    pool.score = pool.total;
    for (const Tensor& s : state) {
      pool.state.push_back(repeat_for_beams(s, o_.beams, where_));
    }
    return pool;
  }

  Tensor GoesOn(const Pool& pool) {
    return logical_and(
        less(pool.t, o_.max_length, {}, where_),
        logical_not(all_of(pool.ended, {}, {}, where_), {}, where_), {},
        where_);
  }

  Pool Next(const Pool& pool) {
    Tensors out = Stepped(pool);
    Tensor logits = CheckedLogits("beam_search", out.back(), where_);
    out.pop_back();
    Tensor vocabulary =
        gather(shape(logits, {}, where_), int64_t{1}, {}, {}, where_);
    Tensor total = Totals(pool, logits, vocabulary);  // [rows, vocabulary]
    Tensor length =
        add(pool.length,
            cast(logical_not(pool.ended, {}, where_), DType::kI64, {}, where_),
            {}, where_);
    Tensor score =
        div(total, expand_dims(Penalty(length), 1, {}, where_), {}, where_);
    auto best = top_k(ByExample(score), o_.beams, {}, {}, where_);
    Tensor picked = cast(best.indices, DType::kI64, {}, where_);
    Tensor beam = floor_div(picked, vocabulary, {}, where_);
    Tensor token = AsRow(mod(picked, vocabulary, {}, where_));
    Tensor first = mul(range(int64_t{0}, batch_, int64_t{1}, {}, where_),
                       o_.beams, {}, where_);
    Tensor from =
        AsRow(add(beam, expand_dims(first, 1, {}, where_), {}, where_));

    auto taken = [&](const Tensor& x) {
      return gather(x, from, {}, {}, where_);
    };
    Pool next{
        .t = add(pool.t, int64_t{1}, {}, where_),
        .tokens =
            concat({taken(pool.tokens), expand_dims(token, 1, {}, where_)},
                   {.axis = 1}, {}, where_),
        .total = take_along(ByExample(total), picked, {.axis = 1}, {}, where_),
        .score = best.values,
        .length = taken(length),
        .ended = logical_or(taken(pool.ended), equal(token, o_.end, {}, where_),
                            {}, where_),
        .state = {}};
    for (const Tensor& s : out) next.state.push_back(taken(s));
    return next;
  }

 private:
  Tensors Stepped(const Pool& pool) {
    // The last token of each, the start before there is one.
    Tensor start =
        Filled({rows_, constant(int64_t{1})}, constant(o_.start), where_);
    Tensor last = gather(concat({start, pool.tokens}, {.axis = 1}, {}, where_),
                         pool.t, {.axis = 1}, {}, where_);
    Tensors in = pool.state;
    in.push_back(last);
    return step_(in).tensors;
  }

  // Of every beam with every token behind it. One that has ended can only end
  // once more, at no cost.
  Tensor Totals(const Pool& pool, const Tensor& logits,
                const Tensor& vocabulary) {
    Tensor tokens = range(int64_t{0}, vocabulary, int64_t{1}, {}, where_);
    Tensor end = sluice::where(equal(tokens, o_.end, {}, where_), 0.0f, kNever,
                               {}, where_);
    Tensor more =
        sluice::where(expand_dims(pool.ended, 1, {}, where_), end,
                      log_softmax(logits, {.axis = 1}, {}, where_), {}, where_);
    return add(expand_dims(AsRow(pool.total), 1, {}, where_), more, {}, where_);
  }

  Tensor Penalty(const Tensor& length) {
    Tensor share =
        div(add(cast(length, DType::kF32, {}, where_), 5.0f, {}, where_), 6.0f,
            {}, where_);
    return pow(share, static_cast<float>(o_.length_penalty), {}, where_);
  }

  Tensor AsRow(const Tensor& x) { return reshape(x, Ints({-1}), {}, where_); }
  // [batch, beams * vocabulary]
  Tensor ByExample(const Tensor& x) {
    Tensor width = mul(gather(shape(x, {}, where_), int64_t{1}, {}, {}, where_),
                       o_.beams, {}, where_);
    return reshape(x, stack({batch_, width}, {}, {}, where_), {}, where_);
  }

  const front_internal::Code& step_;
  const BeamOptions& o_;
  Tensor batch_, rows_;
  Where where_;
};

}  // namespace

Beams Search(const front_internal::Code& step, const Tensors& state,
             const BeamOptions& o, Where where) {
  const char* what = "beam_search";
  CheckRange(what, o.max_length, o.start, o.end, where);
  SL_WANT(o.beams > 0, where, what, ": beams is ", o.beams,
          "; wanted at least 1");
  SL_WANT(std::isfinite(o.length_penalty), where, what, ": length_penalty is ",
          o.length_penalty, "; wanted a number");
  Tensor batch = BatchOf(what, state, where);
  Searcher search(step, o, batch, where);
  LoopOptions options = o.loop;
  if (options.name.empty()) options.name = what;
  Pool last = Pool::Of(while_loop(
      [&](const Tensors& all) { return search.GoesOn(Pool::Of(all)); },
      [&](const Tensors& all) { return search.Next(Pool::Of(all)).Flat(); },
      search.First(state).Flat(), options, where));
  Tensor beams = constant(o.beams);
  Tensor ends = cast(last.ended, DType::kI64, {}, where);
  Tensor steps =
      gather(shape(last.tokens, {}, where), int64_t{1}, {}, {}, where);
  return {reshape(last.tokens, stack({batch, beams, steps}, {}, {}, where), {},
                  where),
          last.score,
          reshape(sub(last.length, ends, {}, where),
                  stack({batch, beams}, {}, {}, where), {}, where)};
}

}  // namespace sluice::nn::decoding_internal
