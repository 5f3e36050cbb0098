// Matrix products C = A * B on the CPU. Plain functions; any thread.
//
// Every element of C is summed over k in an order that depends only on the
// shapes, so results do not depend on the number of threads. Nothing is
// allocated: packed pieces of A and B are on the stacks of the threads that use
// them (some 250 KiB), a large B is in a workspace.
//
//   GemmArgs g{.m = 64, .n = 100, .k = 784, .a = {x, 784}, .b = {w, 100},
//              .c = y, .ldc = 100};
//   Gemm(GemmType::kF32, g, pool);
#pragma once

#include <cstdint>

namespace sluice {

class WorkerPool;

// Element types of A and B, and of C. Half types are summed in float and
// rounded once; integers wrap.
enum class GemmType : uint8_t {
  kF32,
  kF64,
  kF16,
  kBF16,
  kI32,
  kI64,
  kS8,    // int8 * int8 -> int32
  kU8S8,  // uint8 * int8 -> int32
};

// Row-major; `transposed`: the transpose is stored.
struct GemmMatrix {
  const void* data = nullptr;
  int64_t stride = 0;  // elements between consecutive stored rows
  bool transposed = false;
};

// Called once for every element of C when it is final, on the thread that
// computed it and while it is in that thread's cache, in rectangles that cover
// C.
struct GemmDone {
  void (*call)(const void* context, int64_t row, int64_t rows, int64_t column,
               int64_t columns) = nullptr;
  const void* context = nullptr;

  void operator()(int64_t row, int64_t rows, int64_t column,
                  int64_t columns) const {
    if (call) call(context, row, rows, column, columns);
  }
};

struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  GemmMatrix a, b;
  void* c = nullptr;
  int64_t ldc = 0;  // elements between consecutive rows
  GemmDone done{};
};

// The workspace bytes with which a product runs fastest; often 0.
int64_t GemmWorkspace(GemmType type, int64_t m, int64_t n, int64_t k);

// workspace: GemmWorkspace bytes, aligned to 64, or null. pool may be null:
// then everything runs on this thread. C overlaps neither A nor B.
void Gemm(GemmType type, const GemmArgs& args, WorkerPool* pool,
          void* workspace = nullptr);

}  // namespace sluice
