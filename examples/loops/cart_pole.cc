#include "examples/loops/cart_pole.h"

namespace sluice::loops {

namespace {

constexpr float kGravity = 9.8f, kCart = 1.0f, kPole = 0.1f;  // m/s^2, kg
constexpr float kTotal = kCart + kPole;
constexpr float kHalfLength = 0.5f;                      // of the pole, m
constexpr float kPush = 10.0f, kTime = 0.02f;            // N, s
constexpr float kFarthest = 2.4f, kSteepest = 0.20944f;  // m, 12 degrees

}  // namespace

Tensor CartPole::begin(const Tensor& key, int64_t seed) {
  return 0.1f * keyed_uniform(key, {4}, {.seed = seed}) - 0.05f;
}

CartPole::Outcome CartPole::push(const Tensor& state, const Tensor& action) {
  std::vector<Tensor> parts = unstack(state, 4);
  Tensor place = parts[0], speed = parts[1], angle = parts[2], turn = parts[3];
  Tensor force = cast(action, f32) * (2 * kPush) - kPush;
  Tensor sine = sin(angle), cosine = cos(angle);
  Tensor thrust = (force + kPole * kHalfLength * turn * turn * sine) / kTotal;
  Tensor turning =
      (kGravity * sine - cosine * thrust) /
      (kHalfLength * (4.0f / 3 - kPole / kTotal * cosine * cosine));
  Tensor pushing = thrust - kPole * kHalfLength / kTotal * turning * cosine;

  Outcome next;
  place = place + kTime * speed;
  angle = angle + kTime * turn;
  next.state =
      stack({place, speed + kTime * pushing, angle, turn + kTime * turning});
  Tensor edge = maximum(abs(place) / kFarthest, abs(angle) / kSteepest);
  next.fell = edge > 1.0f;
  next.reward = maximum(1.0f - edge, 0.0f);
  return next;
}

}  // namespace sluice::loops
