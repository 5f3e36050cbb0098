#include "sluice/op/batch_rules.h"
#include "sluice/ops/nn/rnn_cell.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape state;
  SL_RETURN_IF_ERROR(rnn::CheckShapes(c, {1, 3, 3, 1}, &state));
  SL_ASSIGN_OR_RETURN(PartialShape gates, rnn::GatesShape(c, state, 3));
  c.set_out(0, gates);
  c.set_out(1, gates);
  c.set_out(2, state);
  return OkStatus();
}

template <class T>
struct Row {
  static SL_INLINE void Run(const T* dh_new, const T* act, const T* u,
                            const T* h, int64_t n, T* dx, T* du, T* dh) {
    using C = Compute<T>;
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      C r = static_cast<C>(act[k]), z = static_cast<C>(act[n + k]);
      C m = static_cast<C>(act[2 * n + k]), up = static_cast<C>(dh_new[k]);
      C dm = up * (1 - z) * MulAdd(-m, m, C(1));
      C dz = up * (static_cast<C>(h[k]) - m) * (z * (1 - z));
      C dr = dm * static_cast<C>(u[2 * n + k]) * (r * (1 - r));
      dx[k] = du[k] = static_cast<T>(dr);
      dx[n + k] = du[n + k] = static_cast<T>(dz);
      dx[2 * n + k] = static_cast<T>(dm);
      du[2 * n + k] = static_cast<T>(dm * r);
      dh[k] = static_cast<T>(up * z);
    }
  }
};

Status Launch(KernelContext& ctx) {
  int64_t rows = ctx.in(0).dim(0), n = ctx.in(0).dim(1);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    auto in = [&](int i) { return ctx.in(i).data<T>(); };
    auto out = [&](int i) { return ctx.out(i).mutable_data<T>(); };
    rnn::ForRows(ctx, rows, n, [&](int64_t r) {
      isa::Call<Row<T>>(in(0) + r * n, in(1) + r * 3 * n, in(2) + r * 3 * n,
                        in(3) + r * n, n, out(0) + r * 3 * n,
                        out(1) + r * 3 * n, out(2) + r * n);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t n = in[0].shape.dim(1);
  const RefArray &up = in[0], &act = in[1], &u = in[2], &h = in[3];
  auto gradient = [&](const Ints& index, bool state) {
    int64_t row = index[0], k = index[1] % n;
    double r = ref::At(act, {row, k}), z = ref::At(act, {row, n + k});
    double m = ref::At(act, {row, 2 * n + k}), g = ref::At(up, {row, k});
    double dm = g * (1 - z) * (1 - m * m);
    switch (index[1] / n) {
      case 0:
        return dm * ref::At(u, {row, 2 * n + k}) * r * (1 - r);
      case 1:
        return g * (ref::At(h, {row, k}) - m) * z * (1 - z);
      default:
        return state ? dm * r : dm;
    }
  };
  return {
      ref::Build(act.shape,
                 [&](const Ints& at) { return gradient(at, false); }),
      ref::Build(act.shape, [&](const Ints& at) { return gradient(at, true); }),
      ref::Build(h.shape, [&](const Ints& at) {
        return ref::At(up, at) * ref::At(act, {at[0], n + at[1]});
      })};
}

// With up = dh_new, activations r, z, m and v the third of h_gates, the op
// returns dm = up (1 - z) (1 - m^2), dz = up (h - m) z (1 - z), dr = dm v r (1
// - r), where dx_gates is (dr, dz, dm) and dh_gates (dr, dz, dm r), and dh = up
// z.
void Grad(GradContext& g) {
  GradVar up = g.in(0), h = g.in(3), uh = g.dy(2);
  auto act = rnn::Gates(g, g.in(1), 3), gates = rnn::Gates(g, g.in(2), 3);
  auto ux = rnn::Gates(g, g.dy(0), 3), us = rnn::Gates(g, g.dy(1), 3);
  GradVar r = act[0], z = act[1], m = act[2], v = gates[2];
  GradVar dm = rnn::ByTanh(up * (1.0 - z), m);
  // The gradients of dr, dz and dm.
  GradVar by_r = ux[0] + us[0], by_z = ux[1] + us[1];
  GradVar by_m = rnn::BySigmoid(by_r * v, r) + ux[2] + us[2] * r;
  GradVar through = rnn::ByTanh(by_m, m);
  if (g.wants(0)) {
    g.set_dx(0,
             through * (1.0 - z) + rnn::BySigmoid(by_z * (h - m), z) + uh * z);
  }
  if (g.wants(1)) {
    GradVar dr = dm * (by_r * v * (1.0 - 2.0 * r) + us[2]);
    GradVar dz = up * (by_z * (h - m) * (1.0 - 2.0 * z) + uh - through);
    GradVar of_m = up * (by_m * (1.0 - z) * m * -2.0 - rnn::BySigmoid(by_z, z));
    g.set_dx(1, rnn::Joined(g, {dr, dz, of_m}));
  }
  if (g.wants(2)) {
    GradVar zero = g.zeros_like(v);
    g.set_dx(2, rnn::Joined(g, {zero, zero, rnn::BySigmoid(by_r * dm, r)}));
  }
  if (g.wants(3)) g.set_dx(3, rnn::BySigmoid(by_z * up, z));
}

}  // namespace

SL_OP(GruCellGrad)
    .doc("The gradients of GruCell by x_gates, h_gates and h.")
    .input("dh_new: T")
    .input("activations: T")
    .input("h_gates: T")
    .input("h: T")
    .output("dx_gates: T")
    .output("dh_gates: T")
    .output("dh: T")
    .types("T", kFloats)
    .shape(Infer)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1, 2, 3>)
    .cpu(Launch)
    .internal()
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{2, 3}, {2, 9}, {2, 9}, {2, 3}}},
              {.in = {{5, 67}, {5, 3 * 67}, {5, 3 * 67}, {5, 67}},
               .lo = -1,
               .hi = 1},
              {.in = {{40, 100}, {40, 300}, {40, 300}, {40, 100}},
               .only = {DType::kF32}},
              {.in = {{0, 2}, {0, 6}, {0, 6}, {0, 2}}}})
    .rejects({{.in = {{2, 3}, {2, 8}, {2, 9}, {2, 3}},
               .message = "[GruCellGrad] activations is f32[2,8]; wanted "
                          "[2,9]"},
              {.in = {{2, 3}, {2, 9}, {2, 9}, {1, 3}},
               .message = "[GruCellGrad] h is f32[1,3]; wanted [2,3]"},
              {.in = {{3}, {9}, {9}, {3}},
               .message = "[GruCellGrad] dh_new is f32[3]; wanted rank 2"}});

}  // namespace sluice
