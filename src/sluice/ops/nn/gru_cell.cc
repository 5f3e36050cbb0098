#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/nn/rnn_cell.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape state;
  SL_RETURN_IF_ERROR(rnn::CheckShapes(c, {3, 3, 1}, &state));
  SL_ASSIGN_OR_RETURN(PartialShape gates, rnn::GatesShape(c, state, 3));
  c.set_out(0, state);
  c.set_out(1, gates);
  return OkStatus();
}

template <class T>
struct Row {
  static SL_INLINE void Run(const T* x, const T* u, const T* h, int64_t n,
                            T* h_new, T* act) {
    using C = Compute<T>;
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      C r = vmath::Sigmoid(static_cast<C>(x[k]) + static_cast<C>(u[k]));
      C z = vmath::Sigmoid(static_cast<C>(x[n + k]) + static_cast<C>(u[n + k]));
      C m = vmath::Tanh(MulAdd(r, static_cast<C>(u[2 * n + k]),
                               static_cast<C>(x[2 * n + k])));
      h_new[k] = static_cast<T>(MulAdd(z, static_cast<C>(h[k]) - m, m));
      act[k] = static_cast<T>(r);
      act[n + k] = static_cast<T>(z);
      act[2 * n + k] = static_cast<T>(m);
    }
  }
};

Status Launch(KernelContext& ctx) {
  int64_t rows = ctx.in(2).dim(0), n = ctx.in(2).dim(1);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T *x = ctx.in(0).data<T>(), *u = ctx.in(1).data<T>(),
            *h = ctx.in(2).data<T>();
    T *h_new = ctx.out(0).mutable_data<T>(),
      *act = ctx.out(1).mutable_data<T>();
    rnn::ForRows(ctx, rows, n, [&](int64_t r) {
      isa::Call<Row<T>>(x + r * 3 * n, u + r * 3 * n, h + r * n, n,
                        h_new + r * n, act + r * 3 * n);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t n = in[2].shape.dim(1);
  auto act = [&](int64_t row, int64_t k) {
    double x = ref::At(in[0], {row, k}), u = ref::At(in[1], {row, k});
    if (k < 2 * n) return rnn::Sigmoid(x + u);
    double r = rnn::Sigmoid(ref::At(in[0], {row, k - 2 * n}) +
                            ref::At(in[1], {row, k - 2 * n}));
    return std::tanh(x + r * u);
  };
  return {ref::Build(in[2].shape,
                     [&](const Ints& at) {
                       double z = act(at[0], n + at[1]);
                       return (1 - z) * act(at[0], 2 * n + at[1]) +
                              z * ref::At(in[2], at);
                     }),
          ref::Build(in[0].shape,
                     [&](const Ints& at) { return act(at[0], at[1]); })};
}

void Grad(GradContext& g) {
  GradVar dx[3];
  if (g.has_dy(0)) {
    GradVar in[] = {g.dy(0), g.out(1), g.in(1), g.in(2)};
    auto made = g.call_all("GruCellGrad", in);
    for (size_t i = 0; i < made.size(); ++i) dx[i] = made[i];
  }
  if (g.has_dy(1)) {
    auto u = rnn::Gates(g, g.dy(1), 3), act = rnn::Gates(g, g.out(1), 3);
    GradVar new_state = rnn::Gates(g, g.in(1), 3)[2];
    GradVar dm = rnn::ByTanh(u[2], act[2]);
    GradVar dr = rnn::BySigmoid(u[0] + dm * new_state, act[0]);
    GradVar dz = rnn::BySigmoid(u[1], act[1]);
    GradVar parts[] = {rnn::Joined(g, {dr, dz, dm}),
                       rnn::Joined(g, {dr, dz, dm * act[0]})};
    for (int i = 0; i < 2; ++i) dx[i] = dx[i] ? dx[i] + parts[i] : parts[i];
  }
  for (int i = 0; i < 3; ++i) g.set_dx(i, dx[i]);
}

}  // namespace

SL_OP(GruCell)
    .doc(
        "The pointwise part of a gated recurrent unit. x_gates and h_gates are "
        "the products of input and of state, with their biases, in the order "
        "reset r, update z, new n: h_new = (1 - z) n + z h with r = "
        "sigmoid(x_r + h_r), z = sigmoid(x_z + h_z), n = tanh(x_n + r h_n). "
        "Also r, z and n, which the gradient needs.")
    .input("x_gates: T")
    .input("h_gates: T")
    .input("h: T")
    .output("h_new: T")
    .output("activations: T")
    .types("T", kFloats)
    .shape(Infer)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1, 2>)
    .cpu(Launch)
    .fails_for_sizes_only()
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {{2, 9}, {2, 9}, {2, 3}}},
              {.in = {{5, 3 * 67}, {5, 3 * 67}, {5, 67}}, .lo = -3, .hi = 3},
              {.in = {{40, 300}, {40, 300}, {40, 100}}, .only = {DType::kF32}},
              {.in = {{0, 6}, {0, 6}, {0, 2}}},
              {.in = {{2, 0}, {2, 0}, {2, 0}}}})
    .rejects({{.in = {{2, 9}, {2, 9}, {2, 4}},
               .message = "[GruCell] h is f32[2,4]; wanted [2,3]"},
              {.in = {{2, 9}, {3, 9}, {2, 3}},
               .message = "[GruCell] h_gates is f32[3,9]; wanted [2,9]"},
              {.in = {{9}, {9}, {3}},
               .message = "[GruCell] x_gates is f32[9]; wanted rank 2"}});
SL_AUTOCAST(GruCell, kF32);

}  // namespace sluice
