#include "sluice/op/custom_gradient.h"

#include <deque>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct Table {
  Mutex mu;
  std::deque<CustomGradientFn> functions SL_GUARDED_BY(mu);  // never move
};
Table& TheTable() {
  static auto* table = new Table;
  return *table;
}

}  // namespace

int64_t RegisterCustomGradient(CustomGradientFn fn) {
  Table& table = TheTable();
  MutexLock lock(table.mu);
  table.functions.push_back(std::move(fn));
  return static_cast<int64_t>(table.functions.size()) - 1;
}

const CustomGradientFn* FindCustomGradient(int64_t number) {
  Table& table = TheTable();
  MutexLock lock(table.mu);
  if (number < 0 || number >= static_cast<int64_t>(table.functions.size())) {
    return nullptr;
  }
  return &table.functions[static_cast<size_t>(number)];
}

}  // namespace sluice
