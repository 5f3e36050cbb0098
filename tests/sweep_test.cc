// The sweep: what every op record promises, tried for every op. Nothing here
// knows an op by name; adding an op adds its tests.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "tests/sweep_cases.h"
#include "tests/sweep_random_calls.h"

namespace sluice {
namespace {

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) names.push_back(op->name);
  return names;
}

// Ops whose results a sample alone decides; the others need state or a step.
bool SelfContained(const OpRecord& op) {
  return !op.handle && !op.structural && op.effect == Effect::kNone &&
         op.regions.empty() && !op.samples.empty();
}

Result<std::vector<PartialShape>> Infer(const OpRecord& op, const Attrs& attrs,
                                        const std::vector<Array>& inputs,
                                        std::span<const PartialShape> shapes,
                                        bool with_values) {
  std::vector<DType> dtypes;
  std::vector<const Array*> values;
  for (const Array& a : inputs) {
    dtypes.push_back(a.dtype());
    values.push_back(with_values ? &a : nullptr);
  }
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
  return InferShapes(op, call.attrs, dtypes, shapes, values, call.out_dtypes);
}

std::vector<PartialShape> ShapesOf(const std::vector<Array>& arrays) {
  std::vector<PartialShape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.shape());
  return shapes;
}

TEST(SweepRegistry, RecordsAreWhole) {
  for (const std::string& problem : RegistryProblems()) {
    ADD_FAILURE() << problem;
  }
}

// A linker that drops object files would leave the sweep nothing to do.
TEST(SweepRegistry, EveryOpFileIsLinked) {
  EXPECT_GT(SLUICE_NUM_OP_FILES, 0);
  EXPECT_GE(AllOps().size(), static_cast<size_t>(SLUICE_NUM_OP_FILES));
}

class Sweep : public testing::TestWithParam<std::string> {
 protected:
  // Ops that need a library this machine does not have say so in these words.
  void SetUp() override {
    if (!SelfContained(op()) || !op().pure()) return;
    auto ran = Run(CasesOf(op())[0]);
    if (!ran.ok() && ran.status().code() == Code::kUnimplemented &&
        ran.status().message().find("found no LAPACK") != std::string::npos) {
      GTEST_SKIP() << ran.status().message();
    }
  }

  const OpRecord& op() const { return *FindOp(GetParam()); }

  Result<std::vector<Array>> Run(const SweepCase& c,
                                 WorkerPool* pool = nullptr) const {
    StepContext step;
    step.pool = pool;
    return RunOp(op(), c.attrs, c.inputs, &step);
  }
};

// Sanitizers look for stray accesses: there kernels run on every sample, but
// only short results are compared, because references are slow on purpose.
constexpr bool kSanitized = SL_ASAN || SL_TSAN;

int64_t Elements(const std::vector<Array>& arrays) {
  int64_t n = 0;
  for (const Array& a : arrays) n += a.num_elements();
  return n;
}

TEST_P(Sweep, MatchesReference) {
  if (!SelfContained(op()) || op().random) GTEST_SKIP();
  WorkerPool pool(2);
  for (const SweepCase& c : CasesOf(op())) {
    SCOPED_TRACE(c.name);
    std::vector<Array> before;
    std::vector<RefArray> ref_inputs;
    for (const Array& in : c.inputs) {
      before.push_back(*in.Clone());
      ref_inputs.push_back(ToRef(in));
    }
    auto got = Run(c);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(c.inputs[i].BitEquals(before[i])) << "input changed";
    }
    auto threaded = Run(c, &pool);
    ASSERT_TRUE(threaded.ok()) << threaded.status().ToString();
    for (size_t i = 0; i < got->size(); ++i) {
      EXPECT_TRUE((*got)[i].BitEquals((*threaded)[i])) << "threads matter";
    }
    if (op().outputs.empty()) continue;
    ASSERT_TRUE(op().reference) << "no reference";
    if (kSanitized && Elements(c.inputs) > 1000) continue;
    std::vector<DType> dtypes;
    for (const Array& in : c.inputs) dtypes.push_back(in.dtype());
    ResolvedCall call = *ResolveCall(op(), c.attrs, dtypes);
    std::vector<RefArray> want = op().reference(ref_inputs, call.attrs);
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ((*got)[i].dtype(), call.out_dtypes[i]);
      EXPECT_EQ(Differences(op(), (*got)[i], want[i]), "")
          << "output " << i << " of " << (*got)[i].TypeText() << "\n"
          << (c.inputs.empty() ? "" : c.inputs[0].ToString());
    }
  }
}

TEST_P(Sweep, SamplesCoverEveryType) {
  if (!SelfContained(op())) GTEST_SKIP();
  std::vector<std::set<DType>> seen(op().types.size());
  for (const SweepCase& c : CasesOf(op())) {
    for (size_t k = 0; k < seen.size(); ++k) seen[k].insert(c.bound[k]);
  }
  for (size_t k = 0; k < seen.size(); ++k) {
    bool input = false;
    for (const ArgSpec& arg : op().inputs) {
      input = input || arg.type == op().types[k].name;
    }
    for (int t = 1; input && t < kNumDTypes; ++t) {
      auto dtype = static_cast<DType>(t);
      if (IsReference(dtype)) continue;  // made by ops, not of values
      EXPECT_TRUE(!op().types[k].allowed.contains(dtype) ||
                  seen[k].count(dtype))
          << op().types[k].name << " = " << DTypeName(dtype);
    }
  }
}

// True when a shape says nothing false of `real`. Symbols in the sweep are
// numbered by the size they stand for.
bool Holds(const PartialShape& shape, const Shape& real) {
  if (!shape.rank_known()) return true;
  if (shape.rank() != real.rank()) return false;
  for (int i = 0; i < real.rank(); ++i) {
    int64_t d = shape[i];
    if (IsSymbol(d) ? SymbolId(d) != real.dim(i) : d >= 0 && d != real.dim(i)) {
      return false;
    }
  }
  return true;
}

TEST_P(Sweep, ShapeFunctionAgreesWithKernel) {
  if (!SelfContained(op())) GTEST_SKIP();
  for (const SweepCase& c : CasesOf(op())) {
    if (!c.first) continue;
    SCOPED_TRACE(c.name);
    auto got = Run(c);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    std::vector<PartialShape> real = ShapesOf(c.inputs);

    auto expect = [&](const std::vector<PartialShape>& shapes, bool values,
                      const std::string& what) {
      SCOPED_TRACE(what);
      auto inferred = Infer(op(), c.attrs, c.inputs, shapes, values);
      ASSERT_TRUE(inferred.ok()) << inferred.status().ToString();
      ASSERT_EQ(inferred->size(), got->size());
      for (size_t i = 0; i < got->size(); ++i) {
        EXPECT_TRUE(Holds((*inferred)[i], (*got)[i].shape()))
            << "output " << i << " inferred as " << (*inferred)[i].ToString()
            << ", is " << (*got)[i].shape().ToString();
        if (values && !op().dynamic_output && what == "all known") {
          EXPECT_TRUE((*inferred)[i].fully_known());
        }
      }
    };
    expect(real, true, "all known");
    expect(real, false, "values unknown");
    expect(std::vector<PartialShape>(real.size()), false, "ranks unknown");
    std::vector<PartialShape> hidden = real, symbols = real;
    for (size_t i = 0; i < real.size(); ++i) {
      std::vector<PartialShape> one = real;
      one[i] = PartialShape::Unknown();
      expect(one, false, StrCat("rank of input ", i, " unknown"));
      for (int k = 0; k < real[i].rank(); ++k) {
        one = real;
        one[i].set_dim(k, kUnknownDim);
        expect(one, false, StrCat("input ", i, " axis ", k, " unknown"));
        hidden[i].set_dim(k, kUnknownDim);
        symbols[i].set_dim(k, SymbolDim(real[i][k]));
      }
    }
    expect(hidden, false, "all sizes unknown");
    expect(symbols, false, "all sizes symbols");
  }
}

TEST_P(Sweep, StridedInputsGiveTheSame) {
  if (!SelfContained(op()) || op().inputs.empty()) GTEST_SKIP();
  for (const SweepCase& c : CasesOf(op())) {
    auto want = Run(c);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    for (int layout = 0; layout < kNumLayouts; ++layout) {
      SCOPED_TRACE(StrCat(c.name, ", layout ", layout));
      SweepCase strided = c;
      for (Array& in : strided.inputs) in = Restride(in, layout);
      auto got = Run(strided);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      for (size_t i = 0; i < want->size(); ++i) {
        EXPECT_TRUE((*got)[i].BitEquals((*want)[i])) << "output " << i;
      }
    }
  }
}

TEST_P(Sweep, ViewShowsWhatTheKernelCopies) {
  if (!SelfContained(op()) || !op().view) GTEST_SKIP();
  NodeInfo node;
  StepContext step;
  for (const SweepCase& c : CasesOf(op())) {
    std::vector<DType> dtypes;
    for (const Array& in : c.inputs) dtypes.push_back(in.dtype());
    ResolvedCall call = *ResolveCall(op(), c.attrs, dtypes);
    for (int layout = -1; layout < kNumLayouts; ++layout) {
      SCOPED_TRACE(StrCat(c.name, ", layout ", layout));
      std::vector<Array> in = c.inputs, out(1);
      if (layout >= 0 && op().cpu().strided_inputs)
        in[0] = Restride(in[0], layout);
      ASSERT_TRUE(
          AllocateOutputs(op(), call.attrs, in, call.out_dtypes, out).ok());
      KernelContext context(op(), call.attrs, node, step, in, out);
      Array view;
      bool viewed = op().view(context, &view);
      EXPECT_TRUE(viewed || layout >= 0) << "no view of a contiguous array";
      ASSERT_TRUE(op().kernel(DeviceKind::kCpu).launch(context).ok());
      if (viewed) {
        EXPECT_TRUE(view.BitEquals(out[0]));
      }
    }
  }
}

// The scratch space a launch of the op asks for.
Array Workspace(const OpRecord& op, const ResolvedCall& call,
                const std::vector<Array>& in, const std::vector<Array>& out) {
  WorkspaceFn size = op.kernel(DeviceKind::kCpu).workspace;
  if (!size) return Array::Zeros(DType::kU8, {0});
  std::vector<DType> dtypes;
  std::vector<const Array*> values;
  for (const Array& a : in) {
    dtypes.push_back(a.dtype());
    values.push_back(&a);
  }
  std::vector<PartialShape> shapes = ShapesOf(in), out_shapes = ShapesOf(out);
  ShapeContext c(op, call.attrs, dtypes, shapes, values, call.out_dtypes,
                 out_shapes);
  return Array::Zeros(DType::kU8, {size(c)});
}

// Elementwise block functions and in_place() kernels may write over an input.
TEST_P(Sweep, OutputMayLieOverInput) {
  if (!SelfContained(op()) || (!op().block && !op().cpu().in_place))
    GTEST_SKIP();
  NodeInfo node;
  StepContext step;
  for (const SweepCase& c : CasesOf(op())) {
    SCOPED_TRACE(c.name);
    auto want = Run(c);
    ASSERT_TRUE(want.ok());
    const Array& y = (*want)[0];
    std::vector<DType> dtypes;
    for (const Array& in : c.inputs) dtypes.push_back(in.dtype());
    ResolvedCall call = *ResolveCall(op(), c.attrs, dtypes);
    for (size_t over = 0; over < c.inputs.size(); ++over) {
      if (over > 0 && op().cpu().in_place)
        break;  // in_place() is about input 0
      std::vector<Array> in;
      for (const Array& a : c.inputs) in.push_back(*a.Clone());
      if (DTypeSize(in[over].dtype()) != DTypeSize(y.dtype()) ||
          !(in[over].shape() == y.shape())) {
        continue;
      }
      Array out = Array::Borrow(in[over].mutable_raw(), y.dtype(), y.shape());
      BlockKernel block;
      if (op().block) block = op().block(call.attrs, dtypes, y.dtype());
      bool same_shapes = true;
      for (const Array& a : in) same_shapes &= a.shape() == y.shape();
      if (block.fn && same_shapes) {
        const void* data[kMaxBlockInputs] = {};
        for (size_t i = 0; i < in.size(); ++i) data[i] = in[i].raw();
        block.fn(out.mutable_raw(), data, y.num_elements(), block.params);
      } else if (op().cpu().in_place) {
        std::vector<Array> outs = {out};
        for (size_t i = 1; i < want->size(); ++i) {
          outs.push_back(*Array::Make((*want)[i].dtype(), (*want)[i].shape()));
        }
        KernelContext context(op(), call.attrs, node, step, in, outs);
        Array scratch = Workspace(op(), call, in, outs);
        context.set_workspace(scratch.mutable_raw());
        ASSERT_TRUE(op().kernel(DeviceKind::kCpu).launch(context).ok());
        for (size_t i = 1; i < want->size(); ++i) {
          EXPECT_TRUE(outs[i].BitEquals((*want)[i])) << "output " << i;
        }
      } else {
        continue;
      }
      EXPECT_TRUE(out.BitEquals(y)) << "over input " << over;
    }
  }
}

TEST_P(Sweep, RejectsBadInputWithItsMessage) {
  for (const Reject& reject : op().rejects) {
    SCOPED_TRACE(reject.message);
    std::vector<Array> inputs = InputsOf(reject);
    auto ran = RunOp(op(), reject.attrs, inputs);
    ASSERT_FALSE(ran.ok()) << "was accepted";
    EXPECT_NE(ran.status().message().find(reject.message), std::string::npos)
        << "got: " << ran.status().message();
    EXPECT_NE(ran.status().code(), Code::kInternal);
  }
}

TEST_P(Sweep, RandomNumbersAreKeyed) {
  if (!op().random || !SelfContained(op())) GTEST_SKIP();
  for (const SweepCase& c : CasesOf(op())) {
    SCOPED_TRACE(c.name);
    auto draw = [&](uint64_t seed, uint64_t key, int64_t id, WorkerPool* pool) {
      StepContext step;
      step.seed = seed;
      step.step_id = id;
      step.pool = pool;
      NodeInfo node;
      node.key = key;
      return (*RunOp(op(), c.attrs, c.inputs, &step, &node))[0];
    };
    WorkerPool pool(2);
    Array first = draw(1, 2, 3, nullptr);
    EXPECT_TRUE(first.BitEquals(draw(1, 2, 3, &pool)));
    for (double v : ToRef(first).v) EXPECT_TRUE(std::isfinite(v));
    if (first.num_elements() < 8) continue;
    EXPECT_FALSE(first.BitEquals(draw(9, 2, 3, nullptr))) << "seed";
    EXPECT_FALSE(first.BitEquals(draw(1, 9, 3, nullptr))) << "node";
    EXPECT_FALSE(first.BitEquals(draw(1, 2, 9, nullptr))) << "step";
  }
}

// Calls drawn at random: mostly wrong types, shapes, attributes and values. An
// op may refuse them or run; nothing else. Sizes are tiny or absurd, so that
// no call that is accepted needs much memory.
TEST_P(Sweep, SurvivesRandomCalls) {
  if (!SelfContained(op()) || op().async() || !op().global_effect.empty()) {
    GTEST_SKIP();
  }
  RandomCalls calls(op(), 1);
  int accepted = 0;
  for (int i = 0; i < 150; ++i) {
    SweepCase c = calls.Next();
    auto ran = Run(c);
    if (!ran.ok()) {
      EXPECT_FALSE(ran.status().message().empty());
      EXPECT_NE(ran.status().code(), Code::kInternal)
          << ran.status().ToString();
      continue;
    }
    ++accepted;
    // What runs must also pass the checks a graph makes, and agree with them.
    auto inferred = Infer(op(), c.attrs, c.inputs, ShapesOf(c.inputs), true);
    ASSERT_TRUE(inferred.ok()) << inferred.status().ToString();
    for (size_t k = 0; k < ran->size(); ++k) {
      EXPECT_TRUE((*inferred)[k].Covers((*ran)[k].shape()));
    }
  }
  // Calls that are all refused would not have tried the kernel.
  EXPECT_GT(accepted, 0);
}

// One node of the op between arguments and results, as text and as bytes and
// back. Small inputs also come as constants, so that every kind of literal is
// written.
TEST_P(Sweep, GraphFormsRoundTrip) {
  if (!SelfContained(op())) GTEST_SKIP();
  for (const SweepCase& c : CasesOf(op())) {
    if (c.sample > 0 && !c.first) continue;  // one sample in every type
    for (bool constants : {false, true}) {
      SCOPED_TRACE(StrCat(c.name, constants ? ", constants" : ""));
      Graph graph;
      std::vector<Value> inputs;
      for (size_t i = 0; i < c.inputs.size(); ++i) {
        const Array& x = c.inputs[i];
        std::string name = StrCat("x", i);
        if (constants && x.num_elements() <= 16) {
          auto made = graph.Add(graph.root(), "Const", {}, {{"value", x}});
          ASSERT_TRUE(made.ok()) << made.status().ToString();
          inputs.push_back((*made)->output());
        } else {
          inputs.push_back(
              *graph.AddArg(graph.root(), name, {x.dtype(), x.shape()}));
        }
      }
      auto node = graph.Add(graph.root(), op().name, inputs, c.attrs);
      ASSERT_TRUE(node.ok()) << node.status().ToString();
      std::vector<Value> results;
      for (int i = 0; i < (*node)->num_outputs(); ++i) {
        results.push_back((*node)->output(i));
      }
      graph.SetResults(graph.root(), results);
      std::string text = PrintGraph(graph);
      auto parsed = ParseGraph(text);
      ASSERT_TRUE(parsed.ok()) << parsed.status().ToString() << "\n" << text;
      EXPECT_EQ(PrintGraph(**parsed), text);
      const Node* copy = (*parsed)->FindNode((*node)->name());
      ASSERT_NE(copy, nullptr);
      EXPECT_TRUE(copy->attrs() == (*node)->attrs()) << text;
      auto read = ReadBinary(WriteBinary(graph));
      ASSERT_TRUE(read.ok()) << read.status().ToString() << "\n" << text;
      EXPECT_EQ(PrintGraph(**read), text);
    }
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Ops, Sweep, testing::ValuesIn(OpNames()), TestName);

}  // namespace
}  // namespace sluice
