// Buffer: a ref-counted run of bytes that arrays are views of. Strings and
// resources are objects, so a buffer destroys them. The count is thread safe;
// access to the bytes must be ordered by their writers.
#pragma once

#include <cstdint>

#include "sluice/base/pooled.h"
#include "sluice/base/ref_counted.h"
#include "sluice/base/status.h"
#include "sluice/tensor/allocator.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

class Buffer : public RefCounted<Buffer>, public Pooled<Buffer> {
 public:
  // Allocates `count` elements; strings and resources are constructed empty,
  // other bytes are uninitialized. Error: ResourceExhausted.
  static Result<Ref<Buffer>> Make(DType dtype, int64_t count,
                                  Allocator& allocator = HostAllocator());
  // Bytes that belong to someone else; `release(context)` is called when the
  // last array over them is gone. `record`: that of the block they are part of.
  static Ref<Buffer> Wrap(void* data, int64_t bytes, void (*release)(void*),
                          void* context, void* record = nullptr);

  void* data() const { return block_.data; }
  int64_t bytes() const { return block_.bytes; }
  const Block& block() const { return block_; }

 private:
  friend class RefCounted<Buffer>;
  Buffer() = default;
  ~Buffer();

  Block block_;
  Allocator* allocator_ = nullptr;  // null for wrapped memory
  DType dtype_ = DType::kInvalid;
  int64_t objects_ = 0;  // strings or resources to destroy
  void (*release_)(void*) = nullptr;
  void* context_ = nullptr;
};

}  // namespace sluice
