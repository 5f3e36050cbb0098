#include "sluice/op/batch_rules.h"
#include "sluice/ops/nn/rnn_cell.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape state;
  SL_RETURN_IF_ERROR(rnn::CheckShapes(c, {1, 1, 4, 1, 1}, &state));
  SL_ASSIGN_OR_RETURN(PartialShape gates, rnn::GatesShape(c, state, 4));
  c.set_out(0, gates);
  c.set_out(1, state);
  return OkStatus();
}

template <class T>
struct Row {
  static SL_INLINE void Run(const T* dh, const T* dc_new, const T* act,
                            const T* c, const T* c_new, int64_t n, T* dgates,
                            T* dc) {
    using C = Compute<T>;
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      C i = static_cast<C>(act[k]), f = static_cast<C>(act[n + k]);
      C g = static_cast<C>(act[2 * n + k]), o = static_cast<C>(act[3 * n + k]);
      C t = vmath::Tanh(static_cast<C>(c_new[k]));
      C up = static_cast<C>(dh[k]);
      C cell = MulAdd(up * o, MulAdd(-t, t, C(1)), static_cast<C>(dc_new[k]));
      C old = static_cast<C>(c[k]);
      dgates[k] = static_cast<T>(cell * g * (i * (1 - i)));
      dgates[n + k] = static_cast<T>(cell * old * (f * (1 - f)));
      dgates[2 * n + k] = static_cast<T>(cell * i * MulAdd(-g, g, C(1)));
      dgates[3 * n + k] = static_cast<T>(up * t * (o * (1 - o)));
      dc[k] = static_cast<T>(cell * f);
    }
  }
};

Status Launch(KernelContext& ctx) {
  int64_t rows = ctx.in(0).dim(0), n = ctx.in(0).dim(1);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    auto in = [&](int i) { return ctx.in(i).data<T>(); };
    T *dgates = ctx.out(0).mutable_data<T>(),
      *dc = ctx.out(1).mutable_data<T>();
    rnn::ForRows(ctx, rows, n, [&](int64_t r) {
      isa::Call<Row<T>>(in(0) + r * n, in(1) + r * n, in(2) + r * 4 * n,
                        in(3) + r * n, in(4) + r * n, n, dgates + r * 4 * n,
                        dc + r * n);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t n = in[0].shape.dim(1);
  auto act = [&](const Ints& at, int64_t k) {
    return ref::At(in[2], {at[0], k * n + at[1]});
  };
  auto cell = [&](const Ints& at) {
    double t = std::tanh(ref::At(in[4], at));
    return ref::At(in[1], at) + ref::At(in[0], at) * act(at, 3) * (1 - t * t);
  };
  return {ref::Build(in[2].shape,
                     [&](const Ints& index) {
                       Ints at = {index[0], index[1] % n};
                       double v = ref::At(in[2], index), d = cell(at);
                       switch (index[1] / n) {
                         case 0:
                           return d * act(at, 2) * v * (1 - v);
                         case 1:
                           return d * ref::At(in[3], at) * v * (1 - v);
                         case 2:
                           return d * act(at, 0) * (1 - v * v);
                         default:
                           return ref::At(in[0], at) *
                                  std::tanh(ref::At(in[4], at)) * v * (1 - v);
                       }
                     }),
          ref::Build(in[0].shape,
                     [&](const Ints& at) { return cell(at) * act(at, 1); })};
}

// With t = tanh(c_new) and cell = dc_new + dh o (1 - t^2), the op returns cell
// g i (1 - i), cell c f (1 - f), cell i (1 - g^2), dh t o (1 - o), cell f.
void Grad(GradContext& context) {
  GradVar dh = context.in(0), c = context.in(3);
  auto act = rnn::Gates(context, context.in(2), 4);
  auto u = rnn::Gates(context, context.dy(0), 4);
  GradVar i = act[0], f = act[1], g = act[2], o = act[3];
  GradVar t = context.call("Tanh", {context.in(4)}), uc = context.dy(1);
  GradVar cell = context.in(1) + rnn::ByTanh(dh * o, t);
  // The gradient of cell, and that of h by way of cell.
  GradVar by_cell = rnn::BySigmoid(u[0] * g, i) + rnn::BySigmoid(u[1] * c, f) +
                    rnn::ByTanh(u[2] * i, g) + uc * f;
  GradVar by_h = rnn::ByTanh(by_cell, t), by_o = u[3] * t;
  context.set_dx(0, by_h * o + rnn::BySigmoid(by_o, o));
  context.set_dx(1, by_cell);
  if (context.wants(2)) {
    GradVar di = u[0] * g * (1.0 - 2.0 * i) + rnn::ByTanh(u[2], g);
    GradVar df = u[1] * c * (1.0 - 2.0 * f) + uc;
    GradVar dg = rnn::BySigmoid(u[0], i) - 2.0 * u[2] * i * g;
    GradVar d_o = dh * (by_h + by_o * (1.0 - 2.0 * o));
    context.set_dx(
        2, rnn::Joined(context, {cell * di, cell * df, cell * dg, d_o}));
  }
  if (context.wants(3)) {
    context.set_dx(3, rnn::BySigmoid(cell * u[1], f));
  }
  if (context.wants(4)) {
    GradVar dt = dh * (rnn::BySigmoid(u[3], o) - 2.0 * by_cell * o * t);
    context.set_dx(4, rnn::ByTanh(dt, t));
  }
}

}  // namespace

SL_OP(LstmCellGrad)
    .doc("The gradients of LstmCell by its gates and by c.")
    .input("dh: T")
    .input("dc_new: T")
    .input("activations: T")
    .input("c: T")
    .input("c_new: T")
    .output("dgates: T")
    .output("dc: T")
    .types("T", kFloats)
    .shape(Infer)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1, 2, 3, 4>)
    .cpu(Launch)
    .internal()
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{2, 3}, {2, 3}, {2, 12}, {2, 3}, {2, 3}}},
              {.in = {{5, 67}, {5, 67}, {5, 4 * 67}, {5, 67}, {5, 67}},
               .lo = -1,
               .hi = 1},
              {.in = {{40, 100}, {40, 100}, {40, 400}, {40, 100}, {40, 100}},
               .only = {DType::kF32}},
              {.in = {{0, 2}, {0, 2}, {0, 8}, {0, 2}, {0, 2}}}})
    .rejects(
        {{.in = {{2, 3}, {2, 3}, {2, 9}, {2, 3}, {2, 3}},
          .message = "[LstmCellGrad] activations is f32[2,9]; wanted [2,12]"},
         {.in = {{2, 3}, {2, 3}, {2, 12}, {1, 3}, {2, 3}},
          .message = "[LstmCellGrad] c is f32[1,3]; wanted [2,3]"},
         {.in = {{3}, {3}, {12}, {3}, {3}},
          .message = "[LstmCellGrad] dh is f32[3]; wanted rank 2"}});

}  // namespace sluice
