// A mixture of experts (Shazeer et al., "Outrageously large neural networks",
// 2017): a gate picks a few of many networks for each row, and only those run.
// One loop goes over the experts; inside, a cond runs an expert on the rows
// that were sent to it, or leaves it alone when there are none. So an expert
// costs what is sent to it, and the graph does not grow with their number.
#pragma once

#include <sluice/sluice.h>

namespace sluice::loops {

struct ExpertsOptions {
  int64_t inputs = 2, hidden = 16, outputs = 2;
  int64_t experts = 8;
  int64_t chosen = 2;  // for each row
  DType dtype = f32;
};

struct Experts : nn::Module {
  explicit Experts(const ExpertsOptions& o) : options(o) {
    auto drawn = [&](const char* name, std::vector<int64_t> dims, double size) {
      Tensor t = size * random_normal(dims, {.dtype = o.dtype});
      return add_parameter(name, t.detach().clone());
    };
    gate = drawn("gate", {o.inputs, o.experts}, 1);
    w1 = drawn("w1", {o.experts, o.inputs, o.hidden}, 1);
    b1 = drawn("b1", {o.experts, 1, o.hidden}, 0.5);
    w2 = drawn("w2", {o.experts, o.hidden, o.outputs}, 0.3);
    b2 = drawn("b2", {o.experts, 1, o.outputs}, 0);
    runs = add_buffer("runs", zeros({o.experts}, i64).clone());
  }

  struct Routes {
    Tensor experts, weights;  // [batch, chosen]
    Tensor balance;           // 1 when all experts are liked equally, else more
  };
  Routes route(const Tensor& x) const {
    Tensor scores = matmul(x, gate);
    Tensor best = arg_sort(scores, {.axis = 1, .descending = true})
                      .at({all, slice(0, options.chosen)});
    Tensor liked = mean(softmax(scores), {.axes = {0}});
    return {best, softmax(take_along(scores, best, {.axis = 1})),
            static_cast<double>(options.experts) * sum(square(liked))};
  }

  // Expert e, of these rows.
  Tensor expert(const Tensor& e, const Tensor& rows) const {
    Tensor h = tanh(matmul(rows, gather(w1, e)) + gather(b1, e));
    return matmul(h, gather(w2, e)) + gather(b2, e);
  }

  Tensor forward(Tensor x) override { return mix(x, route(x)); }
  Tensor mix(const Tensor& x, const Routes& routes) {
    Tensor none = matmul(
        zeros_like(x), zeros({options.inputs, options.outputs}, options.dtype));
    return for_loop(
        options.experts,
        [&](Tensor e, Tensor y) {
          Tensor here = equal(routes.experts, e);  // [batch, chosen]
          Tensor rows = reshape(non_zero(any_of(here, {.axes = {1}})), {-1});
          return cond(
              size(rows) > 0,
              [&] {
                runs.scatter_add_(reshape(e, {1}), constant({1}, i64));
                Tensor share = sum(routes.weights * cast(here, x.dtype()),
                                   {.axes = {1}, .keep_dims = true});
                return index_add(
                    y, rows, gather(share, rows) * expert(e, gather(x, rows)));
              },
              [&] { return y; });
        },
        none);
  }

  // The same with every expert run on every row.
  Tensor dense(const Tensor& x) const {
    Routes routes = route(x);
    Tensor y;
    for (int64_t e = 0; e < options.experts; ++e) {
      Tensor here = cast(equal(routes.experts, e), x.dtype());
      Tensor share =
          sum(routes.weights * here, {.axes = {1}, .keep_dims = true});
      Tensor part = share * expert(constant(e), x);
      y = y.defined() ? y + part : part;
    }
    return y;
  }

  const ExpertsOptions options;
  Tensor gate, w1, b1, w2, b2;
  Tensor runs;  // how often each expert ran
};

// Something that differs from place to place: points of the plane are turned
// by another angle in every quadrant.
inline Tensor turned_by_quadrant(const Tensor& x) {
  auto half = [&](int64_t axis) {
    return cast(x.at({all, slice(axis, axis + 1)}) > 0, x.dtype());
  };
  Tensor angle = 1 + 2 * half(0) + 3 * half(1);
  Tensor a = x.at({all, slice(0, 1)}), b = x.at({all, slice(1, 2)});
  return concat(
      {a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle)},
      {.axis = 1});
}

}  // namespace sluice::loops
