#include "sluice/kernels/cpu/conv/integer_tiles.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"

namespace sluice {

namespace {

// The columns gathered at a time, and the number of their elements: both and a
// panel of filters stay in the first-level cache.
constexpr int64_t kColumns = 32, kDepth = 128;
constexpr int64_t kTileColumns = 4;

// Rows of a tile: enough vectors to keep a core busy, few enough for its
// registers.
template <class T>
constexpr int64_t kTileRows = sizeof(T) == 8 ? 8 : 16;

// Unsigned integers wrap.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
T MultiplyAdd(T sum, T a, T b) {
  // Narrow ones would be multiplied as int, which does not wrap.
  using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return static_cast<T>(static_cast<Wide>(sum) +
                        static_cast<Wide>(a) * static_cast<Wide>(b));
}

template <class T>
int64_t RowPanels(const IntegerProduct& p) {
  return (p.rows + kTileRows<T> - 1) / kTileRows<T>;
}

// Panel by panel of every group, [tap][channel][row of the panel], with zeros
// behind the last row.
template <class T>
void PackFilters(const IntegerProduct& p, const T* w, Unsigned<T>* to,
                 WorkerPool* pool) {
  constexpr int64_t rows = kTileRows<T>;
  int64_t panels = RowPanels<T>(p), taps = p.taps();
  ParallelFor(pool, p.groups * panels, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      int64_t first = i % panels * rows;
      const T* group = w + i / panels * p.w_group;
      Unsigned<T>* panel = to + i * rows * p.depth();
      for (int64_t t = 0; t < taps; ++t) {
        for (int64_t c = 0; c < p.channels; ++c) {
          for (int64_t r = 0; r < rows; ++r) {
            const T* from = group + (first + r) * p.w_row + c * p.w_channel + t;
            *panel++ = first + r < p.rows ? static_cast<Unsigned<T>>(*from) : 0;
          }
        }
      }
    }
  });
}

// sums[column][row] = the sum over `depth` elements of kTileColumns columns and
// of a panel.
template <class U, int64_t kRows>
void Tile(int64_t depth, const U* columns, const U* panel,
          U (&sums)[kTileColumns][kRows]) {
  U all[kTileColumns][kRows] = {};
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t j = 0; j < kTileColumns; ++j) {
      U x = columns[k * kColumns + j];
      for (int64_t r = 0; r < kRows; ++r) {
        all[j][r] = MultiplyAdd(all[j][r], x, panel[k * kRows + r]);
      }
    }
  }
  std::copy_n(&all[0][0], kTileColumns * kRows, &sums[0][0]);
}

// Places [begin, begin + count) of a group of an image.
template <class T>
class Columns {
 public:
  using U = Unsigned<T>;
  static constexpr int64_t kRows = kTileRows<T>;

  Columns(const IntegerProduct& p, const U* panels, const T* from, T* to,
          int64_t begin, int64_t count)
      : p_(p), panels_(panels), from_(from), to_(to + begin), count_(count) {
    for (int64_t j = 0; j < count; ++j) {
      int64_t at = begin + j;
      for (int i = kConvAxes - 1; i >= 0; --i) {
        places_[j][i] = at % p.to[i];
        at /= p.to[i];
      }
    }
  }

  void Run() {
    for (int64_t r = 0; r < p_.rows; ++r) {
      std::fill_n(to_ + r * p_.to_pixels(), count_, T(0));
    }
    int64_t k = 0, first = 0;  // elements gathered, and the first of them
    ConvAxes tap;
    for (tap[0] = 0; tap[0] < p_.kernel[0]; ++tap[0]) {
      for (tap[1] = 0; tap[1] < p_.kernel[1]; ++tap[1]) {
        for (tap[2] = 0; tap[2] < p_.kernel[2]; ++tap[2]) {
          int64_t offsets[kColumns];
          for (int64_t j = 0; j < count_; ++j) offsets[j] = Offset(j, tap);
          for (int64_t c = 0; c < p_.channels; ++c) {
            Gather(from_ + c * p_.from_pixels(), offsets,
                   columns_ + k * kColumns);
            if (++k < kDepth) continue;
            Add(first, k);
            first += k;
            k = 0;
          }
        }
      }
    }
    if (k > 0) Add(first, k);
  }

 private:
  int64_t Offset(int64_t column, const ConvAxes& tap) const {
    int64_t offset = 0;
    for (int i = 0; i < kConvAxes; ++i) {
      int64_t at = p_.Meets(i, places_[column][i], tap[i]);
      if (at < 0) return -1;
      offset = offset * p_.from[i] + at;
    }
    return offset;
  }

  void Gather(const T* plane, const int64_t* offsets, U* to) const {
    for (int64_t j = 0; j < count_; ++j) {
      to[j] = offsets[j] < 0 ? U(0) : static_cast<U>(plane[offsets[j]]);
    }
    // Whole tiles are computed.
    for (int64_t j = count_; j % kTileColumns != 0; ++j) to[j] = 0;
  }

  // Adds the products of `depth` elements of the columns, the first of which is
  // element `first` of each.
  void Add(int64_t first, int64_t depth) {
    U sums[kTileColumns][kRows];
    for (int64_t row = 0; row < p_.rows; row += kRows) {
      const U* panel = panels_ + row * p_.depth() + first * kRows;
      int64_t rows = std::min(kRows, p_.rows - row);
      for (int64_t j = 0; j < count_; j += kTileColumns) {
        Tile<U, kRows>(depth, columns_ + j, panel, sums);
        int64_t columns = std::min(kTileColumns, count_ - j);
        for (int64_t r = 0; r < rows; ++r) {
          T* to = to_ + (row + r) * p_.to_pixels() + j;
          for (int64_t i = 0; i < columns; ++i) {
            to[i] = static_cast<T>(
                MultiplyAdd(static_cast<U>(to[i]), sums[i][r], U(1)));
          }
        }
      }
    }
  }

  const IntegerProduct& p_;
  const U* panels_;
  const T* from_;
  T* to_;
  const int64_t count_;
  ConvAxes places_[kColumns];
  alignas(64) U columns_[kDepth * kColumns];
};

}  // namespace

int64_t IntegerProduct::Meets(int axis, int64_t q, int64_t t) const {
  int64_t at = transposed ? q + pad[axis] - t * dilation[axis]
                          : q * stride[axis] + t * dilation[axis] - pad[axis];
  if (transposed) {
    if (at < 0 || at % stride[axis] != 0) return -1;
    at /= stride[axis];
  }
  return at >= 0 && at < from[axis] ? at : -1;
}

IntegerProduct IntegerForward(const ConvGeometry& g) {
  IntegerProduct p;
  p.batch = g.batch, p.groups = g.groups;
  p.channels = g.in_channels, p.rows = g.out_channels;
  std::copy_n(g.in, kConvAxes, p.from);
  std::copy_n(g.out, kConvAxes, p.to);
  std::copy_n(g.kernel, kConvAxes, p.kernel);
  std::copy_n(g.stride, kConvAxes, p.stride);
  std::copy_n(g.dilation, kConvAxes, p.dilation);
  std::copy_n(g.pad, kConvAxes, p.pad);
  p.w_channel = g.taps();
  p.w_row = g.in_channels * p.w_channel;
  p.w_group = g.out_channels * p.w_row;
  p.transposed = false;
  return p;
}

IntegerProduct IntegerTransposed(const ConvGeometry& g) {
  IntegerProduct p = IntegerForward(g);
  std::swap(p.channels, p.rows);
  std::swap(p.w_channel, p.w_row);
  std::swap_ranges(p.from, p.from + kConvAxes, p.to);
  p.transposed = true;
  return p;
}

template <class T>
int64_t IntegerTilesWorkspace(const IntegerProduct& p) {
  return p.groups * RowPanels<T>(p) * kTileRows<T> * p.depth() *
         static_cast<int64_t>(sizeof(T));
}

template <class T>
void IntegerTiles(const IntegerProduct& p, const T* w, const T* from, T* to,
                  const KernelContext& ctx) {
  int64_t pixels = p.to_pixels();
  if (p.batch * p.groups * p.rows * pixels == 0) return;
  WorkerPool* pool = ctx.step().pool;
  auto* panels = static_cast<Unsigned<T>*>(ctx.workspace());
  PackFilters(p, w, panels, pool);
  int64_t group_panels = RowPanels<T>(p) * kTileRows<T> * p.depth();
  int64_t blocks = (pixels + kColumns - 1) / kColumns;
  auto task = [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      int64_t plane = i / blocks, group = plane % p.groups;
      int64_t begin = i % blocks * kColumns;
      int64_t count = std::min(kColumns, pixels - begin);
      int64_t first = plane * p.rows * pixels;
      Columns<T>(p, panels + group * group_panels,
                 from + plane * p.channels * p.from_pixels(), to + first, begin,
                 count)
          .Run();
      ctx.FinishTile(first + begin, p.rows, pixels, count);
    }
  };
  ParallelFor(pool, p.batch * p.groups * blocks, 1, task);
}

#define SL_INSTANTIATE(T)                                                      \
  template int64_t IntegerTilesWorkspace<T>(const IntegerProduct&);            \
  template void IntegerTiles<T>(const IntegerProduct&, const T*, const T*, T*, \
                                const KernelContext&);
SL_INSTANTIATE(int8_t)
SL_INSTANTIATE(int16_t)
SL_INSTANTIATE(int32_t)
SL_INSTANTIATE(int64_t)
SL_INSTANTIATE(uint8_t)
#undef SL_INSTANTIATE

}  // namespace sluice
