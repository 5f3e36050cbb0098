// Random structured graphs, with nested conditionals, loops, calls, variables
// and random numbers, must give the same results compiled as interpreted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/plan/plan.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

// Every f32 value is a scalar or a vector of 4, whether or not its type states
// it, so that any two can be added.
class ProgramMaker {
 public:
  explicit ProgramMaker(uint32_t seed) : random_(seed), graph_("random") {}

  void Make() {
    Region& root = graph_.root();
    Scope scope{&root, nullptr, {}, {}, {}};
    Arg(scope, "n", DType::kI32, PartialShape::Scalar(), Array::Scalar(3));
    Arg(scope, "s", DType::kF32, PartialShape::Scalar(), Array::Scalar(0.75f));
    Array vector = Array::Vector<float>({0.5f, -1.25f, 2, 0.125f});
    Arg(scope, "v", DType::kF32, PartialShape(Shape{4}), vector);
    Arg(scope, "u", DType::kF32, PartialShape::Unknown(),
        Pick(2) ? vector : Array::Scalar(1.5f));
    variable_ = Must(graph_.Add(root, "Variable", {},
                                {{"dtype", DType::kF32},
                                 {"shape", PartialShape::Unknown()}}))
                    ->output();
    Node* first = Must(Add(scope, "Assign", {variable_, scope.values[1]}));
    scope.targets.push_back(first);
    Fill(scope, 4 + Pick(8), 0);
    Node* last =
        Must(Add(scope, "ReadVariable", {variable_}, {{"dtype", DType::kF32}}));
    std::vector<Value> results = {last->output()};
    for (int i = 0; i < 4; ++i) results.push_back(Any(scope, DType::kF32));
    results.push_back(Any(scope, DType::kI32));
    graph_.SetResults(root, results);
    graph_.SetTargets(root, scope.targets);
  }

  const Graph& graph() const { return graph_; }
  const std::vector<Array>& args() const { return args_; }
  int loops = 0, branches = 0, calls = 0, recursions = 0, writes = 0;

 private:
  struct Scope {
    Region* region;
    Scope* around;
    std::vector<Value> values;
    std::vector<Node*> functions;  // of (i32, f32) to f32
    std::vector<Node*> targets;
  };

  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  template <class T>
  static T Must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return *result;
  }
  void Arg(Scope& scope, std::string_view name, DType dtype, PartialShape shape,
           Array value) {
    scope.values.push_back(
        Must(graph_.AddArg(*scope.region, name, {dtype, shape})));
    args_.push_back(value);
  }
  Result<Node*> Add(Scope& scope, std::string_view op,
                    std::vector<Value> inputs, Attrs attrs = {}) {
    return graph_.Add(*scope.region, op, inputs, attrs);
  }
  Value Of(Scope& scope, std::string_view op, std::vector<Value> inputs,
           Attrs attrs = {}) {
    Value v = Must(Add(scope, op, std::move(inputs), attrs))->output();
    scope.values.push_back(v);
    return v;
  }
  Value Number(Scope& scope, int value) {
    return Of(scope, "Const", {}, {{"value", Array::Scalar(value)}});
  }
  // Values of the scope and of enclosing ones; nearer ones are more likely.
  Value Any(Scope& scope, DType dtype) {
    std::vector<Value> fit;
    for (Scope* s = &scope; s; s = s->around) {
      for (auto it = s->values.rbegin(); it != s->values.rend(); ++it) {
        if (it->dtype() == dtype) fit.push_back(*it);
      }
    }
    int n = static_cast<int>(fit.size());
    return fit[static_cast<size_t>(Pick(2) ? Pick(std::min(n, 4)) : Pick(n))];
  }
  Value Small(Scope& scope) {  // an i32 between 0 and 4
    Value k = Any(scope, DType::kI32);
    return Of(scope, "Mod", {Of(scope, "Abs", {k}), Number(scope, 5)});
  }
  Value Test(Scope& scope) {
    return Pick(2) ? Of(scope, "Less", {Small(scope), Number(scope, 2)})
                   : Of(scope, "Greater",
                        {Of(scope, "Sum", {Any(scope, DType::kF32)}),
                         Any(scope, DType::kF32)});
  }
  // A predicate must be a scalar; comparisons with vectors are not.
  Value Predicate(Scope& scope) { return Of(scope, "Any", {Test(scope)}); }

  void Fill(Scope& scope, int nodes, int depth) {
    for (int i = 0; i < nodes; ++i) AddSome(scope, depth);
  }

  void AddSome(Scope& scope, int depth) {
    Value x = Any(scope, DType::kF32), y = Any(scope, DType::kF32);
    Value i = Any(scope, DType::kI32), j = Any(scope, DType::kI32);
    switch (Pick(depth < 3 ? 22 : 13)) {
      case 0:
        Of(scope, "Add", {x, y});
        break;
      case 1:
        Of(scope, "Mul", {x, y});
        break;
      case 2:
        Of(scope, "Tanh", {x});
        break;
      case 3:
        Of(scope, "Sub", {x, y});
        break;
      case 4:
        Of(scope, "Sum", {x});
        break;
      case 5:
        Of(scope, "Add", {i, j});
        break;
      case 6:
        Of(scope, "Sub", {i, j});
        break;
      case 7:
        Of(scope, "Cast", {i}, {{"dtype", DType::kF32}});
        break;
      case 8:
        Of(scope, "Identity", {Pick(2) ? x : i});
        break;
      case 9:
        Of(scope, "Select", {Test(scope), x, y});
        break;
      case 10:
        Of(scope, "RandomUniform", {}, {{"shape", Shape{4}}});
        break;
      case 11:
        Of(scope, "Const", {}, {{"value", Array::Scalar(0.5f)}});
        break;
      case 12: {
        // Tanh keeps the written value small, whatever the inputs.
        Value t = Of(scope, "Tanh", {x});
        scope.targets.push_back(Must(Add(scope, "Assign", {variable_, t})));
        Of(scope, "ReadVariable", {variable_}, {{"dtype", DType::kF32}});
        ++writes;
        break;
      }
      case 13:
      case 14:
      case 15:
        AddBranch(scope, depth);
        break;
      case 16:
      case 17:
      case 18:
        AddLoop(scope, depth);
        break;
      case 19:
        AddFunction(scope, depth);
        break;
      case 20:
      case 21:
        AddCall(scope);
        break;
    }
  }

  void AddBranch(Scope& scope, int depth) {
    ++branches;
    bool two = Pick(3) > 0;
    Value chooser = two ? Predicate(scope) : Small(scope);
    std::vector<DType> dtypes;
    for (int k = Pick(3); k >= 0; --k) {
      dtypes.push_back(Pick(3) ? DType::kF32 : DType::kI32);
    }
    Attrs attrs{{"dtypes", dtypes}};
    if (!two) attrs.set("has_default", true);
    Node* node = Must(Add(scope, two ? "If" : "Case", {chooser}, attrs));
    std::vector<PartialShape> joined;
    for (int r = 0; r < (two ? 2 : 3); ++r) {
      std::string label = two ? (r ? "else" : "then") : StrCat("branch", r);
      Scope inner{Must(graph_.AddRegion(*node, label)), &scope, {}, {}, {}};
      Fill(inner, Pick(5), depth + 1);
      std::vector<Value> results;
      for (size_t k = 0; k < dtypes.size(); ++k) {
        results.push_back(Any(inner, dtypes[k]));
        const PartialShape& shape = results.back().shape();
        if (r == 0) joined.push_back(shape);
        joined[k] = JoinShapes(joined[k], shape);
      }
      graph_.SetResults(*inner.region, results);
      graph_.SetTargets(*inner.region, inner.targets);
    }
    Finish(scope, *node, joined);
  }

  // Types state everything known of the outputs, or nothing.
  void Finish(Scope& scope, Node& node, const std::vector<PartialShape>& out) {
    bool say = Pick(2) == 0;
    graph_.MoveToEnd(node);
    for (int k = 0; k < node.num_outputs(); ++k) {
      if (say && static_cast<size_t>(k) < out.size()) {
        graph_.SetOutputShape(node, k, out[static_cast<size_t>(k)]);
      }
      scope.values.push_back(node.output(k));
    }
  }

  void AddLoop(Scope& scope, int depth) {
    ++loops;
    std::vector<Value> init = {Number(scope, 0)};
    std::vector<DType> dtypes = {DType::kI32};
    for (int k = Pick(4); k >= 0; --k) {
      dtypes.push_back(Pick(3) ? DType::kF32 : DType::kI32);
      init.push_back(Any(scope, dtypes.back()));
    }
    Value end = Small(scope);
    Attrs attrs{{"dtypes", dtypes}};
    if (Pick(4) == 0) attrs.set("maximum", int64_t{Pick(4)});
    Node* node = Must(Add(scope, "While", init, attrs));
    std::vector<PartialShape> shapes;
    for (size_t k = 0; k < init.size(); ++k) {
      bool known = k == 0 || dtypes[k] == DType::kI32 || Pick(2);
      shapes.push_back(known ? init[k].shape() : PartialShape::Unknown());
    }
    auto region = [&](std::string_view label) {
      Scope inner{Must(graph_.AddRegion(*node, label)), &scope, {}, {}, {}};
      for (size_t k = 0; k < init.size(); ++k) {
        inner.values.push_back(
            Must(graph_.AddArg(*inner.region, StrCat("a", node->id(), "_", k),
                               {dtypes[k], shapes[k]})));
      }
      return inner;
    };
    Scope cond = region("cond");
    Value counter = cond.values[0];
    if (Pick(3) == 0) Fill(cond, 2, 3);
    Value test = Of(cond, "Less", {counter, end});
    graph_.SetResults(*cond.region, {test});
    graph_.SetTargets(*cond.region, cond.targets);
    Scope body = region("body");
    std::vector<Value> args = body.values;
    Fill(body, 1 + Pick(6), depth + 1);
    std::vector<Value> results = {Of(body, "Add", {args[0], Number(body, 1)})};
    for (size_t k = 1; k < init.size(); ++k) {
      Value next = args[k];
      for (int attempt = 0; attempt < 6; ++attempt) {
        Value v = Any(body, dtypes[k]);
        if (v.shape() == shapes[k] || !shapes[k].rank_known()) next = v;
      }
      results.push_back(next);
    }
    graph_.SetResults(*body.region, results);
    graph_.SetTargets(*body.region, body.targets);
    Finish(scope, *node, shapes);
  }

  void AddFunction(Scope& scope, int depth) {
    Node* node = Must(Add(scope, "Function", {}));
    Scope body{Must(graph_.AddRegion(*node, "body")), &scope, {}, {}, {}};
    Value k = Must(graph_.AddArg(*body.region, StrCat("k", node->id()),
                                 {DType::kI32, PartialShape::Scalar()}));
    Value x = Must(graph_.AddArg(*body.region, StrCat("x", node->id()),
                                 {DType::kF32, PartialShape::Unknown()}));
    body.values = {k, x};
    Fill(body, Pick(4), depth + 1);
    Value result = Any(body, DType::kF32);
    if (Pick(2)) {
      // f(k, x) = k < 1 ? ... : f(min(k, 4) - 1, ...)
      ++recursions;
      Node* branch =
          Must(Add(body, "If", {Of(body, "Less", {k, Number(body, 1)})},
                   {{"dtypes", std::vector<DType>{DType::kF32}}}));
      Scope then{Must(graph_.AddRegion(*branch, "then")), &body, {}, {}, {}};
      Fill(then, Pick(3), 3);
      graph_.SetResults(*then.region, {Any(then, DType::kF32)});
      graph_.SetTargets(*then.region, then.targets);
      Scope other{Must(graph_.AddRegion(*branch, "else")), &body, {}, {}, {}};
      Value least = Of(other, "Minimum", {k, Number(other, 4)});
      Value less = Of(other, "Sub", {least, Number(other, 1)});
      Fill(other, Pick(3), 3);
      Node* call = Must(Add(other, "Call",
                            {node->output(), less, Any(other, DType::kF32)},
                            {{"dtypes", std::vector<DType>{DType::kF32}}}));
      other.values.push_back(call->output());
      Fill(other, Pick(3), 3);
      graph_.SetResults(*other.region, {Any(other, DType::kF32)});
      graph_.SetTargets(*other.region, other.targets);
      graph_.MoveToEnd(*branch);
      result = branch->output();
    }
    graph_.SetResults(*body.region, {result});
    graph_.SetTargets(*body.region, body.targets);
    graph_.MoveToEnd(*node);
    scope.functions.push_back(node);
  }

  void AddCall(Scope& scope) {
    std::vector<Node*> known;
    for (Scope* s = &scope; s; s = s->around) {
      known.insert(known.end(), s->functions.begin(), s->functions.end());
    }
    if (known.empty()) return;
    ++calls;
    Node* f = known[static_cast<size_t>(Pick(static_cast<int>(known.size())))];
    Node* call = Must(Add(scope, "Call",
                          {f->output(), Small(scope), Any(scope, DType::kF32)},
                          {{"dtypes", std::vector<DType>{DType::kF32}}}));
    scope.values.push_back(call->output());
  }

  std::mt19937 random_;
  Graph graph_;
  Value variable_;
  std::vector<Array> args_;
};

Result<std::vector<Array>> Interpreted(const ProgramMaker& maker) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(maker.graph(), maker.args(), step);
}

Result<std::vector<Array>> Compiled(const ProgramMaker& maker,
                                    ExecutorChoice choice, bool fuse) {
  ResourceManager resources;
  PlanOptions options;
  options.executor = choice;
  options.fuse = fuse;
  options.resources = &resources;
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                      Plan::Build(maker.graph().Clone(), options));
  std::unique_ptr<Step> step = AcquireStep(*plan);
  StepRequest request;
  request.resources = &resources;
  request.step_id = 1;
  step->Begin(request);
  for (size_t i = 0; i < maker.args().size(); ++i) {
    step->Feed(static_cast<int>(i), maker.args()[i]);
  }
  step->RunUntilQuiet();
  SL_RETURN_IF_ERROR(step->Finish());
  return std::vector<Array>(step->results().begin(), step->results().end());
}

TEST(BytecodeRandom, CompiledEqualsInterpreted) {
  int loops = 0, branches = 0, calls = 0, recursions = 0, writes = 0;
  // With immediate compilation, a program takes a hundred times as long.
  const char* jit = std::getenv("SLUICE_JIT");
  uint32_t seeds = jit && std::string_view(jit) == "always" ? 100 : 400;
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    ProgramMaker maker(seed);
    maker.Make();
    ASSERT_FALSE(HasFailure());
    Status valid = Verify(maker.graph());
    ASSERT_TRUE(valid.ok()) << valid.ToString() << PrintGraph(maker.graph());
    Result<std::vector<Array>> want = Interpreted(maker);
    for (auto [choice, fuse] : {std::pair(ExecutorChoice::kAuto, true),
                                std::pair(ExecutorChoice::kTape, true),
                                std::pair(ExecutorChoice::kAuto, false)}) {
      Result<std::vector<Array>> got = Compiled(maker, choice, fuse);
      ASSERT_EQ(got.ok(), want.ok())
          << got.status().ToString() << want.status().ToString()
          << PrintGraph(maker.graph());
      if (!want.ok()) continue;
      for (size_t i = 0; i < want->size(); ++i) {
        ASSERT_TRUE((*got)[i]) << "no result " << i;
        ASSERT_TRUE((*got)[i].BitEquals((*want)[i]))
            << "result " << i << ": got " << (*got)[i].ToString() << "\nwanted "
            << (*want)[i].ToString() << "\n"
            << PrintGraph(maker.graph());
      }
    }
    ASSERT_TRUE(want.ok()) << want.status().ToString()
                           << PrintGraph(maker.graph());
    loops += maker.loops;
    branches += maker.branches;
    calls += maker.calls;
    recursions += maker.recursions;
    writes += maker.writes;
  }
  auto per_hundred = static_cast<int>(seeds / 100);
  EXPECT_GE(loops, 75 * per_hundred);
  EXPECT_GE(branches, 75 * per_hundred);
  EXPECT_GE(calls, 25 * per_hundred);
  EXPECT_GE(recursions, 25 * per_hundred);
  EXPECT_GE(writes, 50 * per_hundred);
}

}  // namespace
}  // namespace sluice
