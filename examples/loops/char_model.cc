// A character language model learns English from a megabyte of it, then writes
// a line.
//   example-char-model [steps]
#include "examples/loops/char_model.h"

#include <cstdio>
#include <cstdlib>

namespace sl = sluice;

namespace {

int64_t IdOf(char c) {
  const auto& meaning = sl::models::letters().meaning;
  auto at = std::find(meaning.begin(), meaning.end(), std::string(1, c));
  return at - meaning.begin();
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 600;
  constexpr int64_t kTime = 50, kBatch = 32;
  const auto& text = sl::models::letters();
  sl::manual_seed(1);
  sl::loops::CharModel net(static_cast<int64_t>(text.meaning.size()), 96);
  sl::optim::Adam adam(net.parameters(), {.lr = 3e-3});

  // Gradients go back as far as a piece is long; the state goes on.
  auto train = sl::function(
      [&](sl::Tensor letters, sl::Tensor next, sl::Tensor h, sl::Tensor c) {
        auto [loss, state] = net.read(letters, next, {h, c});
        adam.zero_grad();
        loss.backward();
        sl::optim::clip_grad_norm_(net.parameters(), 1.0);
        adam.step();
        return std::tuple(loss, state.h, state.c);
      });
  auto write = sl::function(
      [&](sl::Tensor letter) { return net.write(letter, IdOf('\n'), 300); });

  const double unigram = sl::loops::unigram_bits(text.ids);
  std::printf("letters by themselves: %.2f bits\n", unigram);
  sl::loops::Streams streams(text.ids, kTime, kBatch);
  sl::loops::LstmState state = net.begin(kBatch);
  double recent = 0;
  for (int i = 0; i < steps; ++i) {
    auto [letters, next] = streams.piece(i);
    auto [loss, h, c] = train(letters, next, state.h, state.c);
    state = {h.detach(), c.detach()};
    double bits = loss.item<float>() / std::log(2.0);
    if (i == 0) recent = bits;
    recent += 0.05 * (bits - recent);
    if (i % 100 == 0 || i + 1 == steps) {
      std::printf("step %5d  %.3f bits per letter\n", i, recent);
    }
  }

  std::string line = "A";
  for (int64_t id : write(sl::constant(IdOf('A'))).to_vector<int64_t>()) {
    line += text.meaning[static_cast<size_t>(id)];
  }
  std::printf("it writes: %s\n", line.c_str());
}
