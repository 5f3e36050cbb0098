#include "sluice/trace/rows_on_ways.h"

#include <algorithm>

#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"

namespace sluice::front_internal {

namespace {

// The possible forms of a gradient, over all paths.
constexpr unsigned kNone = 1, kRows = 2, kDense = 4;

// The sum of two gradients: dense if one is, else rows if one is.
unsigned Plus(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned x : {kNone, kRows, kDense}) {
    for (unsigned y : {kNone, kRows, kDense}) {
      if ((a & x) && (b & y)) sum |= std::max(x, y);
    }
  }
  return sum;
}

bool Reads(std::span<const Value> values, const Value& table) {
  return std::find(values.begin(), values.end(), table) != values.end();
}

// Rows come with indices. User code is not tried out.
bool MayGiveRows(const Node& node) {
  if (!node.op().grad || node.op().role == Role::kCustomGradient) return false;
  for (const Value& in : node.inputs()) {
    if (kIndices.contains(in.dtype())) return true;
  }
  return false;
}

// The form that the rule of a node's op returns for the table, by a dry run.
unsigned ByRule(const Node& node, const Value& table) {
  if (!node.op().grad) return kNone;
  if (!MayGiveRows(node)) return kDense;
  Graph graph("probe");
  std::vector<Value> args, dy;
  std::vector<bool> wants;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& in = node.input(i);
    Result<Value> arg = graph.AddArg(graph.root(), StrCat("x", i), in.type());
    if (!arg.ok()) return kDense;
    args.push_back(*arg);
    wants.push_back(in == table);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    dy.emplace_back();
    if (!CarriesGradient(node.output_type(i).dtype)) continue;
    Result<Value> arg =
        graph.AddArg(graph.root(), StrCat("dy", i), node.output_type(i));
    if (!arg.ok()) return kDense;
    dy.back() = *arg;
  }
  Result<Node*> twin =
      graph.Add(graph.root(), node.op().name, args, node.attrs());
  if (!twin.ok()) return kDense;
  GraphGradContext context(graph, **twin, dy, wants);
  node.op().grad(context);
  if (!context.status().ok()) return kDense;
  unsigned all = kNone;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input(i) != table || !context.gradient(i)) continue;
    all = Plus(all, context.gradient_rows(i) ? kRows : kDense);
  }
  return all;
}

// `looping`: for a loop, whose gradient takes dense gradients from branches.
unsigned In(const Region& region, const Value& table, bool looping) {
  unsigned all = kNone;
  for (const Node* node : region.nodes()) {
    if (node->regions().empty()) {
      if (!node->is_args() && Reads(node->inputs(), table)) {
        all = Plus(all, ByRule(*node, table));
      }
      continue;
    }
    // Carried by a loop, or passed to a function.
    if (Reads(node->inputs(), table)) all = Plus(all, kDense);
    if (!Reads(InputsWithCaptures(*node), table)) continue;
    bool branch = node->op().flow == Flow::kBranch;
    bool loop = looping || node->op().flow == Flow::kLoop;
    unsigned inside = branch ? 0 : kNone;
    for (const auto& inner : node->regions()) {
      unsigned its = In(*inner, table, loop);
      if (Reads(inner->results(), table)) its = Plus(its, kDense);
      inside = branch ? inside | its : inside | Plus(kNone, its);
    }
    if (branch && looping && (inside & kRows)) inside |= kDense;
    all = Plus(all, inside);
  }
  return all;
}

bool SomeRows(const Region& region, const Value& table) {
  for (const Node* node : region.nodes()) {
    if (!node->is_args() && Reads(node->inputs(), table) &&
        MayGiveRows(*node) && ByRule(*node, table) == kRows) {
      return true;
    }
    for (const auto& inner : node->regions()) {
      if (SomeRows(*inner, table)) return true;
    }
  }
  return false;
}

}  // namespace

bool RowsOnSomeWays(const Graph& graph, const Value& table) {
  if (!SomeRows(graph.root(), table)) return false;
  unsigned all = In(graph.root(), table, /*looping=*/false);
  return (all & kRows) && (all & kDense);
}

bool DenseOnAllWays(const Graph& graph, const Value& table) {
  return In(graph.root(), table, /*looping=*/false) == kDense;
}

}  // namespace sluice::front_internal
