// Short loops that do the same on several tensors are one launch, and loops
// that need each other are not; sums of many products are one product. On the
// emulated GPU under CTest, which sets SLUICE_CUDA_EMULATION, and on a real one
// without it.
#if defined(SLUICE_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/run_op.h"
#include "sluice/plan/gpu_pieces.h"

namespace sluice {
namespace {

// A few steps that differ from element to element.
Array Some(const Shape& shape, int seed) {
  Array a = Array::Zeros(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        static_cast<float>((i * 7 + seed * 13) % 23 - 11) * 0.25f;
  }
  return a;
}

class CudaBeside : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> found = Devices::Find("gpu:0");
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    gpu_ = *found;
  }

  // Runs all nodes of the graph on the GPU a few times and compares what is in
  // `outputs` with the host's, bit by bit. `give_up`: inputs may be written
  // over.
  void Check(std::string_view text, const std::vector<std::string>& outputs,
             bool give_up = false) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    std::vector<Node*> nodes;
    std::vector<Value> wanted(outputs.size());
    std::unordered_map<Value, Array, ValueHash> known;
    const Node* args = (*graph)->root().args_node();
    for (int i = 0; i < args->num_outputs(); ++i) {
      Value v{const_cast<Node*>(args), i};
      known[v] = Some(v.shape().ToShape(), i);
    }
    for (Node* node : (*graph)->root().nodes()) {
      if (node->is_args()) continue;
      std::vector<Array> in;
      for (const Value& v : node->inputs()) in.push_back(known.at(v));
      auto made = RunOp(node->op(), node->attrs(), in);
      ASSERT_TRUE(made.ok()) << made.status().ToString();
      known[node->output(0)] = (*made)[0];
      if (!ConstantValue(node->output(0))) nodes.push_back(node);
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (node->name() == outputs[i]) wanted[i] = node->output(0);
      }
    }
    auto piece = BuildGpuPiece(*gpu_, nodes, wanted, true);
    ASSERT_TRUE(piece.ok()) << piece.status().ToString();
    plan_ = (*piece)->Explain();
    for (int run = 0; run < 3; ++run) {
      std::vector<Array> in, out(wanted.size());
      for (const Value& v : (*piece)->inputs()) {
        Result<Array> there = CopyTo(known.at(v), *gpu_);
        ASSERT_TRUE(there.ok());
        in.push_back(*there);
      }
      std::vector<Array> kept;
      if (!give_up) kept = in;
      ASSERT_TRUE((*piece)->Run(StepContext(), in, out).ok());
      for (size_t i = 0; i < wanted.size(); ++i) {
        Result<Array> here = CopyTo(out[i], CpuDevice());
        ASSERT_TRUE(here.ok()) << here.status().ToString();
        const Array& right = known.at(wanted[i]);
        ASSERT_TRUE(here->shape() == right.shape());
        EXPECT_EQ(std::memcmp(here->raw(), right.raw(),
                              static_cast<size_t>(right.bytes())),
                  0)
            << outputs[i] << " of run " << run << "\n"
            << plan_;
      }
    }
  }

  int Launches() const {
    int count = 0;
    for (size_t at = 0; (at = plan_.find("loop ", at)) != std::string::npos;
         ++at) {
      ++count;
    }
    return count;
  }

  Device* gpu_ = nullptr;
  std::string plan_;
};

// The second is updated from what a loop of its own makes first.
constexpr std::string_view kUpdates = R"(
graph g(%a: f32[7,5], %b: f32[5], %c: f32[3], %d: f32[7,5],
        %m: f32[7,5], %n: f32[5], %o: f32[3], %p: f32[7,5], %r: f32[]) {
  %a1 = Mul(%m, %r) : f32[7,5]
  %a2 = Add(%a, %a1) : f32[7,5]
  %e = Exp(%n) : f32[5]
  %b1 = Mul(%e, %r) : f32[5]
  %b2 = Add(%b, %b1) : f32[5]
  %c1 = Mul(%o, %r) : f32[3]
  %c2 = Add(%c, %c1) : f32[3]
  %d1 = Mul(%p, %r) : f32[7,5]
  %d2 = Add(%d, %d1) : f32[7,5]
}
)";

TEST_F(CudaBeside, UpdatesOfSeveralShapesAreOneLaunch) {
  for (bool give_up : {false, true}) {
    Check(kUpdates, {"a2", "c2", "d2"}, give_up);
    EXPECT_EQ(Launches(), 1) << plan_;
    EXPECT_NE(plan_.find(" and "), std::string::npos) << plan_;
  }
}

TEST_F(CudaBeside, APartThatDoesMoreIsALaunchOfItsOwn) {
  Check(kUpdates, {"a2", "b2", "c2", "d2"});
  EXPECT_EQ(Launches(), 2) << plan_;
}

// The second update reads what the first makes.
TEST_F(CudaBeside, LoopsThatReadEachOtherAreNotJoined) {
  Check(R"(
graph g(%a: f32[6], %b: f32[2,3], %r: f32[]) {
  %a1 = Mul(%a, %r) : f32[6]
  %shape = Const [value = [2, 3] : i64[2]] : i64[2]
  %a2 = Reshape(%a1, %shape) : f32[2,3]
  %b1 = Mul(%a2, %r) : f32[2,3]
}
)",
        {"a1", "b1"});
  EXPECT_EQ(Launches(), 2) << plan_;
}

// Which may write over what the other reads.
TEST_F(CudaBeside, LoopsThatReadTheSameAreRight) {
  Check(R"(
graph g(%a: f32[6], %b: f32[1,6], %r: f32[]) {
  %a1 = Mul(%a, %r) : f32[6]
  %b1 = Mul(%b, %a) : f32[1,6]
  %b2 = Mul(%a, %b1) : f32[1,6]
}
)",
        {"a1", "b1", "b2"}, /*give_up=*/true);
}

// Their sums have no rounding here, whatever their order.
std::string SumOfProducts(int count, bool read_one) {
  std::string args, lines, rows = std::to_string(count * 2);
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i), from = std::to_string(i * 2);
    args += ", %a" + n + ": f32[2,3]";
    // One side lies on top of each other, from the last to the first.
    lines += "  %b" + n + " = Slice(%x) [begin = {" + from +
             ", 0}, size = {2, 4}] : f32[2,4]\n";
  }
  for (int i = count - 1; i >= 0; --i) {
    std::string n = std::to_string(i), last = std::to_string(i + 1);
    lines += "  %p" + n + " = MatMul(%a" + n + ", %b" + n +
             ") [transpose_a = true, transpose_b = false] : f32[3,4]\n";
    if (i == count - 1) continue;
    std::string before = i == count - 2 ? "%p" : "%s";
    lines +=
        "  %s" + n + " = Add(" + before + last + ", %p" + n + ") : f32[3,4]\n";
  }
  if (read_one) lines += "  %y = Exp(%s3) : f32[3,4]\n";
  return "graph g(%x: f32[" + rows + ",4]" + args + ") {\n" + lines + "}\n";
}

TEST_F(CudaBeside, ASumOfManyProductsIsOne) {
  Check(SumOfProducts(9, false), {"s0"}, true);
  EXPECT_NE(plan_.find("of 9"), std::string::npos) << plan_;
  EXPECT_EQ(plan_.find("loop"), std::string::npos) << plan_;
}

TEST_F(CudaBeside, ASumThatIsReadOnItsWayIsNot) {
  Check(SumOfProducts(9, true), {"s0", "y"});
  EXPECT_EQ(plan_.find("of 9"), std::string::npos) << plan_;
}

// More than the arguments of one launch have room for.
TEST_F(CudaBeside, ManyAreAsManyLaunchesAsNeeded) {
  std::string args, lines;
  std::vector<std::string> outputs;
  for (int i = 2; i <= 90; ++i) {
    std::string n = std::to_string(i);
    args += ", %x" + n + ": f32[" + n + "]";
    lines += "  %y" + n + " = Mul(%x" + n + ", %r) : f32[" + n + "]\n";
    outputs.push_back("y" + n);
  }
  Check("graph g(%r: f32[]" + args + ") {\n" + lines + "}\n", outputs);
  EXPECT_EQ(Launches(), 2) << plan_;
}

}  // namespace
}  // namespace sluice
#endif
