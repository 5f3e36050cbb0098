#include "sluice/gpu/gpu_program.h"

#include <cstring>
#include <unordered_set>

#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"
#include "sluice/gpu/fused_launch.h"
#include "sluice/gpu/list_launch.h"
#include "sluice/gpu/moves.h"
#include "sluice/graph/graph.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/random_key.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/strided.h"

namespace sluice {

GpuRegister GpuRegister::Dense(GpuPlace place, int index, int64_t offset,
                               DType dtype, const Shape& shape) {
  GpuRegister r;
  r.place = place;
  r.index = index;
  r.offset = offset;
  r.dtype = dtype;
  r.shape = shape;
  r.strides = ContiguousStrides(shape);
  return r;
}

bool GpuRegister::contiguous() const { return IsContiguous(shape, strides); }

void GpuOperands::Read(CudaStream& stream, const Array& in) {
  BeforeRead(stream, in);
  at.push_back(in.on_host() ? nullptr : in.address());
  bytes.push_back(in.on_host() ? 0 : in.bytes());
}

void GpuOperands::Write(CudaStream& stream, const Array& out) {
  BeforeWrite(stream, out);
  at.push_back(out.address());
  bytes.push_back(out.bytes());
}

void GpuProgram::CompileAhead(const GpuCode& code) const {
  std::unordered_set<std::string_view> seen;
  std::vector<const std::string*> sources;
  for (const GpuInstruction& instr : code) {
    if (instr.source.empty() || !seen.insert(instr.source).second) continue;
    sources.push_back(&instr.source);
  }
  if (sources.size() < 2) return;
  ParallelFor(&WorkerPool::Default(), static_cast<int64_t>(sources.size()), 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  (void)CudaFunction(*device, *sources[static_cast<size_t>(i)],
                                     "fused");
                }
              });
}

Array GpuProgram::Bind(int number, const GpuBases& bases) const {
  const GpuRegister& r = registers[static_cast<size_t>(number)];
  if (r.place == GpuPlace::kConstant) {
    const Array& constant = constants[static_cast<size_t>(r.index)];
    if (constant.on_host()) return constant;
  }
  auto i = static_cast<size_t>(r.index);
  char* base = static_cast<char*>(
      r.place == GpuPlace::kInput    ? bases.inputs[i]
      : r.place == GpuPlace::kOutput ? bases.outputs[i]
      : r.place == GpuPlace::kArena  ? bases.arena
                                     : constants[i].address());
  Array array = Array::Borrow(base + r.offset, r.dtype, r.shape, r.strides);
  array.rep()->memory = &device->memory();
  array.rep()->remote = true;
  return array;
}

// The address of the flag without which the launch writes nothing; null: none.
const void* GpuProgram::FlagOf(const GpuInstruction& instr,
                               const GpuBases& bases) const {
  if (instr.live < 0) return nullptr;
  return static_cast<const bool*>(Bind(instr.live, bases).address()) +
         bases.round;
}

Status GpuProgram::IssueLoop(const GpuInstruction& instr,
                             const KernelContext& ctx,
                             const GpuBases& bases) const {
  std::vector<FusedPart> parts;
  auto add = [&](const GpuInstruction& loop) {
    FusedPart part{loop.access, FlagOf(loop, bases), loop.space, {}, {}};
    for (int r : loop.in) part.in.push_back(Bind(r, bases));
    for (int r : loop.out) part.out.push_back(Bind(r, bases));
    parts.push_back(std::move(part));
  };
  add(instr);
  for (const GpuInstruction& other : instr.beside) add(other);
  return LaunchFused(ctx, instr.source, instr.pack, parts);
}

Status GpuProgram::IssueOne(const GpuInstruction& instr,
                            const StepContext& step, Stream& stream,
                            const GpuBases& bases) const {
  SmallVector<Array, 6> in, out;
  if (instr.code != GpuInstruction::Code::kFused) {
    for (int r : instr.in) in.push_back(Bind(r, bases));
    for (int r : instr.out) out.push_back(Bind(r, bases));
  }
  const Node& node = *instr.node;
  NodeInfo info{node.name(), node.line(), node.key()};
  KernelContext ctx(node.op(), node.attrs(), info, step, in, out);
  ctx.set_device(device, &stream);
  const void* live = FlagOf(instr, bases);
  switch (instr.code) {
    case GpuInstruction::Code::kCopy:
      return CopyStridedOnGpu(ctx, in[0], out[0]);
    case GpuInstruction::Code::kFused:
      return IssueLoop(instr, ctx, bases);
    case GpuInstruction::Code::kMove:
      return LaunchMoves(ctx, live, in, out);
    case GpuInstruction::Code::kAppend:
    case GpuInstruction::Code::kSet:
    case GpuInstruction::Code::kGet:
    case GpuInstruction::Code::kAdmit:
      return IssueList(instr, ctx, live, bases, in, out);
    case GpuInstruction::Code::kKernel:
      break;
  }
  if (instr.workspace >= 0) {
    ctx.set_workspace(static_cast<char*>(bases.arena) + instr.workspace);
  }
  CudaDrawScope draws(
      instr.key < 0 ? nullptr : static_cast<char*>(bases.arena) + instr.key);
  Status launched = node.op().kernel(DeviceKind::kCuda).launch(ctx);
  if (launched.code() != Code::kUnimplemented ||
      CudaRecordingScope::Current()) {
    return launched;
  }
  return RunThroughHost(node, info, step, stream, in, out);
}

Status GpuProgram::IssueList(const GpuInstruction& instr,
                             const KernelContext& ctx, const void* live,
                             const GpuBases& bases, std::span<const Array> in,
                             std::span<const Array> out) const {
  void* control = Bind(list_control, bases).address();
  ListElement where{control, live, instr.number};
  switch (instr.code) {
    case GpuInstruction::Code::kAppend:
      return LaunchAppend(ctx, control, in, out);
    case GpuInstruction::Code::kSet:
      return LaunchSet(ctx, where, in[0], in[1], out[0], out[1],
                       bases.capacity);
    case GpuInstruction::Code::kGet:
      return LaunchGet(ctx, where, in[0], in[1], out[0]);
    default:
      return LaunchAdmit(ctx, control, in[0].address(), bases.capacity);
  }
}

// Runs a node without a GPU kernel for its operands on the host and waits for
// it. Such launches cannot be recorded.
Status GpuProgram::RunThroughHost(const Node& node, const NodeInfo& info,
                                  const StepContext& step, Stream& stream,
                                  std::span<const Array> in,
                                  std::span<const Array> out) const {
  CUstream handle = static_cast<CudaStream&>(stream).handle();
  SL_CUDA(cuStreamSynchronize(handle), "waiting for what the host reads");
  std::vector<Array> here, made(out.size());
  std::vector<DType> dtypes;
  for (const Array& array : in) {
    SL_ASSIGN_OR_RETURN(Array copy, CopyTo(array, CpuDevice()));
    here.push_back(std::move(copy));
  }
  for (const Array& array : out) dtypes.push_back(array.dtype());
  StepContext host = step;
  host.memory = nullptr;
  SL_RETURN_IF_ERROR(LaunchCpu(node.op(), node.attrs(), info, host, here,
                               dtypes, made, nullptr, /*steady=*/true));
  for (size_t i = 0; i < out.size(); ++i) {
    SL_ASSIGN_OR_RETURN(made[i], made[i].AsContiguous());
    SL_CUDA(cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(out[i].address()),
                              made[i].raw(),
                              static_cast<size_t>(made[i].bytes()), handle),
            "copying what the host computed");
  }
  SL_CUDA(cuStreamSynchronize(handle), "copying what the host computed");
  return OkStatus();
}

Status GpuProgram::Issue(const GpuCode& code, const StepContext& step,
                         Stream& stream, const GpuBases& bases) const {
  for (const GpuInstruction& instr : code) {
    Status status = IssueOne(instr, step, stream, bases);
    if (!status.ok()) {
      return AtNode(InOp(instr.node->op(), status), *instr.node, {});
    }
  }
  return OkStatus();
}

// Memory is planned from the static types of the graph.
Status GpuProgram::CheckInputs(std::span<Array> given) const {
  for (size_t i = 0; i < given.size(); ++i) {
    const Value& v = inputs[i];
    if (given[i].dtype() != v.dtype() ||
        !(v.shape() == PartialShape(given[i].shape()))) {
      return InvalidArgument(StrCat("\"", v.ToString(), "\" is ",
                                    given[i].TypeText(), "; wanted ",
                                    DTypeName(v.dtype()), v.shape()));
    }
    if (given[i].on_host()) continue;
    SL_ASSIGN_OR_RETURN(given[i], ContiguousOn(given[i]));
  }
  for (const HostKey& drawn : keys) {
    if (drawn.told < 0) continue;
    SL_ASSIGN_OR_RETURN(given[drawn.input],
                        CopyTo(given[drawn.input], CpuDevice()));
  }
  for (const HostNumber& number : numbers) {
    SL_ASSIGN_OR_RETURN(given[number.input],
                        CopyTo(given[number.input], CpuDevice()));
  }
  return OkStatus();
}

Result<Array> GpuProgram::NewArena() const {
  if (arena_bytes == 0) return Array();
  SL_ASSIGN_OR_RETURN(Array arena, Array::Make(DType::kU8, {arena_bytes},
                                               device->memory().allocator()));
  BeforeWrite(device->stream(), arena);
  return arena;
}

Status GpuProgram::Upload(const StepContext& step, std::span<const Array> given,
                          void* arena) const {
  if (numbers.empty() && keys.empty()) return OkStatus();
  // Few bytes: the driver copies them during the call.
  std::vector<char> block((numbers.size() + keys.size()) * kNumberBytes);
  for (const HostKey& drawn : keys) {
    std::vector<Array> in;
    for (const Value& v : drawn.node->inputs()) {
      const Array* constant = ConstantValue(v);
      in.push_back(constant ? *constant : Array());
    }
    if (drawn.told >= 0) {
      in[static_cast<size_t>(drawn.told)] = given[drawn.input];
    }
    NodeInfo info{drawn.node->name(), drawn.node->line(), drawn.node->key()};
    KernelContext ctx(drawn.node->op(), drawn.node->attrs(), info, step, in,
                      {});
    RandomKey key = RandomKeyOf(ctx);
    static_assert(sizeof key == kNumberBytes);
    std::memcpy(block.data() + drawn.offset, &key, sizeof key);
  }
  for (const HostNumber& number : numbers) {
    const Array& value = given[number.input];
    std::memcpy(block.data() + number.offset, value.raw(),
                static_cast<size_t>(value.bytes()));
  }
  device->Enter();
  SL_CUDA(cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(arena), block.data(),
                            block.size(), device->stream().handle()),
          "handing over numbers of the host");
  return OkStatus();
}

}  // namespace sluice
