#include "sluice/autodiff/rows_lost.h"

namespace sluice {

namespace {

constinit thread_local RowsLost* current = nullptr;

}  // namespace

RowsLost::RowsLost() : outer_(current) { current = this; }

RowsLost::~RowsLost() { current = outer_; }

void RowsLost::Note(const Value& x) {
  for (RowsLost* one = current; one; one = one->outer_) one->values_.insert(x);
}

}  // namespace sluice
