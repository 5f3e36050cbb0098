// Attention, decoder and Seq2Seq: against what they are made of, trained, and
// asked for sequences.
#include "sluice/nn/seq2seq.h"

#include <cmath>

#include "sluice/front/front_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;
using Tensors = std::vector<Tensor>;

void ExpectNear(const Tensor& got, const Tensor& wanted) {
  ASSERT_EQ(got.shape().ToString(), wanted.shape().ToString());
  Floats a = got.to_vector<float>(), b = wanted.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

// One example after the other, one value after the other.
void ExpectAttends(SequenceAttention& attention,
                   const std::function<float(Tensor, Tensor)>& score) {
  SetKnownParameters(attention);
  Tensor query = KnownInput({3, 2}), sequence = KnownInput({4, 3, 5}, 1);
  std::vector<int64_t> lengths{4, 2, 0};
  Memory memory =
      attention.remember(sequence, constant({4, 2, 0}, DType::kI64));
  auto [context, weights] = attention(query, memory);
  for (int64_t b = 0; b < 3; ++b) {
    Tensor mean = zeros({5});
    float total = 0;
    for (int64_t t = 0; t < lengths[static_cast<size_t>(b)]; ++t) {
      Tensor value = sequence[{t, b}];
      float e = std::exp(score(query[b], value));
      total += e;
      mean = mean + e * value;
    }
    ExpectNear(context[b], total > 0 ? mean / total : mean);
  }
  EXPECT_EQ(weights[2].to_vector<float>(), Floats(4, 0));
}

Tensor Times(const Tensor& matrix, const Tensor& vector) {
  return reshape(matmul(matrix, expand_dims(vector, 1)), {-1});
}

TEST(SequenceAttention, WeighsByItsScores) {
  AdditiveAttention additive{2, 5, 3};
  ExpectAttends(additive, [&](Tensor q, Tensor value) {
    Tensor both = tanh(Times(additive.query_layer.weight, q) +
                       Times(additive.memory_layer.weight, value));
    return sum(additive.v * both).item<float>();
  });
  MultiplicativeAttention product{2, 5};
  ExpectAttends(product, [&](Tensor q, Tensor value) {
    return sum(q * Times(product.memory_layer.weight, value)).item<float>();
  });
}

TEST(AttentionDecoder, TeacherForcingIsALoopOfSteps) {
  for (std::string cell : {"gru", "lstm"}) {
    for (std::string kind : {"additive", "multiplicative"}) {
      AttentionDecoder decoder{5, 3, 4, 2, {.cell = cell, .attention = kind}};
      SetKnownParameters(decoder);
      Tensor sequence = KnownInput({6, 3, 2}), h = KnownInput({3, 4}, 1);
      Tensor tokens = constant({{1, 2, 3}, {0, 4, 2}, {2, 2, 1}});
      Tensor lengths = constant({6, 3, 1});
      auto together = [&](Tensor x, Tensor first) {
        Memory memory = decoder.remember(x, lengths);
        return decoder(tokens, memory, decoder.start(memory, first));
      };
      auto unrolled = [&](Tensor x, Tensor first) {
        Memory memory = decoder.remember(x, lengths);
        auto state = decoder.start(memory, first);
        Tensors all;
        for (int t = 0; t < 3; ++t) {
          auto [logits, next] = decoder.step(tokens[t], memory, state);
          all.push_back(logits);
          state = next;
        }
        return stack(all);
      };
      sequence.requires_grad_();
      h.requires_grad_();
      Tensors xs = decoder.parameters();
      xs.push_back(sequence);
      xs.push_back(h);
      Tensor wanted = unrolled(sequence, h);
      Tensor flow = KnownInput(wanted.shape().ToShape(), 3);
      GradOptions dense{.dense = true};
      Tensors wanted_grads = gradients({sum(wanted * flow)}, xs, dense);
      auto check = [&](const auto& f) {
        for (const Tensor& x : xs) x.set_grad(Tensor());
        Tensor got = f(sequence, h);
        ExpectNear(got, wanted);
        sum(got * flow).backward();
        for (size_t i = 0; i < xs.size(); ++i) {
          ExpectNear(xs[i].grad().to_dense(), wanted_grads[i]);
        }
      };
      check(together);
      check(function(together));
    }
  }
}

// Says a sequence backwards, then the end.
struct Reversal {
  static constexpr int64_t kStart = 1, kEnd = 0;
  Tensor source = constant({{2, 3, 4, 4}, {3, 4, 2, 3}, {4, 2, 2, 0}});
  Tensor lengths = constant({3, 3, 3, 2});
  Tensor targets =
      constant({{1, 1, 1, 1}, {4, 2, 2, 3}, {3, 4, 2, 4}, {2, 3, 4, 0}});
  Tensor answers =
      constant({{4, 2, 2, 3}, {3, 4, 2, 4}, {2, 3, 4, 0}, {0, 0, 0, 0}});
};

TEST(Seq2Seq, LearnsToSayASequenceBackwards) {
  manual_seed(7);
  Reversal task;
  Seq2Seq model{{.source_vocabulary = 5,
                 .target_vocabulary = 5,
                 .embedding_size = 8,
                 .hidden_size = 16}};
  optim::Adam adam(model.parameters(), {.lr = 0.03});
  auto step = function(
      [&](Tensor source, Tensor targets, Tensor answers, Tensor lengths) {
        Tensor logits = model(source, targets, lengths);
        Tensor loss =
            cross_entropy(reshape(logits, {-1, 5}), reshape(answers, {-1}));
        adam.zero_grad();
        loss.backward();
        adam.step();
        return loss;
      });
  float first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    last = step(task.source, task.targets, task.answers, task.lengths)
               .item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, 0.1f * first);

  DecodeOptions options{
      .start = Reversal::kStart, .end = Reversal::kEnd, .max_length = 10};
  auto said = model.greedy(task.source, task.lengths, options);
  // It stops by itself.
  EXPECT_EQ(transpose(said.tokens).to_vector<int64_t>(),
            cast(task.answers, DType::kI64).to_vector<int64_t>());
  EXPECT_EQ(said.lengths.to_vector<int64_t>(),
            (std::vector<int64_t>{3, 3, 3, 2}));
  auto captured = function([&](Tensor source, Tensor lengths) {
    return model.greedy(source, lengths, options).tokens;
  });
  EXPECT_EQ(captured(task.source, task.lengths).to_vector<int64_t>(),
            said.tokens.to_vector<int64_t>());
  BeamOptions beams{.start = 1, .end = 0, .max_length = 10, .beams = 3};
  auto found = model.beam_search(task.source, task.lengths, beams);
  Tensor best = found.tokens[{all, 0, slice(0, 4)}];
  EXPECT_EQ(best.to_vector<int64_t>(), said.tokens.to_vector<int64_t>());
  auto searched = function([&](Tensor source, Tensor lengths) {
    auto [tokens, scores, counts] = model.beam_search(source, lengths, beams);
    return std::tuple(tokens, scores, counts);
  });
  auto [tokens, scores, counts] = searched(task.source, task.lengths);
  EXPECT_EQ(tokens.to_vector<int64_t>(), found.tokens.to_vector<int64_t>());
  EXPECT_EQ(counts.to_vector<int64_t>(), found.lengths.to_vector<int64_t>());
  ExpectNear(scores, found.scores);
}

TEST(Seq2Seq, Refuses) {
  Contains(ErrorOf([] { Seq2Seq({.source_vocabulary = 4}); }),
           "Seq2Seq: vocabularies are 4 and 0, embedding_size is 0");
  Contains(ErrorOf([] { AttentionDecoder(5, 3, 4, 2, {.cell = "rnn"}); }),
           "cell is \"rnn\"; wanted gru or lstm");
  Contains(ErrorOf([] { AttentionDecoder(5, 3, 4, 2, {.attention = "dot"}); }),
           "attention is \"dot\"; wanted additive or multiplicative");
  Contains(ErrorOf([] {
             AttentionDecoder(
                 5, 3, 4, 2,
                 {.attention = "multiplicative", .attention_size = 3});
           }),
           "attention_size is 3; wanted none, which only additive has");
  AdditiveAttention attention{2, 5, 3};
  Contains(ErrorOf([&] { attention.remember(ones({4, 3, 2})); }),
           "AdditiveAttention: the sequence is f32[4,3,2]; wanted [length, "
           "batch, 5]");
  Memory memory = attention.remember(ones({4, 3, 5}));
  Contains(ErrorOf([&] { attention(ones({3, 4}), memory); }),
           "the query is f32[3,4]; wanted [batch, 2]");
}

}  // namespace
}  // namespace sluice::nn
