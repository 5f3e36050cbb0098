// ListValue: arrays of one dtype, in order: the value of an element of dtype
// `list`. It is a value, not state: holders never see it change.
//
// Short elements of one type and shape are stored in one block and copied in
// and out; others are stored as arrays (tensor/list_store.h).
//
// Counted. The writes below are for a sole holder, as WritableList ensures: a
// list that nobody else sees is written in place, any other is copied first. A
// copy shares the memory of its elements until it is written; elements appended
// to it are stored behind the shared ones, beyond the end of the first list, so
// that appending one by one takes linear time even if every intermediate list
// is still held; so does removing elements at the end. May be read from any
// number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/ref_counted.h"
#include "sluice/base/status.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/list_store.h"
#include "sluice/tensor/resource_base.h"

namespace sluice {

// Longer lists are refused: the entries alone would take half a gigabyte.
inline constexpr int64_t kMaxListSize = int64_t{1} << 26;
// Nesting of lists: a call stores the residuals of the calls inside it.
// Traversals may recurse; destruction does not.
inline constexpr int kMaxListDepth = 4200;

class ListValue final : public ResourceBase {
 public:
  // `shape` is what is known of all elements, which need not have equal shapes.
  // REQUIRES: max_size <= kMaxListSize.
  ListValue(DType dtype, PartialShape shape, int64_t max_size = kMaxListSize)
      : dtype_(dtype), shape_(std::move(shape)), max_size_(max_size) {}
  ~ListValue() override;

  // A list with only a size: for readers that need nothing else and must not
  // keep others from writing the list in place.
  static Ref<ListValue> Hollow(DType dtype, int64_t size);

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }
  int64_t size() const { return size_ + hollow_size_; }
  int64_t max_size() const { return max_size_; }
  // An empty Array if it was never written. A copy if elements are stored in
  // one block: may then throw std::bad_alloc. REQUIRES: 0 <= i < size().
  Array at(int64_t i) const { return store_->at(i); }
  // Whether element i was written. REQUIRES: 0 <= i < size().
  bool there(int64_t i) const { return store_->there(i); }
  // All elements if they are stored in one block and none is missing, else
  // null. They then have `element_shape` and are in host memory.
  const char* SideBySide() const;
  const Shape& element_shape() const { return store_->shape(); }
  // Whether elements are stored in the list's own memory.
  bool holds_copies() const { return store_ && store_->slab(); }
  // Bytes of one element of such a list.
  int64_t element_bytes() const { return store_->element_bytes(); }
  // Whether an array would be copied to become an element.
  bool WouldCopy(const Array& element) const;
  // Whether element i was removed by Take.
  bool taken(int64_t i) const {
    return static_cast<size_t>(i) < taken_.size() &&
           taken_[static_cast<size_t>(i)] != 0;
  }
  // The nesting depth of lists; 1 if the elements are not lists.
  int depth() const { return depth_; }
  // The shape of unwritten elements, as known from the list and from its
  // written elements.
  PartialShape ElementShape() const;

  // Why an array cannot be an element, "got and wanted"; OK if it can.
  Status CheckElement(const Array& element) const;

  // ---- Writes. REQUIRES: nobody else sees this list, elements checked ----
  //
  // Elements are stored as arrays: for those that are filled later. REQUIRES:
  // size() == 0.
  void HoldArrays() { hold_arrays_ = true; }
  // Errors of these three: no memory, or more than max_size().
  Status Reserve(int64_t size);
  // New elements are unwritten. REQUIRES: 0 <= size.
  Status Resize(int64_t size);
  Status Append(Array element);
  // The functions from here on throw std::bad_alloc if memory runs out.
  // REQUIRES: 0 <= i < size().
  void Set(int64_t i, Array element);
  // Makes all slices of x along its first axis elements of shape `row`, if they
  // would be copied. REQUIRES: no elements yet.
  bool CanTakeRows(const Array& x) const;
  Status TakeRows(const Array& x, const Shape& row);
  // Removes element i, which is then unwritten and taken.
  Array Take(int64_t i);
  // Removes element i, as if it had never been written.
  Array Clear(int64_t i);

  std::string Describe() const override;  // "list of 3 f32[2]"
  bool EqualTo(const ResourceBase& other) const override;
  const void* tag() const override { return kKind; }
  static constexpr char kKind[] = "list";

  // How often, in this process, a list was copied before a write. For tests.
  static int64_t copies();
  // The number of elements copied for that and for growth. For tests.
  static int64_t elements_copied();

 private:
  friend Result<Array> WritableList(const Array& list);

  // One or more lists share a store; each sees the first size_ entries. A sole
  // holder may write all of them; a list whose size equals `used` may add one
  // entry (only one list can: `used` decides which was first).
  int64_t capacity() const { return store_ ? store_->capacity() : 0; }
  // Moves the elements to an unshared store with this capacity. Throws
  // std::bad_alloc.
  void Move(int64_t capacity);
  // Called before writing existing elements.
  void Own() {
    if (store_ && !store_->unique()) Move(size_);
  }
  void Put(int64_t i, Array element);
  // Claims an entry behind the last element, if one is available.
  bool UseNext();

  static thread_local std::vector<Ref<ListStore>>* ending;

  const DType dtype_;
  const PartialShape shape_;
  const int64_t max_size_;
  int depth_ = 1;
  int64_t hollow_size_ = 0;
  int64_t size_ = 0;
  bool hold_arrays_ = false;
  Ref<ListStore> store_;        // null: no elements yet
  std::vector<uint8_t> taken_;  // shorter than the list: false for the rest
};

// The list that an array refers to; null if it is not a list. Writable only
// under the conditions of WritableList.
ListValue* ListOf(const Array& array);

// A scalar array that refers to the list.
Array ListArray(Ref<ListValue> list);

// `list` itself if nobody else sees it, else a copy; either may be written
// through ListOf. Error: no memory. REQUIRES: ListOf(list).
Result<Array> WritableList(const Array& list);

}  // namespace sluice
