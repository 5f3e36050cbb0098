// Random graphs with control flow, for tests: from a seed always the same one.
//
// Structured graphs nest If, Case, While and calls (recursive ones, too) that
// read what is around them, return what they were given, draw random numbers,
// carry vectors and lists that grow, and read and write variables. Raw graphs
// are made of the primitives: conditionals, loops and single passes through
// frames, in one another, also on branches not taken. All of them end within a
// few hundred iterations, and none fails.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct RandomFlow {
  std::unique_ptr<Graph> graph;
  std::vector<Array> args;
};

// What a structured graph may hold besides branches, loops and lists.
struct FlowContents {
  bool state = true;  // variables, read and written
  bool calls = true;
};
RandomFlow MakeStructuredFlow(uint32_t seed);
RandomFlow MakeFlowOf(FlowContents contents, uint32_t seed);
RandomFlow MakeRawFlow(uint32_t seed);

// All loops and frames get this bound.
void SetParallel(Graph& graph, int64_t parallel);
// How often each op occurs, regions included.
void CountOps(const Region& region, std::map<std::string, int>& counts);

// What the generators' values are: a scalar of f32, a vector of f32 of unknown
// length, a scalar of i32, a scalar of bool, a list of scalars of f32.
enum class FlowKind : uint8_t { kFloat, kVector, kInt, kBool, kList };
inline constexpr int kNumFlowKinds = 5;
ValueType TypeOf(FlowKind kind);

// Draws, and straight-line ops of those kinds that never fail.
class FlowDice {
 public:
  explicit FlowDice(uint32_t seed) : random_(seed) {}
  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  bool Chance(int percent) { return Pick(100) < percent; }
  FlowKind Kind() {
    constexpr FlowKind kinds[] = {FlowKind::kFloat,  FlowKind::kFloat,
                                  FlowKind::kVector, FlowKind::kInt,
                                  FlowKind::kInt,    FlowKind::kList};
    return kinds[Pick(6)];
  }
  template <class T>
  const T& Of(const std::vector<T>& items) {
    return items[static_cast<size_t>(Pick(static_cast<int>(items.size())))];
  }
  // A small value of that kind; of a list, a vector to be unstacked.
  Array Constant(FlowKind kind);

 private:
  std::mt19937 random_;
};

// One op: what it takes and gives.
struct FlowOp {
  const char* op;
  std::vector<FlowKind> inputs;
  FlowKind output;
  Attrs attrs{};
};
// All there are. Ints stay small when followed by an And with 7.
const std::vector<FlowOp>& FlowOps();

}  // namespace sluice
