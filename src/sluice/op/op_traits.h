// The traits of an op for code that walks graphs: passes, gradients, batching
// and planners ask for these, never for a name.
#pragma once

#include <cstdint>

namespace sluice {

// The op's access to the resource whose handle is input 0.
enum class Effect : uint8_t { kNone, kRead, kWrite };

// The op's role in control flow. Region ops own code that they run as often as
// they specify; the others are the primitives of the token machine, which move
// values between branches, frames and iterations and compute nothing.
enum class Flow : uint8_t {
  kNone,
  kBranch,    // one of its regions, chosen by input 0: If, Case
  kLoop,      // regions cond and body: While
  kFunction,  // its region is run by calls of its output
  kCall,      // runs the function of input 0
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kTrigger,  // waits for controls, dead or not, and is never dead
};

// The inputs in which an op is linear: for a sum of inputs, its result is the
// sum of its results for each.
enum class Linear : uint8_t {
  kNo,
  kInFirst,   // in input 0, the others held fixed: Neg, Reshape, Div
  kInEither,  // in each of two, the other held fixed: Mul, MatMul
  kInAll,     // in all of them together: Add, Sub
};

// Whether computing an op again is cheaper than storing its result. Views, ops
// that only read shapes, and exact elementwise ops are, without a declaration.
enum class Recompute : uint8_t {
  kByTraits,
  kCheap,         // a constant fill, a size
  kCheapOfFixed,  // cheap if input 0 is unchanged: an element of it
};

// Ops that graph code recognizes as part of a pattern (a counter is an Add of a
// carried value and a constant), or handles specially. Each role belongs to one
// op.
enum class Role : uint8_t {
  kNone,
  // Graph structure.
  kConst,
  kIdentity,
  kPlaceholder,
  kVariable,
  kCustomGradient,
  kAssert,
  kTrapNan,
  kIterationTag,
  // Arithmetic of counters, indices and sizes.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kNot,
  kSelect,
  kCast,
  kShape,
  kSize,
  kRank,
  kZerosLike,
  // Movement of elements.
  kReshape,
  kExpandDims,
  kSqueeze,
  kTranspose,
  kBroadcastTo,
  kEnsureShape,
  kGather,
  kConcat,
  kSlice,
  kFill,
  // Sums and products.
  kSum,
  kSumTo,
  kAddN,
  kMatMul,
  kBatchMatMul,
  kOuter,
  kIndexAdd,
  kIndexCopy,
  kOverwrite,
  // Lists.
  kListNew,
  kListZero,
  kListUnstack,
  kListSplit,
  kListAppend,
  kListGet,
  kListGetOr,
  kListSet,
  kListPop,
  kListTake,
  kListTruncate,
  kListReserve,
  kListZerosLike,
  kListSize,
  kListStack,
  kListConcat,
  kListGather,
  kListAdd,
  kListAddAt,
  kListAddRows,
  kListMask,
  kListWriteAll,
  kListCheckpoint,
  kCheckpointChoice,
};

}  // namespace sluice
