// Work on a batch of matrices: the leading axes of an array count matrices, the
// last two are rows and columns. Matrices are processed in parallel in chunks
// whose number depends only on sizes; each chunk has its own part of the
// launch's workspace. Plain values; any thread.
#pragma once

#include <array>
#include <string>

#include "sluice/base/checked_math.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/lapack.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

inline constexpr DTypeSet kLapackTypes{DType::kF32, DType::kF64};

// Hands out parts of a chunk's workspace, each on its own cache lines. A
// default-constructed Scratch only counts bytes.
class Scratch {
 public:
  explicit Scratch(char* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* Take(int64_t count) {
    char* at = memory_ ? memory_ + used_ : nullptr;
    used_ += AlignUp(count * static_cast<int64_t>(sizeof(T)), 64);
    return reinterpret_cast<T*>(at);
  }
  int64_t used() const { return used_; }

 private:
  char* memory_;
  int64_t used_ = 0;
};

// The first matrix that failed (-1: none), and the routine's error code.
struct MatrixFailure {
  int64_t entry = -1;
  int info = 0;
};

class MatrixBatch {
 public:
  // `flops` is the work for one matrix, `scratch` the bytes it needs.
  MatrixBatch(int64_t count, double flops, int64_t scratch);

  int64_t workspace() const { return chunks_ * scratch_; }

  // Calls info = f(entry, scratch) for every matrix; a chunk stops at its first
  // matrix with info != 0.
  template <class F>
  MatrixFailure Run(const KernelContext& ctx, const F& f) const {
    std::array<MatrixFailure, kMaxChunks> failed;
    const Lapack* lapack = FindLapack();
    WorkerPool* pool = lapack && lapack->concurrent ? ctx.step().pool : nullptr;
    char* memory = static_cast<char*>(ctx.workspace());
    ParallelFor(pool, count_, grain_, [&](int64_t begin, int64_t end) {
      int64_t chunk = begin / grain_;
      for (int64_t i = begin; i < end; ++i) {
        int info = f(i, Scratch(memory + chunk * scratch_));
        if (info == 0) continue;
        failed[static_cast<size_t>(chunk)] = {i, info};
        break;
      }
    });
    for (const MatrixFailure& failure : failed) {
      if (failure.entry >= 0) return failure;
    }
    return {};
  }

 private:
  static constexpr int64_t kMaxChunks = 64;
  int64_t count_, grain_, chunks_, scratch_;
};

// The number of matrices in an array of this shape.
int64_t MatrixCount(const Shape& shape);
// Names a matrix of a batch in messages: "[2,0]"; "" for a single matrix.
std::string EntryText(const Shape& shape, int64_t entry);

// The routines, or Unimplemented "[Op] found no LAPACK ...".
Result<const Lapack*> NeedLapack(const KernelContext& ctx);

// For shape functions: input i must be a matrix or a batch of matrices (square
// ones), no larger than 32-bit sizes allow.
Status WantMatrix(const ShapeContext& c, int i);
Status WantSquare(const ShapeContext& c, int i);
// Input i's shape with the last two axes replaced by `tail`; of unknown rank if
// the input is.
Result<PartialShape> WithTail(const ShapeContext& c, int i, Dims tail);
// The size of the axis `from_end` before the last, or kUnknownDim.
int64_t DimFromEnd(const PartialShape& shape, int from_end);
// Requires equal leading axes of inputs 0 and 1: input 1's shape refined by
// input 0's.
Result<PartialShape> SameLeading(const ShapeContext& c);

// to (n x m, row-major) = transpose of from (m x n, row-major, row stride
// `ld`).
template <class T>
void TransposeMatrix(const T* from, int64_t m, int64_t n, int64_t ld, T* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < m; i0 += kBlock) {
    int64_t i1 = i0 + kBlock < m ? i0 + kBlock : m;
    for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
      int64_t j1 = j0 + kBlock < n ? j0 + kBlock : n;
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) to[j * m + i] = from[i * ld + j];
      }
    }
  }
}

// False for inputs on which LAPACK might loop forever.
template <class T>
bool AllFinite(const T* x, int64_t n) {
  bool good = true;
  for (int64_t i = 0; i < n; ++i) good &= x[i] - x[i] == T(0);
  return good;
}

// The workspace size that a routine returned in work[0]. Single precision may
// have rounded it down.
template <class T>
int64_t AskedSize(T work) {
  auto asked = static_cast<double>(work);
  return static_cast<int64_t>(asked * (1 + 1e-6)) + 1;
}

inline LapackInt AtLeastOne(int64_t n) {
  return static_cast<LapackInt>(n < 1 ? 1 : n);
}

// Calls f.operator()<T>() for the type of a record over kLapackTypes.
template <class F>
auto WithLapackType(DType dtype, F&& f) {
  return dtype == DType::kF64 ? f.template operator()<double>()
                              : f.template operator()<float>();
}

}  // namespace sluice
