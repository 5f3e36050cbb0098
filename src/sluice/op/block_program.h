// BlockProgram: a straight line of block functions over one iteration space of
// n elements, run block by block so that intermediates never leave the first
// cache. One elementwise op is a program of one; a fused chain is a longer one;
// scalar code is a program over one element.
//
// Built once (Builder), immutable afterwards; Run may be called from any number
// of threads with different operands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/base/pooled.h"
#include "sluice/op/block.h"
#include "sluice/op/tile_chain.h"
#include "sluice/tensor/array.h"

namespace sluice {

class WorkerPool;

class BlockProgram {
 public:
  // The layout of an external operand in the iteration space.
  enum class Access : uint8_t {
    kContiguous,  // element i at base + i * size
    kScalar,      // one element for all
    kStrided,     // broadcast or strided: gathered block by block
  };

  static Access AccessFor(int64_t elements, const Shape& space,
                          const Strides& broadcast_strides);

  // Adds an external input or output of shape `shape`; returns its operand id.
  int AddInput(DType dtype, Access access, const Strides& strides = {});
  int AddOutput(DType dtype);
  // Adds an operation; returns the operand id of its result: `out` when it is
  // an output operand, a fresh intermediate when `out` < 0.
  int AddOp(const BlockKernel& kernel, std::span<const int> inputs, DType dtype,
            int out = -1);
  // REQUIRES: nothing is added afterwards.
  void Finish(const Shape& space);

  // Ops added; chains of them may run as one.
  int num_ops() const { return num_ops_; }
  int num_external() const { return num_external_; }
  const Shape& space() const { return space_; }

  // `data[k]` is the base of external operand k (inputs and outputs in the
  // order they were added). Splits over `pool` when that pays.
  void Run(std::span<void* const> data, WorkerPool* pool) const;
  // Elements [begin, end) alone, on this thread.
  void RunPart(std::span<void* const> data, int64_t begin, int64_t end) const {
    RunRange(data, begin, end);
  }
  // The same for a program with one output, added last, which is written to
  // `to`: element `begin` first.
  void RunPartInto(std::span<void* const> data, int64_t begin, int64_t end,
                   void* to) const;

 private:
  // While building, an operand is an external array or an op's result. Finish
  // gives results that live at the same time different scratch slots and turns
  // operand ids into registers: externals first, then slots.
  struct Operand {
    DType dtype = DType::kInvalid;
    Access access = Access::kContiguous;
    bool external = false;
    bool is_output = false;
    Strides strides{};
    int32_t reg = -1;
    int32_t last_use = -1;  // index of the last op that reads it
  };
  struct Op {
    BlockFn fn;  // null: a chain of tile ops
    BlockParams params;
    TileOp tile;
    int32_t arity;
    int32_t in[kMaxBlockInputs];
    int32_t out;
    uint32_t first_step, num_steps;  // of a chain
  };
  struct Register {
    int32_t size = 0;       // bytes per element
    int32_t step = 0;       // bytes its pointer advances per element: 0 or size
    int32_t external = -1;  // index into `data`, -1 for scratch
    int32_t slot = -1;      // scratch slot, -1 for contiguous externals
    Access access = Access::kContiguous;
    Strides strides{};
    // A strided external that repeats one contiguous stretch of this many
    // elements, such as a bias: it is not gathered. 0 for others.
    int64_t period = 0;
    int64_t repeated_at = 0;  // scratch for a short stretch written repeatedly
  };

  // Calls visit(operand) for everything an op reads, a chain's steps included.
  template <class F>
  void ForEachInput(const Op& op, F&& visit) const {
    for (int k = 0; k < op.arity; ++k) visit(op.in[k]);
    for (uint32_t k = 0; k < op.num_steps; ++k) {
      const TileStep& step = steps_[op.first_step + k];
      if (step.operand >= 0) visit(step.operand);
    }
  }

  void FormChains();
  // The period of an operand with these strides; 0 when it has none.
  static int64_t PeriodOf(const Shape& space, const Strides& strides);
  // The address of a periodic operand for elements from `begin` on, at most `n`
  // of them in one block.
  char* PlacePeriodic(const Register& reg, char* data, char* scratch,
                      int64_t begin, int64_t end, int64_t n) const;
  void RunRange(std::span<void* const> data, int64_t begin, int64_t end) const;
  void Gather(const Register& reg, const char* base, int64_t begin, int64_t n,
              char* to) const;

  PoolVector<Operand> operands_;  // emptied by Finish
  PoolVector<Op> ops_;
  PoolVector<TileStep> steps_;  // of all chains, one after the other
  PoolVector<Register> registers_;
  int num_ops_ = 0;
  int num_external_ = 0;
  int num_slots_ = 0;
  int64_t block_ = 0;  // elements per block
  int64_t slot_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
  bool gathers_ = false;
  bool periodic_ = false;
  Shape space_;
};

}  // namespace sluice
