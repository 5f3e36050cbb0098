// Random programs of branches, loops and calls, written for one example: under
// vmap every lane gives, to the bit, the result of the program run alone.
#include <random>

#include "sluice/base/strings.h"
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

namespace sl = sluice;

// A program generated from a seed. It runs more than once, and generates the
// same structure each time.
class Program {
 public:
  explicit Program(uint32_t seed) : seed_(seed) {}

  Tensor operator()(const Tensor& x, const Tensor& y) {
    random_.seed(seed_);
    return Block({x, y}, 3);
  }

 private:
  uint32_t Draw(uint32_t below) { return random_() % below; }
  // Decisions at a position are made once, before recording: a loop's body may
  // be called again.
  uint32_t Fork() { return random_(); }

  Tensor Pick(const std::vector<Tensor>& from) {
    return from[Draw(static_cast<uint32_t>(from.size()))];
  }

  Tensor Block(std::vector<Tensor> known, int depth) {
    int steps = 2 + static_cast<int>(Draw(3));
    for (int i = 0; i < steps; ++i) known.push_back(Step(known, depth));
    return known.back();
  }

  // The block for a seed, independent of the code generated around it.
  Tensor Inner(uint32_t seed, const std::vector<Tensor>& known, int depth) {
    std::mt19937 saved = random_;
    random_.seed(seed);
    Tensor result = Block(known, depth);
    random_ = saved;
    return result;
  }

  Tensor Step(const std::vector<Tensor>& known, int depth) {
    Tensor a = Pick(known), b = Pick(known);
    uint32_t first = Fork(), second = Fork(), third = Fork();
    switch (Draw(depth > 0 ? 9 : 5)) {
      case 0:
        return a + b;
      case 1:
        return a - b * 0.5f;
      case 2:
        return sl::maximum(a, b);
      case 3:
        return sl::abs(a) * 0.25f;
      case 4:
        return sl::constant(1.5f) - a;
      case 5:
        return sl::cond(
            a > b, [&] { return Inner(first, known, depth - 1); },
            [&] { return Inner(second, known, depth - 1); });
      case 6: {
        Tensor index = sl::cast(sl::clip(sl::abs(a), 0., 2.), sl::i64);
        return sl::switch_case(
            index,
            {[&] { return Inner(first, known, depth - 1); }, [&] { return b; },
             [&] { return Inner(third, known, depth - 1); }});
      }
      case 7: {
        // A data-dependent number of times, at most five.
        Tensor most = sl::clip(sl::abs(a), 0., 5.);
        auto [i, v] = sl::while_loop(
            [&](Tensor i, Tensor) { return i < most; },
            [&](Tensor i, Tensor v) {
              std::vector<Tensor> inside = known;
              inside.push_back(v);
              return std::tuple(
                  i + 1.f, sl::clip(Inner(first, inside, depth - 1), -8., 8.));
            },
            sl::constant(0.f), b);
        return v + i;
      }
      default: {
        // The same number of times for all lanes.
        auto [i, v] = sl::while_loop(
            [&](Tensor i, Tensor) { return i < 2.f; },
            [&](Tensor i, Tensor v) {
              return std::tuple(
                  i + 1.f, sl::clip(Inner(second, {v, b}, depth - 1), -8., 8.));
            },
            sl::constant(0.f), a);
        return v;
      }
    }
  }

  uint32_t seed_;
  std::mt19937 random_;
};

TEST(VmapRandomPrograms, LanesGiveWhatTheyGiveAlone) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Program program(seed);
    std::mt19937 random(seed);
    std::vector<float> xs, ys, want;
    for (int lane = 0; lane < 7; ++lane) {
      xs.push_back(static_cast<float>(random() % 64) / 8 - 4);
      ys.push_back(static_cast<float>(random() % 64) / 8 - 4);
      want.push_back(program(sl::constant(xs.back()), sl::constant(ys.back()))
                         .item<float>());
    }
    auto f = sl::vmap([&](Tensor x, Tensor y) { return program(x, y); });
    Tensor x = sl::constant(Array::Of<float>({7}, xs));
    Tensor y = sl::constant(Array::Of<float>({7}, ys));
    try {
      EXPECT_EQ(f(x, y).to_vector<float>(), want);
      EXPECT_EQ(f.report().lane_by_lane, 0) << f.report().ToString();
      // Nested lanes: the second argument in rows, the first one outside.
      if (seed % 4 != 0) continue;
      auto pairs = sl::vmap(
          [&](Tensor x, Tensor ys) {
            return sl::vmap([&](Tensor y) { return program(x, y); })(ys);
          },
          {.in_axes = {0, sl::unbatched}});
      std::vector<float> all = pairs(x, y).to_vector<float>();
      for (size_t k = 0; k < 7; ++k) EXPECT_EQ(all[k * 8], want[k]) << k;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace
}  // namespace sluice
