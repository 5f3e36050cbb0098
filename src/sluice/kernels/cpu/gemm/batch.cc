#include "sluice/kernels/cpu/gemm/batch.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/kit.h"

namespace sluice {

namespace {

// About 5 us of multiplications, and the maximum of a task.
constexpr double kTaskWork = 400'000;

double Work(const GemmArgs& g) {
  return static_cast<double>(g.m) * static_cast<double>(g.n) *
         static_cast<double>(g.k);
}

// The whole stack as one product, if all matrices are multiplied by the same B
// and their rows are evenly spaced.
bool AsOneProduct(const GemmBatch& batch, GemmArgs* g) {
  if (g->a.transposed) return false;
  int64_t rows = g->m;
  for (int i = batch.rank - 1; i >= 0; --i) {
    if (batch.dims[i] == 1) continue;
    if (batch.b_step[i] != 0 || batch.a_step[i] != rows * g->a.stride ||
        batch.c_step[i] != rows * g->ldc) {
      return false;
    }
    rows *= batch.dims[i];
  }
  g->m = rows;
  return true;
}

struct Finish {
  const KernelContext& ctx;
  int64_t begin, ldc;

  GemmDone done() const {
    return {[](const void* context, int64_t row, int64_t rows, int64_t column,
               int64_t columns) {
              auto& to = *static_cast<const Finish*>(context);
              to.ctx.FinishTile(to.begin + row * to.ldc + column, rows, to.ldc,
                                columns);
            },
            this};
  }
};

}  // namespace

int64_t GemmBatch::count() const {
  int64_t n = 1;
  for (int i = 0; i < rank; ++i) n *= dims[i];
  return n;
}

void GemmBatch::Add(int64_t dim, int64_t a, int64_t b, int64_t c) {
  dims[rank] = dim;
  a_step[rank] = a, b_step[rank] = b, c_step[rank] = c;
  ++rank;
}

int64_t BatchedGemmWorkspace(GemmType type, const GemmArgs& first,
                             const GemmBatch& batch) {
  GemmArgs g = first;
  if (batch.count() == 0) return 0;
  AsOneProduct(batch, &g);
  return GemmWorkspace(type, g.m, g.n, g.k);
}

void BatchedGemm(GemmType type, const GemmArgs& first, const GemmBatch& batch,
                 const KernelContext* finish, WorkerPool* pool,
                 void* workspace) {
  const GemmKit& kit = KitFor(type);
  GemmArgs all = first;
  all.done = {};
  if (finish && !finish->has_epilogue()) finish = nullptr;
  int64_t count = batch.count();
  if (count == 0) return;
  if (AsOneProduct(batch, &all)) count = 1;

  auto run = [&](int64_t index, WorkerPool* threads, void* scratch) {
    GemmArgs g = all;
    int64_t a = 0, b = 0, c = 0;
    for (int i = batch.rank - 1; i >= 0 && index > 0; --i) {
      int64_t at = index % batch.dims[i];
      index /= batch.dims[i];
      a += at * batch.a_step[i];
      b += at * batch.b_step[i];
      c += at * batch.c_step[i];
    }
    g.a.data = static_cast<const char*>(g.a.data) + a * kit.in_bytes;
    g.b.data = static_cast<const char*>(g.b.data) + b * kit.in_bytes;
    g.c = static_cast<char*>(g.c) + c * kit.out_bytes;
    if (!finish) return Gemm(type, g, threads, scratch);
    Finish to{*finish, c, g.ldc};
    g.done = to.done();
    Gemm(type, g, threads, scratch);
  };
  const int64_t threads = pool ? pool->parallelism() : 1;
  const double work = Work(all);
  if (count == 1 || (count < 4 * threads && work > 4 * kTaskWork)) {
    for (int64_t i = 0; i < count; ++i) run(i, pool, workspace);
    return;
  }
  const int64_t grain =
      static_cast<int64_t>(std::clamp(kTaskWork / (work + 1000), 1.0, 4096.0));
  ParallelFor(pool, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(i, nullptr, nullptr);
  });
}

}  // namespace sluice
