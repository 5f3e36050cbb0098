// An agent that learns to hold a pole upright, wholly inside one loop of a
// graph: world, choice of actions, replay buffer, training and target network.
// The same agent, driven step by step from here, does the same bit by bit.
//
// Prints:
//   in the graph and from the client, 500 steps are the same: yes
//   steps until the pole falls, at first: 15 to 25
//   steps until it falls or 200 are over, at last: more than 150
#include "examples/loops/dqn.h"

#include <cstdio>

namespace {

double Mean(const std::vector<int64_t>& lengths, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += static_cast<double>(lengths[i]);
  return sum / static_cast<double>(end - begin);
}

}  // namespace

int main() {
  sluice::loops::DqnLoop loop({.seed = 1});
  sluice::loops::DqnClient client({.seed = 1});
  sluice::loops::DqnLog log = loop.run(500);
  bool same = log == client.run(500);
  std::printf("in the graph and from the client, 500 steps are the same: %s\n",
              same ? "yes" : "no");

  std::vector<int64_t> first = log.episodes(), last = loop.run(6000).episodes();
  double before = Mean(first, 0, 10);
  double after = Mean(last, last.size() - 10, last.size());
  std::printf("steps until the pole falls, at first: %s\n",
              before > 15 && before < 25 ? "15 to 25" : "others");
  std::printf("steps until it falls or 200 are over, at last: %s\n",
              after > 150 ? "more than 150" : "fewer");
}
