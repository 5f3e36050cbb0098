// Scalar instructions must equal their ops, on edge cases of arithmetic.
#include "sluice/vm/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/op/run_op.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/vm/bytecode.h"
#include "sluice/vm/program.h"

namespace sluice {
namespace {

template <class T>
std::vector<Array> Edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1),          T(-1),
                           T(7), Limits::max(), Limits::lowest()};
  if constexpr (std::is_floating_point_v<T>) {
    for (double v : {-0.0, 0.1, -2.5}) values.push_back(static_cast<T>(v));
    values.insert(values.end(), {Limits::infinity(), -Limits::infinity(),
                                 Limits::quiet_NaN(), Limits::denorm_min()});
  }
  std::vector<Array> out;
  for (T v : values) out.push_back(Array::Scalar(v));
  return out;
}

// The op alone and as the condition of a jump, inside a branch so that it is
// bytecode.
void ExpectEqual(std::string_view op, std::string_view type, bool compares,
                 const std::vector<Array>& edges) {
  std::string result(compares ? "bool" : type);
  std::string alone = StrCat("graph g(%p: bool[], %a: ", type, "[], %b: ", type,
                             "[]) -> (%w) { %w = If(%p) [dtypes = {", result,
                             "}] { then() { %y = ", op,
                             "(%a, %b) yield %y } else() { %z = ", op,
                             "(%b, %a) yield %z } } }");
  std::string jump = StrCat(
      "graph g(%p: bool[], %a: ", type, "[], %b: ", type,
      "[]) -> (%w, %w:1) { %w = If(%p) [dtypes = {i32, bool}] { then() { %y = ",
      op, R"((%a, %b) %v = If(%y) [dtypes = {i32}] {
        then() { %k = Const [value = 1] yield %k }
        else() { %l = Const [value = 2] yield %l } }
        yield %v, %y }
      else() { %m = Const [value = 3] yield %m, %p } } })");
  for (const std::string& text : {alone, compares ? jump : alone}) {
    auto graph = MustParse(text);
    const Node &node = *graph->FindNode("y"), &branch = *graph->FindNode("w");
    EXPECT_GT(ScalarFor(node).code, Do::kBlock3) << op << " " << type;
    auto code = *Bytecode::Build(branch, BytecodeOptions());
    for (const Array& a : edges) {
      for (const Array& b : edges) {
        std::vector<Array> in, out(static_cast<size_t>(branch.num_outputs()));
        for (const Value& v : code->inputs()) {
          std::string name = v.ToString();
          in.push_back(name == "a" ? a : name == "b" ? b : Array::Scalar(true));
        }
        auto ran = RunOp(node.op(), node.attrs(), std::vector{a, b});
        Status status = code->Run({}, in, out);
        ASSERT_EQ(status.ok(), ran.ok()) << status.ToString();
        if (!ran.ok()) {
          EXPECT_NE(status.message().find(ran.status().message()),
                    std::string::npos)
              << status.message();
          continue;
        }
        Array want = (*ran)[0];
        EXPECT_TRUE(out.back().BitEquals(want))
            << op << "(" << a.ToString() << ", " << b.ToString() << ") is "
            << want.ToString() << ", got " << out.back().ToString();
        if (out.size() == 2) {
          EXPECT_EQ(*out[0].data<int32_t>(), *want.data<bool>() ? 1 : 2);
        }
      }
    }
  }
}

// An op of one operand, inside a branch so that it is bytecode.
void ExpectUnaryEqual(std::string_view op, std::string_view type,
                      std::string_view result,
                      const std::vector<Array>& edges) {
  std::string attrs =
      op == "Cast" ? StrCat("[dtype = ", result, "]") : std::string();
  auto graph =
      MustParse(StrCat("graph g(%p: bool[], %a: ", type, "[], %b: ", result,
                       "[]) -> (%w) { %w = If(%p) [dtypes = {", result,
                       "}] { then() { %y = ", op, "(%a) ", attrs,
                       " yield %y } else() { yield %b } } }"));
  const Node &node = *graph->FindNode("y"), &branch = *graph->FindNode("w");
  EXPECT_GT(ScalarFor(node).code, Do::kBlock3) << op << " " << type;
  auto code = *Bytecode::Build(branch, BytecodeOptions());
  for (const Array& a : edges) {
    Array want = (*RunOp(node.op(), node.attrs(), std::vector{a}))[0];
    std::vector<Array> in, out(1);
    for (const Value& v : code->inputs()) {
      std::string name = v.ToString();
      in.push_back(name == "a" ? a : name == "b" ? want : Array::Scalar(true));
    }
    ASSERT_TRUE(code->Run({}, in, out).ok());
    EXPECT_TRUE(out[0].BitEquals(want))
        << op << "(" << a.ToString() << ") is " << want.ToString() << ", got "
        << out[0].ToString();
  }
}

template <class T>
void ExpectAllEqual(std::string_view type) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Maximum", "Minimum"}) {
    ExpectEqual(op, type, false, Edges<T>());
  }
  if (std::is_integral_v<T>) {
    ExpectEqual("FloorDiv", type, false, Edges<T>());
    ExpectEqual("Mod", type, false, Edges<T>());
  }
  for (const char* op :
       {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}) {
    ExpectEqual(op, type, true, Edges<T>());
  }
}

TEST(BytecodeScalar, Integers) {
  ExpectAllEqual<int32_t>("i32");
  ExpectAllEqual<int64_t>("i64");
}

TEST(BytecodeScalar, Floats) {
  ExpectAllEqual<float>("f32");
  ExpectAllEqual<double>("f64");
}

TEST(BytecodeScalar, OfOneOperand) {
  for (const char* op : {"Neg", "Abs", "Square"}) {
    ExpectUnaryEqual(op, "i32", "i32", Edges<int32_t>());
    ExpectUnaryEqual(op, "i64", "i64", Edges<int64_t>());
    ExpectUnaryEqual(op, "f32", "f32", Edges<float>());
    ExpectUnaryEqual(op, "f64", "f64", Edges<double>());
  }
  ExpectUnaryEqual("Sqrt", "f32", "f32", Edges<float>());
  ExpectUnaryEqual("Sqrt", "f64", "f64", Edges<double>());
}

TEST(BytecodeScalar, Casts) {
  for (const char* to : {"i64", "f32", "f64"}) {
    ExpectUnaryEqual("Cast", "i32", to, Edges<int32_t>());
  }
  for (const char* to : {"i32", "f32", "f64"}) {
    ExpectUnaryEqual("Cast", "i64", to, Edges<int64_t>());
  }
  ExpectUnaryEqual("Cast", "f32", "f64", Edges<float>());
  ExpectUnaryEqual("Cast", "f64", "f32", Edges<double>());
  std::vector<Array> both = {Array::Scalar(true), Array::Scalar(false)};
  for (const char* to : {"i32", "i64", "f32", "f64"}) {
    ExpectUnaryEqual("Cast", "bool", to, both);
  }
}

TEST(BytecodeScalar, Booleans) {
  std::vector<Array> both = {Array::Scalar(true), Array::Scalar(false)};
  ExpectEqual("LogicalAnd", "bool", false, both);
  ExpectEqual("LogicalOr", "bool", false, both);
  auto graph =
      MustParse(R"(graph g(%p: bool[], %q: bool[], %a: f64[]) -> (%w, %w:1) {
    %w = If(%p) [dtypes = {f64, bool}] {
      then() {
        %n = LogicalNot(%q)
        %s = Select(%n, %a, 2.5)
        yield %s, %n
      }
      else() { yield %a, %q }
    }
  })");
  for (bool p : {true, false}) {
    for (const Array& q : both) {
      ExpectAllAgree(*graph, {Array::Scalar(p), q, Array::Scalar(1.25)});
    }
  }
}

}  // namespace
}  // namespace sluice
