#include "sluice/autodiff/rows_lost.h"

#include "sluice/autodiff/gradient_scopes.h"

namespace sluice {

RowsLost::RowsLost() : outer_(GradientScopes::Here().rows_lost) {
  GradientScopes::Here().rows_lost = this;
}

RowsLost::~RowsLost() { GradientScopes::Here().rows_lost = outer_; }

void RowsLost::Note(const Value& x) {
  RowsLost* one = GradientScopes::Here().rows_lost;
  for (; one; one = one->outer_) one->values_.insert(x);
}

}  // namespace sluice
