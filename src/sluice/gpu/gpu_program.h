// GpuProgram: code for a GPU over memory planned in advance: registers, the
// constants and inputs they name, and launches that read and write them. Pieces
// of several kinds are made of it (gpu_piece.h, gpu_loop.h).
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

// How a value is seen: where its first element is, and its shape.
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
  // kMove: each of `in` to the place of `out`, all dense and apart from each
  // other, in one launch. Of lists (list_launch.h): kAppend: elements to their
  // rooms; kSet: index and element to a room and its marks; kGet: index and
  // table to an element; kAdmit: behind the condition.
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
  // Of loops and moves: a register with a flag without which nothing is
  // written; -1: always.
  int live = -1;
  int number = 0;    // of a list's node
  int64_t key = -1;  // arena offset of the key, where the kernel draws
  // Of a loop: its kernel, the shape it goes over, elements a thread takes at a
  // time.
  std::string source;
  Shape space;
  int pack = 1;
  // The loop's operands apart from literals: how they are read.
  std::vector<FusedAccess> access;
  // Other loops of the same source, run by the same launch; `source` is that of
  // all of them then.
  std::vector<GpuInstruction> beside;
  std::string one_source;
  std::string label;
};
using GpuCode = std::vector<GpuInstruction>;

// Where the places are in one run.
struct GpuBases {
  std::vector<void*> inputs, outputs;
  void* arena = nullptr;
  int64_t capacity = 0;  // of lists that are written
  int64_t round = 0;     // flags of several rounds lie side by side

  // `operands`: inputs, then outputs.
  GpuBases(const std::vector<void*>& operands, size_t num_inputs, void* a)
      : inputs(operands.begin(),
               operands.begin() + static_cast<ptrdiff_t>(num_inputs)),
        outputs(operands.begin() + static_cast<ptrdiff_t>(num_inputs),
                operands.end()),
        arena(a) {}
};

// The arrays of one run, inputs first: addresses, and how long they are, where
// the device is told of each use. Numbers of the host are no operands of the
// launches: null.
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

  // A single number that the host hands over with each run. They lie side by
  // side from the arena's start.
  struct HostNumber {
    size_t input;
    int64_t offset;
  };
  static constexpr int64_t kNumberBytes = 16;  // the largest element
  // The key of what a node draws in this run, among them.
  struct HostKey {
    const Node* node;
    int64_t offset;
    int told = -1;     // the node's input that says where to draw
    size_t input = 0;  // that is this one of the program's
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

  // Compiles the loops' kernels side by side, where there are several: one by
  // one, as they are first launched, they would keep a large program waiting.
  // What is wrong with one its launch tells.
  void CompileAhead(const GpuCode& code) const;
  Array Bind(int r, const GpuBases& bases) const;
  // Issues every launch on the stream.
  Status Issue(const GpuCode& code, const StepContext& step, Stream& stream,
               const GpuBases& bases) const;
  // Inputs of the types the program was planned for, as the launches want them:
  // row-major, numbers on the host.
  Status CheckInputs(std::span<Array> given) const;
  // Memory for the arena of one run, on the device's stream; none: not needed.
  Result<Array> NewArena() const;
  // Puts the numbers of the host into the arena, on the device's stream.
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
