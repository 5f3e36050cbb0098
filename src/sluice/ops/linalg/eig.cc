#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/eig_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

constexpr int kNotFinite = -1000;  // an info of our own

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  int64_t n = DimFromEnd(c.in(0), 0);
  const int64_t values[] = {n},
                vectors[] = {n, c.attr<bool>("compute_v") ? n : 0};
  SL_ASSIGN_OR_RETURN(PartialShape w, WithTail(c, 0, values));
  SL_ASSIGN_OR_RETURN(PartialShape v, WithTail(c, 0, vectors));
  for (int i : {0, 1}) {
    c.set_out(i, w);
    c.set_out(2 + i, v);
  }
  return OkStatus();
}

template <class T>
struct Plan {
  LapackInt n, lwork = 1;
  const char* job;

  Plan(const Shape& x, bool vectors)
      : n(LapackInt(x.dim(x.rank() - 1))), job(vectors ? "V" : "N") {
    const Lapack* lapack = FindLapack();
    if (!lapack) return;
    T asked = 0, none = 0;
    LapackInt query = -1, info = 0, ld = AtLeastOne(n);
    lapack->of<T>().geev("N", job, &n, &none, &ld, &none, &none, &none, &ld,
                         &none, &ld, &asked, &query, &info, 1, 1);
    lwork = static_cast<LapackInt>(AskedSize(asked));
  }
  struct Parts {
    T *a, *re, *im, *v, *work;
    int64_t* order;
  };
  Parts Take(Scratch& s) const {
    int64_t side = n;
    return {s.Take<T>(side * side), s.Take<T>(side),  s.Take<T>(side),
            s.Take<T>(side * side), s.Take<T>(lwork), s.Take<int64_t>(side)};
  }
  MatrixBatch Batch(const Shape& x) const {
    Scratch sizes;
    Take(sizes);
    double side = n;
    return MatrixBatch(MatrixCount(x), 25 * side * side * side, sizes.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Shape x = c.in(0).ToShape();
    return Plan<T>(x, c.attr<bool>("compute_v")).Batch(x).workspace();
  });
}

// Scales the vector to length 1 with a positive largest component: the first of
// the largest, as far as rounding can distinguish them.
template <class T>
void Settle(std::complex<T>* v, int64_t n) {
  T length = 0, largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    length = std::hypot(length, std::abs(v[i]));
    largest = std::max(largest, std::abs(v[i]));
  }
  if (length == 0) return;
  std::complex<T> turn = 1;
  constexpr T kTie = 1 - T(sizeof(T) == 4 ? 1e-4 : 1e-9);
  for (int64_t i = 0; i < n; ++i) {
    if (std::abs(v[i]) < largest * kTie) continue;
    turn = std::conj(v[i]) / std::abs(v[i]);
    v[i] = std::abs(v[i]) / length;
    for (int64_t j = 0; j < n; ++j) {
      if (j != i) v[j] = v[j] * turn / length;
    }
    return;
  }
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  bool vectors = ctx.attr<bool>("compute_v");
  Plan<T> plan(x, vectors);
  LapackInt ld = AtLeastOne(plan.n);
  int64_t n = plan.n;
  auto run = [&](int64_t entry, Scratch scratch) -> int {
    auto parts = plan.Take(scratch);
    const T* from = ctx.in(0).data<T>() + entry * n * n;
    if (!AllFinite(from, n * n)) return kNotFinite;
    TransposeMatrix(from, n, n, n, parts.a);
    LapackInt info = 0;
    T none = 0;
    lapack->of<T>().geev("N", plan.job, &plan.n, parts.a, &ld, parts.re,
                         parts.im, &none, &ld, parts.v, &ld, parts.work,
                         &plan.lwork, &info, 1, 1);
    if (info != 0) return info;
    int64_t* order = parts.order;
    std::iota(order, order + n, 0);
    std::stable_sort(order, order + n, [&](int64_t a, int64_t b) {
      if (parts.re[a] != parts.re[b]) return parts.re[a] < parts.re[b];
      return parts.im[a] < parts.im[b];
    });
    T* w_re = ctx.out(0).mutable_data<T>() + entry * n;
    T* w_im = ctx.out(1).mutable_data<T>() + entry * n;
    for (int64_t k = 0; k < n; ++k) {
      w_re[k] = parts.re[order[k]];
      w_im[k] = parts.im[order[k]];
    }
    if (!vectors) return 0;
    T* v_re = ctx.out(2).mutable_data<T>() + entry * n * n;
    T* v_im = ctx.out(3).mutable_data<T>() + entry * n * n;
    // The vector of a conjugate pair has its parts in two columns. The matrix
    // is no longer needed: its memory is reused for one complex vector.
    auto* v = reinterpret_cast<std::complex<T>*>(parts.a);
    std::vector<std::complex<T>> alone(n == 1 ? 1 : 0);
    if (n == 1) v = alone.data();
    for (int64_t k = 0; k < n; ++k) {
      int64_t at = order[k];
      T sign = parts.im[at];
      int64_t first = sign < 0 ? at - 1 : at;
      for (int64_t i = 0; i < n; ++i) {
        T im = sign == 0 ? T(0) : parts.v[(first + 1) * n + i];
        v[i] = {parts.v[first * n + i], sign < 0 ? -im : im};
      }
      Settle(v, n);
      for (int64_t i = 0; i < n; ++i) {
        v_re[i * n + k] = v[i].real();
        v_im[i * n + k] = v[i].imag();
      }
    }
    return 0;
  };
  MatrixFailure failed = plan.Batch(x).Run(ctx, run);
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(x, failed.entry),
                          failed.info == kNotFinite
                              ? " has elements that are not finite"
                              : ": the eigenvalues did not converge"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

using Complex = std::complex<double>;

// Roots of the characteristic polynomial (its coefficients by Faddeev and
// Le Verrier), all at once by Durand and Kerner. For small matrices.
std::vector<Complex> Roots(const ref::Matrix& a) {
  auto n = static_cast<int64_t>(a.size());
  std::vector<double> c{1};
  ref::Matrix m = ref::Zeros(n, n);
  for (int64_t k = 1; k <= n; ++k) {
    m = ref::Product(a, m, n);
    for (int64_t i = 0; i < n; ++i) {
      m[size_t(i)][size_t(i)] += c.back();
    }
    ref::Matrix am = ref::Product(a, m, n);
    double trace = 0;
    for (size_t i = 0; i < a.size(); ++i) trace += am[i][i];
    c.push_back(-trace / static_cast<double>(k));
  }
  std::vector<Complex> roots;
  for (int64_t k = 0; k < n; ++k) {
    roots.push_back(std::pow(Complex(0.4, 0.9), double(k)));
  }
  for (int round = 0; round < 2000; ++round) {
    for (size_t k = 0; k < roots.size(); ++k) {
      Complex value = 0, others = 1;
      for (double v : c) value = value * roots[k] + v;
      for (size_t j = 0; j < roots.size(); ++j) {
        if (j != k) others *= roots[k] - roots[j];
      }
      roots[k] -= value / others;
    }
  }
  for (Complex& r : roots) {
    if (std::abs(r.imag()) < 1e-9 * (1 + std::abs(r))) r = r.real();
  }
  std::sort(roots.begin(), roots.end(), [](Complex p, Complex q) {
    // Parts of a pair of conjugates are equal but for rounding.
    if (std::abs(p.real() - q.real()) > 1e-7) return p.real() < q.real();
    return p.imag() < q.imag();
  });
  return roots;
}

// The vector that (a - w) nearly maps to 0: two steps of inverse iteration, by
// elimination with row exchanges.
std::vector<Complex> VectorOf(const ref::Matrix& a, Complex w) {
  size_t n = a.size();
  std::vector<Complex> v(n, 1);
  for (size_t i = 0; i < n; ++i) v[i] += 0.1 * static_cast<double>(i);
  for (int step = 0; step < 3; ++step) {
    std::vector<std::vector<Complex>> m(n);
    for (size_t i = 0; i < n; ++i) {
      m[i].assign(a[i].begin(), a[i].end());
      m[i][i] -= w + Complex(1e-10, 1e-10);
    }
    for (size_t k = 0; k < n; ++k) {
      size_t best = k;
      for (size_t i = k; i < n; ++i) {
        if (std::abs(m[i][k]) > std::abs(m[best][k])) best = i;
      }
      std::swap(m[k], m[best]);
      std::swap(v[k], v[best]);
      for (size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        Complex f = m[i][k] / m[k][k];
        for (size_t j = k; j < n; ++j) m[i][j] -= f * m[k][j];
        v[i] -= f * v[k];
      }
    }
    for (size_t i = 0; i < n; ++i) v[i] /= m[i][i];
    Settle(v.data(), static_cast<int64_t>(n));
  }
  return v;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t n = in[0].shape.dim(in[0].shape.rank() - 1);
  bool vectors = attrs.get<bool>("compute_v");
  RefArray w_re = ref::BatchLike(in[0], {n}), w_im = w_re,
           v_re = ref::BatchLike(in[0], {n, vectors * n}), v_im = v_re;
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix a = ref::MatrixOf(in[0], e);
    ref::Matrix re = ref::Zeros(n, vectors * n), im = re;
    ref::Vector real, imag;
    for (Complex w : Roots(a)) {
      size_t k = real.size();
      real.push_back(w.real());
      imag.push_back(w.imag());
      if (!vectors) continue;
      std::vector<Complex> v = VectorOf(a, w);
      for (size_t i = 0; i < v.size(); ++i) {
        re[i][k] = v[i].real();
        im[i][k] = v[i].imag();
      }
    }
    ref::Append(&w_re, real);
    ref::Append(&w_im, imag);
    ref::Append(&v_re, re);
    ref::Append(&v_im, im);
  }
  return {w_re, w_im, v_re, v_im};
}

// Small, with pairs of conjugates, and with distances between eigenvalues.
Array Turning(DType dtype, const Shape& shape) {
  using matrix_samples_internal::Number;
  return matrix_samples_internal::Make(
      dtype, shape, [&](int64_t at, int64_t i, int64_t j, int64_t) {
        double turn = i / 2 == j / 2 && i != j ? (i < j ? 1.5 : -2.0) : 0;
        return 0.3 * Number(at) + turn + (i == j ? double(3 * (i / 2)) : 0);
      });
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases = {{{1, 1}}, {{3, 3}}, {{2, 4, 4}},
                                   {{5, 5}}, {{0, 0}}, {{0, 2, 2}}};
  cases.push_back({{2, 3, 3}, {}, {{"compute_v", false}}});
  return MatrixSamples(Turning, cases);
}

}  // namespace

SL_OP(Eig)
    .doc(
        "Eigenvalues w of square matrices, by their real parts and then their "
        "imaginary parts, ascending, and the eigenvectors as columns of v; the "
        "last two axes of x are matrices. Real and imaginary parts are results "
        "of their own. Eigenvectors have length 1 and a largest component that "
        "is positive.")
    .input("x: T")
    .output("w_re: T")
    .output("w_im: T")
    .output("v_re: T")
    .output("v_im: T")
    .types("T", kLapackTypes)
    .attr("compute_v", true, "False: v is empty.")
    .shape(Infer)
    .grad(EigGrad)
    .batch([](BatchContext& b) {
      // Without vectors, v has no axes.
      return b.attr<bool>("compute_v") && batch_rules::leading(b);
    })
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(2e-4)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Array::Of<float>({1, 1}, {NAN})},
               .message = "[Eig] x has elements that are not finite"},
              {.in = {Array::Of<float>({2, 1, 1}, {1, INFINITY})},
               .message = "[Eig] x[1] has elements that are not finite"},
              {.in = {{2, 3}},
               .message = "[Eig] x is f32[2,3]; wanted square matrices"},
              {.in = {{3}},
               .message = "[Eig] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
