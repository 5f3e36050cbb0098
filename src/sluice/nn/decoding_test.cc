// Greedy decoding against a loop of the client, beam search against all
// sequences there are.
#include "sluice/nn/decoding.h"

#include <algorithm>
#include <cmath>

#include "sluice/front/every_way_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Tensors = std::vector<Tensor>;
using Ints64 = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr int64_t kVocabulary = 4, kEnd = 0, kStart = 1;

// A step of a model: tokens and weights decide what comes next.
auto StepOf(const Tensors& in) {
  return [in](const Tensor& tokens, const Tensor& h) {
    Tensor next = tanh(gather(in[1], tokens) + matmul(h, in[2]));
    return std::pair(3.0f * matmul(next, in[3]), next);
  };
}

// State, embedding, recurrence and readout.
std::vector<Array> Model(int64_t batch, int k = 0) {
  return {KnownInput({batch, 3}, k).array(),
          KnownInput({kVocabulary, 3}, k + 1).array(),
          KnownInput({3, 3}, k + 2).array(),
          KnownInput({3, kVocabulary}, k + 4).array()};
}

Tensors AsTensors(const std::vector<Array>& arrays) {
  Tensors all;
  for (const Array& a : arrays) all.push_back(constant(a));
  return all;
}

Fn Greedily(int64_t max_length) {
  return [=](const Tensors& in) -> Tensors {
    auto [tokens, lengths] =
        greedy_decode(StepOf(in), in[0],
                      {.start = kStart, .end = kEnd, .max_length = max_length});
    return {tokens, lengths};
  };
}

TEST(GreedyDecode, IsALoopOfTheClient) {
  bool ended_early = false, ended_late = false;
  for (int k = 0; k < 12; ++k) {
    std::vector<Array> model = Model(3, k);
    Tensors in = AsTensors(model);
    const int64_t most = 6;
    std::vector<Array> out = EveryWay(Greedily(most), model);
    // One step after the other, every token looked at.
    Tensor tokens = full({3}, kStart), h = in[0];
    std::vector<Ints64> said(3);
    std::vector<bool> ended(3, false);
    size_t steps = 0;
    while (static_cast<int64_t>(steps) < most &&
           !(ended[0] && ended[1] && ended[2])) {
      auto [logits, next] = StepOf(in)(tokens, h);
      h = next;
      Ints64 best = argmax(logits, {.axis = 1}).to_vector<int64_t>();
      for (size_t b = 0; b < 3; ++b) {
        if (ended[b]) best[b] = kEnd;
        ended[b] = ended[b] || best[b] == kEnd;
        said[b].push_back(best[b]);
      }
      tokens = constant(Array::Vector(std::span<const int64_t>(best)));
      ++steps;
    }
    ended_early = ended_early || steps < 6;
    ended_late = ended_late || steps == 6;
    Ints64 wanted, lengths;
    for (const Ints64& row : said) {
      wanted.insert(wanted.end(), row.begin(), row.end());
      lengths.push_back(std::find(row.begin(), row.end(), kEnd) - row.begin());
    }
    EXPECT_EQ(out[0].shape(), (Shape{3, static_cast<int64_t>(steps)}));
    EXPECT_EQ(Elements<int64_t>(out[0]), wanted);
    EXPECT_EQ(Elements<int64_t>(out[1]), lengths);
  }
  EXPECT_TRUE(ended_early && ended_late);
}

TEST(GreedyDecode, OfNoSteps) {
  std::vector<Array> out = EveryWay(Greedily(0), Model(2));
  EXPECT_EQ(out[0].shape(), (Shape{2, 0}));
  EXPECT_EQ(Elements<int64_t>(out[1]), (Ints64{0, 0}));
}

Fn Searched(const BeamOptions& options) {
  return [=](const Tensors& in) -> Tensors {
    Beams found = beam_search(StepOf(in), in[0], options);
    return {found.tokens, found.scores, found.lengths};
  };
}

struct Candidate {
  double score;
  Ints64 tokens;
};

// Every sequence of at most `most` tokens, best first.
std::vector<Candidate> AllOf(const Tensors& in, int64_t most, double penalty) {
  std::vector<Candidate> all;
  std::function<void(Ints64, Tensor, double)> go = [&](Ints64 said, Tensor h,
                                                       double total) {
    bool ended = !said.empty() && said.back() == kEnd;
    if (ended || static_cast<int64_t>(said.size()) == most) {
      double length = static_cast<double>(said.size());
      said.resize(static_cast<size_t>(most), kEnd);
      all.push_back({total / std::pow((5 + length) / 6, penalty), said});
      return;
    }
    Ints64 last{said.empty() ? kStart : said.back()};
    auto [logits, next] =
        StepOf(in)(constant(Array::Vector(std::span<const int64_t>(last))), h);
    Floats likely = log_softmax(logits).to_vector<float>();
    for (int64_t token = 0; token < kVocabulary; ++token) {
      Ints64 longer = said;
      longer.push_back(token);
      go(longer, next, total + likely[static_cast<size_t>(token)]);
    }
  };
  go({}, in[0], 0);
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.score > b.score;
  });
  return all;
}

TEST(BeamSearch, OfEnoughBeamsFindsTheBestOfAll) {
  for (double penalty : {0.0, 1.0}) {
    std::vector<Array> model = Model(1, 3);
    Tensors in = AsTensors(model);
    const int64_t most = 3, beams = 64;
    std::vector<Array> out = EveryWay(Searched({.start = kStart,
                                                .end = kEnd,
                                                .max_length = most,
                                                .beams = beams,
                                                .length_penalty = penalty}),
                                      model);
    std::vector<Candidate> all = AllOf(in, most, penalty);
    ASSERT_EQ(all.size(), 40u);  // 1 + 3 + 36: all that have three tokens
    Ints64 tokens = Elements<int64_t>(out[0]);
    Floats scores = Elements<float>(out[1]);
    Ints64 lengths = Elements<int64_t>(out[2]);
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_NEAR(scores[i], all[i].score, 1e-4) << i;
      Ints64 row(tokens.begin() + static_cast<std::ptrdiff_t>(3 * i),
                 tokens.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
      EXPECT_EQ(row, all[i].tokens) << i;
      EXPECT_EQ(lengths[i],
                std::find(row.begin(), row.end(), kEnd) - row.begin());
    }
    // There are no more.
    EXPECT_EQ(scores[all.size()], -std::numeric_limits<float>::infinity());
  }
}

TEST(BeamSearch, OfOneBeamIsGreedy) {
  for (int k = 0; k < 3; ++k) {
    std::vector<Array> model = Model(3, k);
    std::vector<Array> out = EveryWay(
        Searched({.start = kStart, .end = kEnd, .max_length = 6, .beams = 1}),
        model);
    std::vector<Array> greedy = EveryWay(Greedily(6), model);
    EXPECT_EQ(Elements<int64_t>(out[0]), Elements<int64_t>(greedy[0]));
    EXPECT_EQ(Elements<int64_t>(out[2]), Elements<int64_t>(greedy[1]));
  }
}

TEST(BeamSearch, ExamplesDoNotMeet) {
  std::vector<Array> model = Model(3, 5);
  BeamOptions options{
      .start = kStart, .end = kEnd, .max_length = 4, .beams = 3};
  Tensors in = AsTensors(model);
  Tensors together = Searched(options)(in);
  for (int64_t b = 0; b < 3; ++b) {
    Tensors one = in;
    one[0] = in[0][{slice(b, b + 1)}];
    Tensors alone = Searched(options)(one);
    int64_t steps = alone[0].dim(2);
    Tensor said = together[0][{b, sluice::all, slice(0, steps)}];
    EXPECT_EQ(said.to_vector<int64_t>(), alone[0].to_vector<int64_t>());
    Floats a = together[1][b].to_vector<float>();
    Floats c = alone[1].to_vector<float>();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], c[i], 1e-5);
  }
}

TEST(Decoding, Refuses) {
  Tensors in = AsTensors(Model(2));
  Contains(ErrorOf([&] { beam_search(StepOf(in), in[0], {.beams = 0}); }),
           "beam_search: beams is 0; wanted at least 1");
  Contains(
      ErrorOf([&] { greedy_decode(StepOf(in), in[0], {.max_length = -1}); }),
      "greedy_decode: max_length is -1");
  Contains(ErrorOf([&] {
             greedy_decode(
                 [](Tensor, Tensor h) { return std::pair(sum(h), h); }, in[0],
                 {.max_length = 2});
           }),
           "greedy_decode: logits are f32[]; wanted [n, vocabulary]");
  Contains(ErrorOf([&] {
             greedy_decode([](Tensor t, Tensor h) { return std::pair(t, h); },
                           constant(1.0f), {.max_length = 2});
           }),
           "greedy_decode: a state is a scalar; wanted [batch, ...]");
}

}  // namespace
}  // namespace sluice::nn
