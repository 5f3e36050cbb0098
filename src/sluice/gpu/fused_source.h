// The source of a fused loop for a GPU: one kernel that computes a group of
// elementwise nodes, each by the formula in its op's file. Intermediate values
// stay in registers and are rounded to each node's type.
//
// Plain functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/tensor/array.h"

namespace sluice {

// How the loop reads an operand.
enum class FusedAccess : uint8_t {
  kFlat,     // element i
  kScalar,   // always the same element
  kStrided,  // by the given strides
  kLiteral,  // a number written into the source
};

struct FusedInput {
  Value value;
  FusedAccess access = FusedAccess::kFlat;
};

struct GpuLoop {
  std::vector<Node*> nodes;  // in order
  std::vector<FusedInput> inputs;
  std::vector<Value> outputs;
  // The kernel does nothing while a flag in GPU memory is unset.
  bool masked = false;
};

// Function "fused", whose argument has the layout of FusedArgs in
// fused_launch.h. Empty if some node has no formula.
std::string FusedSource(const GpuLoop& loop);

// The source of `parts` loops with this source in one launch: each part runs on
// some of the blocks. REQUIRES: MayStandBeside, parts <= FusedMost.
std::string FusedBeside(std::string_view source, int parts);
bool MayStandBeside(std::string_view source);
// The number of parts a kernel for `parts` parts is compiled for.
int FusedRoom(int parts);
// How many parts fit, each with this many bytes of arguments.
int FusedMost(size_t bytes);

// Elements per thread and step.
int FusedPack(const GpuLoop& loop);

// "std::bit_cast<float>(0x3f800000u)". Empty if the type has no literals.
// REQUIRES: one element, on the host.
std::string GpuLiteral(const Array& number);

}  // namespace sluice
