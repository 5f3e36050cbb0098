#include <atomic>

#include "sluice/base/amx.h"
#include "sluice/base/cpu_features.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/gemm_test_util.h"
#include "sluice/kernels/cpu/gemm/kits.h"

namespace sluice {
namespace {

using gemm_test::Case;
using gemm_test::Shape3;

struct Named {
  const char* name;
  GemmType type;
  const GemmKit* kit;
};

// Every kit this machine can run, chosen or not.
std::vector<Named> Kits() {
  using enum GemmType;
  std::vector<Named> kits = {{"portable", kF32, &kPortableF32Kit},
                             {"portable", kF64, &kPortableF64Kit},
                             {"portable", kF16, &kPortableF16Kit},
                             {"portable", kBF16, &kPortableBF16Kit},
                             {"portable", kI32, &kPortableI32Kit},
                             {"portable", kI64, &kPortableI64Kit},
                             {"portable", kS8, &kPortableS8Kit},
                             {"portable", kU8S8, &kPortableU8S8Kit}};
  [[maybe_unused]] const CpuFeatures& cpu = Cpu();
  [[maybe_unused]] auto add = [&](bool runs, std::vector<Named> more) {
    if (runs) kits.insert(kits.end(), more.begin(), more.end());
  };
#if defined(__aarch64__)
  add(true, {{"neon", kF32, &kNeonF32Kit},
             {"neon", kF64, &kNeonF64Kit},
             {"neon", kF16, &kNeonF16Kit},
             {"neon", kBF16, &kNeonBF16Kit}});
  add(cpu.neon_bf16, {{"bfmmla", kBF16, &kMatrixBF16Kit}});
  add(cpu.neon_i8mm,
      {{"smmla", kS8, &kMatrixS8Kit}, {"usmmla", kU8S8, &kMatrixU8S8Kit}});
  add(cpu.neon_dotprod,
      {{"sdot", kS8, &kDotS8Kit}, {"sdot", kU8S8, &kDotU8S8Kit}});
#elif defined(__x86_64__)
  add(cpu.level >= CpuLevel::kAvx2, {{"avx2", kF32, &kAvx2F32Kit},
                                     {"avx2", kF64, &kAvx2F64Kit},
                                     {"avx2", kF16, &kAvx2F16Kit},
                                     {"avx2", kBF16, &kAvx2BF16Kit},
                                     {"avx2", kS8, &kAvx2S8Kit},
                                     {"avx2", kU8S8, &kAvx2U8S8Kit}});
  add(cpu.level >= CpuLevel::kAvx512, {{"avx512", kF32, &kAvx512F32Kit},
                                       {"avx512", kF64, &kAvx512F64Kit},
                                       {"avx512", kF16, &kAvx512F16Kit},
                                       {"avx512", kBF16, &kAvx512BF16Kit}});
  add(cpu.avx512_bf16, {{"avx512_bf16", kBF16, &kAvx512DotBF16Kit}});
  add(cpu.avx512_vnni,
      {{"vnni", kS8, &kAvx512S8Kit}, {"vnni", kU8S8, &kAvx512U8S8Kit}});
  add(AmxAllowed(), {{"amx", kBF16, &kAmxBF16Kit},
                     {"amx", kS8, &kAmxS8Kit},
                     {"amx", kU8S8, &kAmxU8S8Kit}});
#endif
  return kits;
}

// Tiles and edges of all sizes, several panels, several passes over k, in every
// layout, and with B packed by all threads (many rows).
TEST(GemmKit, MatchesTripleLoop) {
  const Shape3 shapes[] = {{1, 1, 1},     {2, 3, 5},      {8, 12, 64},
                           {9, 13, 7},    {16, 48, 33},   {31, 65, 17},
                           {67, 103, 65}, {15, 34, 1100}, {3000, 40, 3}};
  WorkerPool pool(3);
  for (const Named& kit : Kits()) {
    for (const Shape3& s : shapes) {
      for (int t = 0; t < 4; ++t) {
        Case c(kit.type, s, t & 1, t & 2);
        PackedGemm(*kit.kit, c.args(), nullptr, nullptr);
        c.Check(kit.name);
        PackedGemm(*kit.kit, c.args(), nullptr, &pool);
        c.Check(kit.name);
      }
    }
  }
}

TEST(GemmKit, ManyRowsShareAPackedB) {
  WorkerPool pool(2);
  for (const Named& kit : Kits()) {
    Shape3 s{50, 50, 530};
    int64_t bytes = 0;
    while (s.m < 2000 && bytes == 0) {
      s.m += 50;
      bytes = PackedWorkspace(*kit.kit, s.m, s.n, s.k);
    }
    ASSERT_GT(bytes, 0) << kit.name;
    for (int t = 0; t < 4; t += 3) {
      std::vector<char> workspace(static_cast<size_t>(bytes), 1);
      Case c(kit.type, s, t & 1, t & 2);
      PackedGemm(*kit.kit, c.args(), workspace.data(), &pool);
      c.Check(kit.name);
    }
  }
}

// A B too large to be packed whole is processed in several parts; sums are the
// same as without a workspace.
TEST(GemmKit, LargeBComesInParts) {
  const GemmKit& kit = KitFor(GemmType::kF32);
  const int64_t m = 400, n = 300, k = 12000;
  const int64_t bytes = PackedWorkspace(kit, m, n, k);
  // If the caches hold all of it there are no parts.
  if (bytes == 0 || bytes >= n * k * 4) GTEST_SKIP();
  std::vector<float> a(m * k), b(k * n), c(m * n), d(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13) * .1f;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 17) * .3f;
  struct Count {
    std::atomic<int64_t> elements{0}, last_column{0};
  } count;
  GemmArgs g{.m = m,
             .n = n,
             .k = k,
             .a = {a.data(), k},
             .b = {b.data(), n},
             .c = c.data(),
             .ldc = n};
  g.done = {[](const void* context, int64_t, int64_t rows, int64_t column,
               int64_t columns) {
              auto& to = *static_cast<Count*>(const_cast<void*>(context));
              to.elements += rows * columns;
              if (column + columns == 300) to.last_column += rows;
            },
            &count};
  std::vector<char> workspace(static_cast<size_t>(bytes));
  WorkerPool pool(2);
  PackedGemm(kit, g, workspace.data(), &pool);
  EXPECT_EQ(count.elements, m * n);
  EXPECT_EQ(count.last_column, m);
  g.c = d.data();
  PackedGemm(kit, g, nullptr, nullptr);
  EXPECT_EQ(c, d);
}

}  // namespace
}  // namespace sluice
