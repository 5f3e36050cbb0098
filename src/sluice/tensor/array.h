// Array: a dense n-d block of elements of one dtype, or a strided view into
// another one's buffer. One word wide: copying an Array shares its elements.
//
// Shape and dtype never change after construction. Elements are written by the
// kernel that produces the array, before anyone else sees it; afterwards they
// are read-only, except where an owner proves it is the only one (unique()).
// The public sluice::Tensor (eager/) is a handle above this.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/ref_counted.h"
#include "sluice/base/status.h"
#include "sluice/tensor/buffer.h"
#include "sluice/tensor/dtype.h"
#include "sluice/tensor/memory.h"
#include "sluice/tensor/resource_base.h"
#include "sluice/tensor/shape.h"

namespace sluice {

using Strides = std::array<int64_t, kMaxRank>;  // in elements, may be 0 or < 0

// Row-major strides of a shape.
Strides ContiguousStrides(const Shape& shape);

// The object that an Array points to. Users of arrays go through Array.
struct ArrayRep {
  std::atomic<int32_t> refs{1};
  DType dtype = DType::kInvalid;
  bool contiguous = true;
  // True if another owner keeps the bytes, whatever this rep's count is
  // (planned memory, a variable's value, a constant): never forward in place.
  bool borrowed = false;
  bool remote = false;       // in memory the host may not touch
  Memory* memory = nullptr;  // null: the host's main memory
  void* data = nullptr;
  Ref<Buffer> buffer;  // null for small arrays, whose elements follow the rep
  ArrayRep* base = nullptr;  // counted: the small array that this is a view of
  Shape shape;
  Strides strides;
  int64_t block_bytes = 0;  // of this rep including its inline elements
};

class Array {
 public:
  Array() = default;
  // Elements are uninitialized (strings and resources are empty). Error:
  // ResourceExhausted.
  static Result<Array> Make(DType dtype, const Shape& shape,
                            Allocator& allocator = HostAllocator());
  // A view into `base` whose first element is `offset` elements after base's
  // first. REQUIRES: every element lies inside base's memory.
  static Array View(const Array& base, int64_t offset, const Shape& shape,
                    const Strides& strides);
  // An array over a buffer's bytes. REQUIRES: shape fits in it.
  static Array Over(Ref<Buffer> buffer, DType dtype, const Shape& shape);
  // An array over bytes that the caller keeps alive; it never owns them.
  static Array Borrow(void* data, DType dtype, const Shape& shape);
  static Array Borrow(void* data, DType dtype, const Shape& shape,
                      const Strides& strides);
  // `base`'s bytes as elements of another dtype of the same size.
  // REQUIRES: contiguous, equal element sizes, plain data.
  static Array Reinterpret(const Array& base, DType dtype);
  // From here to Vector: for values written in the source. They throw
  // sluice::Error if memory runs out or the counts do not match.
  static Array Zeros(DType dtype, const Shape& shape);

  template <class T>
  static Array Scalar(T value) {
    Array a = MakeOrThrow(DTypeOf<T>::value, Shape(), 1);
    a.mutable_data<T>()[0] = std::move(value);
    return a;
  }
  template <class T>
  static Array Of(const Shape& shape, std::span<const T> values) {
    Array a = MakeOrThrow(DTypeOf<T>::value, shape, values.size());
    std::copy(values.begin(), values.end(), a.mutable_data<T>());
    return a;
  }
  template <class T>
  static Array Of(const Shape& shape, std::initializer_list<T> values) {
    return Of<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Array Vector(std::initializer_list<T> values) {
    return Of<T>({static_cast<int64_t>(values.size())}, values);
  }
  static Array Vector(std::span<const int64_t> values) {
    return Of<int64_t>({static_cast<int64_t>(values.size())}, values);
  }
  // A scalar that refers to the resource: a resource handle or a list.
  static Array Handle(Ref<ResourceBase> resource,
                      DType dtype = DType::kResource);

  Array(const Array& o) : rep_(o.rep_) {
    if (rep_) rep_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Array(Array&& o) noexcept : rep_(std::exchange(o.rep_, nullptr)) {}
  Array& operator=(Array o) noexcept {
    std::swap(rep_, o.rep_);
    return *this;
  }
  ~Array() {
    if (rep_) Drop(rep_);
  }

  explicit operator bool() const { return rep_ != nullptr; }
  DType dtype() const { return rep_->dtype; }
  const Shape& shape() const { return rep_->shape; }
  int rank() const { return rep_->shape.rank(); }
  int64_t dim(int i) const { return rep_->shape.dim(i); }
  int64_t num_elements() const { return rep_->shape.num_elements(); }
  int64_t bytes() const { return num_elements() * DTypeSize(dtype()); }
  const Strides& strides() const { return rep_->strides; }
  bool contiguous() const { return rep_->contiguous; }
  // The memory that contains the elements; null: the host's main memory.
  Memory* memory() const { return rep_->memory; }
  bool on_host() const { return !rep_->remote; }
  // For comparisons and for the device, not for reading.
  void* address() const { return rep_->data; }
  // These and data() throw sluice::Error if the host may not access the
  // elements.
  const void* raw() const { return HostData(); }
  void* mutable_raw() const { return HostData(); }
  const Ref<Buffer>& buffer() const { return rep_->buffer; }

  // The first element. REQUIRES: DTypeOf<T> == dtype(). For arrays that may be
  // strided, walk with strides() or take AsContiguous() first.
  template <class T>
  const T* data() const {
    SL_DCHECK(DTypeOf<T>::value == dtype());
    return static_cast<const T*>(HostData());
  }
  template <class T>
  T* mutable_data() const {
    SL_DCHECK(DTypeOf<T>::value == dtype());
    return static_cast<T*>(HostData());
  }
  std::span<const int64_t> i64s() const {
    return {data<int64_t>(), static_cast<size_t>(num_elements())};
  }
  // REQUIRES: a resource handle or a list.
  const Ref<ResourceBase>& handle() const {
    return *static_cast<const Ref<ResourceBase>*>(rep_->data);
  }
  // The same elements without owning them: for work that is ordered by other
  // means than a count.
  Array Borrowed() const;

  // True if this is the only reference to the elements, so that nobody else
  // sees writes to them.
  bool unique() const {
    return !rep_->borrowed && !rep_->base &&
           rep_->refs.load(std::memory_order_acquire) == 1 &&
           (!rep_->buffer || rep_->buffer->unique());
  }

  // This array, or a row-major copy if it is strided.
  Result<Array> AsContiguous() const;
  // A fresh copy that owns its elements.
  Result<Array> Clone() const;
  // The same elements under another shape. REQUIRES: contiguous, equal counts.
  Array WithShape(const Shape& shape) const;
  // Copies all elements of `source` here. REQUIRES: equal dtype and shape;
  // this array contiguous.
  void CopyFrom(const Array& source) const;

  // "f32[2,3]": for messages.
  std::string TypeText() const;
  // Values in nested brackets; long ones are cut off with "...".
  std::string ToString(int64_t max_elements = 64) const;
  // Same dtype, shape and elements (NaN equal to NaN, +0 differs from -0).
  bool BitEquals(const Array& o) const;

  ArrayRep* rep() const { return rep_; }

 private:
  explicit Array(ArrayRep* rep) : rep_(rep) {}
  static Array MakeOrThrow(DType dtype, const Shape& shape, size_t values);
  static ArrayRep* NewRep(int64_t inline_bytes);
  static void Drop(ArrayRep* rep) {
    if (rep->refs.load(std::memory_order_acquire) == 1 ||
        rep->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Destroy(rep);
    }
  }
  static void Destroy(ArrayRep* rep);
  void* HostData() const {
    if (rep_->remote) [[unlikely]]
      return RemoteData();
    return rep_->data;
  }
  void* RemoteData() const;
  ArrayRep* Leak() { return std::exchange(rep_, nullptr); }

  ArrayRep* rep_ = nullptr;
};

// "f32[2,?]": a type in messages.
std::string TypeText(DType dtype, const PartialShape& shape);

}  // namespace sluice
