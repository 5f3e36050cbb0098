// Index: one entry of numpy-like indexing.
//
//   x[{1, sl::all, sl::slice(0, 5, 2), sl::ellipsis, sl::new_axis, -1}]
//
// A plain value. Numbers drop their axis, slices keep it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <source_location>
#include <span>
#include <vector>

namespace sluice {

class Index {
 public:
  enum class Kind : uint8_t { kNumber, kSlice, kEllipsis, kNewAxis };
  static constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();

  template <std::integral I>
  Index(I number) : kind(Kind::kNumber), begin(static_cast<int64_t>(number)) {}
  constexpr Index(Kind k, int64_t b, int64_t e, int64_t s)
      : kind(k), begin(b), end(e), step(s) {}

  Kind kind;
  int64_t begin = kOpen, end = kOpen, step = 1;  // kOpen: from or to the end
};

inline constexpr Index all(Index::Kind::kSlice, Index::kOpen, Index::kOpen, 1);
inline constexpr Index ellipsis(Index::Kind::kEllipsis, 0, 0, 1);
inline constexpr Index new_axis(Index::Kind::kNewAxis, 0, 0, 1);

// [begin, end) by step; negative places count from the end.
constexpr Index slice(int64_t begin, int64_t end, int64_t step = 1) {
  return Index(Index::Kind::kSlice, begin, end, step);
}
constexpr Index slice_from(int64_t begin, int64_t step = 1) {
  return Index(Index::Kind::kSlice, begin, Index::kOpen, step);
}
constexpr Index slice_to(int64_t end, int64_t step = 1) {
  return Index(Index::Kind::kSlice, Index::kOpen, end, step);
}

// All entries of one indexing, and the line it is written on: operators can
// have no hidden arguments, but what they take can. x[2], x[{1, sl::all}].
class Indices {
 public:
  using Where = std::source_location;

  template <std::integral I>
  Indices(I number, Where where = Where::current())
      : list_{Index(number)}, where_(where) {}
  Indices(Index index, Where where = Where::current())
      : list_{index}, where_(where) {}
  Indices(std::initializer_list<Index> indices, Where where = Where::current())
      : list_(indices), where_(where) {}

  std::span<const Index> list() const { return list_; }
  const Where& where() const { return where_; }

 private:
  std::vector<Index> list_;
  Where where_;
};

}  // namespace sluice
