// Random programs with conditionals, loops, functions, state and random numbers
// must mean the same before and after the pipeline.
#include <map>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/passes/pass_test_util.h"
#include "sluice/passes/pipeline.h"

namespace sluice {
namespace {

// Values in scope, by type: f32[2], i32[] and bool[].
struct Scope {
  std::vector<Value> floats, ints, bools;
};

class ProgramMaker {
 public:
  explicit ProgramMaker(uint32_t seed)
      : random_(seed), graph_(std::make_unique<Graph>("random")) {}

  std::unique_ptr<Graph> Make() {
    Region& root = graph_->root();
    Scope scope;
    scope.floats.push_back(
        *graph_->AddArg(root, "x", {DType::kF32, Shape({2})}));
    scope.ints.push_back(*graph_->AddArg(root, "n", {DType::kI32, Shape()}));
    scope.bools.push_back(*graph_->AddArg(root, "p", {DType::kBool, Shape()}));
    variable_ = Add(root, "Variable", {},
                    {{"dtype", DType::kF32}, {"shape", PartialShape{2}}});
    Run(root, "Assign", {variable_, scope.floats[0]});
    Constants(root, scope);
    Fill(root, scope, 3 + Pick(8), 0);
    Value last = Add(root, "ReadVariable", {variable_}, Reading());
    graph_->SetResults(root, {Any(scope.floats), Any(scope.floats),
                              Any(scope.ints), Any(scope.bools), last});
    return std::move(graph_);
  }

 private:
  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  // Recent values are more likely.
  Value Any(const std::vector<Value>& values) {
    int n = static_cast<int>(values.size());
    int at = Pick(3) ? n - 1 - Pick(std::min(n, 3)) : Pick(n);
    return values[static_cast<size_t>(at)];
  }
  static Attrs Reading() {
    return {{"dtype", DType::kF32}, {"shape", PartialShape{2}}};
  }

  Node* Run(Region& region, std::string_view op, std::vector<Value> inputs,
            const Attrs& attrs = {}) {
    Result<Node*> node = graph_->Add(region, op, inputs, attrs);
    EXPECT_TRUE(node.ok()) << node.status().message();
    return *node;
  }
  Value Add(Region& region, std::string_view op, std::vector<Value> inputs,
            const Attrs& attrs = {}) {
    return Run(region, op, std::move(inputs), attrs)->output();
  }
  Value Const(Region& region, const Array& value) {
    return Add(region, "Const", {}, {{"value", value}});
  }

  void Constants(Region& region, Scope& scope) {
    scope.ints.push_back(Const(region, Array::Scalar(Pick(4))));
    scope.bools.push_back(Const(region, Array::Scalar(Pick(2) == 0)));
    if (Pick(2)) {
      scope.floats.push_back(Const(
          region, Array::Vector<float>({static_cast<float>(Pick(3)), 0.5f})));
    }
  }

  // Adds nodes to `region` and their values to the scope.
  void Fill(Region& region, Scope& scope, int nodes, int depth) {
    for (int i = 0; i < nodes; ++i) {
      switch (Pick(depth < 3 ? 14 : 10)) {
        case 0:
          Constants(region, scope);
          break;
        case 1:
        case 2: {
          static const char* kUnary[] = {"Neg", "Tanh", "Exp", "Relu"};
          scope.floats.push_back(
              Add(region, kUnary[Pick(4)], {Any(scope.floats)}));
          break;
        }
        case 3:
        case 4: {
          static const char* kBinary[] = {"Add", "Mul", "Maximum", "Sub"};
          scope.floats.push_back(Add(region, kBinary[Pick(4)],
                                     {Any(scope.floats), Any(scope.floats)}));
          break;
        }
        case 5:
          scope.ints.push_back(Add(region, Pick(2) ? "Add" : "Minimum",
                                   {Any(scope.ints), Any(scope.ints)}));
          break;
        case 6:
          scope.bools.push_back(
              Add(region, "Less", {Any(scope.ints), Any(scope.ints)}));
          break;
        case 7:
          scope.floats.push_back(
              Add(region, "RandomUniform", {}, {{"shape", PartialShape{2}}}));
          break;
        case 8:
          if (Pick(2)) {
            Run(region, "AssignAdd", {variable_, Any(scope.floats)});
          } else {
            scope.floats.push_back(
                Add(region, "ReadVariable", {variable_}, Reading()));
          }
          break;
        case 9:
          // May fail: the index may be out of range.
          scope.floats.push_back(Add(
              region, "Add",
              {Any(scope.floats),
               Add(region, "Gather", {Any(scope.floats), Any(scope.ints)})}));
          break;
        case 10:
        case 11:
          Branch(region, scope, depth);
          break;
        case 12:
          Loop(region, scope, depth);
          break;
        case 13:
          Function(region, scope, depth);
          break;
      }
    }
  }

  void Branch(Region& region, Scope& scope, int depth) {
    bool two = Pick(3) > 0;
    Node* node = Run(region, two ? "If" : "Case",
                     {two ? Any(scope.bools) : Any(scope.ints)},
                     two ? Attrs{{"dtypes", Types(1)}}
                         : Attrs{{"dtypes", Types(1)}, {"has_default", true}});
    for (int i = 0; i < (two ? 2 : 3); ++i) {
      Region* inner = *graph_->AddRegion(
          *node, node->op().RegionLabel(static_cast<size_t>(i)));
      Scope inside = scope;
      Fill(*inner, inside, Pick(5), depth + 1);
      graph_->SetResults(*inner, {Any(inside.ints), Any(inside.floats)});
    }
    Finish(*node, scope, 1);
  }

  // Counts to a small number, or tests something else, and always terminates.
  void Loop(Region& region, Scope& scope, int depth) {
    int carried = 1 + Pick(3);
    std::vector<Value> inputs{Any(scope.ints)};
    for (int i = 0; i < carried; ++i) inputs.push_back(Any(scope.floats));
    Node* node = Run(region, "While", inputs,
                     {{"dtypes", Types(carried)}, {"maximum", Pick(5)}});
    Region *cond = *graph_->AddRegion(*node, "cond"),
           *body = *graph_->AddRegion(*node, "body");
    for (Region* inner : {cond, body}) {
      Scope inside = scope;
      inside.ints.push_back(
          *graph_->AddArg(*inner, "i", {DType::kI32, Shape()}));
      std::vector<Value> args;
      for (int i = 0; i < carried; ++i) {
        args.push_back(
            *graph_->AddArg(*inner, StrCat("v", i), {DType::kF32, Shape({2})}));
        inside.floats.push_back(args.back());
      }
      Value counter = inside.ints.back();
      Fill(*inner, inside, Pick(inner == cond ? 3 : 6), depth + 1);
      if (inner == cond) {
        Value limit =
            Pick(2) ? Any(scope.ints) : Const(*cond, Array::Scalar(Pick(4)));
        Value less = Add(*cond, "Less", {counter, limit});
        if (!Pick(4))
          less = Add(*cond, "LogicalAnd", {Any(inside.bools), less});
        graph_->SetResults(*cond, {Pick(6) ? less : Any(inside.bools)});
        continue;
      }
      std::vector<Value> next{
          Add(*body, "Add", {counter, Const(*body, Array::Scalar(1))})};
      for (int i = 0; i < carried; ++i) {
        next.push_back(Pick(4) ? Any(inside.floats)
                               : args[static_cast<size_t>(i)]);
      }
      graph_->SetResults(*body, next);
    }
    Finish(*node, scope, carried);
  }

  void Function(Region& region, Scope& scope, int depth) {
    Node* node = Run(region, "Function", {});
    Region* body = *graph_->AddRegion(*node, "body");
    Scope inside = scope;
    inside.floats.push_back(
        *graph_->AddArg(*body, "a", {DType::kF32, Shape({2})}));
    Fill(*body, inside, Pick(4), depth + 1);
    graph_->SetResults(*body, {Any(inside.ints), Any(inside.floats)});
    graph_->MoveToEnd(*node);
    for (int i = Pick(3); i >= 0; --i) {
      Node* call = Run(region, "Call", {node->output(), Any(scope.floats)},
                       {{"dtypes", Types(1)}});
      Finish(*call, scope, 1);
    }
  }

  static std::vector<DType> Types(int floats) {
    std::vector<DType> types(static_cast<size_t>(floats) + 1, DType::kF32);
    types[0] = DType::kI32;
    return types;
  }
  // All shapes are known; outputs are in scope from here on.
  void Finish(Node& node, Scope& scope, int floats) {
    graph_->SetOutputShape(node, 0, Shape());
    scope.ints.push_back(node.output(0));
    for (int i = 1; i <= floats; ++i) {
      graph_->SetOutputShape(node, i, Shape({2}));
      scope.floats.push_back(node.output(i));
    }
    if (node.op().flow != Flow::kCall) graph_->MoveToEnd(node);
  }

  std::mt19937 random_;
  std::unique_ptr<Graph> graph_;
  Value variable_;
};

TEST(RandomRegions, ThePipelineKeepsTheMeaning) {
  constexpr uint32_t kPrograms = 500;
  int compared = 0;
  std::map<std::string, int> changes;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    std::unique_ptr<Graph> before = ProgramMaker(seed).Make();
    std::unique_ptr<Graph> after = before->Clone();
    ASSERT_TRUE(Verify(*before).ok()) << Verify(*before).message();
    PipelineOptions options;
    options.verify = true;
    Result<PassReport> report = RunPipeline(*after, options);
    ASSERT_TRUE(report.ok())
        << "seed " << seed << ": " << report.status().message();
    for (const auto& entry : report->entries)
      changes[entry.pass] += entry.changed;
    for (int n : {0, 1, 3}) {
      std::vector<Array> args{Array::Vector<float>({0.3f, -1.5f}),
                              Array::Scalar(n), Array::Scalar(n == 1)};
      std::vector<std::string> want = Meaning(*before, args);
      // A value that nobody needs might have failed.
      if (want.size() == 1) continue;
      ++compared;
      ASSERT_EQ(want, Meaning(*after, args))
          << "seed " << seed << " n " << n << "\n"
          << PrintGraph(*before) << PrintGraph(*after) << report->ToString();
    }
  }
  EXPECT_GT(compared, static_cast<int>(kPrograms));
  // The programs give every pass something to do; they do not compute with
  // lists.
  for (const auto& [pass, count] : changes) {
    bool none = pass == "infer shapes" || pass == "hoist projections" ||
                pass == "refine lists" || pass == "kept invariants";
    if (!none) {
      EXPECT_GT(count, 0) << pass;
    }
  }
}

}  // namespace
}  // namespace sluice
