#include "sluice/vm/launch.h"

#include <utility>

#include "sluice/launch/launch.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/kernel_times.h"
#include "sluice/op/run_op.h"

namespace sluice {

namespace {

void Deliver(const std::vector<int32_t>& to, const VmRegisters& at,
             Array* from) {
  for (size_t i = 0; i < to.size(); ++i) {
    at.registers[to[i]] = std::exchange(from[i], Array());
  }
}

// Runs a short row in place: no reference counts, and dead operands are
// overwritten. False without any effect if the operands do not allow it.
bool LaunchRow(const VmLaunch& launch, const VmRegisters& at) {
  size_t n = launch.in.size();
  const Array* in[kMaxBlockInputs] = {};
  const Array* widest = nullptr;
  for (size_t i = 0; i < n; ++i) {
    in[i] = &at.At(launch.in[i].index);
    if (!widest || (widest->rank() == 0 && in[i]->rank() > 0)) widest = in[i];
  }
  if (widest->num_elements() > kShortRow) return false;
  const Shape& shape = widest->shape();
  DType dtype = launch.call.out_dtypes[0];
  int32_t over = -1;  // the register to be written over
  for (size_t i = 0; i < n; ++i) {
    if (in[i]->rank() == 0 && widest->rank() > 0) continue;
    if (in[i] != widest && !(in[i]->shape() == shape)) return false;
    if (!in[i]->contiguous()) return false;
    if (launch.in[i].move && in[i]->dtype() == dtype && in[i]->unique()) {
      over = launch.in[i].index;
    }
  }
  Array out;
  if (over < 0) {
    Result<Array> made = Array::Make(dtype, shape);
    if (!made.ok()) return false;
    out = *std::move(made);
  }
  TimedKernel timed(launch.call.node->op().name, launch.call.info.line);
  if (!RunShortRow(launch.call.block, {in, n},
                   over < 0 ? out : at.registers[over])) {
    return false;
  }
  if (over >= 0) out = std::move(at.registers[over]);
  for (const VmOperand& o : launch.in) {
    if (o.move && o.index != over) at.registers[o.index] = Array();
  }
  at.registers[launch.out[0]] = std::move(out);
  return true;
}

}  // namespace

Status LaunchOnRegisters(const VmLaunch& launch, const StepContext& step,
                         const VmRegisters& at, Array* room) {
  bool elementwise = launch.kind == VmLaunch::Kind::kElementwise;
  if (elementwise && launch.broadcasts && LaunchRow(launch, at)) {
    return OkStatus();
  }
  size_t n = launch.in.size(), m = launch.out.size();
  for (size_t i = 0; i < n; ++i) room[i] = at.Take(launch.in[i]);
  std::span<Array> in(room, n), out(room + n, m);
  Status status;
  switch (launch.kind) {
    case VmLaunch::Kind::kElementwise:
      status = LaunchElementwise(launch.call, step, in, &out[0]);
      break;
    case VmLaunch::Kind::kKernel:
      status = LaunchKernel(*launch.call.node, launch.call, step, in, out);
      break;
    case VmLaunch::Kind::kWait: {
      Result<std::vector<Array>> made =
          RunOp(launch.call.node->op(), launch.call.node->attrs(), in, &step,
                &launch.call.info);
      status = made.status();
      for (size_t i = 0; made.ok() && i < m; ++i) out[i] = (*made)[i];
      break;
    }
  }
  if (!status.ok()) [[unlikely]]
    status = AtNode(status, *launch.call.node, in);
  for (Array& a : in) a = Array();
  Deliver(launch.out, at, room + n);
  return status;
}

Status RunTapeOnRegisters(const VmTape& part, const StepContext& step,
                          const VmRegisters& at, Array* room) {
  size_t n = part.in.size(), m = part.out.size();
  for (size_t i = 0; i < n; ++i) room[i] = at.Take(part.in[i]);
  Status status = part.tape->Run(step, {room, n}, {room + n, m});
  for (size_t i = 0; i < n; ++i) room[i] = Array();
  Deliver(part.out, at, room + n);
  return status;
}

}  // namespace sluice
