// The source of a fused loop for a GPU: one kernel that computes a group of
// elementwise nodes, each by the formula of its op's file, with values kept in
// registers between them and rounded as each node's type asks.
//
// Plain functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/tensor/array.h"

namespace sluice {

// How the loop reads something from outside.
enum class FusedAccess : uint8_t {
  kFlat,     // element i
  kScalar,   // always the same element
  kStrided,  // by the strides it is given
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
  // The kernel does nothing unless a flag in the GPU's memory holds.
  bool masked = false;
};

// Function "fused", whose argument is laid out as FusedArgs in fused_launch.h
// says. Empty: some node has no formula.
std::string FusedSource(const GpuLoop& loop);

// The source of so many loops, all of this source, in one launch: each has some
// of the blocks. REQUIRES: MayStandBeside, parts <= FusedMost.
std::string FusedBeside(std::string_view source, int parts);
bool MayStandBeside(std::string_view source);
// For how many the kernel has room then.
int FusedRoom(int parts);
// How many fit, each with so many bytes of arguments.
int FusedMost(size_t bytes);

// Elements a thread of it takes at a time.
int FusedPack(const GpuLoop& loop);

// "std::bit_cast<float>(0x3f800000u)". Empty where there is no literal of the
// type. REQUIRES: one element, on the host.
std::string GpuLiteral(const Array& number);

}  // namespace sluice
