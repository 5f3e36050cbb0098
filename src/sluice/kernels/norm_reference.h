// Helpers for the references of normalizations. Deliberately slow and simple.
// Plain functions.
#pragma once

#include <cmath>
#include <vector>

#include "sluice/kernels/reference.h"

namespace sluice::ref {

struct MeanAndVariance {
  double mean = 0, variance = 0;
  double rstd(double epsilon) const {
    return 1 / std::sqrt(variance + epsilon);
  }
};

inline MeanAndVariance Statistics(const std::vector<double>& v) {
  MeanAndVariance s;
  if (v.empty()) return s;
  auto n = static_cast<double>(v.size());
  for (double x : v) s.mean += x / n;
  for (double x : v) s.variance += (x - s.mean) * (x - s.mean) / n;
  return s;
}

// The division of a shape into rows at an axis.
struct RowsOf {
  Shape outer, inner;
  size_t rows, n;
  RowsOf(const Shape& shape, int64_t axis) {
    Ints dims = DimsOf(shape);
    auto cut = dims.begin() + Axis(axis, shape.rank());
    outer = MakeShape(Ints(dims.begin(), cut));
    inner = MakeShape(Ints(cut, dims.end()));
    rows = static_cast<size_t>(outer.num_elements());
    n = static_cast<size_t>(inner.num_elements());
  }
};

// For each element, the part of x that is normalized together: for groups == 0,
// the channel (axis 1); else the sample and the group of channels.
struct PartsOf {
  size_t parts;
  std::vector<size_t> part, channel;  // of each element
  PartsOf(const Shape& x, int64_t groups) {
    auto samples = static_cast<size_t>(x.dim(0));
    auto channels = static_cast<size_t>(x.dim(1));
    auto count = static_cast<size_t>(groups);
    parts = groups == 0 ? channels : samples * count;
    ForEach(x, [&](const Ints& at) {
      auto c = static_cast<size_t>(at[1]);
      auto n = static_cast<size_t>(at[0]);
      channel.push_back(c);
      part.push_back(groups == 0 ? c : n * count + c / (channels / count));
    });
  }
  std::vector<std::vector<double>> Members(const RefArray& x) const {
    std::vector<std::vector<double>> members(parts);
    for (size_t i = 0; i < part.size(); ++i) members[part[i]].push_back(x.v[i]);
    return members;
  }
};

// y, mean and variance of every part.
inline std::vector<RefArray> NormalizeParts(const std::vector<RefArray>& in,
                                            const Shape& stats, int64_t groups,
                                            double epsilon) {
  PartsOf p(in[0].shape, groups);
  RefArray y{in[0].shape, {}}, mean{stats, {}}, variance{stats, {}};
  std::vector<MeanAndVariance> s;
  for (const auto& members : p.Members(in[0])) {
    s.push_back(Statistics(members));
    mean.v.push_back(s.back().mean);
    variance.v.push_back(s.back().variance);
  }
  for (size_t i = 0; i < p.part.size(); ++i) {
    const MeanAndVariance& of = s[p.part[i]];
    y.v.push_back((in[0].v[i] - of.mean) * of.rstd(epsilon) *
                      in[1].v[p.channel[i]] +
                  in[2].v[p.channel[i]]);
  }
  return {y, mean, variance};
}

// dx, dscale and doffset from dy, x, scale, mean and 1 / deviation.
inline std::vector<RefArray> PartsGradient(const std::vector<RefArray>& in,
                                           int64_t groups,
                                           const std::vector<double>& rstd) {
  const RefArray &dy = in[0], &x = in[1], &scale = in[2], &mean = in[3];
  PartsOf p(x.shape, groups);
  auto zeros = std::vector<double>(static_cast<size_t>(x.shape.dim(1)));
  RefArray dx{x.shape, {}}, dscale{{x.shape.dim(1)}, zeros},
      doffset{{x.shape.dim(1)}, zeros};
  std::vector<double> count(p.parts), sum(p.parts), sum_hat(p.parts);
  auto hat = [&](size_t i) {
    return (x.v[i] - mean.v[p.part[i]]) * rstd[p.part[i]];
  };
  for (size_t i = 0; i < p.part.size(); ++i) {
    size_t c = p.channel[i];
    dscale.v[c] += dy.v[i] * hat(i);
    doffset.v[c] += dy.v[i];
    count[p.part[i]] += 1;
    sum[p.part[i]] += dy.v[i] * scale.v[c];
    sum_hat[p.part[i]] += dy.v[i] * scale.v[c] * hat(i);
  }
  for (size_t i = 0; i < p.part.size(); ++i) {
    size_t k = p.part[i];
    double g = dy.v[i] * scale.v[p.channel[i]];
    dx.v.push_back(rstd[k] *
                   (g - sum[k] / count[k] - hat(i) * sum_hat[k] / count[k]));
  }
  return {dx, dscale, doffset};
}

// A sample input: numbers within 2 of `center`.
inline Array NumbersNear(double center, const Shape& shape) {
  Array x = Array::Zeros(DType::kF32, shape);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(
        center + static_cast<double>(i * 7919 % 4001 - 2000) / 1000);
  }
  return x;
}

}  // namespace sluice::ref
