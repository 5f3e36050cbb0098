// ListValue: arrays of one dtype, in order: what an element of dtype `list`
// refers to. A value, not state: whoever holds one sees it unchanged for ever.
//
// Counted. The writes below are for whoever is alone with it, as WritableList
// makes sure: a list that nobody else sees is written in place, any other is
// copied first (the elements stay shared). Read from any number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"
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
  int64_t size() const {
    return static_cast<int64_t>(elements_.size()) + hollow_size_;
  }
  int64_t max_size() const { return max_size_; }
  // An empty Array: never written. REQUIRES: 0 <= i < size().
  const Array& at(int64_t i) const { return elements_[static_cast<size_t>(i)]; }
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
  // Errors of these three: no memory, or more than max_size().
  Status Reserve(int64_t size);
  // New places are unwritten. REQUIRES: 0 <= size.
  Status Resize(int64_t size);
  Status Append(Array element);
  // REQUIRES: 0 <= i < size().
  void Set(int64_t i, Array element);
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

 private:
  friend Result<Array> WritableList(const Array& list);

  const DType dtype_;
  const PartialShape shape_;
  const int64_t max_size_;
  int depth_ = 1;
  int64_t hollow_size_ = 0;
  std::vector<Array> elements_;
  std::vector<uint8_t> taken_;  // shorter than elements_: the rest is not
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
