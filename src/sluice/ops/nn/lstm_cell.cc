#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/nn/rnn_cell.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape state;
  SL_RETURN_IF_ERROR(rnn::CheckShapes(c, {4, 1}, &state));
  SL_ASSIGN_OR_RETURN(PartialShape gates, rnn::GatesShape(c, state, 4));
  c.set_out(0, state);
  c.set_out(1, state);
  c.set_out(2, gates);
  return OkStatus();
}

template <class T>
struct Row {
  static SL_INLINE void Run(const T* gates, const T* c, int64_t n, T* h,
                            T* c_new, T* act) {
    using C = Compute<T>;
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      C i = vmath::Sigmoid(static_cast<C>(gates[k]));
      C f = vmath::Sigmoid(static_cast<C>(gates[n + k]));
      C g = vmath::Tanh(static_cast<C>(gates[2 * n + k]));
      C o = vmath::Sigmoid(static_cast<C>(gates[3 * n + k]));
      C cell = MulAdd(f, static_cast<C>(c[k]), i * g);
      c_new[k] = static_cast<T>(cell);
      h[k] = static_cast<T>(o * vmath::Tanh(cell));
      act[k] = static_cast<T>(i);
      act[n + k] = static_cast<T>(f);
      act[2 * n + k] = static_cast<T>(g);
      act[3 * n + k] = static_cast<T>(o);
    }
  }
};

Status Launch(KernelContext& ctx) {
  int64_t rows = ctx.in(1).dim(0), n = ctx.in(1).dim(1);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T *gates = ctx.in(0).data<T>(), *c = ctx.in(1).data<T>();
    T *h = ctx.out(0).mutable_data<T>(), *c_new = ctx.out(1).mutable_data<T>(),
      *act = ctx.out(2).mutable_data<T>();
    rnn::ForRows(ctx, rows, n, [&](int64_t r) {
      isa::Call<Row<T>>(gates + r * 4 * n, c + r * n, n, h + r * n,
                        c_new + r * n, act + r * 4 * n);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t n = in[1].shape.dim(1);
  auto gate = [&](const Ints& at, int64_t k) {
    return ref::At(in[0], {at[0], k * n + at[1]});
  };
  auto cell = [&](const Ints& at) {
    return rnn::Sigmoid(gate(at, 1)) * ref::At(in[1], at) +
           rnn::Sigmoid(gate(at, 0)) * std::tanh(gate(at, 2));
  };
  return {ref::Build(in[1].shape,
                     [&](const Ints& at) {
                       return rnn::Sigmoid(gate(at, 3)) * std::tanh(cell(at));
                     }),
          ref::Build(in[1].shape, cell),
          ref::Build(in[0].shape, [&](const Ints& at) {
            double x = ref::At(in[0], at);
            return at[1] / n == 2 ? std::tanh(x) : rnn::Sigmoid(x);
          })};
}

void Grad(GradContext& g) {
  GradVar dgates, dc;
  if (g.has_dy(0) || g.has_dy(1)) {
    GradVar in[] = {g.dy(0), g.dy(1), g.out(2), g.in(1), g.out(1)};
    auto made = g.call_all("LstmCellGrad", in);
    if (made.empty()) return;
    dgates = made[0], dc = made[1];
  }
  if (g.has_dy(2)) {
    auto u = rnn::Gates(g, g.dy(2), 4), act = rnn::Gates(g, g.out(2), 4);
    GradVar part = rnn::Joined(
        g, {rnn::BySigmoid(u[0], act[0]), rnn::BySigmoid(u[1], act[1]),
            rnn::ByTanh(u[2], act[2]), rnn::BySigmoid(u[3], act[3])});
    dgates = dgates ? dgates + part : part;
  }
  g.set_dx(0, dgates);
  g.set_dx(1, dc);
}

}  // namespace

SL_OP(LstmCell)
    .doc(
        "The pointwise part of a long short-term memory. gates are the sums of "
        "the four products of input and state, with their biases, in the order "
        "input i, forget f, new g, output o: c_new = sigmoid(f) c + sigmoid(i) "
        "tanh(g), h = sigmoid(o) tanh(c_new). Also the gates after their "
        "functions, which the gradient needs.")
    .input("gates: T")
    .input("c: T")
    .output("h: T")
    .output("c_new: T")
    .output("activations: T")
    .types("T", kFloats)
    .shape(Infer)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1>)
    .cpu(Launch)
    .fails_for_sizes_only()
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {{2, 12}, {2, 3}}},
              {.in = {{5, 4 * 67}, {5, 67}}, .lo = -6, .hi = 6},
              {.in = {{40, 400}, {40, 100}}, .only = {DType::kF32}},
              {.in = {{0, 8}, {0, 2}}},
              {.in = {{2, 0}, {2, 0}}}})
    .rejects({{.in = {{2, 12}, {2, 4}},
               .message = "[LstmCell] c is f32[2,4]; wanted [2,3]"},
              {.in = {{2, 12}, {3, 3}},
               .message = "[LstmCell] c is f32[3,3]; wanted [2,3]"},
              {.in = {{2, 7}, {2, 2}},
               .message = "[LstmCell] gates is f32[2,7]; wanted [2,8]"},
              {.in = {{8}, {2}},
               .message = "[LstmCell] gates is f32[8]; wanted rank 2"}});
SL_AUTOCAST(LstmCell, kF32);

}  // namespace sluice
