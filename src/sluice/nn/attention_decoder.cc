#include "sluice/nn/attention_decoder.h"

#include "sluice/nn/checks.h"
#include "sluice/nn/recurrent.h"
#include "sluice/nn/sequential.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;

namespace {

CellKind KindOf(const std::string& cell, Where where) {
  SL_WANT(cell == "gru" || cell == "lstm", where,
          "AttentionDecoder: cell is \"", cell, "\"; wanted gru or lstm");
  return cell == "gru" ? CellKind::kGru : CellKind::kLstm;
}

std::shared_ptr<SequenceAttention> MakeAttention(
    int64_t hidden_size, int64_t memory_size, const AttentionDecoderOptions& o,
    Where where) {
  bool additive = o.attention == "additive";
  SL_WANT(additive || o.attention == "multiplicative", where,
          "AttentionDecoder: attention is \"", o.attention,
          "\"; wanted additive or multiplicative");
  if (!additive) {
    SL_WANT(o.attention_size == 0, where,
            "AttentionDecoder: attention_size is ", o.attention_size,
            "; wanted none, which only additive has");
    return make<MultiplicativeAttention>(hidden_size, memory_size, o.dtype,
                                         where);
  }
  int64_t size = o.attention_size > 0 ? o.attention_size : hidden_size;
  return make<AdditiveAttention>(hidden_size, memory_size, size, o.dtype,
                                 where);
}

int64_t GatesOf(CellKind kind) { return kind == CellKind::kLstm ? 4 : 3; }

}  // namespace

AttentionDecoder::AttentionDecoder(int64_t vocabulary, int64_t embedding_size,
                                   int64_t hidden_size, int64_t memory_size,
                                   const AttentionDecoderOptions& o,
                                   Where where)
    : embedding(vocabulary, embedding_size, {.dtype = o.dtype}, where),
      attention(MakeAttention(hidden_size, memory_size, o, where)),
      context_layer(memory_size, GatesOf(KindOf(o.cell, where)) * hidden_size,
                    {.bias = false, .dtype = o.dtype}, where),
      readout(hidden_size + memory_size, vocabulary, {.dtype = o.dtype}, where),
      vocabulary_(vocabulary),
      hidden_size_(hidden_size),
      options_(o) {
  GateSizes sizes{.kind = KindOf(o.cell, where),
                  .input_size = embedding_size,
                  .hidden_size = hidden_size,
                  .dtype = o.dtype};
  CheckGateSizes("AttentionDecoder", sizes, where);
  weights = AddGateWeights(*this, sizes, "");
  add("embedding", embedding);
  add("attention", attention);
  add("context_layer", context_layer);
  add("readout", readout);
}

AttentionDecoder::State AttentionDecoder::start(const Memory& memory,
                                                const Tensor& h,
                                                Where where) const {
  // Rows as many as the memory has: one key of each.
  Tensor rows = gather(memory.values, int64_t{0}, {.axis = 1}, {}, where);
  State state = ZeroState(weights, rows, where);
  if (h.defined()) state[0] = h;
  state.push_back(zeros_like(rows, {}, where));
  return state;
}

std::pair<Tensor, AttentionDecoder::State> AttentionDecoder::Attend(
    const Tensor& x_gates, const Memory& memory, const State& state,
    Where where) {
  SL_WANT(state.size() == StateSizes(weights).size() + 1, where,
          "AttentionDecoder: the state has ", state.size(),
          " tensors; wanted what start() gives");
  Tensor gates =
      sluice::add(x_gates, context_layer(state.back(), where), {}, where);
  State next =
      NextState(weights, gates, State(state.begin(), state.end() - 1), where);
  Tensor context = (*attention)(next[0], memory, where).first;
  next.push_back(context);
  return {concat({next[0], context}, {.axis = 1}, {}, where), next};
}

Tensor AttentionDecoder::forward(Tensor tokens, const Memory& memory,
                                 const State& state) {
  SL_WANT(tokens.rank() < 0 || tokens.rank() == 2, line(),
          "AttentionDecoder: tokens are ",
          TypeText(tokens.dtype(), tokens.shape()), "; wanted [steps, batch]");
  const Where where = line();
  Tensor gates = InputGates(weights, embedding(tokens, where), where);
  auto cell = [&](const Tensor& x_gates, const State& now) {
    return Attend(x_gates, memory, now, where);
  };
  Tensor seen =
      dynamic_rnn(cell, gates, state, {.loop = options_.loop}, where).first;
  return readout(seen, where);
}

std::pair<Tensor, AttentionDecoder::State> AttentionDecoder::step(
    const Tensor& tokens, const Memory& memory, const State& state,
    Where where) {
  Tensor gates = InputGates(weights, embedding(tokens, where), where);
  auto [seen, next] = Attend(gates, memory, state, where);
  return {readout(seen, where), std::move(next)};
}

Decoded AttentionDecoder::greedy(const Memory& memory, const State& state,
                                 const DecodeOptions& options, Where where) {
  return greedy_decode(
      [&](const Tensor& tokens, const State& now) {
        return step(tokens, memory, now, where);
      },
      state, options, where);
}

Beams AttentionDecoder::beam_search(const Memory& memory, const State& state,
                                    const BeamOptions& options, Where where) {
  // No beams are an error of the search.
  Memory repeated = memory.repeated(std::max<int64_t>(1, options.beams), where);
  return nn::beam_search(
      [&](const Tensor& tokens, const State& now) {
        return step(tokens, repeated, now, where);
      },
      state, options, where);
}

std::string AttentionDecoder::extra_repr() const {
  return StrCat(vocabulary_, ", ", embedding.weight.dim(1), ", ", hidden_size_,
                ", ", attention->memory_size, ", cell=", options_.cell,
                ", attention=", options_.attention);
}

}  // namespace sluice::nn
