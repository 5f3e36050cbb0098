#include "sluice/tensor/buffer.h"

#include <new>
#include <string>

#include "sluice/base/checked_math.h"
#include "sluice/base/spin_lock.h"
#include "sluice/base/strings.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/resource_base.h"

namespace sluice {

Result<Ref<Buffer>> Buffer::Make(DType dtype, int64_t count,
                                 Allocator& allocator) {
  int64_t bytes;
  if (count < 0 || !CheckedMul(count, DTypeSize(dtype), &bytes)) {
    return InvalidArgument(
        StrCat("a buffer of ", count, " elements is too large"));
  }
  Block block = allocator.Allocate(bytes);
  if (!block.data) {
    return ResourceExhausted(OutOfMemoryText(allocator, bytes));
  }
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer);
  buffer->block_ = block;
  buffer->allocator_ = &allocator;
  buffer->dtype_ = dtype;
  if (dtype == DType::kString) {
    auto* s = static_cast<std::string*>(block.data);
    for (int64_t i = 0; i < count; ++i) new (s + i) std::string;
    buffer->objects_ = count;
  } else if (IsReference(dtype)) {
    auto* r = static_cast<Ref<ResourceBase>*>(block.data);
    for (int64_t i = 0; i < count; ++i) new (r + i) Ref<ResourceBase>;
    buffer->objects_ = count;
  }
  return buffer;
}

Ref<Buffer> Buffer::Wrap(void* data, int64_t bytes, void (*release)(void*),
                         void* context, void* record) {
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer);
  buffer->block_ = {data, bytes, record};
  buffer->release_ = release;
  buffer->context_ = context;
  return buffer;
}

Buffer::~Buffer() {
  // Destroying elements may take long and run foreign code, so no spin lock may
  // be held here.
  SL_DCHECK(!SpinLock::HeldHere());
  if (dtype_ == DType::kString) {
    auto* s = static_cast<std::string*>(block_.data);
    for (int64_t i = 0; i < objects_; ++i) s[i].~basic_string();
  } else if (IsReference(dtype_)) {
    auto* r = static_cast<Ref<ResourceBase>*>(block_.data);
    for (int64_t i = 0; i < objects_; ++i) r[i].~Ref<ResourceBase>();
  }
  if (allocator_) allocator_->Free(block_);
  if (release_) release_(context_);
}

}  // namespace sluice
