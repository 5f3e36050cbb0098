// Every node that a pass, a gradient, batching, lowering or recording makes
// carries a device where what it was made for has one: graphs whose nodes are
// all on one device stay there wholly, and of graphs on two devices every node
// is where the one it was made for is, as its line tells, or where an operand,
// a reader or the op around it is.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"
#include "sluice/batching/batch.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/registry.h"
#include "sluice/passes/branch_results.h"
#include "sluice/passes/carried_values.h"
#include "sluice/passes/common_subexpressions.h"
#include "sluice/passes/dead_code.h"
#include "sluice/passes/decompose.h"
#include "sluice/passes/fold_branches.h"
#include "sluice/passes/fold_constants.h"
#include "sluice/passes/fold_loops.h"
#include "sluice/passes/hoist_invariants.h"
#include "sluice/passes/hoist_projections.h"
#include "sluice/passes/infer_shapes.h"
#include "sluice/passes/inline_calls.h"
#include "sluice/passes/kept_invariants.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/raise_control_flow.h"
#include "sluice/passes/raise_for_gradients.h"
#include "sluice/passes/refine_lists.h"
#include "sluice/passes/report_loops.h"
#include "sluice/passes/simplify_arithmetic.h"
#include "sluice/passes/sink_into_branches.h"
#include "sluice/passes/trap_nan.h"
#include "sluice/plan/lower_control_flow.h"
#include "sluice/step/random_flow_test_util.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr const char* kOne = "/device:sim:1";
constexpr const char* kOther = "/device:sim:0";

using Visit = std::function<void(Node&)>;
void ForEach(const Region& region, const Visit& visit) {
  for (Node* node : region.nodes()) {
    visit(*node);
    for (const auto& inner : node->regions()) ForEach(*inner, visit);
  }
}

// ---- Graphs to change ----

struct Source {
  std::string name;
  std::unique_ptr<Graph> graph;
};

void AddTexts(std::vector<Source>& sources) {
  std::set<std::filesystem::path> paths;
  for (const auto& file :
       std::filesystem::directory_iterator("tests/gradient_text")) {
    paths.insert(file.path());
  }
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    std::string text = all.str();
    Result<std::unique_ptr<Graph>> graph =
        ParseGraph(text.substr(0, text.find("\n---\n")));
    ASSERT_TRUE(graph.ok()) << path << graph.status().message();
    sources.push_back({path.filename().string(), std::move(*graph)});
  }
}

void AddRandom(std::vector<Source>& sources) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    sources.push_back(
        {StrCat("structured ", seed), MakeStructuredFlow(seed).graph});
    sources.push_back({StrCat("raw ", seed), MakeRawFlow(seed).graph});
  }
}

// Each op on its first sample, as all of a graph.
void AddSamples(std::vector<Source>& sources) {
  for (const OpRecord* op : AllOps()) {
    if (!op->pure() || !op->regions.empty()) continue;
    for (const SweepCase& c : CasesOf(*op)) {
      if (!c.first || c.sample > 1) continue;
      auto graph = std::make_unique<Graph>("sample");
      std::vector<Value> args;
      for (const Array& in : c.inputs) {
        PartialShape shape(in.shape());
        if (!kFloats.contains(in.dtype())) {
          args.push_back(
              (*graph->Add(graph->root(), "Const", {}, {{"value", in}}))
                  ->output());
          continue;
        }
        if (c.sample == 1) shape = PartialShape::OfRank(in.rank());
        args.push_back(*graph->AddArg(graph->root(), StrCat("x", args.size()),
                                      {in.dtype(), shape}));
      }
      Result<Node*> node = graph->Add(graph->root(), op->name, args, c.attrs);
      if (!node.ok()) continue;
      std::vector<Value> results;
      for (int i = 0; i < (*node)->num_outputs(); ++i) {
        results.push_back((*node)->output(i));
      }
      graph->SetResults(graph->root(), std::move(results));
      sources.push_back(
          {StrCat(op->name, " sample ", c.sample), std::move(graph)});
    }
  }
}

const std::vector<Source>& Sources() {
  static const auto* const kSources = [] {
    auto* made = new std::vector<Source>;
    AddTexts(*made);
    AddRandom(*made);
    for (std::string_view text : {kRawLoopGraph, kRecursionGraph}) {
      made->push_back({"example", std::move(*ParseGraph(text))});
    }
    AddSamples(*made);
    return made;
  }();
  return *kSources;
}

// ---- What changes them ----

// What it gives stands for the graph; null where it does not apply.
using Change = std::function<std::unique_ptr<Graph>(std::unique_ptr<Graph>)>;

Change PassOf(std::function<Status(Graph&)> pass) {
  return [pass](std::unique_ptr<Graph> graph) {
    Status status = pass(*graph);
    EXPECT_TRUE(status.ok()) << status.message();
    return graph;
  };
}

Status Differentiate(Graph& graph) {
  Region& root = graph.root();
  std::vector<Value> ys, xs;
  for (const Value& v : root.results()) {
    if (IsFloating(v.dtype())) ys.push_back(v);
  }
  for (int i = 0; i < root.num_args(); ++i) {
    if (IsFloating(root.arg(i).dtype())) xs.push_back(root.arg(i));
  }
  if (ys.empty() || xs.empty()) return InvalidArgument("no floats");
  MutexLock lock(graph.mu());
  SL_RETURN_IF_ERROR(RaiseForGradients(graph, ys, xs));
  SL_ASSIGN_OR_RETURN(
      std::vector<Value> dxs,
      Gradients(graph, ys, xs, {}, {.zeros_when_unconnected = true}));
  graph.SetResults(root, std::move(dxs));
  return OkStatus();
}

// What has no gradient is left alone: others test why.
Change GradientOf(int order) {
  return [order](std::unique_ptr<Graph> graph) -> std::unique_ptr<Graph> {
    for (int i = 0; i < order; ++i) {
      if (!Differentiate(*graph).ok()) return nullptr;
    }
    return graph;
  };
}

// The graph becomes a function of one example, run on three.
std::unique_ptr<Graph> Batched(std::unique_ptr<Graph> graph) {
  const Region& from = graph->root();
  auto out = std::make_unique<Graph>("batched");
  NodeOptions options;
  options.device = kOne;
  Result<Node*> function = out->Add(out->root(), "Function", {}, {}, options);
  Region* code = *out->AddRegion(**function, "body");
  Graph::ValueMap map;
  Graph::NodeMap nodes;
  std::vector<Lanes> lanes;
  for (int i = 0; i < from.num_args(); ++i) {
    const ValueType& type = from.arg(i).type();
    if (!IsPlainData(type.dtype) || !type.shape.rank_known() ||
        type.shape.rank() >= kMaxRank) {
      return nullptr;
    }
    map[from.arg(i)] = *out->AddArg(*code, from.arg_name(i), type);
    std::vector<int64_t> dims{3};
    for (int64_t dim : type.shape.dims()) dims.push_back(dim);
    Result<PartialShape> shape = PartialShape::Make(dims);
    if (!shape.ok()) return nullptr;
    lanes.push_back(
        {*out->AddArg(out->root(), from.arg_name(i), {type.dtype, *shape}),
         true});
  }
  if (lanes.empty() || HasPrimitives(from)) return nullptr;
  for (Node* node : from.nodes()) out->CopyNode(*node, *code, map, nodes);
  std::vector<Value> results;
  for (const Value& v : from.results()) results.push_back(map.at(v));
  out->SetResults(*code, std::move(results));
  MutexLock lock(out->mu());
  if (!BatchRegion(*out, *code, out->root(), lanes, nullptr).ok()) {
    return nullptr;
  }
  return out;
}

std::unique_ptr<Graph> LoweredGraph(std::unique_ptr<Graph> graph) {
  Result<Lowered> lowered = LowerControlFlow(
      *graph, [](const Node&) { return std::string("tokens"); });
  EXPECT_TRUE(lowered.ok()) << lowered.status().message();
  return lowered.ok() ? std::move(lowered->graph) : nullptr;
}

struct NamedChange {
  std::string name;
  Change change;
};

#define SL_PASS(call) \
  {#call, PassOf([](Graph& g) -> Status { return (call).status(); })}

std::vector<NamedChange> Changes() {
  return {
      SL_PASS(RefineShapes(g)),
      SL_PASS(RefineLists(g)),
      SL_PASS(FoldConstants(g)),
      SL_PASS(SimplifyArithmetic(g)),
      SL_PASS(InlineCalls(g)),
      SL_PASS(FoldBranches(g)),
      SL_PASS(FoldLoops(g)),
      SL_PASS(ReadKeptInvariants(g)),
      SL_PASS(DropCarriedValues(g)),
      SL_PASS(SimplifyBranchResults(g)),
      SL_PASS(HoistInvariants(g)),
      SL_PASS(HoistProjections(g, false)),
      SL_PASS(MergeCommonSubexpressions(g)),
      SL_PASS(SinkIntoBranches(g)),
      SL_PASS(RemoveDeadCode(g)),
      SL_PASS(RaiseControlFlow(g)),
      SL_PASS(TrapNan(g)),
      SL_PASS(Decompose(g, [](const Node&) { return true; })),
      SL_PASS(RunPipeline(g, {.same_bits = false})),
      {"ReportLoops", PassOf(ReportLoops)},
      {"gradient", GradientOf(1)},
      {"second gradient", GradientOf(2)},
      {"vmap", Batched},
      {"lowering", LoweredGraph},
  };
}

// ---- Checks ----

std::unique_ptr<Graph> OnOneDevice(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.Clone();
  BatchEdit edit(*copy);
  ForEach(copy->root(), [&](Node& node) { edit.SetDevice(node, kOne); });
  return copy;
}

const char* DeviceOfLine(int line) { return line % 2 ? kOne : kOther; }

// Every node gets a line of its own, and one device or the other by it.
std::unique_ptr<Graph> OnTwoDevices(const Graph& graph) {
  std::istringstream in(PrintGraph(graph, {.types = true, .lines = false}));
  std::string out;
  int number = 0;
  for (std::string line; std::getline(in, line); out += "\n") {
    size_t start = line.find_first_not_of(' ');
    if (start == line.npos || line[start] != '%') {
      out += line;
      continue;
    }
    bool opens = line.ends_with(" {");
    ++number;
    StrAppend(out, line.substr(0, line.size() - (opens ? 2 : 0)), " on \"",
              DeviceOfLine(number), "\" @ \"graph\":", number,
              opens ? " {" : "");
  }
  Result<std::unique_ptr<Graph>> parsed = ParseGraph(out);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message() << "\n" << out;
  return parsed.ok() ? std::move(*parsed) : graph.Clone();
}

// The first few nodes for which `good` does not hold.
std::string Lost(const Graph& graph,
                 const std::function<bool(const Node&)>& good) {
  std::string out;
  int found = 0;
  ForEach(graph.root(), [&](Node& node) {
    if (good(node) || ++found > 5) return;
    StrAppend(out, "  ", node.name(), " = ", node.op().name, " on \"",
              node.device(), "\"\n");
  });
  return out;
}

// Where an operand, a reader or the op around it is, through what carries
// values.
bool BesideSomething(const Node& node) {
  auto same = [&](const Node& other) {
    return other.is_args() || other.device() == node.device();
  };
  for (const Value& v : node.inputs()) {
    if (same(*v.node)) return true;
  }
  for (const Node* user : node.users()) {
    if (same(*user)) return true;
  }
  for (const auto& region : node.regions()) {
    for (const Node* inner : region->nodes()) {
      if (same(*inner)) return true;
    }
  }
  const Node* owner = node.region()->owner();
  if ((owner && same(*owner)) || (node.users().empty() && !owner)) return true;
  // A constant made for an argument, which has no line, or for several nodes:
  // its readers may all be elsewhere.
  return node.num_inputs() == 0 && !node.line().known();
}

void PrintTo(const NamedChange& change, std::ostream* out) {
  *out << change.name;
}

class DevicesKept : public testing::TestWithParam<NamedChange> {};

TEST_P(DevicesKept, NothingLeavesItsDevice) {
  const Change& change = GetParam().change;
  int changed = 0, failed = 0;
  for (const Source& source : Sources()) {
    std::unique_ptr<Graph> graph = change(OnOneDevice(*source.graph));
    if (!graph) continue;
    ++changed;
    std::string lost =
        Lost(*graph, [](const Node& n) { return n.device() == kOne; });
    if (!lost.empty() && ++failed <= 5) {
      ADD_FAILURE() << source.name << "\n" << lost;
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_GT(changed, 20);
}

TEST_P(DevicesKept, NewNodesAreWhereTheirOriginOrANeighbourIs) {
  const Change& change = GetParam().change;
  int failed = 0;
  for (const Source& source : Sources()) {
    std::unique_ptr<Graph> graph = change(OnTwoDevices(*source.graph));
    if (!graph) continue;
    std::string lost = Lost(*graph, [&](const Node& n) {
      bool origin =
          n.line().known() && n.device() == DeviceOfLine(n.line().line);
      return !n.device().empty() && (origin || BesideSomething(n));
    });
    if (!lost.empty() && ++failed <= 5) {
      ADD_FAILURE() << source.name << "\n" << lost;
    }
  }
  EXPECT_EQ(failed, 0);
}

std::string NameOf(const testing::TestParamInfo<NamedChange>& info) {
  std::string name = info.param.name.substr(0, info.param.name.find('('));
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Changes, DevicesKept, testing::ValuesIn(Changes()),
                         NameOf);

// ---- Recording ----

TEST(DevicesInScopes, WhatIsRecordedInAScopeIsOnItsDevice) {
  Graph graph;
  {
    GraphScope building(graph);
    DeviceScope on(kOne);
    Tensor x = placeholder(f32, {4});
    Tensor w = constant({1.0f, 2.0f, 3.0f, 4.0f});
    auto [i, z] = while_loop(
        [&](Tensor i, Tensor) { return i < 5; },
        [&](Tensor i, Tensor z) {
          Tensor next =
              cond(sum(z) > 0, [&] { return z * w; }, [&] { return z - w; });
          return std::tuple(i + 1, next);
        },
        constant(0), x);
    Tensor many = vmap([](Tensor v) { return tanh(v) * 2; })(z);
    Tensor first = grad(sum(many), {x})[0];
    grad(sum(first * first), {x});
  }
  EXPECT_EQ(Lost(graph, [](const Node& n) { return n.device() == kOne; }), "");
}

}  // namespace
}  // namespace sluice
