// SmallVector: a list that stores its first N elements inline, for code in
// which a heap allocation would cost more than the work.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace sluice {

template <class T, size_t N>
class SmallVector {
 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) {
    for (const T& v : values) push_back(v);
  }
  explicit SmallVector(std::span<const T> values) {
    for (const T& v : values) push_back(v);
  }

  SmallVector(const SmallVector& o) : SmallVector(std::span<const T>(o)) {}
  SmallVector(SmallVector&& o) noexcept { Swap(o); }
  SmallVector& operator=(SmallVector o) noexcept {
    Swap(o);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_.data(); }
  const T* data() const { return heap_ ? heap_.get() : inline_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  operator std::span<const T>() const { return {data(), size_}; }
  operator std::span<T>() { return {data(), size_}; }

  void push_back(T value) {
    if (size_ == capacity_) Grow(2 * size_);
    data()[size_++] = std::move(value);
  }
  void resize(size_t n, const T& value = T()) {
    if (n > capacity_) Grow(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    for (size_t i = n; i < size_; ++i) data()[i] = T();
    size_ = n;
  }
  void clear() { resize(0); }

 private:
  void Swap(SmallVector& o) {
    std::swap(inline_, o.inline_);
    std::swap(heap_, o.heap_);
    std::swap(capacity_, o.capacity_);
    std::swap(size_, o.size_);
  }
  void Grow(size_t n) {
    auto more = std::make_unique<T[]>(n);
    for (size_t i = 0; i < size_; ++i) more[i] = std::move(data()[i]);
    heap_ = std::move(more);
    capacity_ = n;
  }

  std::array<T, N> inline_{};
  std::unique_ptr<T[]> heap_;  // null: all elements are inline
  size_t capacity_ = N, size_ = 0;
};

}  // namespace sluice
