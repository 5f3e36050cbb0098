// Dqn: an agent that learns the value of actions from what it has seen
// (cart_pole.h), with a replay buffer and a slowly following target network.
//
// Every piece is a few ops on variables, so the same code runs in three ways
// with the same numbers bit by bit: DqnLoop has world, choice, buffer, training
// and target in one loop of a graph, and one run does any number of steps;
// DqnClient runs the pieces one by one, as a program around a session would;
// and without a graph Dqn::step() runs at once. What is random depends on the
// number of the step alone (keyed_uniform), whoever counts it.
//
//   sl::loops::DqnLoop agent({.seed = 1});
//   sl::loops::DqnLog log = agent.run(3000);
#pragma once

#include <sluice/sluice.h>

#include <memory>
#include <vector>

#include "examples/loops/cart_pole.h"

namespace sluice::loops {

struct DqnOptions {
  int64_t hidden = 32, batch = 16;
  int64_t capacity = 2048;   // steps the buffer remembers
  int64_t warm_up = 64;      // steps before training begins
  int64_t sync_every = 100;  // steps between copies to the target network
  int64_t longest = 200;     // steps of an episode
  int64_t explore = 800;     // steps until most actions are chosen, not drawn
  double last_epsilon = 0.02, gamma = 0.98, lr = 2e-3;
  int64_t seed = 1;
};

// What happened, one entry for each step.
struct DqnLog {
  std::vector<int64_t> actions;
  std::vector<float> rewards, losses;
  std::vector<char> over;  // not 0: an episode ended there

  bool operator==(const DqnLog&) const = default;
  // Steps of the episodes that ended, in order.
  std::vector<int64_t> episodes() const;
};

// The random numbers of the first steps, for programs that follow along.
struct DqnDraws {
  Tensor acts, begins, picks;  // f32[steps, 2], [steps, 4], [steps, batch]
};
DqnDraws dqn_draws(const DqnOptions& options, int64_t steps);

class Dqn {
 public:
  // Where the agent is: the world's state, and steps since the episode began.
  struct Now {
    Tensor state, age;
  };
  struct Outcome {
    Now next;
    Tensor action, reward, over, loss;
  };
  struct World {
    CartPole::Outcome outcome;
    Now next;
    Tensor over;
  };
  struct Learned {
    Tensor loss;
    Operation done;
  };

  // Makes the variables: in the open graph, or imperative ones.
  explicit Dqn(const DqnOptions& options);

  Now begin() const;
  // The pieces. `i` is the number of the step, i64.
  Tensor act(const Tensor& i, const Tensor& state) const;
  World move(const Tensor& i, const Now& now, const Tensor& action) const;
  Operation store(const Tensor& i, const Tensor& state, const Tensor& action,
                  const CartPole::Outcome& outcome) const;
  Learned learn(const Tensor& i) const;
  std::vector<Operation> sync() const;
  // All of them, one after the other.
  Outcome step(const Tensor& i, const Now& now) const;

  const DqnOptions& options() const { return options_; }
  // Weights and biases of both layers.
  const std::vector<Variable>& network() const { return network_; }

 private:
  static Tensor Values(const std::vector<Variable>& net, const Tensor& states);

  DqnOptions options_;
  std::vector<Variable> network_, target_;
  Variable buffer_;
  std::shared_ptr<optim::Adam> adam_;
};

// A graph of its own, a session, and where the agent is between runs. One
// thread at a time.
class DqnRunner {
 public:
  virtual ~DqnRunner() = default;
  // So many steps more.
  virtual DqnLog run(int64_t steps) = 0;

 protected:
  explicit DqnRunner(const DqnOptions& options);
  // To be called when the graph is complete.
  void Start(int threads);

  Graph graph_;
  std::unique_ptr<Dqn> agent_;
  std::unique_ptr<Session> session_;
  int64_t i_ = 0;
  Array state_, age_;
};

// Everything in one loop.
class DqnLoop : public DqnRunner {
 public:
  explicit DqnLoop(const DqnOptions& options, int threads = 1);
  DqnLog run(int64_t steps) override;

 private:
  Callable run_;
};

// A run of the session for each piece. `prepared`: without the lookup of feeds
// and fetches that Session::run does.
class DqnClient : public DqnRunner {
 public:
  explicit DqnClient(const DqnOptions& options, bool prepared = false,
                     int threads = 1);
  DqnLog run(int64_t steps) override;

 private:
  struct Piece {
    std::vector<Fetch> fetches, feeds;
    std::vector<Operation> targets;
    Callable prepared;
  };
  std::vector<Array> Run(const Piece& piece, const std::vector<Array>& values);

  const bool prepared_;
  Piece act_, move_, store_, learn_, sync_;
};

}  // namespace sluice::loops
