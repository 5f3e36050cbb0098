// Structured graphs.
#include "sluice/base/strings.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {

namespace {

using Kinds = std::vector<FlowKind>;

struct FlowFunction {
  Value handle;
  Kinds takes, gives;  // the first parameter bounds the recursion
  int64_t cost = 0;    // statements that one call may run
};

// A region under construction, and the values its nodes may use.
struct Code {
  Region* region;
  std::vector<Value> values[kNumFlowKinds];
  std::vector<FlowFunction> functions;
  std::vector<Node*> targets;
  int depth = 0;
  int64_t runs = 1;  // maximum runs per run of the enclosing function

  std::vector<Value>& of(FlowKind kind) {
    return values[static_cast<size_t>(kind)];
  }
};

constexpr int kMaxTrips = 3;
constexpr int64_t kMaxCost = 1000;

class Maker {
 public:
  Maker(uint32_t seed, FlowContents contents)
      : dice_(seed),
        contents_(contents),
        graph_(std::make_unique<Graph>("structured")) {}

  RandomFlow Make() {
    budget_ = 12 + dice_.Pick(50);
    RandomFlow flow;
    Code root{&graph_->root(), {}, {}, {}, 0};
    const FlowKind args[] = {FlowKind::kFloat, FlowKind::kVector,
                             FlowKind::kInt, FlowKind::kBool};
    for (FlowKind kind : args) {
      flow.args.push_back(dice_.Constant(kind));
      root.of(kind).push_back(*graph_->AddArg(
          graph_->root(), StrCat("a", flow.args.size()), TypeOf(kind)));
    }
    if (contents_.state) MakeVariables(root);
    while (budget_ > 0) Statement(root);
    std::vector<Value> results;
    for (const FlowKind kind : args) results.push_back(root.of(kind).back());
    for (int i = 0; i < 3; ++i) results.push_back(Any(root, dice_.Kind()));
    results.push_back(Any(root, FlowKind::kList));
    for (Value& v : results) {
      if (v.dtype() == DType::kList) v = Stack(root, v);
    }
    // Last in program order: the state left by everything else.
    for (size_t i = 0; i < variables_.size(); ++i) {
      results.push_back(Read(root, i));
    }
    graph_->SetResults(graph_->root(), std::move(results));
    graph_->SetTargets(graph_->root(), std::move(root.targets));
    flow.graph = std::move(graph_);
    return flow;
  }

 private:
  Node* Add(Code& code, std::string_view op, const std::vector<Value>& inputs,
            const Attrs& attrs = {}) {
    Result<Node*> node = graph_->Add(*code.region, op, inputs, attrs);
    if (!node.ok())
      CheckFailed(__FILE__, __LINE__, node.status().message().c_str());
    return *node;
  }
  Value Constant(Code& code, FlowKind kind) {
    Value v =
        Add(code, "Const", {}, {{"value", dice_.Constant(kind)}})->output();
    return kind == FlowKind::kList ? Add(code, "ListUnstack", {v})->output()
                                   : v;
  }
  Value Stack(Code& code, Value list) {
    Attrs attrs = {{"dtype", DType::kF32}, {"shape", PartialShape(Shape())}};
    return Add(code, "ListStack", {list}, attrs)->output();
  }
  Value Number(Code& code, int32_t n) {
    return Add(code, "Const", {}, {{"value", Array::Scalar<int32_t>(n)}})
        ->output();
  }
  // Recent values are more likely.
  Value Any(Code& code, FlowKind kind) {
    std::vector<Value>& of = code.of(kind);
    if (of.empty() || dice_.Chance(8)) return Constant(code, kind);
    if (dice_.Chance(40)) return dice_.Of(of);
    size_t back = static_cast<size_t>(dice_.Pick(3));
    return of[of.size() - 1 - std::min(back, of.size() - 1)];
  }
  Value Small(Code& code, int32_t mask) {
    return Add(code, "BitwiseAnd",
               {Any(code, FlowKind::kInt), Number(code, mask)})
        ->output();
  }
  Kinds SomeKinds(int least, int most) {
    Kinds kinds;
    int n = least + dice_.Pick(most - least + 1);
    for (int i = 0; i < n; ++i) kinds.push_back(dice_.Kind());
    return kinds;
  }
  static std::vector<DType> DTypes(const Kinds& kinds) {
    std::vector<DType> dtypes;
    for (FlowKind kind : kinds) dtypes.push_back(TypeOf(kind).dtype);
    return dtypes;
  }
  void SetOutputs(Node& node, const Kinds& kinds) {
    std::vector<ValueType> types;
    for (FlowKind kind : kinds) types.push_back(TypeOf(kind));
    graph_->SetOutputs(node, types);
  }
  void Learn(Code& code, Node& node, const Kinds& kinds) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      code.of(kinds[i]).push_back(node.output(static_cast<int>(i)));
    }
  }

  // --- Variables -------------------------------------------------------
  void MakeVariables(Code& root) {
    const FlowKind kinds[] = {FlowKind::kFloat, FlowKind::kFloat,
                              FlowKind::kVector};
    for (FlowKind kind : kinds) {
      Attrs attrs = {{"dtype", DType::kF32}, {"shape", TypeOf(kind).shape}};
      Value handle = Add(root, "Variable", {}, attrs)->output();
      variables_.push_back({handle, kind});
      root.targets.push_back(
          Add(root, "Assign", {handle, Constant(root, kind)}));
    }
  }
  Value Read(Code& code, size_t i) {
    auto [handle, kind] = variables_[i];
    Attrs attrs = {{"dtype", DType::kF32}, {"shape", TypeOf(kind).shape}};
    return Add(code, "ReadVariable", {handle}, attrs)->output();
  }
  void State(Code& code) {
    size_t i = static_cast<size_t>(dice_.Pick(3));
    FlowKind kind = variables_[i].second;
    if (dice_.Chance(50)) {
      code.of(kind).push_back(Read(code, i));
      return;
    }
    bool add = kind == FlowKind::kFloat && dice_.Chance(50);
    code.targets.push_back(Add(code, add ? "AssignAdd" : "Assign",
                               {variables_[i].first, Any(code, kind)}));
  }

  // --- Code ------------------------------------------------------------
  void Statement(Code& code) {
    --budget_;
    cost_.back() += code.runs;
    int draw = dice_.Pick(100);
    if (draw < 12 && !contents_.state) draw = 99;
    if (draw < 12) {
      State(code);
    } else if (draw < 17) {
      Attrs attrs = {{"shape", PartialShape(Shape())}};
      code.of(FlowKind::kFloat)
          .push_back(Add(code, "RandomUniform", {}, attrs)->output());
    } else if (code.depth < 3 && draw < 25) {
      Branch(code, false);
    } else if (code.depth < 3 && draw < 29) {
      Branch(code, true);
    } else if (code.depth < 3 && draw < 38) {
      Loop(code);
    } else if (contents_.calls && code.depth < 2 && draw < 42) {
      Function(code);
    } else if (!code.functions.empty() && draw < 48) {
      Call(code);
    } else if (draw < 55) {
      Grow(code);
    } else if (draw < 60) {
      Pop(code);
    } else {
      const FlowOp& op = dice_.Of(FlowOps());
      std::vector<Value> inputs;
      for (FlowKind kind : op.inputs) inputs.push_back(Any(code, kind));
      Value out = Add(code, op.op, inputs, op.attrs)->output();
      if (op.output == FlowKind::kInt) {
        out = Add(code, "BitwiseAnd", {out, Number(code, 7)})->output();
      }
      code.of(op.output).push_back(out);
    }
  }

  // A vector that is one element longer, or shifted with the same length.
  void Grow(Code& code) {
    using Ints = std::vector<int64_t>;
    Value one = Add(code, "ExpandDims", {Any(code, FlowKind::kFloat)},
                    {{"axis", int64_t{0}}})
                    ->output();
    Value v =
        Add(code, "Concat", {Any(code, FlowKind::kVector), one})->output();
    if (dice_.Chance(50)) {
      v = Add(code, "Slice", {v}, {{"begin", Ints{1}}, {"size", Ints{-1}}})
              ->output();
    }
    code.of(FlowKind::kVector).push_back(v);
  }

  // The last element of a list, and the list without it or before that.
  void Pop(Code& code) {
    Attrs attrs = {{"dtype", DType::kF32}, {"shape", PartialShape(Shape())}};
    Value list = Add(code, "ListAppend",
                     {Any(code, FlowKind::kList), Any(code, FlowKind::kFloat)})
                     ->output();
    Node* pop = Add(code, "ListPop", {list}, attrs);
    code.of(FlowKind::kFloat).push_back(pop->output(1));
    code.of(FlowKind::kList).push_back(dice_.Chance(50) ? pop->output() : list);
    Value first =
        Add(code, "ListGet", {list, Number(code, 0)}, attrs)->output();
    code.of(FlowKind::kFloat).push_back(first);
  }

  // Fills the inner code, which ends by yielding these kinds.
  void Fill(Code inner, const Kinds& gives, std::vector<Value> first = {}) {
    for (int n = dice_.Pick(6); n > 0 && budget_ > 0; --n) Statement(inner);
    for (size_t i = first.size(); i < gives.size(); ++i) {
      first.push_back(Any(inner, gives[i]));
    }
    graph_->SetResults(*inner.region, std::move(first));
    graph_->SetTargets(*inner.region, std::move(inner.targets));
  }
  Code Inside(const Code& around, Region* region, const Kinds& args = {}) {
    Code inner = around;
    inner.region = region;
    inner.targets.clear();
    ++inner.depth;
    for (size_t i = 0; i < args.size(); ++i) {
      inner.of(args[i]).push_back(
          *graph_->AddArg(*region, StrCat("x", i), TypeOf(args[i])));
    }
    return inner;
  }

  void Branch(Code& code, bool many) {
    Kinds gives = SomeKinds(0, 3);
    int count = many ? 2 + dice_.Pick(3) : 2;
    Attrs attrs = {{"dtypes", DTypes(gives)}};
    if (many) attrs.set("has_default", count < 4 || dice_.Chance(30));
    Value chooser = many ? Small(code, 3) : Any(code, FlowKind::kBool);
    Node* node = Add(code, many ? "Case" : "If", {chooser}, attrs);
    for (int i = 0; i < count; ++i) {
      std::string label = node->op().RegionLabel(static_cast<size_t>(i));
      Fill(Inside(code, *graph_->AddRegion(*node, label)), gives);
    }
    Finish(code, *node, gives);
  }

  void Finish(Code& code, Node& node, const Kinds& gives) {
    SetOutputs(node, gives);
    Learn(code, node, gives);
    code.targets.push_back(&node);  // for its inner effects
  }

  void Loop(Code& code) {
    Kinds carried = SomeKinds(0, 3);
    carried.insert(carried.begin(), FlowKind::kInt);
    std::vector<Value> inits = {Number(code, 0)};
    for (size_t i = 1; i < carried.size(); ++i) {
      inits.push_back(Any(code, carried[i]));
    }
    Attrs attrs = {{"dtypes", DTypes(carried)}};
    if (dice_.Chance(20)) attrs.set("maximum", int64_t{dice_.Pick(4)});
    Value limit = Small(code, kMaxTrips);
    Node* node = Add(code, "While", inits, attrs);
    Region* cond = *graph_->AddRegion(*node, "cond");
    Code test = Inside(code, cond, carried);
    test.runs *= kMaxTrips + 1;
    Value go = Add(test, "Less", {cond->arg(0), limit})->output();
    if (dice_.Chance(30)) {
      go = Add(test, "LogicalAnd", {go, Any(test, FlowKind::kBool)})->output();
    }
    Fill(test, {FlowKind::kBool}, {go});
    Region* body = *graph_->AddRegion(*node, "body");
    Code inner = Inside(code, body, carried);
    inner.runs *= kMaxTrips;
    Value next = Add(inner, "Add", {body->arg(0), Number(inner, 1)})->output();
    Fill(inner, carried, {next});
    Finish(code, *node, carried);
  }

  void Function(Code& code) {
    FlowFunction made;
    made.takes = SomeKinds(0, 2);
    made.takes.insert(made.takes.begin(), FlowKind::kInt);
    made.gives = SomeKinds(1, 2);
    Node* node = Add(code, "Function", {});
    made.handle = node->output();
    Region* body = *graph_->AddRegion(*node, "body");
    Code inner = Inside(code, body, made.takes);
    inner.runs = 1;
    cost_.push_back(1);
    bool recursive = dice_.Chance(50);
    if (recursive) {
      Recursion(inner, made);
    } else {
      Fill(inner, made.gives);
    }
    made.cost = cost_.back() * (recursive ? kMaxTrips + 1 : 1);
    cost_.pop_back();
    code.functions.push_back(made);
  }

  // body(k, ...): k > 0 ? body(k - 1, ...) : other code.
  void Recursion(Code& body, const FlowFunction& self) {
    Value k = body.region->arg(0);
    Value more = Add(body, "Less", {Number(body, 0), k})->output();
    Node* node = Add(body, "If", {more}, {{"dtypes", DTypes(self.gives)}});
    Code then = Inside(body, *graph_->AddRegion(*node, "then"));
    Value less = Add(then, "Sub", {k, Number(then, 1)})->output();
    Node* call = AddCall(then, self, less);
    std::vector<Value> results;
    for (int i = 0; i < call->num_outputs(); ++i) {
      results.push_back(call->output(i));
    }
    Fill(then, self.gives, std::move(results));
    Fill(Inside(body, *graph_->AddRegion(*node, "else")), self.gives);
    Finish(body, *node, self.gives);
    std::vector<Value> gives;
    for (int i = 0; i < node->num_outputs(); ++i) {
      gives.push_back(node->output(i));
    }
    Fill(body, self.gives, std::move(gives));
  }

  Node* AddCall(Code& code, const FlowFunction& function, Value first) {
    std::vector<Value> inputs = {function.handle, first};
    for (size_t i = 1; i < function.takes.size(); ++i) {
      inputs.push_back(Any(code, function.takes[i]));
    }
    std::vector<PartialShape> shapes;
    for (FlowKind kind : function.gives) shapes.push_back(TypeOf(kind).shape);
    Node* node = Add(code, "Call", inputs,
                     {{"dtypes", DTypes(function.gives)}, {"shapes", shapes}});
    code.targets.push_back(node);
    return node;
  }
  void Call(Code& code) {
    FlowFunction function = dice_.Of(code.functions);
    // Nested calls in loops soon take too long.
    if (cost_.back() + code.runs * function.cost > kMaxCost) return;
    cost_.back() += code.runs * function.cost;
    Node* node = AddCall(code, function, Small(code, kMaxTrips));
    Learn(code, *node, function.gives);
  }

  FlowDice dice_;
  const FlowContents contents_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::pair<Value, FlowKind>> variables_;
  std::vector<int64_t> cost_ = {0};  // of the functions under construction
  int budget_ = 0;
};

}  // namespace

RandomFlow MakeStructuredFlow(uint32_t seed) { return MakeFlowOf({}, seed); }

RandomFlow MakeFlowOf(FlowContents contents, uint32_t seed) {
  return Maker(seed, contents).Make();
}

}  // namespace sluice
