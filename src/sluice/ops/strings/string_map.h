// Ops that map each string to another string or to another type, one by one.
#pragma once

#include <cstdlib>
#include <string>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

namespace sluice::string_op {

// to[i] = f(from[i]), in parallel.
template <class Out, class F>
Status Map(KernelContext& ctx, const F& f) {
  const std::string* from = ctx.in(0).data<std::string>();
  Out* to = ctx.out(0).mutable_data<Out>();
  ParallelFor(ctx.step().pool, ctx.in(0).num_elements(), 1024,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) to[i] = f(from[i]);
              });
  return OkStatus();
}

// The sweep represents strings by the numbers they spell: samples are integers,
// and a reference takes their digits and spells its result as a number.
inline std::string Digits(double v) {
  return std::to_string(static_cast<int64_t>(v));
}
inline double Spelled(const std::string& text) {
  return std::atof(text.c_str());
}
template <class F>
RefFn MapReference(F f) {
  return [f](const std::vector<RefArray>& in, const Attrs& attrs) {
    RefArray y{in[0].shape, {}};
    for (double v : in[0].v) y.v.push_back(f(Digits(v), attrs));
    return std::vector<RefArray>{y};
  };
}

inline std::vector<Sample> Samples(const Attrs& attrs = {}) {
  return {{.in = {{3}}, .attrs = attrs, .lo = 1, .hi = 99999},
          {.in = {{2, 3}}, .attrs = attrs, .lo = 1, .hi = 99999},
          {.in = {Shape()}, .attrs = attrs, .lo = 10, .hi = 99},
          {.in = {{0, 2}}, .attrs = attrs},
          {.in = {{3000}}, .attrs = attrs, .lo = 1, .hi = 9999999}};
}
inline std::vector<Reject> Rejects(std::string_view op) {
  return {
      {.in = {{2}},
       .message = "[" + std::string(op) + "] x is f32; wanted string"},
      {.in = {}, .message = "[" + std::string(op) + "] takes 1 input, got 0"}};
}

}  // namespace sluice::string_op
