// ListStore: the storage of a list's elements. Short elements of one type and
// shape are stored side by side in a slab: separate arrays would take a hundred
// times the memory of a number, and would be allocated and freed one by one.
// Elements of other kinds (long ones, those in device memory, strings, lists)
// and of different shapes are arrays. The first element decides the form; a
// slab is converted to arrays when an element does not fit.
//
// Counted, and shared by one or more lists. Only a sole holder changes the
// form; an entry is written by one list before others see it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sluice/base/ref_counted.h"
#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

class ListStore : public RefCounted<ListStore> {
 public:
  // Elements up to this size are copied into a slab. From twice this size on, a
  // slab that grows, and exists twice meanwhile, takes more memory than arrays
  // do.
  static constexpr int64_t kMaxShort = 128;
  // Whether an element may be stored in a slab.
  static bool IsShort(const Array& element) {
    return element && CanBeShort(element, element.bytes());
  }
  // The same for a part of x with this many bytes.
  static bool CanBeShort(const Array& x, int64_t bytes) {
    return bytes > 0 && bytes <= kMaxShort && IsPlainData(x.dtype()) &&
           !x.memory();
  }

  // Throws std::bad_alloc.
  explicit ListStore(int64_t capacity, bool arrays = false);
  // The first `n` elements of another store, in its form. `alone`: nobody else
  // holds it, and it is about to be destroyed. Throws std::bad_alloc.
  ListStore(int64_t capacity, ListStore& from, int64_t n, bool alone);
  // The slices of x along its first axis, of shape `row`, in a slab. Throws
  // std::bad_alloc. REQUIRES: x is contiguous, its rows CanBeShort.
  ListStore(const Array& x, const Shape& row);
  ~ListStore();

  int64_t capacity() const { return capacity_; }
  bool slab() const { return form_ == Form::kSlab; }
  // The shape of every element. REQUIRES: slab().
  const Shape& shape() const { return shape_; }
  const char* bytes() const { return bytes_; }
  int64_t element_bytes() const { return element_bytes_; }

  bool there(int64_t i) const {
    auto k = static_cast<size_t>(i);
    if (form_ == Form::kArrays) return static_cast<bool>(arrays_[k]);
    return form_ == Form::kSlab && there_[k] != 0;
  }
  // Empty if there is no element; a copy in case of a slab. Throws
  // std::bad_alloc.
  Array at(int64_t i) const;
  // Whether Put would keep the current form.
  bool Fits(const Array& element) const;
  // Throws std::bad_alloc. REQUIRES: Fits(element), or a sole holder.
  void Put(int64_t i, Array element);
  // Removes element i and returns it.
  Array Take(int64_t i);
  void Clear(int64_t i);

  // Entries from this index on are empty.
  std::atomic<int64_t> used{0};

 private:
  enum class Form : uint8_t { kNone, kSlab, kArrays };

  void MakeSlab(DType dtype, const Shape& shape);
  void MakeArrays();
  char* place(int64_t i) const { return bytes_ + i * element_bytes_; }

  const int64_t capacity_;
  Form form_ = Form::kNone;
  std::vector<Array> arrays_;
  // A slab's elements, followed by a flag for each: whether it exists.
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  int64_t element_bytes_ = 0;
  Block block_;
  char* bytes_ = nullptr;
  char* there_ = nullptr;
};

}  // namespace sluice
