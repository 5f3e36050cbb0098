// What a record says of its op for code that walks graphs: passes, gradients,
// batching and planners ask for these, never for a name.
#pragma once

#include <cstdint>

namespace sluice {

// How an op touches the resource whose handle is its input 0.
enum class Effect : uint8_t { kNone, kRead, kWrite };

// What an op is to control flow. Region ops own code that runs as often as they
// say; the others are the primitives of the token machine, which move values
// between branches, frames and iterations and compute nothing.
enum class Flow : uint8_t {
  kNone,
  kBranch,    // one of its regions, chosen by input 0: If, Case
  kLoop,      // regions cond and body: While
  kFunction,  // its region is what calls of its output run
  kCall,      // runs the function of input 0
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kTrigger,  // waits for controls, dead or not, and is never dead
};

// Which inputs an op is linear in: for a sum of inputs it gives the sum of what
// it gives for each.
enum class Linear : uint8_t {
  kNo,
  kInFirst,   // in input 0, the others held fixed: Neg, Reshape, Div
  kInEither,  // in each of two, the other held fixed: Mul, MatMul
  kInAll,     // in all of them together: Add, Sub
};

// Whether an op is cheaper to compute again than its result is to keep. Views,
// ops that read shapes alone and exact elementwise ops are without being told.
enum class Recompute : uint8_t {
  kByTraits,
  kCheap,         // a constant fill, a size
  kCheapOfFixed,  // where input 0 stays as it is: an element of it
};

// Ops that graph code recognizes as part of a pattern (a counter is an Add of a
// carried value and a constant), or that are something by themselves. One op
// for each role.
enum class Role : uint8_t {
  kNone,
  // What the graph is made of.
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
