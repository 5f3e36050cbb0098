// Dropout: in training a share p of the elements becomes 0, others new ones at
// every call, and the rest is divided by 1 - p; in eval() nothing happens.
#pragma once

#include <string_view>

#include "sluice/nn/module.h"

namespace sluice::nn {

class Dropout : public Module {
 public:
  explicit Dropout(double p = 0.5, Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  const double p;
};

// Whole channels [batch, channels, ...] at a time.
class ChannelDropout : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  const double p;

 protected:
  ChannelDropout(std::string_view type, double p, Where where);
};

// Those of lines, images and volumes.
class Dropout1d : public ChannelDropout {
 public:
  explicit Dropout1d(double p = 0.5, Where where = Where::current());
};
class Dropout2d : public ChannelDropout {
 public:
  explicit Dropout2d(double p = 0.5, Where where = Where::current());
};
class Dropout3d : public ChannelDropout {
 public:
  explicit Dropout3d(double p = 0.5, Where where = Where::current());
};

}  // namespace sluice::nn
