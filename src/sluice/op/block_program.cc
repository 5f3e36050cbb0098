#include "sluice/op/block_program.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/checked_math.h"
#include "sluice/base/thread_owned.h"
#include "sluice/base/worker_pool.h"

namespace sluice {

namespace {

// The scratch of all slots together should fit well into a first-level cache of
// 32 KiB, along with the external blocks being read and written.
constexpr int64_t kScratchBytes = 24 << 10;
constexpr int64_t kMinBlock = 64, kMaxBlock = 2048;
// Elements times ops that are worth a second thread: about 20 us.
constexpr int64_t kParallelWork = 1 << 15;
constexpr int64_t kChunksPerThread = 8;
// A stretch at least this long is read in place, and blocks end where it ends;
// a shorter one is written out repeatedly once, so that blocks stay long.
constexpr int64_t kLongPeriod = 256;

// One scratch area per thread, grown to the largest program it has run. Two
// programs never run on one thread at the same time: a block function calls
// nothing.
char* ThreadScratch(int64_t bytes) {
  struct Scratch {
    std::vector<char> bytes;
  };
  auto& scratch = ThreadOwned<Scratch>::Get();
  if (static_cast<int64_t>(scratch.bytes.size()) < bytes + 64) {
    scratch.bytes.resize(static_cast<size_t>(bytes + 64));
  }
  auto p = reinterpret_cast<uintptr_t>(scratch.bytes.data());
  return reinterpret_cast<char*>((p + 63) & ~uintptr_t{63});
}

template <class T>
void FillBlock(void* to, const void* value, int64_t n) {
  T v;
  std::memcpy(&v, value, sizeof v);
  std::fill_n(static_cast<T*>(to), n, v);
}

void Splat(char* to, const char* value, int32_t size, int64_t n) {
  switch (size) {
    case 1:
      FillBlock<uint8_t>(to, value, n);
      break;
    case 2:
      FillBlock<uint16_t>(to, value, n);
      break;
    case 4:
      FillBlock<uint32_t>(to, value, n);
      break;
    default:
      FillBlock<uint64_t>(to, value, n);
      break;
  }
}

template <class T>
void GatherRun(const char* from, int64_t step, int64_t n, char* to) {
  auto* out = reinterpret_cast<T*>(to);
  auto* in = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) out[i] = in[i * step];
}

}  // namespace

BlockProgram::Access BlockProgram::AccessFor(int64_t elements,
                                             const Shape& space,
                                             const Strides& strides) {
  if (elements == space.num_elements()) {
    int64_t step = 1;
    bool contiguous = true;
    for (int i = space.rank() - 1; i >= 0; --i) {
      if (space.dim(i) == 1) continue;
      contiguous = contiguous && strides[static_cast<size_t>(i)] == step;
      step *= space.dim(i);
    }
    if (contiguous) return Access::kContiguous;
  }
  return elements == 1 ? Access::kScalar : Access::kStrided;
}

int BlockProgram::AddInput(DType dtype, Access access, const Strides& strides) {
  Operand operand;
  operand.dtype = dtype;
  operand.access = access;
  operand.external = true;
  operand.strides = strides;
  operand.reg = num_external_++;
  operands_.push_back(operand);
  return static_cast<int>(operands_.size()) - 1;
}

int BlockProgram::AddOutput(DType dtype) {
  int id = AddInput(dtype, Access::kContiguous);
  operands_.back().is_output = true;
  return id;
}

int BlockProgram::AddOp(const BlockKernel& kernel, std::span<const int> inputs,
                        DType dtype, int out) {
  Op op{};
  op.fn = kernel.fn;
  op.params = kernel.params;
  op.tile = dtype == DType::kF32 ? kernel.tile : TileOp::kNone;
  ++num_ops_;
  op.arity = static_cast<int32_t>(inputs.size());
  auto index = static_cast<int32_t>(ops_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    op.in[i] = inputs[i];
    operands_[static_cast<size_t>(inputs[i])].last_use = index;
  }
  if (out < 0) {
    Operand operand;
    operand.dtype = dtype;
    operands_.push_back(operand);
    out = static_cast<int>(operands_.size()) - 1;
  }
  op.out = out;
  ops_.push_back(op);
  return out;
}

// Joins runs of tile ops in which each reads only the previous one, which
// nobody else reads. Steps refer to operands; Finish turns those into
// registers.
void BlockProgram::FormChains() {
  PoolVector<int32_t> uses(operands_.size(), 0);
  for (const Op& op : ops_) {
    for (int k = 0; k < op.arity; ++k) ++uses[static_cast<size_t>(op.in[k])];
  }
  PoolVector<Op> joined;
  joined.reserve(ops_.size());
  for (size_t i = 0; i < ops_.size();) {
    // The chain that starts here: [i, end).
    size_t end = i;
    while (end < ops_.size() && ops_[end].tile != TileOp::kNone) {
      if (end > i) {
        const Op &now = ops_[end], &before = ops_[end - 1];
        auto reads = static_cast<int>(
            std::count(now.in, now.in + now.arity, before.out));
        if (reads != 1 || uses[static_cast<size_t>(before.out)] != 1 ||
            operands_[static_cast<size_t>(before.out)].external) {
          break;
        }
      }
      ++end;
    }
    if (end - i < 2) {
      joined.push_back(ops_[i++]);
      continue;
    }
    Op chain = ops_[end - 1];
    chain.fn = nullptr;
    chain.arity = 1;
    chain.in[0] = ops_[i].in[0];
    chain.first_step = static_cast<uint32_t>(steps_.size());
    chain.num_steps = static_cast<uint32_t>(end - i);
    for (size_t k = i; k < end; ++k) {
      const Op& op = ops_[k];
      bool second = k > i && op.arity == 2 && op.in[1] == ops_[k - 1].out;
      TileStep step;
      step.operand = op.arity == 2 ? op.in[second ? 0 : 1] : -1;
      bool scalar = step.operand >= 0 &&
                    operands_[static_cast<size_t>(step.operand)].external &&
                    operands_[static_cast<size_t>(step.operand)].access ==
                        Access::kScalar;
      step.Choose(op.tile, second, scalar);
      steps_.push_back(step);
    }
    joined.push_back(chain);
    i = end;
  }
  ops_ = std::move(joined);
  // Last uses referred to ops before joining: compute them again.
  for (Operand& o : operands_) o.last_use = -1;
  for (size_t i = 0; i < ops_.size(); ++i) {
    ForEachInput(ops_[i], [&](int32_t in) {
      operands_[static_cast<size_t>(in)].last_use = static_cast<int32_t>(i);
    });
  }
}

void BlockProgram::Finish(const Shape& space) {
  space_ = space;
  FormChains();
  registers_.resize(static_cast<size_t>(num_external_));
  int32_t max_size = 1;
  for (const Operand& o : operands_) {
    auto size = static_cast<int32_t>(DTypeSize(o.dtype));
    max_size = std::max(max_size, size);
    if (!o.external) continue;
    Register& r = registers_[static_cast<size_t>(o.reg)];
    r.size = size;
    r.external = o.reg;
    r.access = o.access;
    r.strides = o.strides;
    r.step = o.access == Access::kContiguous ? size : 0;
    if (o.access == Access::kStrided) r.period = PeriodOf(space, o.strides);
    if (r.period > 0) {
      periodic_ = true;
      r.step = size;
    } else if (o.access != Access::kContiguous) {
      r.slot = num_slots_++;
      gathers_ = gathers_ || o.access == Access::kStrided;
    }
  }
  // Results get scratch registers in program order; a register is free again
  // once the last reader has run.
  PoolVector<int32_t> free, ending;
  for (size_t i = 0; i < ops_.size(); ++i) {
    Op& op = ops_[i];
    ending.clear();
    ForEachInput(op, [&](int32_t id) {
      const Operand& in = operands_[static_cast<size_t>(id)];
      if (in.external || in.last_use != static_cast<int32_t>(i)) return;
      if (std::find(ending.begin(), ending.end(), in.reg) == ending.end()) {
        ending.push_back(in.reg);
      }
    });
    free.insert(free.end(), ending.begin(), ending.end());
    Operand& out = operands_[static_cast<size_t>(op.out)];
    if (!out.external) {
      // In place when a register of the same element size has just been freed.
      auto size = static_cast<int32_t>(DTypeSize(out.dtype));
      auto fit = std::find_if(free.rbegin(), free.rend(), [&](int32_t r) {
        return registers_[static_cast<size_t>(r)].size == size;
      });
      if (fit != free.rend()) {
        out.reg = *fit;
        free.erase(std::next(fit).base());
      } else {
        out.reg = static_cast<int32_t>(registers_.size());
        Register r;
        r.size = size;
        r.slot = num_slots_++;
        registers_.push_back(r);
      }
      if (out.last_use < 0) free.push_back(out.reg);  // nobody reads it
    }
  }
  auto to_register = [&](int32_t& id) {
    id = operands_[static_cast<size_t>(id)].reg;
  };
  for (Op& op : ops_) {
    for (int k = 0; k < op.arity; ++k) to_register(op.in[k]);
    to_register(op.out);
    for (int k = op.arity; k < kMaxBlockInputs; ++k) op.in[k] = 0;
  }
  for (TileStep& step : steps_) {
    if (step.operand >= 0) to_register(step.operand);
  }
  operands_.clear();
  operands_.shrink_to_fit();
  int64_t fit = kScratchBytes / (max_size * std::max(num_slots_, 1));
  block_ = std::clamp(fit / 64 * 64, kMinBlock, kMaxBlock);
  block_ = std::min(block_, std::max<int64_t>(space.num_elements(), 1));
  slot_bytes_ = AlignUp(block_ * max_size, 64);
  scratch_bytes_ = num_slots_ * slot_bytes_;
  for (Register& r : registers_) {
    if (r.period == 0 || r.period >= kLongPeriod) continue;
    r.repeated_at = scratch_bytes_;
    scratch_bytes_ += AlignUp((block_ + r.period) * r.size, 64);
  }
}

int64_t BlockProgram::PeriodOf(const Shape& space, const Strides& strides) {
  int64_t period = 1;
  int k = space.rank() - 1;
  for (; k >= 0; --k) {
    if (space.dim(k) == 1) continue;
    if (strides[static_cast<size_t>(k)] != period) break;
    period *= space.dim(k);
  }
  for (; k >= 0; --k) {
    if (space.dim(k) != 1 && strides[static_cast<size_t>(k)] != 0) return 0;
  }
  return period > 1 ? period : 0;
}

char* BlockProgram::PlacePeriodic(const Register& reg, char* data,
                                  char* scratch, int64_t begin, int64_t end,
                                  int64_t n) const {
  int64_t phase = begin % reg.period;
  if (reg.period >= kLongPeriod || phase + (end - begin) <= reg.period) {
    return data + phase * reg.size;
  }
  char* to = scratch + reg.repeated_at;
  int64_t stretch = reg.period * reg.size;
  int64_t left = (n + reg.period) * reg.size;
  for (char* p = to; left > 0; p += stretch, left -= stretch) {
    std::memcpy(p, data, static_cast<size_t>(std::min(stretch, left)));
  }
  return to + phase * reg.size;
}

void BlockProgram::Gather(const Register& reg, const char* base, int64_t begin,
                          int64_t n, char* to) const {
  // Index of element `begin`, then run after run along the last axis.
  int64_t index[kMaxRank] = {};
  int rank = space_.rank();
  int64_t rest = begin, offset = 0;
  for (int k = rank - 1; k >= 0; --k) {
    index[k] = rest % space_.dim(k);
    rest /= space_.dim(k);
    offset += index[k] * reg.strides[static_cast<size_t>(k)];
  }
  int last = rank - 1;
  while (n > 0) {
    int64_t run = std::min(n, space_.dim(last) - index[last]);
    const char* from = base + offset * reg.size;
    int64_t step = reg.strides[static_cast<size_t>(last)];
    if (step == 1) {
      std::memcpy(to, from, static_cast<size_t>(run * reg.size));
    } else if (step == 0) {
      Splat(to, from, reg.size, run);
    } else {
      switch (reg.size) {
        case 1:
          GatherRun<uint8_t>(from, step, run, to);
          break;
        case 2:
          GatherRun<uint16_t>(from, step, run, to);
          break;
        case 4:
          GatherRun<uint32_t>(from, step, run, to);
          break;
        default:
          GatherRun<uint64_t>(from, step, run, to);
          break;
      }
    }
    to += run * reg.size;
    n -= run;
    index[last] += run;
    offset += run * step;
    for (int k = last; k > 0 && index[k] == space_.dim(k); --k) {
      offset -= index[k] * reg.strides[static_cast<size_t>(k)];
      index[k] = 0;
      ++index[k - 1];
      offset += reg.strides[static_cast<size_t>(k - 1)];
    }
  }
}

void BlockProgram::RunRange(std::span<void* const> data, int64_t begin,
                            int64_t end) const {
  // A kernel may finish an empty part: rows without columns.
  if (begin >= end) return;
  constexpr size_t kInline = 32;
  char* inline_base[kInline];
  std::vector<char*> heap_base;
  char** base = inline_base;
  if (registers_.size() > kInline) {
    heap_base.resize(registers_.size());
    base = heap_base.data();
  }
  char* scratch = ThreadScratch(scratch_bytes_);
  int64_t widest = std::min(block_, end - begin);
  auto external = [&](const Register& reg) {
    return static_cast<char*>(data[static_cast<size_t>(reg.external)]);
  };
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    if (reg.period > 0) {
      base[r] = PlacePeriodic(reg, external(reg), scratch, begin, end, widest);
    } else if (reg.slot < 0) {
      base[r] = external(reg) + begin * reg.size;
    } else {
      base[r] = scratch + reg.slot * slot_bytes_;
      if (reg.access == Access::kScalar) {
        Splat(base[r], external(reg), reg.size, widest);
      }
    }
  }
  for (int64_t at = begin;;) {
    int64_t n = std::min(block_, end - at);
    if (periodic_) {
      for (size_t r = 0; r < static_cast<size_t>(num_external_); ++r) {
        int64_t period = registers_[r].period;
        if (period >= kLongPeriod) n = std::min(n, period - at % period);
      }
    }
    if (gathers_) {
      for (size_t r = 0; r < static_cast<size_t>(num_external_); ++r) {
        const Register& reg = registers_[r];
        if (reg.access != Access::kStrided || reg.period > 0) continue;
        Gather(reg, external(reg), at, n, base[r]);
      }
    }
    for (const Op& op : ops_) {
      if (!op.fn) {
        RunTileChain(base[op.out], base[op.in[0]],
                     {steps_.data() + op.first_step, op.num_steps}, base, n);
        continue;
      }
      const void* in[kMaxBlockInputs] = {base[op.in[0]], base[op.in[1]],
                                         base[op.in[2]]};
      op.fn(base[op.out], in, n, op.params);
    }
    at += n;
    if (at >= end) break;
    for (size_t r = 0; r < static_cast<size_t>(num_external_); ++r) {
      const Register& reg = registers_[r];
      base[r] += reg.step * n;
      // Back to the start of the stretch, or of its first repetition.
      if (reg.period > 0 && (at - n) / reg.period != at / reg.period) {
        base[r] -=
            ((at / reg.period) - (at - n) / reg.period) * reg.period * reg.size;
      }
    }
  }
}

void BlockProgram::RunPartInto(std::span<void* const> data, int64_t begin,
                               int64_t end, void* to) const {
  constexpr size_t kInline = 16;
  void* inline_data[kInline];
  std::vector<void*> heap_data;
  void** moved = inline_data;
  if (data.size() > kInline) {
    heap_data.resize(data.size());
    moved = heap_data.data();
  }
  std::copy(data.begin(), data.end(), moved);
  // RunRange adds the offset of `begin` again; integers are used because the
  // difference may lie outside any array.
  size_t out = data.size() - 1;
  auto offset = static_cast<uintptr_t>(begin) *
                static_cast<uintptr_t>(registers_[out].size);
  moved[out] =
      reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(to) - offset);
  RunRange({moved, data.size()}, begin, end);
}

void BlockProgram::Run(std::span<void* const> data, WorkerPool* pool) const {
  int64_t n = space_.num_elements();
  if (n == 0) return;
  int64_t work = n * static_cast<int64_t>(num_ops_);
  if (!pool || work < kParallelWork || n <= 2 * block_) {
    RunRange(data, 0, n);
    return;
  }
  // Whole blocks per chunk, so that chunks do not change the blocks; the size
  // may depend on the number of threads, since no element depends on another. A
  // few chunks per thread compensate for a late thread; with more, starting
  // each costs time until the hardware prefetcher catches up.
  int64_t least = kParallelWork / 2 / static_cast<int64_t>(num_ops_);
  int64_t fair = n / (kChunksPerThread * pool->parallelism());
  int64_t grain = std::max<int64_t>(1, std::max(least, fair) / block_) * block_;
  ParallelFor(pool, n, grain,
              [&](int64_t b, int64_t e) { RunRange(data, b, e); });
}

}  // namespace sluice
