// CompactList: a list inside a node, for graphs with millions of nodes: N
// elements are stored inline, more on the heap, with an overhead of two 4-byte
// counters. Elements are plain values. Owned and guarded as the node is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace sluice {

template <class T, uint32_t N>
class CompactList {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(N > 0 && sizeof(T) * N >= sizeof(T*));

 public:
  CompactList() : inside_{} {}
  CompactList(const CompactList&) = delete;
  ~CompactList() { Free(); }
  CompactList& operator=(std::span<const T> values) {
    // Values may be elements of this list.
    if (values.size() <= capacity_) {
      std::copy(values.begin(), values.end(), data());
      size_ = static_cast<uint32_t>(values.size());
      return *this;
    }
    auto size = static_cast<uint32_t>(values.size());
    T* more = std::copy(values.begin(), values.end(), new T[size]) - size;
    Free();
    heap_ = more;
    size_ = capacity_ = size;
    return *this;
  }
  CompactList& operator=(const CompactList& o) { return *this = o.span(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return capacity_ > N ? heap_ : inside_; }
  const T* data() const { return capacity_ > N ? heap_ : inside_; }
  std::span<const T> span() const { return {data(), size_}; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }

  void push_back(T value) {
    if (size_ == capacity_) Grow();
    data()[size_++] = value;
  }
  // Removes an element; the last one takes its place. REQUIRES: it is an
  // element of this list.
  void swap_out(T* at) {
    *at = data()[size_ - 1];
    --size_;
  }
  // Frees the memory, too.
  void clear() {
    Free();
    capacity_ = N;
    size_ = 0;
  }

 private:
  void Free() {
    if (capacity_ > N) delete[] heap_;
  }
  void Grow() {
    T* more = new T[2 * capacity_];
    std::copy(begin(), end(), more);
    Free();
    heap_ = more;
    capacity_ *= 2;
  }

  uint32_t size_ = 0, capacity_ = N;  // above N: on the heap
  union {
    T inside_[N];
    T* heap_;
  };
};

}  // namespace sluice
