// GemmKit: describes the packed matrix product for a pair of element types on
// this machine: the layout of panels of A and B, and the functions that pack
// and multiply them. A panel holds mr rows of A (nr columns of B), zeros for
// missing ones, for a range of k:
//
//   panel[p / ku][lane][p % ku]
//
// with ku > 1 if the machine multiplies several k in one instruction. Kits are
// constants; their functions may run on any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

struct GemmKit {
  // Packs `lanes` by k elements into as many panels as needed, panel_bytes
  // apart.
  // Element (lane, p) is at from[lane * stride + p] if along_k, else at from[p
  // * stride + lane].
  using Pack = void (*)(const void* from, int64_t stride, bool along_k,
                        int64_t lanes, int64_t k, void* to,
                        int64_t panel_bytes);
  // C[rows x columns] = (accumulate ? C : 0) + a * b, with one panel each.
  using Run = void (*)(int64_t k, const void* a, const void* b, void* c,
                       int64_t ldc, int rows, int columns, bool accumulate);
  // Rounds n sums to elements of C.
  using Store = void (*)(const void* sums, int64_t n, void* out);

  int mr = 0, nr = 0;  // a tile of C
  int ku = 1;
  int kc = 256;          // k of a panel, a multiple of ku
  int in_bytes = 0;      // an element of A or B
  int packed_bytes = 0;  // an element of a panel
  int sum_bytes = 0;     // a sum
  int out_bytes = 0;     // an element of C
  Pack pack_a = nullptr, pack_b = nullptr;
  Run run = nullptr;
  Store store = nullptr;  // null: sums have C's element type
  // Called by a thread before its first run and after its last one (KitInUse),
  // or null.
  void (*enter)() = nullptr;
  void (*leave)() = nullptr;
};

// Lives on the stack of a thread that runs a kit.
class KitInUse {
 public:
  explicit KitInUse(const GemmKit& kit) : kit_(kit) {
    if (kit_.enter) kit_.enter();
  }
  ~KitInUse() {
    if (kit_.leave) kit_.leave();
  }
  KitInUse(const KitInUse&) = delete;
  KitInUse& operator=(const KitInUse&) = delete;

 private:
  const GemmKit& kit_;
};

// The kit for this machine.
const GemmKit& KitFor(GemmType type);

// The packed product, for any kit and any size with m, n, k >= 1. `workspace`
// has PackedWorkspace bytes.
int64_t PackedWorkspace(const GemmKit& kit, int64_t m, int64_t n, int64_t k);
void PackedGemm(const GemmKit& kit, const GemmArgs& args, void* workspace,
                WorkerPool* pool);

}  // namespace sluice
