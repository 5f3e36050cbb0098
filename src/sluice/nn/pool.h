// Pooling over one, two or three axes of x [batch, channels, ...].
//
//   sl::nn::MaxPool2d pool{3, {.stride = 2, .padding = 1}};
#pragma once

#include <optional>

#include "sluice/nn/module.h"
#include "sluice/nn/per_axis.h"

namespace sluice::nn {

struct MaxPoolOptions {
  std::optional<PerAxis> stride{};  // none: the size of the window
  PerAxis padding = 0;              // at most half the window
  PerAxis dilation = 1;
  bool ceil_mode = false;  // one window more where a rest is left
};

struct AvgPoolOptions {
  std::optional<PerAxis> stride{};
  PerAxis padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;  // the border counts in what is divided by
};

class Pool : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 protected:
  Pool(std::string_view type, size_t axes, const PerAxis& kernel_size,
       const MaxPoolOptions& options, Where where);
  Pool(std::string_view type, size_t axes, const PerAxis& kernel_size,
       const AvgPoolOptions& options, Where where);

 private:
  size_t axes_;
  bool max_;
  PerAxis kernel_;
  MaxPoolOptions options_;
  bool count_include_pad_ = true;
};

template <size_t axes, class Options>
class PoolOver : public Pool {
 public:
  PoolOver(const PerAxis& kernel_size, const Options& options = {},
           Where where = Where::current())
      : Pool(Name(), axes, kernel_size, options, where) {}
  std::string type_name() const override { return Name(); }

 private:
  static std::string Name() {
    bool max = std::is_same_v<Options, MaxPoolOptions>;
    return (max ? "MaxPool" : "AvgPool") + std::to_string(axes) + "d";
  }
};
using MaxPool1d = PoolOver<1, MaxPoolOptions>;
using MaxPool2d = PoolOver<2, MaxPoolOptions>;
using MaxPool3d = PoolOver<3, MaxPoolOptions>;
using AvgPool1d = PoolOver<1, AvgPoolOptions>;
using AvgPool2d = PoolOver<2, AvgPoolOptions>;
using AvgPool3d = PoolOver<3, AvgPoolOptions>;

// The p-th root of the sum of p-th powers of each window of x [batch, channels,
// ...] over its last `axes` axes.
struct LpPoolOptions {
  std::optional<PerAxis> stride{};  // none: the size of the window
  bool ceil_mode = false;
};
Tensor lp_pool(size_t axes, const Tensor& x, double p,
               const PerAxis& kernel_size, const LpPoolOptions& options = {},
               std::source_location where = std::source_location::current());

// Windows that cover the images evenly, as many as are asked for.
class AdaptivePool : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 protected:
  AdaptivePool(std::string_view type, size_t axes, bool max,
               const PerAxis& output_size);

 private:
  size_t axes_;
  bool max_;
  PerAxis output_;
};

template <size_t axes, bool max>
class AdaptivePoolOver : public AdaptivePool {
 public:
  explicit AdaptivePoolOver(const PerAxis& output_size)
      : AdaptivePool(Name(), axes, max, output_size) {}
  std::string type_name() const override { return Name(); }

 private:
  static std::string Name() {
    return std::string("Adaptive") + (max ? "Max" : "Avg") + "Pool" +
           std::to_string(axes) + "d";
  }
};
using AdaptiveAvgPool1d = AdaptivePoolOver<1, false>;
using AdaptiveAvgPool2d = AdaptivePoolOver<2, false>;
using AdaptiveAvgPool3d = AdaptivePoolOver<3, false>;
using AdaptiveMaxPool1d = AdaptivePoolOver<1, true>;
using AdaptiveMaxPool2d = AdaptivePoolOver<2, true>;
using AdaptiveMaxPool3d = AdaptivePoolOver<3, true>;

}  // namespace sluice::nn
