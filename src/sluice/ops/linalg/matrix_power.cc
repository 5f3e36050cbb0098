#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/invert.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  c.set_out(0, c.in(0));
  return OkStatus();
}

template <class T>
struct Parts {
  T *base, *spare;
  typename Inverter<T>::Parts inverse;
  static Parts Take(Scratch& s, const Inverter<T>& inverter) {
    int64_t size = int64_t{inverter.n} * inverter.n;
    return {s.Take<T>(size), s.Take<T>(size), inverter.Take(s)};
  }
  static MatrixBatch Batch(const Shape& x, const Inverter<T>& inverter) {
    Scratch sizes;
    Take(sizes, inverter);
    double n = inverter.n;
    return MatrixBatch(MatrixCount(x), 4 * n * n * n, sizes.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Inverter<T> inverter(DimFromEnd(c.in(0), 0));
    return Parts<T>::Batch(c.in(0).ToShape(), inverter).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  int64_t power = ctx.attr<int64_t>("n");
  Inverter<T> inverter(x.dim(x.rank() - 1));
  LapackInt n = inverter.n, ld = AtLeastOne(n);
  int64_t size = int64_t{n} * n;
  // Powers of one matrix commute, so the order of storage does not matter.
  auto multiply = [&](const T* a, const T* b, T* y) {
    T one = 1, zero = 0;
    lapack->of<T>().gemm("N", "N", &n, &n, &n, &one, a, &ld, b, &ld, &zero, y,
                         &ld, 1, 1);
  };
  MatrixFailure failed =
      Parts<T>::Batch(x, inverter)
          .Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
            auto parts = Parts<T>::Take(scratch, inverter);
            T* y = ctx.out(0).mutable_data<T>() + entry * size;
            std::copy_n(ctx.in(0).data<T>() + entry * size, size, parts.base);
            if (power < 0) {
              int info = inverter.Invert(*lapack, parts.base, parts.inverse);
              if (info != 0) return info;
            }
            std::fill(y, y + size, T(0));
            for (int64_t i = 0; i < n; ++i) y[i * n + i] = 1;
            bool first = true;
            for (int64_t rest = power < 0 ? -power : power; rest > 0;
                 rest /= 2) {
              if (rest % 2 == 1 && first) {
                std::copy_n(parts.base, size, y);
                first = false;
              } else if (rest % 2 == 1) {
                multiply(y, parts.base, parts.spare);
                std::copy_n(parts.spare, size, y);
              }
              if (rest == 1) break;
              multiply(parts.base, parts.base, parts.spare);
              std::swap(parts.base, parts.spare);
            }
            return 0;
          });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(x, failed.entry),
                          " is singular; wanted a matrix that has an inverse"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  RefArray y{in[0].shape, {}};
  int64_t power = attrs.get<int64_t>("n");
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix x = ref::MatrixOf(in[0], e);
    auto n = static_cast<int64_t>(x.size());
    if (power < 0) x = ref::SolveByElimination(x, ref::Unit(n));
    ref::Matrix product = ref::Unit(n);
    for (int64_t i = 0; i < std::abs(power); ++i) {
      product = ref::Product(product, x, n);
    }
    ref::Append(&y, product);
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases;
  for (int64_t n : {0, 1, 2, 3, 6, 7, -1, -3}) {
    cases.push_back({{2, 3, 3}, {}, {{"n", n}}});
  }
  cases.push_back({{30, 30}, {}, {{"n", 5}}});
  cases.push_back({{0, 0}, {}, {{"n", 2}}});
  cases.push_back({{0, 2, 2}, {}, {{"n", -2}}});
  std::vector<Sample> samples = MatrixSamples(
      [](DType dtype, const Shape& shape) {
        // Small enough that sums and powers stay near one.
        Array a = SquareMatrices(dtype, shape);
        double n = static_cast<double>(shape.dim(shape.rank() - 1));
        WithLapackType(dtype, [&]<class T>() {
          for (int64_t i = 0; i < a.num_elements(); ++i) {
            a.mutable_data<T>()[i] /= static_cast<T>(n);
          }
        });
        return a;
      },
      cases);
  return samples;
}

// A power of [x^T dy; 0 x^T] has the gradient in its upper right block: the sum
// of all (x^T)^i dy (x^T)^j with i + j = n - 1, and correspondingly for
// negative n.
void Gradient(GradContext& g) {
  using namespace matrix;
  int64_t power = g.attr<int64_t>("n");
  if (power == 0) return;  // the unit matrix
  if (power == 1) return g.set_dx(0, g.dy());
  Sides sides;
  if (!KnownSides(g, &sides)) return;
  GradVar x = Transposed(g, g.in(0));
  GradVar top = SideBySide(g, x, g.dy());
  GradVar block = OneAboveOther(g, top, SideBySide(g, g.zeros_like(x), x));
  GradVar powers = g.call("MatrixPower", {block}, g.attrs());
  g.set_dx(0, Part(g, powers, 0, sides.n, sides.n, sides.n));
}

}  // namespace

SL_OP(MatrixPower)
    .doc(
        "Square matrices, the last two axes of x, multiplied n times with "
        "themselves; of the inverse for negative n, the unit matrix for 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kLapackTypes)
    .attr("n", AttrKind::kInt, "The exponent.")
    .between(-1000000000, 1000000000)
    .shape(Infer)
    .grad(Gradient)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(5e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 2}},
               .attrs = {{"n", -1}},
               .message = "[MatrixPower] x is singular; wanted a matrix that "
                          "has an inverse"},
              {.in = {{2, 3}},
               .attrs = {{"n", 2}},
               .message = "[MatrixPower] x is f32[2,3]; wanted square "
                          "matrices"},
              {.in = {{2, 2}},
               .attrs = {{"n", int64_t{1} << 40}},
               .message = "[MatrixPower] attribute n is"}});

}  // namespace sluice
