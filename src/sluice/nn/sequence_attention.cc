#include "sluice/nn/sequence_attention.h"

#include <cmath>

#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/decoding.h"
#include "sluice/nn/init.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;

Memory Memory::repeated(int64_t beams, Where where) const {
  auto each = [&](const Tensor& x) {
    return x.defined() ? repeat_for_beams(x, beams, where) : x;
  };
  return {each(values), each(keys), each(seen)};
}

SequenceAttention::SequenceAttention(const char* type, int64_t query_size,
                                     int64_t memory_size, Where where)
    : query_size(query_size), memory_size(memory_size) {
  SL_WANT(query_size > 0 && memory_size > 0, where, type, ": query_size is ",
          query_size, ", memory_size is ", memory_size,
          "; wanted both positive");
}

Memory SequenceAttention::remember(const Tensor& sequence,
                                   const Tensor& lengths, Where where) {
  bool fits = sequence.rank() == 3 &&
              (sequence.dim(2) < 0 || sequence.dim(2) == memory_size);
  SL_WANT(fits, where, type_name(), ": the sequence is ",
          TypeText(sequence.dtype(), sequence.shape()),
          "; wanted [length, batch, ", memory_size, "]");
  Memory memory;
  memory.values = transpose(sequence, {.perm = {1, 0, 2}}, {}, where);
  memory.keys = Keys(memory.values, where);
  if (lengths.defined()) {
    Tensor steps =
        gather(shape(sequence, {}, where), int64_t{0}, {}, {}, where);
    Tensor places =
        Beside(lengths, range(int64_t{0}, steps, int64_t{1}, {}, where), where);
    Tensor ends = cast(lengths, DType::kI64, {}, where);
    memory.seen = less(places, expand_dims(ends, 1, {}, where), {}, where);
  }
  return memory;
}

std::pair<Tensor, Tensor> SequenceAttention::forward(Tensor query,
                                                     const Memory& memory) {
  bool fits =
      query.rank() < 0 ||
      (query.rank() == 2 && (query.dim(1) < 0 || query.dim(1) == query_size));
  SL_WANT(fits, line(), type_name(), ": the query is ",
          TypeText(query.dtype(), query.shape()), "; wanted [batch, ",
          query_size, "]");
  Tensor scores = Scores(query, memory.keys, line());
  if (memory.seen.defined()) {
    double little = query.dtype() == DType::kF16 ? -6e4 : -1e30;
    scores = sluice::where(memory.seen, scores, little, {}, line());
  }
  Tensor weights = softmax(scores, {.axis = 1}, {}, line());
  if (memory.seen.defined()) {
    weights = sluice::where(memory.seen, weights, 0, {}, line());
  }
  Tensor context = batch_mat_mul(expand_dims(weights, 1, {}, line()),
                                 memory.values, {}, {}, line());
  return {squeeze(context, {.axes = {1}}, {}, line()), weights};
}

AdditiveAttention::AdditiveAttention(int64_t query_size, int64_t memory_size,
                                     int64_t size, DType dtype, Where where)
    : SequenceAttention("AdditiveAttention", query_size, memory_size, where),
      query_layer(query_size, size, {.bias = false, .dtype = dtype}, where),
      memory_layer(memory_size, size, {.bias = false, .dtype = dtype}, where) {
  SL_WANT(size > 0, where, "AdditiveAttention: size is ", size,
          "; wanted it positive");
  add("query_layer", query_layer);
  add("memory_layer", memory_layer);
  v = add_parameter(
      "v", init::NewUniform({size}, 1 / std::sqrt(static_cast<double>(size)),
                            dtype));
}

Tensor AdditiveAttention::Keys(const Tensor& values, Where where) {
  return memory_layer(values, where);
}

Tensor AdditiveAttention::Scores(const Tensor& query, const Tensor& keys,
                                 Where where) {
  Tensor asked = expand_dims(query_layer(query, where), 1, {}, where);
  Tensor both = tanh(sluice::add(asked, keys, {}, where), {}, where);
  return sum(mul(both, v, {}, where), {.axes = {2}}, {}, where);
}

MultiplicativeAttention::MultiplicativeAttention(int64_t query_size,
                                                 int64_t memory_size,
                                                 DType dtype, Where where)
    : SequenceAttention("MultiplicativeAttention", query_size, memory_size,
                        where),
      memory_layer(memory_size, query_size, {.bias = false, .dtype = dtype},
                   where) {
  add("memory_layer", memory_layer);
}

Tensor MultiplicativeAttention::Keys(const Tensor& values, Where where) {
  return memory_layer(values, where);
}

Tensor MultiplicativeAttention::Scores(const Tensor& query, const Tensor& keys,
                                       Where where) {
  Tensor scores =
      batch_mat_mul(keys, expand_dims(query, 2, {}, where), {}, {}, where);
  return squeeze(scores, {.axes = {2}}, {}, where);
}

}  // namespace sluice::nn
