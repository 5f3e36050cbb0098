// A character language model: an LSTM (Hochreiter and Schmidhuber, 1997)
// written as a scan over a cell of plain ops, which reads text letter by letter
// and says which comes next; and writes text, by a loop that ends where a line
// does.
//
// Works at once and captured.
#pragma once

#include <sluice/sluice.h>

#include <cmath>

#include "examples/models/text.h"

namespace sluice::loops {

struct LstmState {
  Tensor h, c;  // [batch, hidden]
};

struct CharModel : nn::Module {
  CharModel(int64_t letters, int64_t hidden)
      : hidden(hidden), say(hidden, letters) {
    auto drawn = [&](const char* name, std::vector<int64_t> dims) {
      double wide = 1 / std::sqrt(static_cast<double>(hidden));
      Tensor t = 2 * wide * random_uniform(dims) - wide;
      return add_parameter(name, t.detach().clone());
    };
    see = drawn("see", {letters, 4 * hidden});
    recall = drawn("recall", {hidden, 4 * hidden});
    bias = drawn("bias", {4 * hidden});
    add("say", say);
  }

  LstmState begin(int64_t batch) const {
    return {zeros({batch, hidden}), zeros({batch, hidden})};
  }
  // One letter further; `seen` [batch, 4 hidden] is what the letter adds.
  LstmState cell(const LstmState& state, const Tensor& seen) const {
    auto gates = split(seen + matmul(state.h, recall), 4, {.axis = 1});
    Tensor keep = sigmoid(gates[0]), write = sigmoid(gates[1]);
    Tensor c = keep * state.c + write * tanh(gates[2]);
    return {sigmoid(gates[3]) * tanh(c), c};
  }

  struct Reading {
    Tensor loss;  // of saying the next letter, in nats
    LstmState state;
  };
  // Letters and those that follow them, [time, batch].
  Reading read(const Tensor& letters, const Tensor& next,
               const LstmState& state) {
    auto [heard, last] = scan(
        [&](const LstmState& s, const Tensor& seen) {
          LstmState n = cell(s, seen);
          return std::pair(n.h, n);
        },
        state, gather(see, letters) + bias);
    Tensor logits = say(flatten(heard, 0, 1));
    return {cross_entropy(logits, flatten(next)), last};
  }

  // Letters drawn one after the other until `stop` was drawn or there are
  // `most`, the first for a text that begins with `letter`.
  Tensor write(const Tensor& letter, int64_t stop, int64_t most) {
    struct Writing {
      LstmState state;
      Tensor letter;
      List text;
    };
    Writing end = while_loop(
        [&](const Writing& w) {
          Tensor first = equal(w.text.size(), 0);
          Tensor on = logical_or(first, not_equal(w.letter, stop));
          return logical_and(on, w.text.size() < most);
        },
        [&](const Writing& w) {
          Tensor seen = gather(see, reshape(w.letter, {1})) + bias;
          LstmState state = cell(w.state, seen);
          Tensor drawn = reshape(categorical(say(state.h)), {});
          return Writing{state, drawn, w.text.append(drawn)};
        },
        Writing{begin(1), letter, List(i64, {})});
    return end.text.stack();
  }

  const int64_t hidden;
  Tensor see, recall, bias;
  nn::Linear say;
};

// Text cut into `batch` streams that are read side by side, `time` letters at a
// time; the next piece goes on where the last one ended.
class Streams {
 public:
  Streams(const std::vector<int64_t>& text, int64_t time, int64_t batch)
      : text_(text),
        time_(time),
        batch_(batch),
        length_(static_cast<int64_t>(text.size()) / batch) {}

  int64_t pieces() const { return (length_ - 1) / time_; }
  struct Piece {
    Tensor letters, next;  // [time, batch]
  };
  Piece piece(int64_t i) const { return {At(i, 0), At(i, 1)}; }

 private:
  Tensor At(int64_t i, int64_t ahead) const {
    std::vector<int64_t> out;
    int64_t from = i % pieces() * time_ + ahead;
    for (int64_t t = 0; t < time_; ++t) {
      for (int64_t b = 0; b < batch_; ++b) {
        out.push_back(text_[static_cast<size_t>(b * length_ + from + t)]);
      }
    }
    return reshape(constant(out), {time_, batch_});
  }

  std::vector<int64_t> text_;
  int64_t time_, batch_, length_;
};

// Bits per letter of a model that knows how often each letter occurs and
// nothing else.
inline double unigram_bits(const std::vector<int64_t>& text) {
  std::vector<double> count;
  for (int64_t id : text) {
    count.resize(std::max(count.size(), static_cast<size_t>(id) + 1));
    ++count[static_cast<size_t>(id)];
  }
  double bits = 0, all = static_cast<double>(text.size());
  for (double n : count) {
    if (n > 0) bits -= n / all * std::log2(n / all);
  }
  return bits;
}

}  // namespace sluice::loops
