#include "examples/loops/dqn.h"

namespace sluice::loops {

namespace {

// What random numbers are drawn for, apart from each other.
enum Use { kFirst, kSecond, kBegin, kAct, kPick, kUses };

// A row of the buffer: state, next state, action, reward, whether it fell.
const std::vector<int64_t> kParts = {4, 4, 1, 1, 1};
constexpr int64_t kRow = 11;

int64_t Seed(const DqnOptions& options, Use use) {
  return options.seed * kUses + use;
}

Tensor DrawAct(const DqnOptions& options, const Tensor& i) {
  return keyed_uniform(i, {2}, {.seed = Seed(options, kAct)});
}
Tensor DrawBegin(const DqnOptions& options, const Tensor& i) {
  return CartPole::begin(i, Seed(options, kBegin));
}
Tensor DrawPick(const DqnOptions& options, const Tensor& i) {
  return keyed_uniform(i, {options.batch}, {.seed = Seed(options, kPick)});
}

Tensor Weight(int64_t seed, int64_t in, int64_t out) {
  double reach = std::sqrt(6.0 / static_cast<double>(in + out));
  Tensor unit = keyed_uniform(int64_t{0}, {in, out}, {.seed = seed});
  return static_cast<float>(2 * reach) * unit - static_cast<float>(reach);
}

}  // namespace

std::vector<int64_t> DqnLog::episodes() const {
  std::vector<int64_t> lengths;
  int64_t length = 0;
  for (char over_here : over) {
    ++length;
    if (!over_here) continue;
    lengths.push_back(length);
    length = 0;
  }
  return lengths;
}

DqnDraws dqn_draws(const DqnOptions& options, int64_t steps) {
  std::vector<Tensor> acts, begins, picks;
  for (int64_t i = 0; i < steps; ++i) {
    Tensor at = constant(i);
    acts.push_back(DrawAct(options, at));
    begins.push_back(DrawBegin(options, at));
    picks.push_back(DrawPick(options, at));
  }
  return {stack(acts), stack(begins), stack(picks)};
}

Dqn::Dqn(const DqnOptions& options) : options_(options) {
  const int64_t h = options.hidden;
  for (auto [net, name] :
       {std::pair(&network_, "network"), std::pair(&target_, "target")}) {
    NameScope scope(name);
    *net = {variable(Weight(Seed(options, kFirst), 4, h), "w1"),
            variable(zeros({h}), "b1"),
            variable(Weight(Seed(options, kSecond), h, 2), "w2"),
            variable(zeros({2}), "b2")};
  }
  buffer_ = variable(zeros({options.capacity, kRow}), "buffer");
  adam_ = std::make_shared<optim::Adam>(optim::AdamOptions{.lr = options.lr});
}

Dqn::Now Dqn::begin() const {
  return {DrawBegin(options_, constant(int64_t{-1})), constant(int64_t{0})};
}

// The value of both actions in each of the states.
Tensor Dqn::Values(const std::vector<Variable>& net, const Tensor& states) {
  Tensor hidden = relu(matmul(states, net[0]) + net[1]);
  return matmul(hidden, net[2]) + net[3];
}

Tensor Dqn::act(const Tensor& i, const Tensor& state) const {
  auto last = static_cast<float>(options_.last_epsilon);
  Tensor epsilon =
      maximum(1.0f - cast(i, f32) / static_cast<float>(options_.explore), last);
  std::vector<Tensor> draw = unstack(DrawAct(options_, i), 2);
  Tensor best = argmax(Values(network_, reshape(state, {1, 4})));
  return where(draw[0] < epsilon, cast(draw[1] < 0.5f, i64), reshape(best, {}));
}

Dqn::World Dqn::move(const Tensor& i, const Now& now,
                     const Tensor& action) const {
  World world;
  world.outcome = CartPole::push(now.state, action);
  Tensor age = now.age + 1;
  world.over = logical_or(world.outcome.fell, age >= options_.longest);
  std::tie(world.next.state, world.next.age) = cond(
      world.over,
      [&] { return std::tuple(DrawBegin(options_, i), zeros_like(age)); },
      [&] { return std::tuple(world.outcome.state, age); });
  return world;
}

Operation Dqn::store(const Tensor& i, const Tensor& state, const Tensor& action,
                     const CartPole::Outcome& outcome) const {
  Tensor rest =
      stack({cast(action, f32), outcome.reward, cast(outcome.fell, f32)});
  Tensor at = reshape(mod(i, options_.capacity), {1});
  return buffer_.scatter_update(at, concat({state, outcome.state, rest}));
}

Dqn::Learned Dqn::learn(const Tensor& i) const {
  Tensor seen = cast(minimum(i + 1, options_.capacity), f32);
  Tensor pick = cast(DrawPick(options_, i) * seen, i64);
  std::vector<Tensor> parts =
      split_v(gather(buffer_, pick), kParts, {.axis = 1});
  Tensor states = parts[0], nexts = parts[1], actions = parts[2];
  Tensor rewards = parts[3], fell = parts[4];
  // What the actions were worth, as the target network sees it.
  Tensor later = max(Values(target_, nexts), {.axes = {1}, .keep_dims = true});
  auto gamma = static_cast<float>(options_.gamma);
  Tensor worth = rewards + gamma * (1.0f - fell) * later;
  Tensor chosen =
      take_along(Values(network_, states), cast(actions, i64), {.axis = 1});
  Tensor loss = huber_loss(chosen, worth.detach());
  return {loss, adam_->minimize(loss, network_)};
}

std::vector<Operation> Dqn::sync() const {
  std::vector<Operation> copies;
  for (size_t k = 0; k < network_.size(); ++k) {
    copies.push_back(target_[k].assign(network_[k].read()));
  }
  return copies;
}

Dqn::Outcome Dqn::step(const Tensor& i, const Now& now) const {
  Tensor action = act(i, now.state);
  World world = move(i, now, action);
  store(i, now.state, action, world.outcome);
  Tensor loss = cond(
      i >= options_.warm_up, [&] { return learn(i).loss; },
      [&] { return constant(0.0f); });
  cond(equal(mod(i, options_.sync_every), int64_t{0}), [&] { sync(); }, [] {});
  return {world.next, action, world.outcome.reward, world.over, loss};
}

}  // namespace sluice::loops
