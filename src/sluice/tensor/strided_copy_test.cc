// Tests CopyRegion against copying one element at a time, over random shapes,
// axis orders, directions and steps.
#include <gtest/gtest.h>

#include <random>

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

template <class T>
T Numbered(int64_t i) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(i);
  } else {
    return static_cast<T>(i * 2654435761u >> 7);
  }
}

// A view of a fresh array in which axis i of `dims` is axis order[i] of memory,
// with every step[i]-th element used, backwards when back[i].
struct Layout {
  Shape shape, stored;
  Strides strides{};
  int64_t offset = 0;
};

Layout RandomLayout(std::mt19937& rng, const Shape& shape) {
  int rank = shape.rank();
  Layout out;
  out.shape = shape;
  std::vector<int> order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  if (rng() % 4) std::shuffle(order.begin(), order.end(), rng);
  std::vector<int64_t> sizes, step;
  for (int axis : order) {
    step.push_back(rng() % 4 ? 1 : 2);
    sizes.push_back(shape.dim(axis) * step.back());
  }
  out.stored = *Shape::Make(sizes);
  Strides own = ContiguousStrides(out.stored);
  for (size_t k = 0; k < order.size(); ++k) {
    auto axis = static_cast<size_t>(order[k]);
    out.strides[axis] = own[k] * step[k];
    if (rng() % 5 == 0) {
      out.offset += (shape.dim(order[k]) - 1) * out.strides[axis];
      out.strides[axis] = -out.strides[axis];
    }
  }
  return out;
}

template <class T>
void Try(std::mt19937& rng, DType dtype, const Shape& shape, bool contiguous,
         WorkerPool* pool) {
  Layout from = RandomLayout(rng, shape), to;
  if (rng() % 6 == 0 && shape.rank() > 0) {
    from.strides[rng() % static_cast<unsigned>(shape.rank())] = 0;  // broadcast
    for (int i = 0; i < shape.rank(); ++i) {
      auto k = static_cast<size_t>(i);
      from.strides[k] = std::abs(from.strides[k]);
    }
    from.offset = 0;
  }
  if (contiguous) {
    to.stored = shape;
    to.strides = ContiguousStrides(shape);
  } else {
    to = RandomLayout(rng, shape);
  }
  Array source = Array::Zeros(dtype, from.stored);
  Array target = Array::Zeros(dtype, to.stored);
  Array wanted = Array::Zeros(dtype, to.stored);
  auto* x = static_cast<T*>(source.mutable_raw());
  auto* y = static_cast<T*>(target.mutable_raw());
  auto* z = static_cast<T*>(wanted.mutable_raw());
  for (int64_t i = 0; i < source.num_elements(); ++i) x[i] = Numbered<T>(i);
  StridedWalk<2> walk(shape, {from.strides, to.strides});
  walk.ForEachRun([&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      z[to.offset + at[1] + i * step[1]] = x[from.offset + at[0] + i * step[0]];
    }
  });
  CopyRegion(dtype, shape, x + from.offset, from.strides, y + to.offset,
             to.strides, pool);
  ASSERT_TRUE(target.BitEquals(wanted))
      << shape.ToString() << " of " << DTypeName(dtype);
}

TEST(CopyRegion, AnyStridesAnyType) {
  std::mt19937 rng(7);
  WorkerPool pool(2);
  for (int round = 0; round < 400; ++round) {
    std::vector<int64_t> dims;
    int rank = static_cast<int>(rng() % 6);
    int64_t left = rng() % 8 == 0 ? 120000 : 3000;
    for (int i = 0; i < rank; ++i) {
      dims.push_back(1 + static_cast<int64_t>(rng()) %
                             std::min<int64_t>(left, 300));
      left = std::max<int64_t>(1, left / dims.back());
    }
    std::shuffle(dims.begin(), dims.end(), rng);
    Shape shape = *Shape::Make(dims);
    bool contiguous = rng() % 2;
    WorkerPool* on = rng() % 2 ? &pool : nullptr;
    for (DType dtype : {DType::kU8, DType::kU16, DType::kU32, DType::kU64}) {
      DispatchBySize(
          dtype, [&]<class T>() { Try<T>(rng, dtype, shape, contiguous, on); });
    }
    if (round % 10 == 0) {
      Try<std::string>(rng, DType::kString, shape, contiguous, on);
    }
  }
}

TEST(CopyRegion, PlainTransposesOfEverySize) {
  std::mt19937 rng(8);
  for (int64_t rows : {1, 3, 4, 5, 15, 16, 17, 64, 65, 130}) {
    for (int64_t columns : {1, 4, 7, 16, 33, 64, 100, 515}) {
      for (DType dtype : {DType::kU8, DType::kU16, DType::kU32, DType::kU64}) {
        Array x = Array::Zeros(dtype, Shape({rows, columns}));
        Array y = Array::Zeros(dtype, Shape({columns, rows}));
        DispatchBySize(dtype, [&]<class T>() {
          T* from = static_cast<T*>(x.mutable_raw());
          for (int64_t i = 0; i < rows * columns; ++i) from[i] = Numbered<T>(i);
          CopyRegion(dtype, y.shape(), from, {1, columns}, y.mutable_raw(),
                     {rows, 1});
          const T* to = static_cast<const T*>(y.raw());
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              ASSERT_EQ(to[c * rows + r], from[r * columns + c]);
            }
          }
        });
      }
    }
  }
}

TEST(CopyBytes, EverySizeAndNotOneMore) {
  std::vector<char> from(700), to(700);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i % 251);
  for (int64_t n = 0; n < 600; ++n) {
    std::fill(to.begin(), to.end(), '\x55');
    CopyBytes(to.data() + 8, from.data(), n);
    for (int64_t i = 0; i < 700; ++i) {
      auto k = static_cast<size_t>(i);
      char wanted = i >= 8 && i < 8 + n ? from[k - 8] : '\x55';
      ASSERT_EQ(to[k], wanted) << n << " bytes, at " << i;
    }
  }
}

}  // namespace
}  // namespace sluice
