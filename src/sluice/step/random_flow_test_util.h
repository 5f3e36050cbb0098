// Random graphs with control flow, for tests. A seed always yields the same
// graph.
//
// Structured graphs nest If, Case, While and calls (also recursive ones) that
// read outer values, return their arguments, draw random numbers, carry vectors
// and growing lists, and read and write variables. Raw graphs consist of
// primitives: nested conditionals, loops and single passes through frames, also
// on branches not taken. Every graph ends within a few hundred iterations, and
// none fails.
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

// Optional contents of a structured graph besides branches, loops and lists.
struct FlowContents {
  bool state = true;  // variables, read and written
  bool calls = true;
};
RandomFlow MakeStructuredFlow(uint32_t seed);
RandomFlow MakeFlowOf(FlowContents contents, uint32_t seed);
RandomFlow MakeRawFlow(uint32_t seed);

// Sets this bound on all loops and frames.
void SetParallel(Graph& graph, int64_t parallel);
// Counts the nodes of each op, including those in regions.
void CountOps(const Region& region, std::map<std::string, int>& counts);

// Kinds of generated values: an f32 scalar, an f32 vector of unknown length, an
// i32 scalar, a bool scalar, a list of f32 scalars.
enum class FlowKind : uint8_t { kFloat, kVector, kInt, kBool, kList };
inline constexpr int kNumFlowKinds = 5;
ValueType TypeOf(FlowKind kind);

// Random draws, and straight-line ops of these kinds that never fail.
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
  // A small value of that kind; for a list, a vector to be unstacked.
  Array Constant(FlowKind kind);

 private:
  std::mt19937 random_;
};

// An op with the kinds of its inputs and output.
struct FlowOp {
  const char* op;
  std::vector<FlowKind> inputs;
  FlowKind output;
  Attrs attrs{};
};
// All of them. Ints stay small if followed by an And with 7.
const std::vector<FlowOp>& FlowOps();

}  // namespace sluice
