#include "tests/cuda_sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <thread>

#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda_devices.h"
#include "sluice/device/devices.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/runs_on.h"
#include "sluice/op/signature.h"
#include "tests/cuda_compare.h"
#include "tests/sweep_cases.h"

namespace sluice {

namespace {

constexpr DeviceKind kGpu = DeviceKind::kCuda;

// Ops whose results a sample alone decides.
bool SelfContained(const OpRecord& op) {
  return !op.handle && !op.structural && op.effect == Effect::kNone &&
         op.regions.empty() && !op.samples.empty() && !op.async();
}

// Its formula calls the C library, and the GPU has one of its own.
bool CallsLibrary(const OpRecord& op) { return op.name == "Pow"; }

bool SameBitsWanted(const OpRecord& op, DType dtype) {
  if (!IsFloating(dtype) && dtype != DType::kC64) return true;
  return op.elementwise() && dtype != DType::kF64 && dtype != DType::kC64 &&
         !CallsLibrary(op);
}

// One call, as the record's types resolve it.
struct Call {
  const OpRecord& op;
  ResolvedCall resolved;
  std::vector<Array> inputs;
};

struct Outcome {
  Status status;
  bool declined = false;
  std::vector<Array> outputs;  // on the host
};

class GpuCaller {
 public:
  explicit GpuCaller(Device& device) : device_(device) {}

  // `layout`: -1 for row-major order, else as in Restride. `keep`: inputs are
  // held, so that no kernel may write over them.
  Outcome Run(const Call& call, int layout, bool keep) {
    Outcome outcome;
    outcome.status = Try(call, layout, keep, outcome);
    if (outcome.status.code() == Code::kUnimplemented) {
      outcome.declined = true;
    }
    return outcome;
  }

 private:
  Status Try(const Call& call, int layout, bool keep, Outcome& outcome) {
    std::vector<Array> inputs;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      bool host = HostReads(call.op, kGpu, i, call.inputs.size());
      SL_ASSIGN_OR_RETURN(Array in, host ? Result<Array>(call.inputs[i])
                                         : Placed(call.inputs[i], layout));
      inputs.push_back(std::move(in));
    }
    std::vector<Array> held;
    if (keep) held = inputs;
    SL_RETURN_IF_ERROR(SpoilFreeMemory());
    StepContext step = Step();
    step.memory = device_.array_memory();
    NodeInfo node = Node();
    auto late = std::make_shared<Late>();
    LaunchCall launch{call.op, call.resolved.attrs, node,
                      call.resolved.out_dtypes};
    std::vector<Array> outputs(call.resolved.out_dtypes.size());
    SL_RETURN_IF_ERROR(
        LaunchOnGpu(device_, launch, step, inputs, outputs,
                    [late](const Status& error) { late->Note(error); }));
    for (Array& out : outputs) {
      SL_ASSIGN_OR_RETURN(Array here, CopyTo(out, CpuDevice()));
      outcome.outputs.push_back(std::move(here));
    }
    SL_RETURN_IF_ERROR(device_.stream().Synchronize());
    SL_RETURN_IF_ERROR(late->Noted());
    for (size_t i = 0; i < held.size(); ++i) {
      SL_ASSIGN_OR_RETURN(Array now, CopyTo(held[i], CpuDevice()));
      if (!now.BitEquals(call.inputs[i])) {
        return Internal(StrCat("input ", i, " was changed"));
      }
    }
    return OkStatus();
  }

  // On the device, in that layout.
  Result<Array> Placed(const Array& in, int layout) {
    SL_ASSIGN_OR_RETURN(Array there, CopyTo(in, device_));
    if (layout < 0 || in.rank() == 0) return there;
    Restrided to = LayoutOf(in, layout);
    SL_ASSIGN_OR_RETURN(Array base, Array::Make(in.dtype(), to.stored,
                                                device_.memory().allocator()));
    Array view = Array::View(base, to.offset, in.shape(), to.strides);
    SL_RETURN_IF_ERROR(CopyElements(there, view));
    return view;
  }

  // What outputs and scratch space will be made of does not hold results of
  // calls before.
  Status SpoilFreeMemory() {
    static const Array& spoiled = *new Array([] {
      Array bytes = *Array::Make(DType::kU8, {1 << 18});
      std::fill_n(bytes.mutable_data<uint8_t>(), bytes.num_elements(), 0xff);
      return bytes;
    }());
    return CopyTo(spoiled, device_).status();
  }

 public:
  static StepContext Step() {
    StepContext step;
    step.seed = 1;
    step.step_id = 3;
    return step;
  }
  static NodeInfo Node() {
    NodeInfo node;
    node.key = 2;
    return node;
  }

 private:
  struct Late {
    Mutex mu;
    Status first SL_GUARDED_BY(mu);
    void Note(const Status& error) SL_EXCLUDES(mu) {
      MutexLock lock(mu);
      if (first.ok()) first = error;
    }
    Status Noted() SL_EXCLUDES(mu) {
      MutexLock lock(mu);
      return first;
    }
  };

  Device& device_;
};

// What is found of one op, by one thread.
struct OpResult {
  int calls = 0, declined = 0, refused = 0;
  double worst = -1;
  int failing = 0;
  std::string failure;

  void Fail(double how_bad, const std::string& text) {
    ++failing;
    if (how_bad <= worst) return;
    worst = how_bad;
    failure = text;
  }
};

// One choice of types for each sample: f32 where that can be.
std::vector<const SweepCase*> Chosen(const OpRecord& op, bool all) {
  std::vector<const SweepCase*> chosen;
  std::map<size_t, std::pair<int, const SweepCase*>> best;
  for (const SweepCase& c : CasesOf(op)) {
    if (all) {
      chosen.push_back(&c);
      continue;
    }
    int f32 = static_cast<int>(
        std::count(c.bound.begin(), c.bound.end(), DType::kF32));
    auto [it, first] = best.try_emplace(c.sample, f32, &c);
    if (!first && f32 > it->second.first) it->second = {f32, &c};
  }
  for (const auto& [sample, c] : best) chosen.push_back(c.second);
  return chosen;
}

Result<Call> Resolve(const OpRecord& op, const Attrs& attrs,
                     const std::vector<Array>& inputs) {
  std::vector<DType> dtypes;
  for (const Array& in : inputs) dtypes.push_back(in.dtype());
  SL_ASSIGN_OR_RETURN(ResolvedCall resolved, ResolveCall(op, attrs, dtypes));
  for (DType dtype : resolved.out_dtypes) dtypes.push_back(dtype);
  if (!RunsOn(op, kGpu, dtypes)) {
    return Unimplemented("placement keeps these types off GPUs");
  }
  return Call{op, std::move(resolved), inputs};
}

void TryCase(Device& device, const OpRecord& op, const SweepCase& c, int index,
             OpResult& result) {
  StepContext step = GpuCaller::Step();
  NodeInfo node = GpuCaller::Node();
  Result<Call> call = Resolve(op, c.attrs, c.inputs);
  if (!call.ok()) return;
  Result<std::vector<Array>> want = RunOp(op, c.attrs, c.inputs, &step, &node);
  if (!want.ok()) return;  // a library this machine does not have
  // Row-major order and the output over an input where it may be; then, of
  // kernels that walk strides, another layout.
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1 && !op.kernel(kGpu).strided_inputs) break;
    int layout = pass == 0 ? -1 : index % kNumLayouts;
    bool keep = (index + pass) % 2 == 0;
    Outcome got = GpuCaller(device).Run(*call, layout, keep);
    std::string where =
        StrCat(c.name, layout < 0 ? "" : StrCat(", layout ", layout));
    if (got.declined) {
      ++result.declined;
      continue;
    }
    ++result.calls;
    if (!got.status.ok()) {
      TakeEmulatedFailure();
      result.Fail(HUGE_VAL, StrCat(where, ": ", got.status.message()));
      continue;
    }
    for (size_t i = 0; i < want->size(); ++i) {
      bool exact = SameBitsWanted(op, (*want)[i].dtype());
      DeviceDifference d =
          CompareDevices(op, got.outputs[i], (*want)[i], exact);
      if (d.equal) continue;
      result.Fail(d.worst, StrCat(where, ", output ", i, ": ", d.text));
    }
  }
}

// Bad values that the CPU's kernel refuses, this one refuses in its words.
void TryReject(Device& device, const OpRecord& op, const Reject& reject,
               OpResult& result) {
  std::vector<Array> inputs = InputsOf(reject);
  Result<Call> call = Resolve(op, reject.attrs, inputs);
  if (!call.ok()) return;
  if (RunOp(op, reject.attrs, inputs).ok()) return;
  Outcome got = GpuCaller(device).Run(*call, -1, false);
  if (got.declined) {
    ++result.declined;
    return;
  }
  ++result.refused;
  if (got.status.ok()) {
    result.Fail(HUGE_VAL,
                StrCat("accepted what the CPU refuses: ", reject.message));
  } else if (got.status.message().find(reject.message) == std::string::npos) {
    result.Fail(HUGE_VAL, StrCat("says \"", got.status.message(),
                                 "\"; wanted \"", reject.message, "\""));
  }
}

}  // namespace

std::string CudaSweepReport::Summary() const {
  return StrCat(ops, " ops have a kernel for GPUs (", untried,
                " of them need more than samples), ", calls,
                " calls ran on the GPU, ", declined, " were left to the host, ",
                refused, " refused; ", failures.size(), " ops fail");
}

Result<CudaSweepReport> SweepCudaKernels(const CudaSweepOptions& options) {
  SL_ASSIGN_OR_RETURN(Device * device, Devices::Find("gpu:0"));
  CudaSweepReport report;
  std::vector<const OpRecord*> ops;
  for (const OpRecord* op : AllOps()) {
    if (!op->kernel(kGpu).launch) continue;
    if (op->name.find(options.only) == std::string::npos) continue;
    ++report.ops;
    if (!SelfContained(*op)) {
      ++report.untried;
      continue;
    }
    ops.push_back(op);
    CasesOf(*op);  // makes them: threads below only read
    // What is found out from records once (op/host_inputs) is not looked up by
    // two threads for the first time.
    for (size_t i = 0; i < op->inputs.size(); ++i) {
      HostReads(*op, kGpu, i, op->inputs.size());
    }
  }
  std::vector<OpResult> results(ops.size());
  std::atomic<size_t> next = 0;
  auto try_op = [&](size_t k) {
    if (options.print_each) std::fprintf(stderr, "%s\n", ops[k]->name.c_str());
    OpResult result;
    int index = 0;
    for (const SweepCase* c : Chosen(*ops[k], options.all_types)) {
      TryCase(*device, *ops[k], *c, index++, result);
    }
    for (const Reject& reject : ops[k]->rejects) {
      TryReject(*device, *ops[k], reject, result);
    }
    return result;
  };
  auto work = [&] {
    for (size_t k; (k = next.fetch_add(1)) < ops.size();) {
      results[k] = try_op(k);
    }
  };
  auto count = options.threads > 0
                   ? static_cast<unsigned>(options.threads)
                   : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.push_back(StartedThread(work));
  for (std::thread& t : threads) t.join();
  // A kernel that goes wrong takes down what runs beside it: those that fail
  // are judged alone.
  for (size_t k = 0; k < ops.size() && count > 1; ++k) {
    TakeEmulatedFailure();
    if (results[k].failing > 0) results[k] = try_op(k);
  }
  for (size_t k = 0; k < ops.size(); ++k) {
    const OpResult& r = results[k];
    report.calls += r.calls;
    report.declined += r.declined;
    report.refused += r.refused;
    if (r.failing > 0) {
      report.failures.push_back(StrCat(ops[k]->name, " (", r.failing, " of ",
                                       r.calls + r.refused, "): ", r.failure));
    }
    if (r.declined > 0) {
      report.declined_ops.push_back(
          StrCat(ops[k]->name, " (", r.declined, " of ",
                 r.declined + r.calls + r.refused, ")"));
    }
  }
  return report;
}

}  // namespace sluice
