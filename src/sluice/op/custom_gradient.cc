#include "sluice/op/custom_gradient.h"

#include <unordered_map>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct Function {
  std::shared_ptr<const CustomGradientFn> code;
  bool sees_flow = false;
};

// Never destroyed: threads may still release graphs at exit.
struct Table {
  Mutex mu;
  int64_t next SL_GUARDED_BY(mu) = 0;
  std::unordered_map<int64_t, Function> functions SL_GUARDED_BY(mu);
};
Table& TheTable() {
  static auto* table = new Table;
  return *table;
}

void Forget(int64_t number) {
  Function gone;  // after the lock is released: this runs user code
  Table& table = TheTable();
  MutexLock lock(table.mu);
  auto it = table.functions.find(number);
  gone = std::move(it->second);
  table.functions.erase(it);
}

}  // namespace

Array RegisterCustomGradient(CustomGradientFn fn, bool sees_flow) {
  Function function{std::make_shared<const CustomGradientFn>(std::move(fn)),
                    sees_flow};
  auto number = std::make_unique<int64_t>();
  {
    Table& table = TheTable();
    MutexLock lock(table.mu);
    *number = table.next++;
    table.functions.emplace(*number, std::move(function));
  }
  int64_t* held = number.release();
  Ref<Buffer> buffer = Buffer::Wrap(
      held, sizeof(*held),
      [](void* context) {
        std::unique_ptr<int64_t> mine(static_cast<int64_t*>(context));
        Forget(*mine);
      },
      held);
  return Array::Over(std::move(buffer), DType::kI64, Shape());
}

std::shared_ptr<const CustomGradientFn> FindCustomGradient(int64_t number) {
  Table& table = TheTable();
  MutexLock lock(table.mu);
  auto it = table.functions.find(number);
  return it == table.functions.end() ? nullptr : it->second.code;
}

bool SeesFlow(int64_t number) {
  Table& table = TheTable();
  MutexLock lock(table.mu);
  auto it = table.functions.find(number);
  return it != table.functions.end() && it->second.sees_flow;
}

int64_t NumCustomGradients() {
  Table& table = TheTable();
  MutexLock lock(table.mu);
  return static_cast<int64_t>(table.functions.size());
}

}  // namespace sluice
