#include "sluice/gpu/gpu_loop.h"

#include "sluice/base/strings.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"
#include "sluice/launch/copy_between.h"

namespace sluice {

namespace {

// Matches source/condition.cuh.
struct ConditionArgs {
  const void* predicate;
  uint64_t handle;
};
struct TurnArgs {
  const void* trips;
  void* begun;
  void* live;
  int64_t rounds;
  uint64_t handle;
};

// The state of a recording: the graph, and the node that the next one follows.
struct Recorded {
  CUgraph graph = nullptr;
  const CUgraphNode* before = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;

  static Result<Recorded> On(CUstream stream) {
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    Recorded r;
    SL_CUDA(cuStreamGetCaptureInfo(stream, &status, &id, &r.graph, &r.before,
                                   &r.edges, &r.count),
            "recording a loop");
    return r;
  }
};

// The body of a while node in the graph being recorded on `stream`.
Result<CUgraph> AddWhileNode(Stream& stream, uint64_t handle) {
  CUstream recorded = static_cast<CudaStream&>(stream).handle();
  SL_ASSIGN_OR_RETURN(Recorded so_far, Recorded::On(recorded));
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = static_cast<CudaDevice&>(stream.device()).context();
  CUgraphNode node = nullptr;
  SL_CUDA(cuGraphAddNode(&node, so_far.graph, so_far.before, so_far.edges,
                         so_far.count, &params),
          "recording a loop");
  SL_CUDA(cuStreamUpdateCaptureDependencies(recorded, &node, nullptr, 1,
                                            CU_STREAM_SET_CAPTURE_DEPENDENCIES),
          "recording a loop");
  return params.conditional.phGraph_out[0];
}

Result<uint64_t> NewCondition(Stream& stream) {
  SL_ASSIGN_OR_RETURN(Recorded so_far,
                      Recorded::On(static_cast<CudaStream&>(stream).handle()));
  CUgraphConditionalHandle handle = 0;
  SL_CUDA(cuGraphConditionalHandleCreate(
              &handle, so_far.graph,
              static_cast<CudaDevice&>(stream.device()).context(), 0, 0),
          "recording a loop");
  return handle;
}

}  // namespace

Status GpuWhile::SetCondition(const StepContext& step, Stream& stream,
                              const GpuBases& bases, uint64_t handle) const {
  NodeInfo info{loop_->name(), loop_->line(), loop_->key()};
  KernelContext ctx(loop_->op(), loop_->attrs(), info, step, {}, {});
  ctx.set_device(program_.device, &stream);
  if (trips_ >= 0) {
    TurnArgs turn{program_.Bind(trips_, bases).address(),
                  program_.Bind(begun_, bases).address(),
                  program_.Bind(live_, bases).address(), rounds_, handle};
    return LaunchCuda(ctx, set_condition_, {1, 1}, turn);
  }
  ConditionArgs args{program_.Bind(live_, bases).address(), handle};
  return LaunchCuda(ctx, set_condition_, {1, 1}, args);
}

Status GpuWhile::IssueRounds(const StepContext& step, Stream& stream,
                             GpuBases bases) const {
  for (int round = 0; round < rounds_; ++round) {
    bases.round = trips_ >= 0 ? round : 0;
    SL_RETURN_IF_ERROR(IssueBody(step, stream, bases));
    SL_RETURN_IF_ERROR(program_.Issue(cond_, step, stream, bases));
  }
  return OkStatus();
}

// Errors of rounds after the last iteration are ignored.
Status GpuWhile::IssueBody(const StepContext& step, Stream& stream,
                           const GpuBases& bases) const {
  auto* live = static_cast<const bool*>(program_.Bind(live_, bases).address());
  CudaMaskedChecks masked(live + bases.round,
                          program_.Bind(found_, bases).address());
  SL_RETURN_IF_ERROR(program_.Issue(body_, step, stream, bases));
  return masked.status;
}

Status GpuWhile::IssueRecorded(const StepContext& step, Stream& stream,
                               const GpuBases& bases) const {
  if (!whole_.empty()) return program_.Issue(whole_, step, stream, bases);
  SL_RETURN_IF_ERROR(Begin(stream, bases));
  CudaScopes::Here().behind_other = true;
  SL_RETURN_IF_ERROR(program_.Issue(first_, step, stream, bases));
  SL_RETURN_IF_ERROR(program_.Issue(cond_, step, stream, bases));
  SL_ASSIGN_OR_RETURN(uint64_t handle, NewCondition(stream));
  SL_RETURN_IF_ERROR(SetCondition(step, stream, bases, handle));
  SL_RETURN_IF_ERROR(program_.Issue(once_, step, stream, bases));
  SL_ASSIGN_OR_RETURN(CUgraph body, AddWhileNode(stream, handle));
  CudaStream& inner = program_.device->body_stream();
  SL_CUDA(cuStreamBeginCaptureToGraph(inner.handle(), body, nullptr, nullptr, 0,
                                      CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
          "recording a loop's body");
  Status issued = IssueRounds(step, inner, bases);
  if (issued.ok()) issued = SetCondition(step, inner, bases, handle);
  CUresult ended = CudaDriver::Get().cuStreamEndCapture(inner.handle(), &body);
  SL_RETURN_IF_ERROR(issued);
  SL_RETURN_IF_ERROR(CudaStatus(ended, "recording a loop's body"));
  CudaScopes::Here().behind_other = true;
  Status after = program_.Issue(last_, step, stream, bases);
  CudaScopes::Here().behind_other = false;
  return after;
}

std::string GpuWhile::Explain() const {
  std::string text;
  auto list = [&](std::string_view what, const GpuCode& code) {
    StrAppend(text, "    ", what, "\n");
    for (const GpuInstruction& instr : code) {
      StrAppend(text, "      ", instr.label, "\n");
    }
  };
  if (!whole_.empty()) {
    list("stays on the device, in one kernel", whole_);
    return text;
  }
  if (trips_ >= 0) {
    list("first the number of iterations", {first_.back()});
  } else {
    list("condition", cond_);
  }
  list("body", body_);
  StrAppend(text, "    arena ", HumanBytes(program_.arena_bytes), "\n");
  MutexLock lock(mu_);
  if (recordings_.why_not().empty()) {
    StrAppend(text, "    stays on the device, ", rounds_,
              rounds_ == 1 ? " round" : " rounds", " at a time; ",
              recordings_.count(), " recordings\n");
    StrAppend(text, "    the host waited ", waits_, " times in ", runs_,
              " runs\n");
  } else {
    StrAppend(text, "    driven by the host: ", recordings_.why_not(), "\n");
  }
  return text;
}

}  // namespace sluice
