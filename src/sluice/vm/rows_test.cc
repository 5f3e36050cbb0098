// Short rows in cells must have the semantics of arrays, and exist only if all
// nodes that touch them work on cells.
#include "sluice/vm/rows.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/vm/bytecode.h"

namespace sluice {
namespace {

Array I32(int32_t x) { return Array::Scalar(x); }
Array F32(float x) { return Array::Scalar(x); }

Array Matrix(std::initializer_list<float> values) {
  Array a = *Array::Make(DType::kF32, Shape{2, 2});
  std::copy(values.begin(), values.end(), a.mutable_data<float>());
  return a;
}

std::string Explained(const Graph& graph) {
  auto code = Bytecode::Build(*graph.FindNode("w"), BytecodeOptions());
  return code.ok() ? (*code)->Explain() : code.status().ToString();
}
bool HasRows(const Graph& graph) {
  return VmRows::Of(*graph.FindNode("w")).any();
}

// Elements are extracted, reassembled and carried.
const char kPendulum[] = R"(graph g(%n: i32[], %x: f32[2]) -> (%w:1) {
  %w = While(0, %x) [dtypes = {i32, f32}] {
    cond(%i: i32[], %a: f32[2]) { %c = Less(%i, %n) yield %c }
    body(%i: i32[], %a: f32[2]) {
      %j = Add(%i, 1)
      %q1 = StridedSlice(%a) [begin = {0}, end = {1}, strides = {1}]
      %q = Squeeze(%q1) [axes = {0}]
      %v1 = StridedSlice(%a) [begin = {1}, end = {2}, strides = {1}]
      %v = Squeeze(%v1) [axes = {0}]
      %dq = Mul(%v, 0.01)
      %dv = Mul(%q, 0.01)
      %q2 = Add(%q, %dq)
      %v2 = Sub(%v, %dv)
      %b = Stack(%q2, %v2)
      yield %j, %b
    }
  }
})";

TEST(Rows, ElementsByName) {
  auto graph = MustParse(kPendulum);
  EXPECT_TRUE(HasRows(*graph));
  std::string text = Explained(*graph);
  EXPECT_NE(text.find("elements of r"), text.npos) << text;
  EXPECT_EQ(text.find("Stack"), text.npos) << text;
  for (int n : {0, 1, 2, 100}) {
    ExpectAllAgree(*graph, {I32(n), Array::Vector<float>({1, 0.5f})});
  }
}

// The entire old row is read before any of the new one is written.
TEST(Rows, ElementsTradePlaces) {
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[3]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[3]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[3]) {
        %j = Add(%i, 1)
        %first = StridedSlice(%a) [begin = {0}, end = {1}, strides = {1}]
        %rest = StridedSlice(%a) [begin = {1}, end = {3}, strides = {1}]
        %b = Concat(%rest, %first) [axis = 0]
        %k = Reverse(%b) [axes = {0}]
        %s = Add(%b, %k)
        %t = Mul(%s, 0.5)
        %d = Sub(%t, %a)
        %e = Add(%d, %b)
        yield %j, %e
      }
    }
  })");
  EXPECT_TRUE(HasRows(*graph));
  for (int n : {0, 1, 2, 7}) {
    ExpectAllAgree(*graph, {I32(n), Array::Vector<float>({1, 0.5f, -2})});
  }
}

// The row shares the scalar's cell, and the next scalar must not overwrite it
// while the row is still read.
TEST(Rows, AScalarInARowIsNotWrittenOver) {
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[]) -> (%w:1, %w:2) {
    %r0 = Stack(%x, 1.0)
    %w = While(0, %x, %r0) [dtypes = {i32, f32, f32}] {
      cond(%i: i32[], %a: f32[], %r: f32[2]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[], %r: f32[2]) {
        %j = Add(%i, 1)
        %s = Stack(%a, %a)
        %b = Mul(%a, 1.5)
        %t = Add(%s, %r)
        yield %j, %b, %t
      }
    }
  })");
  EXPECT_TRUE(HasRows(*graph));
  for (int n : {0, 1, 2, 7}) ExpectAllAgree(*graph, {I32(n), F32(0.75f)});
}

TEST(Rows, BroadcastMasksAndBranches) {
  auto graph = MustParse(
      R"(graph g(%n: i32[], %x: f32[2,2], %p: f32[2]) -> (%w:1, %w:2) {
    %w = While(0, %x, %p) [dtypes = {i32, f32, f32}] {
      cond(%i: i32[], %a: f32[2,2], %b: f32[2]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[2,2], %b: f32[2]) {
        %j = Add(%i, 1)
        %t = Transpose(%a) [perm = {1, 0}]
        %s = Mul(%t, %b)
        %m = Less(%s, %a)
        %k = Select(%m, %a, %s)
        %z = Maximum(%b, 0.25)
        %col = ExpandDims(%z) [axis = 1]
        %l = Sub(%k, %col)
        %odd = Less(%i, 2)
        %r = If(%odd) [dtypes = {f32, f32}] {
          then() { %u = Neg(%l) yield %u, %z }
          else() { yield %t, %b }
        }
        yield %j, %r, %r:1
      }
    }
  })");
  EXPECT_TRUE(HasRows(*graph));
  for (int n : {0, 1, 2, 3, 9}) {
    ExpectAllAgree(*graph, {I32(n), Matrix({1, -0.5f, 2, 0.125f}),
                            Array::Vector<float>({0.5f, -1})});
  }
}

TEST(Rows, AKernelAmongThemKeepsThemArrays) {
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[2]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[2]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[2]) {
        %j = Add(%i, 1)
        %s = Sum(%a)
        %b = Mul(%a, %s)
        yield %j, %b
      }
    }
  })");
  EXPECT_FALSE(HasRows(*graph));
  ExpectAllAgree(*graph, {I32(3), Array::Vector<float>({0.5f, -1})});
}

TEST(Rows, AValueThatIsNotAsItsTypeSaysIsAnError) {
  auto graph = MustParse(kPendulum);
  auto code = *Bytecode::Build(*graph->FindNode("w"), BytecodeOptions());
  std::vector<Array> in, out(2);
  for (const Value& v : code->inputs()) {
    if (const Array* constant = ConstantValue(v)) {
      in.push_back(*constant);
    } else {
      in.push_back(v.ToString() == "n" ? I32(3)
                                       : Array::Vector<float>({1, 2, 3}));
    }
  }
  Status status = code->Run({}, in, out);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("a value is f32[3]; its type says f32[2]"),
            std::string::npos)
      << status.message();
}

// Loops of only rows and scalars, with nested conditionals and loops.
class RowProgram {
 public:
  explicit RowProgram(uint32_t seed) : random_(seed), graph_("rows") {
    Region& root = graph_.root();
    Arg(root, "n", DType::kI32, Shape(), I32(Pick(4)));
    Arg(root, "s", DType::kF32, Shape(), F32(0.75f));
    Arg(root, "v", DType::kF32, Shape{4},
        Array::Vector<float>({0.5f, -1.25f, 2, 0.125f}));
    Arg(root, "m", DType::kF32, Shape{2, 2}, Matrix({1.5f, -0.25f, -2, 3}));
    values_ = args_;
    Node* loop = Loop(root, 0);
    std::vector<Value> results;
    for (int i = 1; i < loop->num_outputs(); ++i) {
      results.push_back(loop->output(i));
    }
    graph_.SetResults(root, results);
  }

  const Graph& graph() const { return graph_; }
  const std::vector<Array>& inputs() const { return inputs_; }
  const Node& loop() const { return *loop_; }

 private:
  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  template <class T>
  static T Must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return *result;
  }
  void Arg(Region& region, std::string_view name, DType dtype, Shape shape,
           Array value) {
    args_.push_back(Must(graph_.AddArg(region, name, {dtype, shape})));
    inputs_.push_back(value);
  }
  Value Add(Region& region, std::string_view op, std::vector<Value> in,
            Attrs attrs = {}) {
    Value v = Must(graph_.Add(region, op, in, attrs))->output();
    values_.push_back(v);
    return v;
  }
  // A value of that shape.
  Value Any(const Shape& shape) {
    std::vector<Value> fit;
    for (const Value& v : values_) {
      if (v.dtype() == DType::kF32 && v.shape() == PartialShape(shape)) {
        fit.push_back(v);
      }
    }
    size_t n = fit.size(), back = std::min<size_t>(n, Pick(2) ? 4 : n);
    return fit[n - 1 - static_cast<size_t>(Pick(static_cast<int>(back)))];
  }
  Shape AnyShape() {
    static const Shape kShapes[] = {Shape(), Shape{4}, Shape{2, 2}};
    return kShapes[Pick(3)];
  }

  void Some(Region& region, int depth) {
    Shape shape = AnyShape();
    Value x = Any(shape);
    Value y = Any(Pick(3) ? shape : Shape());
    if (Pick(2)) std::swap(x, y);
    static const char* const kBinary[] = {"Add", "Sub", "Mul", "Maximum",
                                          "Minimum"};
    switch (Pick(depth < 2 ? 14 : 12)) {
      case 0:
        Add(region, "Neg", {x});
        break;
      case 1: {
        Value four = Any(Shape{4});
        Value shaped =
            Must(graph_.Add(region, "Const", {},
                            {{"value", Array::Vector<int64_t>({2, 2})}}))
                ->output();
        Add(region, "Reshape", {four, shaped});
        break;
      }
      case 2:
        Add(region, "Reverse", {Any(Shape{4})},
            {{"axes", std::vector<int64_t>{0}}});
        break;
      case 3:
        Add(region, "Transpose", {Any(Shape{2, 2})});
        break;
      case 4: {
        Value a = Any(Shape()), b = Any(Shape());
        Add(region, "Stack", {a, x.shape().rank() == 0 ? x : b, b, a});
        break;
      }
      case 5: {
        auto at = static_cast<int64_t>(Pick(4));
        Value one = Add(region, "StridedSlice", {Any(Shape{4})},
                        {{"begin", std::vector<int64_t>{at}},
                         {"end", std::vector<int64_t>{at + 1}},
                         {"strides", std::vector<int64_t>{1}}});
        Add(region, "Squeeze", {one});
        break;
      }
      case 6: {
        Value m = Add(region, "Less", {x, y});
        Add(region, "Select", {m, x, y});
        break;
      }
      case 12: {
        std::vector<Value> test = {
            Add(region, "Less", {Any(Shape()), Any(Shape())})};
        Node* node = Must(graph_.Add(
            region, "If", test, {{"dtypes", std::vector<DType>{DType::kF32}}}));
        size_t before = values_.size();
        std::vector<Value> outside = values_;
        for (const char* label : {"then", "else"}) {
          Region& inner = *Must(graph_.AddRegion(*node, label));
          for (int k = Pick(4); k >= 0; --k) Some(inner, depth + 1);
          Value result = Any(shape);
          graph_.SetResults(inner, {result});
          values_ = outside;
        }
        values_.resize(before);
        Finish(region, *node, {shape});
        break;
      }
      case 13:
        Loop(region, depth + 1);
        break;
      default:
        Add(region, kBinary[Pick(5)], {x, y});
        break;
    }
  }

  Node* Loop(Region& region, int depth) {
    std::vector<Shape> shapes = {Shape()};
    std::vector<Value> init = {
        Must(graph_.Add(region, "Const", {}, {{"value", I32(0)}}))->output()};
    std::vector<DType> dtypes = {DType::kI32};
    for (int k = 1 + Pick(3); k >= 0; --k) {
      shapes.push_back(AnyShape());
      init.push_back(Any(shapes.back()));
      dtypes.push_back(DType::kF32);
    }
    Node* node = Must(graph_.Add(region, "While", init, {{"dtypes", dtypes}}));
    if (!loop_) loop_ = node;
    std::vector<Value> outside = values_;
    auto make = [&](std::string_view label) {
      Region* inner = Must(graph_.AddRegion(*node, label));
      std::vector<Value> args;
      for (size_t k = 0; k < init.size(); ++k) {
        args.push_back(
            Must(graph_.AddArg(*inner, StrCat("a", node->id(), label, k),
                               {dtypes[k], PartialShape(shapes[k])})));
      }
      return std::pair(inner, args);
    };
    auto [cond, seen] = make("cond");
    graph_.SetResults(*cond, {Add(*cond, "Less", {seen[0], args_[0]})});
    values_ = outside;
    auto [body, args] = make("body");
    values_.insert(values_.end(), args.begin(), args.end());
    for (int k = 3 + Pick(8); k >= 0; --k) Some(*body, depth);
    Value one =
        Must(graph_.Add(*body, "Const", {}, {{"value", I32(1)}}))->output();
    std::vector<Value> next = {Add(*body, "Add", {args[0], one})};
    for (size_t k = 1; k < init.size(); ++k) next.push_back(Any(shapes[k]));
    graph_.SetResults(*body, next);
    values_ = outside;
    Finish(region, *node, shapes);
    return node;
  }

  // Nested nodes come before the readers of its results.
  void Finish(Region&, Node& node, const std::vector<Shape>& shapes) {
    graph_.MoveToEnd(node);
    for (size_t i = 0; i < shapes.size(); ++i) {
      auto k = static_cast<int>(i);
      graph_.SetOutputShape(node, k, PartialShape(shapes[i]));
      values_.push_back(node.output(k));
    }
  }

  std::mt19937 random_;
  Graph graph_;
  std::vector<Value> args_, values_;
  std::vector<Array> inputs_;
  Node* loop_ = nullptr;
};

TEST(Rows, RandomLoopsMeanTheSame) {
  int with_rows = 0;
  // With immediate compilation, a program takes a hundred times as long.
  const char* jit = std::getenv("SLUICE_JIT");
  int seeds = jit && std::string_view(jit) == "always" ? 40 : 400;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RowProgram program(static_cast<uint32_t>(seed));
    ASSERT_FALSE(HasFailure());
    Status valid = Verify(program.graph());
    ASSERT_TRUE(valid.ok()) << valid.ToString() << PrintGraph(program.graph());
    with_rows += VmRows::Of(program.loop()).any() ? 1 : 0;
    ExpectAllAgree(program.graph(), program.inputs());
    ASSERT_FALSE(HasFailure()) << PrintGraph(program.graph());
  }
  EXPECT_GE(with_rows, seeds * 3 / 4);
}

}  // namespace
}  // namespace sluice
