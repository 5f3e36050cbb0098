#include "outside_memory.h"

#include <memory>
#include <optional>
#include <unordered_map>

#include "caller_line.h"
#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/tensor/plain_bools.h"

namespace sluice::py {

namespace {

// The state kept for a buffer over foreign memory.
struct Held {
  std::function<void()> release;
  std::optional<SharedOutside> shared;
  bool readonly = false;
  const Buffer* buffer = nullptr;
};

// By buffer, for its lifetime. Never destroyed.
struct Buffers {
  Mutex mu;
  std::unordered_map<const Buffer*, Held*> held SL_GUARDED_BY(mu);
};
Buffers& All() {
  static auto* all = new Buffers;
  return *all;
}

void Remember(Held* held, const Buffer* buffer) {
  held->buffer = buffer;
  Buffers& all = All();
  MutexLock lock(all.mu);
  all.held.emplace(buffer, held);
}

void Release(void* context) {
  std::unique_ptr<Held> held(static_cast<Held*>(context));
  {
    Buffers& all = All();
    MutexLock lock(all.mu);
    all.held.erase(held->buffer);
  }
  held->shared.reset();
  // Too late after the interpreter has been finalized.
  if (!Py_IsInitialized()) {
    held.release();
    return;
  }
  TakeGil gil;
  held->release();
  held.reset();
}

}  // namespace

OutsideArray LookAt(void* data, DType dtype, const Shape& shape,
                    const Strides& strides, bool readonly,
                    std::function<void()> release) {
  auto* held = new Held{std::move(release), {}, readonly};
  int64_t bytes = shape.num_elements() * DTypeSize(dtype);
  Ref<Buffer> buffer = Buffer::Wrap(data, bytes, &Release, held);
  Remember(held, buffer.get());
  Array whole = Array::Over(std::move(buffer), dtype, shape);
  Array seen = Array::View(whole, 0, shape, strides);
  // Others may access the elements, however few arrays of ours refer to them.
  seen.rep()->borrowed = true;
  return {std::move(seen), readonly};
}

OutsideArray LookAt(const OutsideBytes& bytes, const OnGpu& where,
                    bool readonly, std::function<void()> release) {
  auto* held = new Held{std::move(release), {}, readonly};
  Result<Array> seen = CudaArrayOver(where.device, bytes, where.maker,
                                     [held] { Release(held); });
  if (!seen.ok()) {
    Release(held);
    throw Error(seen.status());
  }
  Remember(held, seen->buffer().get());
  return {*std::move(seen), readonly};
}

OutsideArray OfPlainBools(OutsideArray seen) {
  if (!seen.array) return seen;
  Array plain = ValueOrThrow(WithPlainBools(seen.array));
  if (plain.rep() == seen.array.rep()) return seen;
  return {std::move(plain), false};
}

Tensor TensorOver(const OutsideArray& outside) {
  EagerRef value = MakeRef<EagerValue>(outside.array);
  value->line = PythonLine();
  if (!outside.readonly && outside.array.buffer()) {
    Buffers& all = All();
    MutexLock lock(all.mu);
    auto found = all.held.find(outside.array.buffer().get());
    if (found != all.held.end()) found->second->shared.emplace(value->writes());
  }
  return Tensor(std::move(value));
}

bool IsReadOnly(const Array& array) {
  if (!array.buffer()) return false;
  Buffers& all = All();
  MutexLock lock(all.mu);
  auto found = all.held.find(array.buffer().get());
  return found != all.held.end() && found->second->readonly;
}

void CheckMayWrite(const Tensor& tensor, std::string_view what) {
  if (tensor.symbolic() || !IsReadOnly(tensor.array())) return;
  ThrowValueError(StrCat(what, ": the elements of ", tensor.array().TypeText(),
                         " belong to another library, which does not let them "
                         "be written; wanted a clone()"));
}

}  // namespace sluice::py
