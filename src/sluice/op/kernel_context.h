// KernelContext: one launch of one kernel. Inputs are available; outputs have
// been allocated from the shape function, except for ops that declare
// dynamic_output(), which allocate them here. A launch neither synchronises nor
// allocates anything else; scratch memory is declared with workspace().
//
// Inputs are contiguous unless the op declares strided_inputs(). A kernel must
// be correct when output and input are the same memory only if the op is
// elementwise or declares in_place().
#pragma once

#include <span>
#include <string_view>

#include "sluice/base/source_line.h"
#include "sluice/base/status.h"
#include "sluice/op/attr.h"
#include "sluice/op/step_context.h"

namespace sluice {

class Device;
class FusedLoop;
class Stream;
struct OpRecord;

// Complex numbers are unordered, so MulNoNan does not apply to them.
struct NodeInfo {
  std::string_view name;
  SourceLine line;
  // Stable across runs, passes and devices: random ops are keyed by it.
  uint64_t key = 0;
};

class KernelContext {
 public:
  KernelContext(const OpRecord& op, const Attrs& attrs, const NodeInfo& node,
                const StepContext& step, std::span<const Array> inputs,
                std::span<Array> outputs)
      : op_(&op),
        attrs_(&attrs),
        node_(&node),
        step_(&step),
        inputs_(inputs),
        outputs_(outputs) {}

  const OpRecord& op() const { return *op_; }
  const Attrs& attrs() const { return *attrs_; }
  template <class T>
  const T& attr(std::string_view name) const {
    return attrs_->get<T>(name);
  }
  const NodeInfo& node() const { return *node_; }
  const StepContext& step() const { return *step_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Array& in(int i) const { return inputs_[static_cast<size_t>(i)]; }
  const Array& out(int i) const { return outputs_[static_cast<size_t>(i)]; }

  // For dynamic_output() ops: allocates output i, or passes on an existing
  // array.
  Status AllocateOut(int i, DType dtype, const Shape& shape);
  void set_out(int i, Array value) {
    outputs_[static_cast<size_t>(i)] = std::move(value);
  }

  void* workspace() const { return workspace_; }
  void set_workspace(void* workspace) { workspace_ = workspace; }
  // Null on the CPU, whose launches are complete when they return.
  Stream* stream() const { return stream_; }
  Device* device() const { return device_; }
  void set_device(Device* device, Stream* stream) {
    device_ = device;
    stream_ = stream;
  }

  // ---- Elementwise neighbours fused with this launch (op/fused_loop.h) ----
  // For ops that declare fuse_input(): elements [begin, begin + n) of input 0
  // in row-major order, either in place or computed into `scratch` (space for n
  // elements). Such kernels read input 0 in no other way; in(0) then has dtype
  // and shape but possibly no data. Elements may be loaded more than once.
  template <class T>
  const T* Load(int64_t begin, int64_t n, T* scratch) const {
    if (!prologue_) return in(0).data<T>() + begin;
    LoadFused(begin, n, scratch);
    return scratch;
  }
  // For ops that declare fuse_output(): elements [begin, begin + n) of output 0
  // are final. Must be called exactly once for every element, from any thread,
  // soon after it was written; the kernel does not access it afterwards.
  void Finish(int64_t begin, int64_t n) const {
    if (epilogue_) FinishFused(begin, n);
  }
  // The same for `rows` ranges of n elements, `stride` apart.
  void FinishTile(int64_t begin, int64_t rows, int64_t stride,
                  int64_t n) const {
    if (!epilogue_) return;
    if (n == stride) return FinishFused(begin, rows * n);
    for (int64_t r = 0; r < rows; ++r) FinishFused(begin + r * stride, n);
  }
  bool has_prologue() const { return prologue_ != nullptr; }
  bool has_epilogue() const { return epilogue_ != nullptr; }
  void set_fused(const FusedLoop* prologue, const FusedLoop* epilogue) {
    prologue_ = prologue;
    epilogue_ = epilogue;
  }

  // InvalidArgument "[Op] ...", and the same with another code.
  Status Error(std::string_view message) const;
  Status Error(Code code, std::string_view message) const;

 private:
  void LoadFused(int64_t begin, int64_t n, void* scratch) const;
  void FinishFused(int64_t begin, int64_t n) const;

  const OpRecord* op_;
  const Attrs* attrs_;
  const NodeInfo* node_;
  const StepContext* step_;
  std::span<const Array> inputs_;
  std::span<Array> outputs_;
  void* workspace_ = nullptr;
  Stream* stream_ = nullptr;
  Device* device_ = nullptr;
  const FusedLoop* prologue_ = nullptr;
  const FusedLoop* epilogue_ = nullptr;
};

// An asynchronous launch: the kernel returns at once and calls Done() exactly
// once, now or later, from any thread, after setting its outputs. The context
// is gone when Done() returns. Kernels that wait must also register with
// step().cancellation and call Done(Cancelled) when it fires.
class AsyncContext : public KernelContext {
 public:
  using KernelContext::KernelContext;
  virtual void Done(Status status) = 0;

 protected:
  virtual ~AsyncContext() = default;
};

using KernelFn = Status (*)(KernelContext&);
using AsyncKernelFn = void (*)(AsyncContext&);

}  // namespace sluice
