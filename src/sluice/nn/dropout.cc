#include "sluice/nn/dropout.h"

#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"

namespace sluice::nn {

namespace {

void CheckShare(std::string_view type, double p, std::source_location where) {
  SL_WANT(p >= 0 && p <= 1, where, type, ": p is ", p, "; wanted 0 <= p <= 1");
}

}  // namespace

Dropout::Dropout(double p, Where where) : p(p) {
  CheckShare("Dropout", p, where);
}

Tensor Dropout::forward(Tensor x) { return dropout(x, p, training(), line()); }

std::string Dropout::extra_repr() const { return StrCat("p=", p); }

ChannelDropout::ChannelDropout(std::string_view type, double p, Where where)
    : p(p) {
  CheckShare(type, p, where);
}

Tensor ChannelDropout::forward(Tensor x) {
  SL_WANT(x.rank() < 0 || x.rank() >= 2, line(), type_name(), ": x is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  return dropout_channels(x, p, training(), line());
}

std::string ChannelDropout::extra_repr() const { return StrCat("p=", p); }

Dropout1d::Dropout1d(double p, Where where)
    : ChannelDropout("Dropout1d", p, where) {}
Dropout2d::Dropout2d(double p, Where where)
    : ChannelDropout("Dropout2d", p, where) {}
Dropout3d::Dropout3d(double p, Where where)
    : ChannelDropout("Dropout3d", p, where) {}

}  // namespace sluice::nn
