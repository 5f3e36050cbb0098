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

Dropout2d::Dropout2d(double p, Where where) : p(p) {
  CheckShare("Dropout2d", p, where);
}

Tensor Dropout2d::forward(Tensor x) {
  SL_WANT(x.rank() < 0 || x.rank() >= 2, line(), "Dropout2d: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  return dropout_channels(x, p, training(), line());
}

std::string Dropout2d::extra_repr() const { return StrCat("p=", p); }

}  // namespace sluice::nn
