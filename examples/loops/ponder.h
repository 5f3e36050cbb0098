// Adaptive computation time (Graves, "Adaptive computation time for recurrent
// neural networks", 2016): a network that decides for each example how often it
// thinks about it. After each round it says how likely it is to be done; when
// that adds up to one the example halts, and its answer is the mean of its
// rounds' states by those shares. Time costs: the loss has a part for it.
//
// The loop goes on until the last example of the batch has halted. Plain
// functions of tensors: at once, captured or in a graph.
#pragma once

#include <sluice/sluice.h>

#include <random>

namespace sluice::loops {

struct PonderOptions {
  double enough = 0.99;  // halting shares that count as one
  int64_t max_rounds = 20;
};

struct Pondered {
  Tensor state;   // [batch, hidden], the mean of the rounds
  Tensor rounds;  // [batch, 1]
  Tensor cost;    // [batch, 1]: rounds plus the share the last one was left
};

struct PonderNet : nn::Module {
  PonderNet(int64_t inputs, int64_t hidden, DType dtype = f32)
      : see(inputs + 1, hidden, {.dtype = dtype}),
        think(hidden, hidden, {.bias = false, .dtype = dtype}),
        halt(hidden, 1, {.dtype = dtype}),
        answer(hidden, 1, {.dtype = dtype}) {
    add("see", see), add("think", think), add("halt", halt);
    add("answer", answer);
    // Done after few rounds, to begin with.
    NoGrad off;
    halt.bias.fill_(-1);
  }

  // One round. The input says whether it is the first.
  Tensor round(const Tensor& x, const Tensor& state, const Tensor& first) {
    Tensor flag = zeros_like(x.at({all, slice(0, 1)})) + first;
    return tanh(see(concat({x, flag}, {.axis = 1})) + think(state));
  }

  Pondered ponder(const Tensor& x, const PonderOptions& options = {}) {
    // All but `number` for each example.
    struct Thought {
      Tensor number;        // of rounds done
      Tensor state, mean;   // now, and of all rounds by their shares
      Tensor sure;          // the sum of the shares; 1 when it has halted
      Tensor rounds, left;  // it took, and the share left for the last
    };
    Tensor column = zeros_like(x.at({all, slice(0, 1)}));  // [batch, 1]
    Tensor blank = matmul(column, zeros({1, halt.in_features}, x.dtype()));
    Thought end = while_loop(
        [&](const Thought& t) { return any_of(t.sure < options.enough); },
        [&](const Thought& t) {
          Tensor on = t.sure < options.enough;  // who is still thinking
          Tensor first = cast(equal(t.number, 0), x.dtype());
          Tensor state = round(x, t.state, first);
          Tensor share = sigmoid(halt(state));
          Tensor last = logical_or(t.sure + share >= options.enough,
                                   t.number + 1 >= options.max_rounds);
          // The last round gets what is left of one; who has halted, nothing.
          Tensor weight =
              where(on, where(last, 1 - t.sure, share), zeros_like(share));
          return Thought{.number = t.number + 1,
                         .state = where(on, state, t.state),
                         .mean = t.mean + weight * state,
                         .sure = where(last, ones_like(share), t.sure + share),
                         .rounds = t.rounds + cast(on, x.dtype()),
                         .left = where(logical_and(on, last), weight, t.left)};
        },
        Thought{constant(int64_t{0}), blank, blank, column, column, column});
    return {end.mean, end.rounds, end.rounds + end.left};
  }

  struct Losses {
    Tensor error, cost;  // without axes
  };
  // Of answers of yes (1) and no (0), [batch, 1].
  Losses losses(const Tensor& x, const Tensor& target,
                const PonderOptions& options = {}) {
    Pondered end = ponder(x, options);
    return {binary_cross_entropy_with_logits(answer(end.state), target),
            sluice::mean(end.cost)};
  }

  nn::Linear see, think, halt, answer;
};

// Whether the number of ones is odd. Of `size` places the first few, at least
// one, are 1 or -1, the others 0: more places are harder.
struct ParityBatch {
  Tensor x, odd, places;  // [batch, size], [batch, 1], [batch, 1]
};
inline ParityBatch parity(int64_t batch, int64_t size, uint64_t seed,
                          DType dtype = f32) {
  std::mt19937_64 random(seed);
  std::vector<float> x, odd, places;
  for (int64_t i = 0; i < batch; ++i) {
    auto used =
        static_cast<int64_t>(random() % static_cast<uint64_t>(size)) + 1;
    int ones = 0;
    for (int64_t k = 0; k < size; ++k) {
      bool one = random() % 2;
      x.push_back(k >= used ? 0.f : one ? 1.f : -1.f);
      ones += k < used && one;
    }
    odd.push_back(static_cast<float>(ones % 2));
    places.push_back(static_cast<float>(used));
  }
  auto column = [&](const std::vector<float>& v) {
    return cast(reshape(constant(v), {batch, 1}), dtype);
  };
  return {cast(reshape(constant(x), {batch, size}), dtype), column(odd),
          column(places)};
}

}  // namespace sluice::loops
