// FusedLoop: elementwise ops fused with a kernel. Before the kernel, they
// compute its input 0 block by block on demand; after it, they are applied to
// each range of output 0 as soon as it is final, while it is still in the
// cache. The intermediate value never passes through memory.
//
// Made by the executor for one launch; the kernel reaches it through
// KernelContext::Load and Finish. Run may be called from any number of threads.
#pragma once

#include <span>

#include "sluice/op/block_program.h"

namespace sluice {

class FusedLoop {
 public:
  // Borrows both: `data` are the program's external operands.
  FusedLoop(const BlockProgram& program, std::span<void* const> data)
      : program_(&program), data_(data) {}

  // Elements [begin, begin + n) of the iteration space.
  void Run(int64_t begin, int64_t n) const {
    program_->RunPart(data_, begin, begin + n);
  }
  // The same, with the program's one output written to `to` instead: element
  // `begin` lands at to[0].
  void RunInto(int64_t begin, int64_t n, void* to) const {
    program_->RunPartInto(data_, begin, begin + n, to);
  }

 private:
  const BlockProgram* program_;
  std::span<void* const> data_;
};

}  // namespace sluice
