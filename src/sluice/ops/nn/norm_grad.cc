#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

// Sizes [begin, begin + count) of x (-1: to the end) as a vector.
GradVar Sizes(GradContext& g, GradVar x, int64_t begin, int64_t count) {
  return g.call("Slice", {g.shape_of(x)},
                {{"begin", Ints{begin}}, {"size", Ints{count}}});
}
// The number of elements of x, as a vector of one.
GradVar Count(GradContext& g, GradVar x) {
  if (x.shape().fully_known()) {
    return g.ints({x.shape().ToShape().num_elements()});
  }
  return g.call("Reshape", {g.call("Size", {x}), g.ints({1})});
}

void AddTo(GradVar& sum, GradVar part) {
  if (part) sum = sum ? sum + part : part;
}

bool RankKnown(GradContext& g, GradVar x) {
  if (x.rank() < 0) g.fail("the gradient needs to know how many axes x has");
  return x.rank() >= 0;
}

}  // namespace

NormView LayerNormView(GradContext& g, GradVar scale, GradVar stats) {
  NormView view;
  view.dtype = stats.dtype();
  view.over = {1};
  view.stats_shape = g.ints({-1, 1});
  view.scale_shape = g.ints({-1});
  PartialShape sizes = scale.shape(), rows = stats.shape();
  if (sizes.fully_known() && rows.fully_known()) {
    view.x_shape =
        g.ints({rows.ToShape().num_elements(), sizes.ToShape().num_elements()});
  } else {
    view.x_shape = g.call("Concat", {Count(g, stats), Count(g, scale)});
  }
  return view;
}

NormView BatchNormView(GradContext& g, GradVar x, GradVar stats) {
  NormView view;
  view.dtype = stats.dtype();
  if (!RankKnown(g, x)) return view;
  Ints channels(static_cast<size_t>(x.rank()) - 1, 1);
  channels[0] = -1;
  view.stats_shape = view.scale_shape = g.ints(channels);
  for (int i = 0; i < x.rank(); ++i) {
    if (i != 1) view.over.push_back(i);
  }
  return view;
}

NormView GroupNormView(GradContext& g, GradVar x, GradVar scale, GradVar stats,
                       int64_t groups) {
  NormView view;
  view.dtype = stats.dtype();
  if (!RankKnown(g, x)) return view;
  // [samples, groups, channels of a group, ...].
  for (int i = 2; i <= x.rank(); ++i) view.over.push_back(i);
  Ints ones(static_cast<size_t>(x.rank()) - 2, 1);
  PartialShape known = x.shape();
  if (known.fully_known()) {
    int64_t channels = known[1], count = groups > 0 ? groups : channels;
    int64_t size = groups > 0 ? channels / groups : 1;
    Ints stats_dims = {known[0], count, 1}, scale_dims = {count, size};
    Ints x_dims = {known[0], count, size};
    stats_dims.insert(stats_dims.end(), ones.begin(), ones.end());
    scale_dims.insert(scale_dims.end(), ones.begin(), ones.end());
    x_dims.insert(x_dims.end(), known.dims().begin() + 2, known.dims().end());
    view.stats_shape = g.ints(stats_dims);
    view.scale_shape = g.ints(scale_dims);
    view.x_shape = g.ints(x_dims);
    return view;
  }
  GradVar samples = Sizes(g, x, 0, 1), one = g.ints({1}), size = one;
  GradVar count = groups > 0 ? g.ints({groups}) : Count(g, scale);
  if (groups > 0) size = g.call("Div", {Count(g, scale), count});
  view.stats_shape = g.call("Concat", {samples, count, one, g.ints(ones)});
  view.scale_shape = g.call("Concat", {count, size, g.ints(ones)});
  view.x_shape = g.call("Concat", {samples, count, size, Sizes(g, x, 2, -1)});
  return view;
}

GradVar InverseDeviation(GradContext& g, GradVar variance) {
  return 1.0 / g.call("Sqrt", {variance + g.attr<double>("epsilon")});
}

void SetFromView(GradContext& g, int i, GradVar value) {
  if (!value || !g.wants(i)) return;
  g.set_dx(i, g.cast(g.reshape_as(value, g.in(i)), g.in(i).dtype()));
}

GradVar GradFromY(GradContext& g, std::string_view grad,
                  std::initializer_list<GradVar> stats, const Attrs& attrs) {
  if (!g.has_dy(0)) return {};
  std::vector<GradVar> in = {g.dy(), g.in(0), g.in(1)};
  in.insert(in.end(), stats.begin(), stats.end());
  GradVars made = g.call_all(grad, in, attrs);
  for (size_t i = 1; i < made.size(); ++i) {
    g.set_dx(static_cast<int>(i), made[i]);
  }
  return made.empty() ? GradVar() : made[0];
}

void SetWithStats(GradContext& g, const NormView& view, GradVar dx,
                  GradVar mean, GradVar dmean, GradVar by_square) {
  if (g.wants(0) && (dmean || by_square)) {
    GradVar x = view.X(g.in(0)), part;
    if (by_square) part = by_square * 2.0 * (mean ? x - mean : x);
    if (dmean) part = part ? part + dmean : g.broadcast_as(dmean, x);
    GradVar parts = by_square ? by_square : dmean;
    GradVar share = g.cast(g.call("Size", {parts}), view.dtype) /
                    g.cast(g.call("Size", {x}), view.dtype);
    part = g.reshape_as(part * share, g.in(0));
    AddTo(dx, g.cast(part, g.in(0).dtype()));
  }
  g.set_dx(0, dx);
}

void SetWithMeanAndRstd(GradContext& g, const NormView& view, GradVar dx) {
  GradVar dmean, by_square;
  if (g.has_dy(1)) dmean = view.Stats(g.dy(1));
  if (g.has_dy(2)) {
    by_square = ByVariance(view.Stats(g.out(2)), view.Stats(g.dy(2)));
  }
  SetWithStats(g, view, dx, view.Stats(g.out(1)), dmean, by_square);
}

GradVar ByVariance(GradVar rstd, GradVar drstd) {
  return drstd * rstd * rstd * rstd * -0.5;
}

StatsGrad NormGradRule(GradContext& g, const NormView& view, GradVar mean,
                       GradVar rstd) {
  if (!g.status().ok()) return {};
  GradVar dy = view.X(g.in(0)), x = view.X(g.in(1)),
          scale = view.Scale(g.in(2));
  GradVar far = mean ? x - mean : x, h = far * rstd;
  // The gradients of dy, scale, h and rstd.
  GradVar ddy, dscale, dh, drstd;
  if (g.has_dy(0)) {
    GradVar u = view.X(g.dy(0)), up = u * rstd, flow = dy * scale;
    auto project = [&](GradVar t, GradVar along) {
      GradVar rest = mean ? t - view.Mean(t) : t;
      return rest - h * along;
    };
    GradVar flow_h = view.Mean(flow * h), up_h = view.Mean(up * h);
    GradVar p = project(up, up_h);
    if (g.wants(0)) ddy = p * scale;
    if (g.wants(2)) dscale = g.sum_to(p * dy, scale);
    dh = -(up * flow_h + flow * up_h);
    drstd = g.sum_to(u * project(flow, flow_h), rstd);
  }
  if (g.has_dy(1)) {
    GradVar u = view.Scale(g.dy(1));
    AddTo(ddy, u * h);
    AddTo(dh, u * dy);
  }
  if (g.num_outputs() > 2 && g.has_dy(2)) {
    AddTo(ddy, g.broadcast_as(view.Scale(g.dy(2)), dy));
  }
  SetFromView(g, 0, ddy);
  SetFromView(g, 2, dscale);
  StatsGrad stats;
  if (!dh) return stats;
  GradVar dx = dh * rstd;
  SetFromView(g, 1, dx);
  if (mean) stats.mean = -g.sum_to(dx, mean);
  AddTo(drstd, g.sum_to(dh * far, rstd));
  stats.rstd = drstd;
  return stats;
}

}  // namespace sluice
