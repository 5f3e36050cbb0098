// ListStore: the places of a list's elements. Short elements of one type and
// shape lie side by side in a slab: an array of its own would take a hundred
// times the memory of a number, and be made and dropped by itself. Elements of
// other kinds (long ones, those of a device's memory, strings, lists) and of
// several shapes are arrays. What is put first says which; a slab becomes
// arrays when something comes that does not fit.
//
// Counted, and seen by one or more lists. The form changes only for whoever
// sees it alone; a place is written by one list, before others look at it.
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
  // Elements up to so many bytes are copied into a slab. From twice that on a
  // slab that grows, and is there twice meanwhile, takes more than arrays do.
  static constexpr int64_t kMaxShort = 128;
  // Whether an element may lie in a slab.
  static bool IsShort(const Array& element) {
    return element && CanBeShort(element, element.bytes());
  }
  // The same of a part of x of so many bytes.
  static bool CanBeShort(const Array& x, int64_t bytes) {
    return bytes > 0 && bytes <= kMaxShort && IsPlainData(x.dtype()) &&
           !x.memory();
  }

  // Throws std::bad_alloc.
  explicit ListStore(int64_t capacity, bool arrays = false);
  // The first `n` elements of another, in its form. `alone`: nobody else sees
  // it, and it ends. Throws std::bad_alloc.
  ListStore(int64_t capacity, ListStore& from, int64_t n, bool alone);
  // The slices of x along its first axis, of shape `row`, in a slab. Throws
  // std::bad_alloc. REQUIRES: x is contiguous, its rows CanBeShort.
  ListStore(const Array& x, const Shape& row);
  ~ListStore();

  int64_t capacity() const { return capacity_; }
  bool slab() const { return form_ == Form::kSlab; }
  // Of every element. REQUIRES: slab().
  const Shape& shape() const { return shape_; }
  const char* bytes() const { return bytes_; }
  int64_t element_bytes() const { return element_bytes_; }

  bool there(int64_t i) const {
    auto k = static_cast<size_t>(i);
    if (form_ == Form::kArrays) return static_cast<bool>(arrays_[k]);
    return form_ == Form::kSlab && there_[k] != 0;
  }
  // Empty where nothing is; of a slab a copy. Throws std::bad_alloc.
  Array at(int64_t i) const;
  // Whether Put would leave the form as it is.
  bool Fits(const Array& element) const;
  // Throws std::bad_alloc. REQUIRES: Fits(element), or nobody else sees it.
  void Put(int64_t i, Array element);
  // Element i, whose place is empty now.
  Array Take(int64_t i);
  void Clear(int64_t i);

  // Places from here on are empty.
  std::atomic<int64_t> used{0};

 private:
  enum class Form : uint8_t { kNone, kSlab, kArrays };

  void MakeSlab(DType dtype, const Shape& shape);
  void MakeArrays();
  char* place(int64_t i) const { return bytes_ + i * element_bytes_; }

  const int64_t capacity_;
  Form form_ = Form::kNone;
  std::vector<Array> arrays_;
  // A slab's elements, and behind them for each whether it is there.
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  int64_t element_bytes_ = 0;
  Block block_;
  char* bytes_ = nullptr;
  char* there_ = nullptr;
};

}  // namespace sluice
