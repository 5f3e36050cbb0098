#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/worker_pool.h"
#include "sluice/ops/math/mat_mul_shapes.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  SL_RETURN_IF_ERROR(WantEqualInner(c));
  bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  const int64_t dims[] = {c.in(0).rank_known() ? c.in(0)[ta] : kUnknownDim,
                          c.in(1).rank_known() ? c.in(1)[!tb] : kUnknownDim};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

GemmType TypeOf(DType a) {
  return a == DType::kU8 ? GemmType::kU8S8 : GemmType::kS8;
}

// Sums of a's rows and b's columns, then the product's own.
int64_t Workspace(const ShapeContext& c) {
  MatMulSizes s = SizesOf(c.in(0), c.in(1), c.attrs());
  if (s.m == 0 || s.n == 0) return 0;
  return AlignUp((s.m + s.n) * 4, 64) +
         GemmWorkspace(TypeOf(c.in_dtype(0)), s.m, s.n, s.k);
}

// Sums over k of each of `count` rows or columns.
template <class T>
void Sums(const T* x, int64_t count, int64_t k, int64_t stride, bool along_k,
          uint32_t* sums, WorkerPool* pool) {
  const int64_t grain =
      std::max<int64_t>(64, (1 << 18) / std::max<int64_t>(1, k));
  ParallelFor(pool, count, grain, [&](int64_t begin, int64_t end) {
    std::fill(sums + begin, sums + end, 0u);
    if (along_k) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t p = 0; p < k; ++p) {
          sums[i] += static_cast<uint32_t>(x[i * stride + p]);
        }
      }
    } else {
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t i = begin; i < end; ++i) {
          sums[i] += static_cast<uint32_t>(x[p * stride + i]);
        }
      }
    }
  });
}

// sum (a - za)(b - zb) = sum ab - za sum b - zb sum a + k za zb, modulo 2^32.
struct Shift {
  const KernelContext& ctx;
  uint32_t* y;
  int64_t n;
  const uint32_t *rows, *columns;  // null: their zero point is 0
  uint32_t za, zb, both;

  static void Done(const void* context, int64_t row, int64_t num_rows,
                   int64_t column, int64_t num_columns) {
    static_cast<const Shift*>(context)->Apply(row, num_rows, column,
                                              num_columns);
  }
  void Apply(int64_t row, int64_t num_rows, int64_t column,
             int64_t num_columns) const {
    for (int64_t i = row; i < row + num_rows && (rows || columns); ++i) {
      uint32_t* to = y + i * n;
      const uint32_t fixed = both - (rows ? zb * rows[i] : 0);
      if (columns) {
        for (int64_t j = column; j < column + num_columns; ++j) {
          to[j] += fixed - za * columns[j];
        }
      } else {
        for (int64_t j = column; j < column + num_columns; ++j) to[j] += fixed;
      }
    }
    ctx.FinishTile(row * n + column, num_rows, n, num_columns);
  }
};

Status Launch(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1);
  MatMulSizes s = SizesOf(a.shape(), b.shape(), ctx.attrs());
  if (s.m == 0 || s.n == 0) return OkStatus();
  WorkerPool* pool = ctx.step().pool;
  const int64_t za = ctx.attr<int64_t>("a_zero_point");
  const int64_t zb = ctx.attr<int64_t>("b_zero_point");
  uint32_t* rows = static_cast<uint32_t*>(ctx.workspace());
  uint32_t* columns = rows + s.m;
  Shift shift{ctx,
              static_cast<uint32_t*>(ctx.out(0).mutable_raw()),
              s.n,
              zb != 0 ? rows : nullptr,
              za != 0 ? columns : nullptr,
              static_cast<uint32_t>(za),
              static_cast<uint32_t>(zb),
              static_cast<uint32_t>(s.k) * static_cast<uint32_t>(za) *
                  static_cast<uint32_t>(zb)};
  if (zb != 0 && a.dtype() == DType::kU8) {
    Sums(a.data<uint8_t>(), s.m, s.k, a.dim(1), !s.ta, rows, pool);
  } else if (zb != 0) {
    Sums(a.data<int8_t>(), s.m, s.k, a.dim(1), !s.ta, rows, pool);
  }
  if (za != 0) {
    Sums(b.data<int8_t>(), s.n, s.k, b.dim(1), s.tb, columns, pool);
  }
  GemmArgs g{.m = s.m,
             .n = s.n,
             .k = s.k,
             .a = {a.raw(), a.dim(1), s.ta},
             .b = {b.raw(), b.dim(1), s.tb},
             .c = shift.y,
             .ldc = s.n,
             .done = {Shift::Done, &shift}};
  const GemmType type = TypeOf(a.dtype());
  void* packed =
      GemmWorkspace(type, s.m, s.n, s.k) == 0
          ? nullptr
          : static_cast<char*>(ctx.workspace()) + AlignUp((s.m + s.n) * 4, 64);
  Gemm(type, g, pool, packed);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  MatMulSizes s = SizesOf(in[0].shape, in[1].shape, attrs);
  std::vector<RefArray> shifted = in;
  const char* const zero_points[] = {"a_zero_point", "b_zero_point"};
  for (size_t i = 0; i < 2; ++i) {
    for (double& v : shifted[i].v) {
      v -= static_cast<double>(attrs.get<int64_t>(zero_points[i]));
    }
  }
  return {ref::Build(ref::MakeShape({s.m, s.n}), [&](const Ints& index) {
    return MatMulElement(shifted, index, s);
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  const MatMulSizes sizes[] = {{2, 4, 3},    {1, 1, 1},    {0, 3, 2},
                               {2, 0, 3},    {2, 3, 0},    {13, 17, 9},
                               {50, 33, 70}, {9, 30, 1100}};
  for (const MatMulSizes& s : sizes) {
    for (int t = 0; t < 4; ++t) {
      bool ta = t & 1, tb = t & 2;
      samples.push_back({.in = {ta ? Shape{s.k, s.m} : Shape{s.m, s.k},
                                tb ? Shape{s.n, s.k} : Shape{s.k, s.n}},
                         .attrs = {{"a_zero_point", ta ? 3 : 0},
                                   {"b_zero_point", tb ? -5 : 0},
                                   {"transpose_a", ta},
                                   {"transpose_b", tb}},
                         .lo = -128,
                         .hi = 127});
    }
  }
  return samples;
}

}  // namespace

SL_OP(QuantizedMatMul)
    .doc(
        "The matrix product of int8 numbers, exact in 32 bits: sums of "
        "(a - a_zero_point) * (b - b_zero_point). Either side transposed on "
        "request; a may be unsigned.")
    .input("a: T")
    .input("b: i8")
    .output("y: i32")
    .types("T", {DType::kI8, DType::kU8})
    .attr("a_zero_point", 0, "What stands for 0 in a.")
    .between(-128, 255)
    .attr("b_zero_point", 0, "What stands for 0 in b.")
    .between(-128, 127)
    .attr("transpose_a", false, "Take a's transpose.")
    .attr("transpose_b", false, "Take b's transpose.")
    .shape(Infer)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .fuse_output()
    .cost(MatMulCost)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 3}, {4, 5}},
               .message = "[QuantizedMatMul] inner sizes differ: a is "
                          "i8[2,3], b is i8[4,5]; wanted a.dim(1) == b.dim(0)",
               .dtype = DType::kI8},
              {.in = {{3}, {3, 2}},
               .message = "[QuantizedMatMul] a is i8[3]; wanted rank 2",
               .dtype = DType::kI8},
              {.in = {{2, 3}, {3}},
               .message = "[QuantizedMatMul] b is i8[3]; wanted rank 2",
               .dtype = DType::kI8}});

}  // namespace sluice
