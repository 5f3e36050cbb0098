#include "sluice/tensor/list_store.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "sluice/tensor/allocator.h"

namespace sluice {

ListStore::ListStore(int64_t capacity, bool arrays) : capacity_(capacity) {
  if (!arrays) return;
  arrays_.resize(static_cast<size_t>(capacity));
  form_ = Form::kArrays;
}

ListStore::ListStore(int64_t capacity, ListStore& from, int64_t n, bool alone)
    : used(n), capacity_(capacity) {
  if (from.form_ == Form::kSlab) {
    MakeSlab(from.dtype_, from.shape_);
    std::memcpy(bytes_, from.bytes_, static_cast<size_t>(n * element_bytes_));
    std::memcpy(there_, from.there_, static_cast<size_t>(n));
  } else if (from.form_ == Form::kArrays) {
    arrays_.resize(static_cast<size_t>(capacity));
    form_ = Form::kArrays;
    auto end = from.arrays_.begin() + n;
    if (alone) {
      std::move(from.arrays_.begin(), end, arrays_.begin());
    } else {
      std::copy(from.arrays_.begin(), end, arrays_.begin());
    }
  }
}

ListStore::ListStore(const Array& x, const Shape& row)
    : used(x.dim(0)), capacity_(x.dim(0)) {
  MakeSlab(x.dtype(), row);
  std::memcpy(bytes_, x.raw(), static_cast<size_t>(x.bytes()));
  std::memset(there_, 1, static_cast<size_t>(capacity_));
}

ListStore::~ListStore() { HostAllocator().Free(block_); }

void ListStore::MakeSlab(DType dtype, const Shape& shape) {
  int64_t bytes = shape.num_elements() * DTypeSize(dtype);
  block_ = HostAllocator().Allocate(capacity_ * (bytes + 1));
  if (!block_.data) throw std::bad_alloc();
  dtype_ = dtype;
  shape_ = shape;
  element_bytes_ = bytes;
  bytes_ = static_cast<char*>(block_.data);
  there_ = bytes_ + capacity_ * bytes;
  std::memset(there_, 0, static_cast<size_t>(capacity_));
  form_ = Form::kSlab;
}

void ListStore::MakeArrays() {
  std::vector<Array> arrays(static_cast<size_t>(capacity_));
  if (form_ == Form::kSlab) {
    for (int64_t i = 0; i < capacity_; ++i) {
      arrays[static_cast<size_t>(i)] = at(i);
    }
    HostAllocator().Free(std::exchange(block_, {}));
  }
  arrays_ = std::move(arrays);
  form_ = Form::kArrays;
}

Array ListStore::at(int64_t i) const {
  if (form_ == Form::kArrays) return arrays_[static_cast<size_t>(i)];
  if (!there(i)) return {};
  Result<Array> copy = Array::Make(dtype_, shape_);
  if (!copy.ok()) throw std::bad_alloc();
  std::memcpy(copy->mutable_raw(), place(i),
              static_cast<size_t>(element_bytes_));
  return *std::move(copy);
}

bool ListStore::Fits(const Array& element) const {
  if (form_ != Form::kSlab) return form_ == Form::kArrays;
  return element && element.dtype() == dtype_ && element.shape() == shape_ &&
         !element.memory();
}

void ListStore::Put(int64_t i, Array element) {
  if (form_ == Form::kNone && IsShort(element)) {
    MakeSlab(element.dtype(), element.shape());
  }
  if (!Fits(element)) MakeArrays();
  if (form_ == Form::kArrays) {
    arrays_[static_cast<size_t>(i)] = std::move(element);
    return;
  }
  auto size = static_cast<size_t>(element_bytes_);
  if (element.contiguous()) {
    std::memcpy(place(i), element.raw(), size);
  } else {
    Array::Borrow(place(i), dtype_, shape_).CopyFrom(element);
  }
  there_[i] = 1;
}

Array ListStore::Take(int64_t i) {
  if (form_ == Form::kArrays) {
    return std::exchange(arrays_[static_cast<size_t>(i)], Array());
  }
  Array element = at(i);
  Clear(i);
  return element;
}

void ListStore::Clear(int64_t i) {
  if (form_ == Form::kArrays) arrays_[static_cast<size_t>(i)] = Array();
  if (form_ == Form::kSlab) there_[i] = 0;
}

}  // namespace sluice
