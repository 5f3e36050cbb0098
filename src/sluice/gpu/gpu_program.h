// GpuProgram: code for a GPU over memory planned in advance: registers, the
// constants and inputs they refer to, and launches that read and write them.
// Pieces of several kinds consist of it (gpu_piece.h, gpu_loop.h).
//
// Immutable once built; issued from any thread, one at a time per stream.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/gpu/fused_source.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

enum class GpuPlace : uint8_t { kInput, kOutput, kConstant, kArena };

// A view of a value: the address of its first element, and its shape.
struct GpuRegister {
  GpuPlace place = GpuPlace::kArena;
  int index = 0;       // which input, output or constant
  int64_t offset = 0;  // bytes
  DType dtype = DType::kInvalid;
  Shape shape;
  Strides strides{};

  static GpuRegister Dense(GpuPlace place, int index, int64_t offset,
                           DType dtype, const Shape& shape);
  bool contiguous() const;
  int64_t bytes() const { return shape.num_elements() * DTypeSize(dtype); }
};

struct GpuInstruction {
  // kMove: copies each of `in` to the place of `out` in one launch; all are
  // dense and do not overlap. For lists (list_launch.h): kAppend appends
  // elements to storage; kSet takes index and element to storage and marks;
  // kGet takes index and table to an element; kAdmit follows the condition.
  enum class Code : uint8_t {
    kFused,
    kKernel,
    kCopy,
    kMove,
    kAppend,
    kSet,
    kGet,
    kAdmit,
  };
  Code code = Code::kKernel;
  const Node* node = nullptr;
  std::vector<int> in, out;  // registers
  int64_t workspace = -1;    // arena offset
  // For loops and moves: the register of a flag; nothing is written while the
  // flag is unset. -1: always.
  int live = -1;
  int number = 0;    // of the list's node
  int64_t key = -1;  // arena offset of the key, where the kernel draws
  // For a loop: its kernel, its shape, and the elements per thread and step.
  std::string source;
  Shape space;
  int pack = 1;
  // How the loop reads its operands, literals excluded.
  std::vector<FusedAccess> access;
  // Other loops with the same source, run by the same launch; `source` is then
  // that of the joint launch.
  std::vector<GpuInstruction> beside;
  std::string one_source;
  std::string label;
};
using GpuCode = std::vector<GpuInstruction>;

// The addresses of one run.
struct GpuBases {
  std::vector<void*> inputs, outputs;
  void* arena = nullptr;
  int64_t capacity = 0;  // of the lists that are written
  int64_t round = 0;     // each round has flags of its own, contiguous

  // `operands`: inputs, then outputs.
  GpuBases(const std::vector<void*>& operands, size_t num_inputs, void* a)
      : inputs(operands.begin(),
               operands.begin() + static_cast<ptrdiff_t>(num_inputs)),
        outputs(operands.begin() + static_cast<ptrdiff_t>(num_inputs),
                operands.end()),
        arena(a) {}
};

// The arrays of one run, inputs first: addresses, and sizes if the device
// tracks each use. Host numbers are not operands of launches: null.
struct GpuOperands {
  std::vector<void*> at;
  std::vector<int64_t> bytes;

  void Read(CudaStream& stream, const Array& in);
  void Write(CudaStream& stream, const Array& out);
};

class GpuProgram {
 public:
  explicit GpuProgram(Device& device)
      : device(static_cast<CudaDevice*>(&device)) {}

  // A number that the host passes with each run. They are contiguous from the
  // arena's start.
  struct HostNumber {
    size_t input;
    int64_t offset;
  };
  static constexpr int64_t kNumberBytes = 16;  // the largest element
  // The key for a node that draws random numbers in this run, stored among
  // them.
  struct HostKey {
    const Node* node;
    int64_t offset;
    int told = -1;     // the node's input that holds the position to draw from
    size_t input = 0;  // the program input that supplies it
  };

  CudaDevice* device;
  std::vector<Value> inputs;
  std::vector<GpuRegister> registers;
  std::vector<Array> constants;  // on the device, or what the host reads
  std::vector<HostNumber> numbers;
  std::vector<HostKey> keys;
  int64_t arena_bytes = 0;
  int list_control = -1;                // register of the lists' control block
  std::vector<const Node*> list_nodes;  // by their numbers

  // Compiles the kernels of the loops concurrently, if there are several:
  // compiling each at its first launch would delay a large program. Errors are
  // reported by the launch.
  void CompileAhead(const GpuCode& code) const;
  Array Bind(int r, const GpuBases& bases) const;
  // Issues every launch on the stream.
  Status Issue(const GpuCode& code, const StepContext& step, Stream& stream,
               const GpuBases& bases) const;
  // Checks that inputs have the types the program was planned for, and converts
  // them for the launches: row-major, numbers on the host.
  Status CheckInputs(std::span<Array> given) const;
  // Allocates the arena of one run, on the device's stream; none if not needed.
  Result<Array> NewArena() const;
  // Copies the host numbers into the arena, on the device's stream.
  Status Upload(const StepContext& step, std::span<const Array> given,
                void* arena) const;

 private:
  Status IssueOne(const GpuInstruction& instr, const StepContext& step,
                  Stream& stream, const GpuBases& bases) const;
  Status IssueLoop(const GpuInstruction& instr, const KernelContext& ctx,
                   const GpuBases& bases) const;
  const void* FlagOf(const GpuInstruction& instr, const GpuBases& bases) const;
  Status IssueList(const GpuInstruction& instr, const KernelContext& ctx,
                   const void* live, const GpuBases& bases,
                   std::span<const Array> in, std::span<const Array> out) const;
  Status RunThroughHost(const Node& node, const NodeInfo& info,
                        const StepContext& step, Stream& stream,
                        std::span<const Array> in,
                        std::span<const Array> out) const;
};

}  // namespace sluice
