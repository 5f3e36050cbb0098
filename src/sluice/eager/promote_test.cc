// Types that differ are brought together in C++ as they are in Python: both are
// held against one table, tests/promotion.txt, which python/tests/
// test_promotion_table.py writes and checks.
#include <fstream>
#include <sstream>

#include "sluice/front/front_test_util.h"
#include "sluice/ops.h"

namespace sluice {
namespace {

Tensor Operator(const std::string& op, const Tensor& a, const Tensor& b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "<") return a < b;
  if (op == "maximum") return maximum(a, b);
  ADD_FAILURE() << "an operator the test does not know: " << op;
  return {};
}

// "f32[]" or "f32[3]".
Tensor Of(const std::string& type) {
  size_t bracket = type.find('[');
  DType dtype = DTypeFromName(type.substr(0, bracket));
  bool scalar = type.substr(bracket) == "[]";
  return ones(scalar ? Sizes{} : Sizes{3}, dtype);
}

std::string Got(const std::string& op, const std::string& a,
                const std::string& b) {
  try {
    return Operator(op, Of(a), Of(b)).array().TypeText();
  } catch (const Error&) {
    return "refused";
  }
}

struct Row {
  std::string a, op, b, wanted;
};

std::vector<Row> Table() {
  std::ifstream file("tests/promotion.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Row row;
    std::string is;
    std::istringstream(line) >> row.a >> row.op >> row.b >> is >> row.wanted;
    rows.push_back(row);
  }
  return rows;
}

TEST(Promotion, OperatorsGiveTheTypesOfPython) {
  std::vector<Row> rows = Table();
  EXPECT_GT(rows.size(), 1000u);
  for (const Row& row : rows) {
    EXPECT_EQ(Got(row.op, row.a, row.b), row.wanted)
        << row.a << " " << row.op << " " << row.b;
  }
}

TEST(Promotion, NumbersOfTheProgramTakeTheTypeOfTensors) {
  Tensor whole = constant({1, 2, 3}, DType::kI64);
  EXPECT_EQ((whole * 2).dtype(), DType::kI64);
  EXPECT_EQ((whole * 0.5).dtype(), DType::kF32);
  EXPECT_EQ((0.5f + whole).dtype(), DType::kF32);
  EXPECT_EQ((constant(1.0, DType::kF16) * 2.5).dtype(), DType::kF16);
  EXPECT_EQ((whole / 2).to_vector<float>(), (std::vector<float>{.5f, 1, 1.5f}));
  EXPECT_EQ(div(whole, 2).to_vector<int64_t>(),
            (std::vector<int64_t>{0, 1, 1}));
  Tensor small = constant({1, 200}, DType::kU8);
  EXPECT_EQ(sum(cast(small < 300, i64)).item<int64_t>(), 2);
  Contains(ErrorOf([&] { (void)(small + 300); }), "is no u8");
}

// A tensor without axes gives way in sums; a comparison is of what it holds.
TEST(Promotion, ComparisonsWithATensorWithoutAxesHaveAllItsDigits) {
  Tensor small = constant({1, 200}, DType::kU8);
  Tensor large = constant(300, DType::kI64);
  EXPECT_EQ(sum(cast(small < large, i64)).item<int64_t>(), 2);
  EXPECT_EQ(sum(cast(large > small, i64)).item<int64_t>(), 2);
  EXPECT_EQ((small + constant(1, DType::kI64)).dtype(), DType::kU8);
}

TEST(Promotion, GradientsFlowThroughIt) {
  Tensor w = constant({2.0f, 3.0f}).requires_grad_();
  Tensor n = constant({4, 5}, DType::kI64);
  Tensor y = sum(w * n * constant({1.0, 1.0}, DType::kF64));
  EXPECT_EQ(y.dtype(), DType::kF64);
  y.backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{4, 5}));
}

// The type that is written stays, where its kind of numbers holds the result.
TEST(Promotion, WritesInPlaceKeepTheTypeThatIsWritten) {
  const std::pair<DType, int> types[] = {
      {DType::kBool, 0}, {DType::kU8, 1},  {DType::kI32, 1}, {DType::kI64, 1},
      {DType::kF16, 2},  {DType::kF32, 2}, {DType::kF64, 2}};
  for (auto [to, kind] : types) {
    if (kind == 0) continue;  // bools are not added in place
    for (auto [from, other] : types) {
      Tensor a = ones({3}, to), same = a;
      auto add = [&] { a += ones({3}, from); };
      if (other > kind) {
        Contains(ErrorOf(add), "the result would be of another type");
        continue;
      }
      add();
      EXPECT_EQ(same.dtype(), to);
      EXPECT_EQ(cast(same, f32).to_vector<float>(), std::vector<float>(3, 2.f))
          << DTypeName(to) << " += " << DTypeName(from);
    }
  }
  Tensor x = constant({1.0f, 2.0f}), seen = x;
  x += 0.5;
  x *= constant({2, 4}, DType::kI32);
  x -= constant(1.0, DType::kF64);
  x /= 2;
  EXPECT_EQ(seen.to_vector<float>(), (std::vector<float>{1.0f, 4.5f}));
  Tensor whole = constant({1, 2}, DType::kI64);
  Contains(ErrorOf([&] { whole += 0.5; }), "promote_test.cc:");
  Contains(ErrorOf([&] { whole /= whole; }), "wanted a = a / b");
  whole.copy_(constant({2.75f, -1.5f}));
  EXPECT_EQ(whole.to_vector<int64_t>(), (std::vector<int64_t>{2, -1}));
  x.scatter_add_(constant({0}, DType::kI64), constant({3}, DType::kI64));
  EXPECT_EQ(seen.to_vector<float>(), (std::vector<float>{4.0f, 4.5f}));
}

TEST(Promotion, WritesInPlaceOfOtherTypesHaveGradients) {
  Tensor w = constant({2.0f, 3.0f}).requires_grad_();
  Tensor y = w * 1.0f;
  y += w * constant({1.0, 2.0}, DType::kF64);
  sum(y).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{2, 3}));
}

TEST(Promotion, ValuesOfAGraphGiveWayToTheResult) {
  Graph graph;
  GraphScope building(graph);
  Tensor a = placeholder(i32, {3});
  Tensor b = a;
  b += 0.5;
  EXPECT_EQ(a.dtype(), DType::kI32);
  EXPECT_EQ(b.dtype(), DType::kF32);
}

TEST(Promotion, GraphsHaveIt) {
  Graph graph;
  GraphScope building(graph);
  Tensor a = placeholder(i32, {3}), b = placeholder(DType::kF16, {3});
  EXPECT_EQ((a + b).dtype(), DType::kF16);
  EXPECT_EQ((a / a).dtype(), DType::kF32);
  Tensor flag = placeholder(DType::kBool, {3});
  Tensor both = add(flag, flag, "both");
  EXPECT_EQ(both.dtype(), DType::kBool);
  EXPECT_EQ(both.name(), "both");
}

// ---- Lines ----

TEST(Indexing, BlamesTheLineItIsWrittenOn) {
  Tensor x = ones({2, 3});
  std::string text = ErrorOf([&] { (void)x[7]; });
  Contains(text, "index 7 of axis 0");
  Contains(text, "promote_test.cc:");
  text = ErrorOf([&] { (void)x[{sluice::all, 9}]; });
  Contains(text, "index 9 of axis 1");
  Contains(text, "promote_test.cc:");
  EXPECT_EQ(x[1].shape(), PartialShape({3}));
  EXPECT_EQ(x[{1}].shape(), PartialShape({3}));
  EXPECT_EQ((x[{all, 1}].shape()), PartialShape({2}));
  EXPECT_EQ(x[all].shape(), PartialShape({2, 3}));
}

// One behind the largest number there is was one below the smallest.
TEST(Indexing, ByTheLargestNumberOfAnUnknownSize) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {any});
  Session session(graph);
  auto at = [&](int64_t place) {
    return session.run(x[place], {{x, {1, 2}}}).data<float>()[0];
  };
  EXPECT_EQ(at(-1), 2);
  EXPECT_EQ(at(1), 2);
  EXPECT_THROW(at(Index::kOpen), Error);
}

}  // namespace
}  // namespace sluice
