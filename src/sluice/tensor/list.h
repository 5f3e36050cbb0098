// ListValue: arrays of one dtype, in order: what an element of dtype `list`
// refers to. A value, not state: whoever holds one sees it unchanged for ever.
//
// Short elements of one type and shape lie side by side and are copied in and
// out; others are held as they are (tensor/list_store.h).
//
// Counted. The writes below are for whoever is alone with it, as WritableList
// makes sure: a list that nobody else sees is written in place, any other is
// copied first. A copy shares the memory of its elements until it is written;
// what is appended to it goes behind theirs, where the first list does not
// look, so that appending one by one is linear even when every list on the way
// is still seen; so is taking off the end. Read from any number of threads.
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

// More elements are refused: the places alone would take half a gigabyte.
inline constexpr int64_t kMaxListSize = int64_t{1} << 26;
// Lists inside lists inside lists: a call keeps for its gradient what the calls
// inside it kept. What looks through them may call itself; their end does not.
inline constexpr int kMaxListDepth = 4200;

class ListValue final : public ResourceBase {
 public:
  // `shape` is what is known of all elements; they need not be equal.
  // REQUIRES: max_size <= kMaxListSize.
  ListValue(DType dtype, PartialShape shape, int64_t max_size = kMaxListSize)
      : dtype_(dtype), shape_(std::move(shape)), max_size_(max_size) {}
  ~ListValue() override;

  // A list that tells its size and nothing else: for whoever needs no more of
  // one, and must not keep others from writing it in place.
  static Ref<ListValue> Hollow(DType dtype, int64_t size);

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }
  int64_t size() const { return size_ + hollow_size_; }
  int64_t max_size() const { return max_size_; }
  // An empty Array: never written. A copy where elements lie side by side:
  // then it throws std::bad_alloc. REQUIRES: 0 <= i < size().
  Array at(int64_t i) const { return store_->at(i); }
  // Whether element i was written. REQUIRES: 0 <= i < size().
  bool there(int64_t i) const { return store_->there(i); }
  // All elements when they lie side by side and each is there, else null: then
  // of `element_shape`, in the host's memory.
  const char* SideBySide() const;
  const Shape& element_shape() const { return store_->shape(); }
  // Whether elements lie in memory of the list's own, whoever made them.
  bool holds_copies() const { return store_ && store_->slab(); }
  // Bytes of one element of such a list.
  int64_t element_bytes() const { return store_->element_bytes(); }
  // Whether an array would be copied to become an element.
  bool WouldCopy(const Array& element) const;
  // Whether element i was given away by Take.
  bool taken(int64_t i) const {
    return static_cast<size_t>(i) < taken_.size() &&
           taken_[static_cast<size_t>(i)] != 0;
  }
  // How deep lists are nested; 1 when the elements are no lists.
  int depth() const { return depth_; }
  // The shape of elements that were never written: what the list and those
  // that were written know together.
  PartialShape ElementShape() const;

  // Why an array cannot be an element, "got and wanted"; OK when it can.
  Status CheckElement(const Array& element) const;

  // ---- Writes. REQUIRES: nobody else sees this list, elements checked ----
  // Elements are held as they are: for those that are filled later.
  // REQUIRES: size() == 0.
  void HoldArrays() { hold_arrays_ = true; }
  // Errors of these three: no memory, or more than max_size().
  Status Reserve(int64_t size);
  // New places are unwritten. REQUIRES: 0 <= size.
  Status Resize(int64_t size);
  Status Append(Array element);
  // From here on what has no memory throws std::bad_alloc.
  // REQUIRES: 0 <= i < size().
  void Set(int64_t i, Array element);
  // As elements all slices of x along its first axis, of shape `row`, when they
  // would be copied. REQUIRES: no elements yet.
  bool CanTakeRows(const Array& x) const;
  Status TakeRows(const Array& x, const Shape& row);
  // Element i, which is unwritten and taken from now on.
  Array Take(int64_t i);
  // Element i, which is as if it had never been written.
  Array Clear(int64_t i);

  std::string Describe() const override;  // "list of 3 f32[2]"
  bool EqualTo(const ResourceBase& other) const override;
  const void* tag() const override { return kKind; }
  static constexpr char kKind[] = "list";

  // How often, in this process, a list was copied to be written. For tests.
  static int64_t copies();
  // And how many elements were copied for that and to grow. For tests.
  static int64_t elements_copied();

 private:
  friend Result<Array> WritableList(const Array& list);

  // One or more lists see a store: each looks at the first size_ places.
  // Whoever alone sees it may write all; whoever has as many as are used may
  // use one more (and only one can: `used` says who was first).
  int64_t capacity() const { return store_ ? store_->capacity() : 0; }
  // From now on the elements are in a store of its own with so much room.
  // Throws std::bad_alloc.
  void Move(int64_t capacity);
  // Before writing what is there.
  void Own() {
    if (store_ && !store_->unique()) Move(size_);
  }
  void Put(int64_t i, Array element);
  // A place behind the last element, when there is one to be had.
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
  std::vector<uint8_t> taken_;  // shorter than the list: the rest is not
};

// The list an array refers to; null when it is no list. Writable only as
// WritableList says.
ListValue* ListOf(const Array& array);

// A scalar array that refers to it.
Array ListArray(Ref<ListValue> list);

// `list` itself when nobody else sees it, else a copy; either may be written
// through ListOf. Error: no memory. REQUIRES: ListOf(list).
Result<Array> WritableList(const Array& list);

}  // namespace sluice
