#include "examples/loops/char_model.h"

#include <gtest/gtest.h>

namespace sluice::loops {
namespace {

const std::vector<int64_t>& Text() { return models::letters().ids; }
int64_t NumLetters() {
  return static_cast<int64_t>(models::letters().meaning.size());
}

TEST(CharModel, StreamsGoOnWhereTheyEnded) {
  std::vector<int64_t> text(23);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int64_t>(i);
  Streams streams(text, 3, 2);  // two streams of 11
  EXPECT_EQ(streams.pieces(), 3);
  auto second = streams.piece(1);
  EXPECT_EQ(second.letters.to_vector<int64_t>(),
            (std::vector<int64_t>{3, 14, 4, 15, 5, 16}));
  EXPECT_EQ(second.next.to_vector<int64_t>(),
            (std::vector<int64_t>{4, 15, 5, 16, 6, 17}));
  EXPECT_EQ(streams.piece(4).letters.to_vector<int64_t>(),
            second.letters.to_vector<int64_t>());
}

TEST(CharModel, UnigramBits) {
  EXPECT_DOUBLE_EQ(unigram_bits({0, 1, 2, 3}), 2);
  EXPECT_DOUBLE_EQ(unigram_bits({5, 5}), 0);
  EXPECT_NEAR(unigram_bits(Text()), 4.3, 0.2) << "of English";
}

TEST(CharModel, CapturedAndAtOnceAreTheSame) {
  manual_seed(2);
  CharModel net(NumLetters(), 6);
  auto [letters, next] = Streams(Text(), 5, 3).piece(7);
  auto both = [&](Tensor letters, Tensor next) {
    net.zero_grad();
    auto [loss, state] = net.read(letters, next, net.begin(3));
    loss.backward();
    return std::tuple(loss, state.h, state.c);
  };
  auto gradients_now = [&] {
    std::vector<std::vector<float>> found;
    for (const Tensor& p : net.parameters()) {
      found.push_back(p.grad().to_dense().to_vector<float>());
    }
    return found;
  };
  auto [loss, h, c] = both(letters, next);
  auto want = gradients_now();
  auto captured = function(both);
  auto [loss2, h2, c2] = captured(letters, next);
  auto got = gradients_now();
  EXPECT_NEAR(loss.item<float>(), loss2.item<float>(), 1e-6);
  auto near = [](const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-6 * (1 + std::abs(b[i])));
    }
  };
  near(h2.to_vector<float>(), h.to_vector<float>());
  near(c2.to_vector<float>(), c.to_vector<float>());
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(net.named_parameters()[i].first);
    near(got[i], want[i]);
  }
}

TEST(CharModel, LearnsMoreThanHowOftenLettersOccur) {
  manual_seed(1);
  CharModel net(NumLetters(), 48);
  optim::Adam adam(net.parameters(), {.lr = 0.01});
  Streams streams(Text(), 24, 16);
  auto train = function([&](Tensor letters, Tensor next, Tensor h, Tensor c) {
    auto [loss, state] = net.read(letters, next, {h, c});
    adam.zero_grad();
    loss.backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    adam.step();
    return std::tuple(loss, state.h, state.c);
  });
  LstmState state = net.begin(16);
  double bits = 0;
  for (int i = 0; i < 130; ++i) {
    auto [letters, next] = streams.piece(i);
    auto [loss, h, c] = train(letters, next, state.h, state.c);
    state = {h.detach(), c.detach()};
    if (i >= 110) bits += loss.item<float>() / std::log(2.0) / 20;
  }
  EXPECT_LT(bits, unigram_bits(Text()) - 1);
  EXPECT_EQ(train.traces().size(), 1u);

  // What it writes ends with a line, not with the limit.
  const int64_t stop = 0;
  ASSERT_EQ(models::letters().meaning[stop], "\n");
  auto write =
      function([&](Tensor letter) { return net.write(letter, stop, 5000); });
  std::vector<int64_t> line = write(constant(int64_t{20})).to_vector<int64_t>();
  ASSERT_LT(line.size(), 5000u);
  EXPECT_EQ(line.back(), stop);
  EXPECT_EQ(std::count(line.begin(), line.end(), stop), 1);
}

TEST(CharModel, WritesUntilTheStopOrTheLimit) {
  manual_seed(1);
  CharModel net(10, 4);
  auto write = function([&](Tensor letter) { return net.write(letter, 3, 9); });
  auto length = [&] { return write(constant(int64_t{3})).dim(0); };
  NoGrad off;
  net.say.bias.fill_(0), net.say.bias.set({3}, 50.0f);
  EXPECT_EQ(length(), 1) << "nothing but the stop is ever drawn";
  net.say.bias.set({3}, -50.0f);
  EXPECT_EQ(length(), 9) << "the stop is never drawn";
}

}  // namespace
}  // namespace sluice::loops
