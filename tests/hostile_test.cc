// Every op against input no sane program gives: the calls of hostile_calls.h.
// Wanted of each: a result of the shape the shape function says, or an error
// that names the op. Never a crash, memory without bound, or no end; the
// address and behaviour sanitizers watch in `make asan`.
//
// HOSTILE_TRACE=1 prints every call before it is made.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/allocator.h"
#include "tests/hostile_calls.h"
#include "tests/hostile_graph.h"

namespace {

// What a call may ask of the system in one piece, outside of arrays.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

void* AllocateOrDie(std::size_t bytes) {
  if (bytes > kMostBytes) {
    std::fprintf(stderr, "an op asked for %zu bytes at once\n", bytes);
    std::abort();
  }
  void* p = std::malloc(bytes > 0 ? bytes : 1);
  if (!p) std::abort();
  return p;
}

}  // namespace

// Every form of new there is, or memory of one kind is freed as another.
void* operator new(std::size_t bytes) { return AllocateOrDie(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return AllocateOrDie(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return AllocateOrDie(bytes);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
void* operator new[](std::size_t bytes) { return AllocateOrDie(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace sluice {
namespace {

// The arrays of one call together: enough for every sample.
constexpr int64_t kMemory = 64 << 20;
constexpr size_t kCallsPerOp = 1200;

bool Trace() {
  static const bool on = std::getenv("HOSTILE_TRACE") != nullptr;
  return on;
}

// Ops a call may be made of outside a step: no state, nothing that waits or
// acts on the world.
bool MayRun(const OpRecord& op) {
  return !op.handle && !op.structural && op.effect == Effect::kNone &&
         op.regions.empty() && !op.async() && op.global_effect.empty();
}

// A loop over all elements of an array that has one in memory would not end.
bool TooLongToRun(const OpRecord& op, const HostileCall& call) {
  if (!op.cpu().strided_inputs || op.block) return false;
  for (const Array& in : call.inputs) {
    if (in.num_elements() > 1 << 24) return true;
  }
  return false;
}

void ExpectNamed(const OpRecord& op, const Status& status) {
  EXPECT_NE(status.code(), Code::kInternal) << status.ToString();
  // What a feed needs is asked for before any op runs.
  bool feed = status.code() == Code::kResourceExhausted;
  EXPECT_TRUE(feed || status.message().starts_with(StrCat("[", op.name, "]")))
      << status.message();
}

class Hostile : public testing::TestWithParam<std::string> {
 protected:
  const OpRecord& op() const { return *FindOp(GetParam()); }

  int ran_ = 0;

  struct Known {
    std::vector<DType> dtypes;
    std::vector<PartialShape> shapes;
    std::vector<const Array*> values;
  };

  // Asks the shape function. What ran must be taken here, too, and be of the
  // shapes claimed; `exact` when everything is known.
  void CheckShapes(const ResolvedCall& call, const Known& known, bool ran,
                   const std::vector<Array>& results, const char* what) {
    SCOPED_TRACE(what);
    auto inferred = InferShapes(op(), call.attrs, known.dtypes, known.shapes,
                                known.values, call.out_dtypes);
    if (!inferred.ok()) {
      EXPECT_FALSE(ran) << "ran, but: " << inferred.status().ToString();
      ExpectNamed(op(), inferred.status());
      return;
    }
    ASSERT_EQ(inferred->size(), call.out_dtypes.size());
    for (size_t i = 0; ran && i < results.size(); ++i) {
      EXPECT_TRUE((*inferred)[i].Covers(results[i].shape()))
          << "output " << i << " claimed " << (*inferred)[i].ToString()
          << ", is " << results[i].shape().ToString();
    }
  }

  // A session says the same of the call, and gives the same result.
  void CheckInGraph(const HostileCall& call, bool ran,
                    const std::vector<Array>& results, bool shapes_known,
                    ExecutorChoice executor, WorkerPool& pool) {
    SCOPED_TRACE(shapes_known ? "in a graph" : "in a graph of unknown shapes");
    SCOPED_TRACE(StrCat("executor ", static_cast<int>(executor)));
    auto made = RunInGraph(op(), call, shapes_known, executor, pool);
    // A session holds inputs a little longer: what barely fitted may not.
    if (made.status().code() == Code::kResourceExhausted) {
      return ExpectNamed(op(), made.status());
    }
    ASSERT_EQ(made.ok(), ran) << made.status().ToString();
    if (!made.ok()) return ExpectNamed(op(), made.status());
    for (size_t i = 0; i < results.size() && !op().random; ++i) {
      EXPECT_TRUE((*made)[i].BitEquals(results[i])) << "output " << i;
    }
  }

  void Survive(const HostileCall& call, WorkerPool* pool, bool may_run,
               WorkerPool* in_graph) {
    Known all;
    for (const Array& in : call.inputs) {
      all.dtypes.push_back(in ? in.dtype() : DType::kInvalid);
      if (!in) return;  // an attack that does not fit this input
      all.shapes.push_back(in.shape());
      all.values.push_back(in.contiguous() ? &in : nullptr);
    }
    auto resolved = ResolveCall(op(), call.attrs, all.dtypes);
    if (!resolved.ok()) return ExpectNamed(op(), resolved.status());

    std::vector<Array> results;
    bool ran = false;
    if (may_run && !TooLongToRun(op(), call)) {
      StepContext step;
      step.pool = pool;
      auto made = RunOp(op(), call.attrs, call.inputs, &step);
      ran = made.ok();
      if (ran) {
        ++ran_;
        results = *std::move(made);
        ASSERT_EQ(results.size(), resolved->out_dtypes.size());
        for (size_t i = 0; i < results.size(); ++i) {
          ASSERT_TRUE(results[i]) << "output " << i << " was not made";
          EXPECT_EQ(results[i].dtype(), resolved->out_dtypes[i]);
        }
      } else {
        ExpectNamed(op(), made.status());
      }
      for (auto executor : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                            ExecutorChoice::kTokens}) {
        if (!in_graph) break;
        CheckInGraph(call, ran, results, pool != nullptr, executor, *in_graph);
      }
    }
    CheckShapes(*resolved, all, ran, results, "all known");
    Known some = all;
    some.values.clear();
    CheckShapes(*resolved, some, ran, results, "values unknown");
    for (PartialShape& s : some.shapes) {
      for (int k = 0; k < s.rank(); ++k) s.set_dim(k, kUnknownDim);
    }
    CheckShapes(*resolved, some, ran, results, "sizes unknown");
    Known mixed = all;
    for (size_t i = 0; i < mixed.shapes.size(); i += 2) {
      mixed.shapes[i] = PartialShape::Unknown();
      mixed.values[i] = nullptr;
    }
    CheckShapes(*resolved, mixed, ran, results, "some ranks unknown");
    for (PartialShape& s : mixed.shapes) s = PartialShape::Unknown();
    mixed.values.clear();
    CheckShapes(*resolved, mixed, ran, results, "ranks unknown");
  }
};

// Said at the end: how much was tried.
struct Tried : testing::Environment {
  void TearDown() override {
    std::printf("%lld hostile calls, %lld ran; %lld shapes asked for\n", calls,
                ran, shapes);
  }
  static inline long long calls = 0, ran = 0, shapes = 0;
};
[[maybe_unused]] const testing::Environment* const tried =
    testing::AddGlobalTestEnvironment(new Tried);

class HostileCalls : public Hostile {};
class HostileShapes : public Hostile {};

TEST_P(HostileCalls, Survives) {
  WorkerPool pool(2);
  size_t number = 0;
  CasesOf(op());  // kept; what comes now is the calls' own
  HostAllocator().SetLimit(HostAllocator().stats().bytes_in_use + kMemory);
  bool may_run = MayRun(op());
  ForEachHostileCall(op(), kCallsPerOp, [&](const HostileCall& call) {
    if (HasFatalFailure()) return;
    SCOPED_TRACE(call.what);
    if (Trace()) {
      std::fprintf(stderr, "%s: %s\n", op().name.c_str(), call.what.c_str());
    }
    // Some with threads, fewer through a session: it takes ten times as long.
    ++number;
    Survive(call, number % 8 == 0 ? &pool : nullptr, may_run,
            number % 20 == 0 ? &pool : nullptr);
  });
  EXPECT_GT(number, 0u);
  Tried::calls += static_cast<long long>(number);
  Tried::ran += ran_;
  // Were all refused, no kernel would have been tried.
  EXPECT_TRUE(ran_ > 0 || !may_run);
}

// A plain value of that kind, for attributes that must be given.
AttrValue PlainValue(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return false;
    case AttrKind::kInt:
      return 1;
    case AttrKind::kFloat:
      return 1.0;
    case AttrKind::kString:
      return "s";
    case AttrKind::kDType:
      return DType::kF32;
    case AttrKind::kShape:
      return PartialShape();
    case AttrKind::kArray:
      return Array::Scalar(1.0f);
    case AttrKind::kInts:
      return std::vector<int64_t>{1};
    case AttrKind::kFloats:
      return std::vector<double>{1};
    case AttrKind::kStrings:
      return std::vector<std::string>{"s"};
    case AttrKind::kDTypes:
      return std::vector<DType>{DType::kF32};
    case AttrKind::kShapes:
      return std::vector<PartialShape>{PartialShape()};
    case AttrKind::kNone:
      break;
  }
  return {};
}

// A type that a declared input takes.
DType SomeType(const OpRecord& op, const ArgSpec& arg) {
  DType dtype = DTypeFromName(arg.type);
  if (dtype != DType::kInvalid) return dtype;
  const TypeVar* var = op.FindType(arg.type);
  for (int i = 1; var && i < kNumDTypes; ++i) {
    if (var->allowed.contains(static_cast<DType>(i))) {
      return static_cast<DType>(i);
    }
  }
  return DType::kF32;
}

// Ops of state have no samples and cannot run alone, but graphs are made of
// them from any attributes and shapes.
TEST_P(HostileShapes, Survive) {
  HostileCall base;
  for (const AttrSpec& spec : op().attrs) {
    if (spec.default_value.kind() == AttrKind::kNone) {
      base.attrs.set(spec.name, PlainValue(spec.kind));
    }
  }
  std::vector<Attack> attacks = AttrAttacks(op(), base.attrs);
  attacks.push_back({"", [](HostileCall&) {}});
  const PartialShape shapes[] = {
      PartialShape(),          PartialShape::Scalar(),
      PartialShape({2}),       PartialShape({0, 3}),
      PartialShape({any, 4}),  PartialShape({int64_t{1} << 40}),
      PartialShape::OfRank(8),
  };
  int taken = 0;
  for (const Attack& attack : attacks) {
    HostileCall call = base;
    attack.apply(call);
    for (const PartialShape& shape : shapes) {
      SCOPED_TRACE(StrCat(attack.what, ", inputs of shape ", shape));
      Known known;
      for (const ArgSpec& arg : op().inputs) {
        known.dtypes.push_back(SomeType(op(), arg));
        known.shapes.push_back(shape);
      }
      auto resolved = ResolveCall(op(), call.attrs, known.dtypes);
      if (!resolved.ok()) {
        ExpectNamed(op(), resolved.status());
        continue;
      }
      CheckShapes(*resolved, known, false, {}, "");
      ++taken;
    }
  }
  EXPECT_GT(taken, 0);
  Tried::shapes += taken;
}

std::vector<std::string> OpNames(bool with_samples) {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (op->samples.empty() != with_samples) names.push_back(op->name);
  }
  return names;
}
std::string TestName(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Ops, HostileCalls, testing::ValuesIn(OpNames(true)),
                         TestName);
INSTANTIATE_TEST_SUITE_P(Ops, HostileShapes, testing::ValuesIn(OpNames(false)),
                         TestName);

}  // namespace
}  // namespace sluice
