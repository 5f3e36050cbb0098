#include "sluice/kernels/cpu/conv/few_lines.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/few_lines_parts.h"
#include "sluice/kernels/cpu/conv/few_rows.h"
#include "sluice/kernels/cpu/conv/finished.h"

namespace sluice {

namespace {

using conv::CeilDiv;
using conv::LineBlock;
using conv::LineKit;

// The start of part i if `count` items are divided into `parts` parts.
int64_t PartBegin(int64_t count, int64_t parts, int64_t i) {
  return i * count / parts;
}

// The smallest t >= 0 with t * step >= least.
int64_t StepsTo(int64_t least, int64_t step) {
  return least <= 0 ? 0 : CeilDiv(least, step);
}

template <class T>
void PackWeights(const Correlation& c, const LineParts<T>& parts, const T* w,
                 WorkerPool* pool) {
  int64_t rows = c.kernel[1], columns = c.kernel[2];
  int64_t grain = std::max<int64_t>(1, 4096 / parts.channel_weights);
  ParallelFor(
      pool, c.groups * c.rows * c.channels, grain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          int64_t channel = i % c.channels, row = i / c.channels;
          const T* from = w + row / c.rows * c.w_group +
                          row % c.rows * c.w_row + channel * c.w_channel;
          for (int64_t t2 = 0; t2 < columns; ++t2) {
            float* to = parts.weights +
                        row * c.channels * parts.channel_weights +
                        conv::WeightsAt(channel, c.channels, t2, columns, rows);
            for (int64_t t1 = 0; t1 < rows; ++t1) {
              int64_t tap = t1 * columns + t2;
              to[t1] = static_cast<float>(
                  from[c.flip ? rows * columns - 1 - tap : tap]);
            }
          }
        }
      });
}

// Masks of vectors whose first or last elements are dropped, as offsets into
// these tables.
struct Masks {
  static constexpr int kCount = conv::kMostLineCount;
  int32_t left[2 * kCount];   // nothing, then everything
  int32_t right[5 * kCount];  // everything up to 2 * kCount
  constexpr Masks() : left{}, right{} {
    for (int i = 0; i < kCount; ++i) left[kCount + i] = -1;
    for (int i = 0; i < 2 * kCount; ++i) right[i] = -1;
  }
};
constexpr Masks kMasks;
// A line outside the image, with space for the extent of a kernel.
constexpr int64_t kMostReach = 2 * conv::kMostLineCount;
constexpr float
    kNothing[LineKit::kMostVectors * conv::kMostLineCount + kMostReach] = {};

// The outputs of some columns of some lines of a group of an image.
template <class T>
struct Strip {
  const Correlation& c;
  const LineParts<T>& parts;
  const T* x;  // all of it
  const Finished<T>& finished;
  int64_t image_in_x, image;  // counted from the first image, from the round's
  int64_t group;
  int64_t begin, end;  // columns
  float* copies;       // [line % lines][channel][line_size]

  int64_t ready = -1;  // lines before are copied, from some block's first on

  void Run(int64_t first_block, int64_t last_block) {
    const LineKit& kit = parts.kit;
    LineBlock block;
    block.channels = c.channels;
    block.kernel_columns = c.kernel[2];
    block.dilation = c.dilation[2];
    block.to_line = c.out[2];
    int64_t vectors = CeilDiv(end - begin, kit.count);
    int64_t panels = CeilDiv(vectors, kit.most);
    for (int64_t b = first_block; b < last_block; ++b) {
      int64_t q = PartBegin(c.out[1], parts.blocks, b);
      int64_t count = PartBegin(c.out[1], parts.blocks, b + 1) - q;
      for (int64_t p = 0; p < panels; ++p) {
        int64_t v = PartBegin(vectors, panels, p);
        int64_t n = PartBegin(vectors, panels, p + 1) - v;
        int64_t column = begin + v * kit.count;
        block.columns = std::min(n * kit.count, end - column);
        n = std::max<int64_t>(n, kit.least);
        if (!Borrow(q, count, column, n, block)) {
          Copy(q, count, column, block);
        }
        for (int64_t r = 0; r < c.rows; ++r) {
          int64_t row = group * c.rows + r;
          block.weights =
              parts.weights + row * c.channels * parts.channel_weights;
          block.to = finished.At(image, row, q * c.out[2] + column);
          kit.For(count, n)(&block);
        }
      }
      Finish(q, count);
    }
  }

  // Lets a block of `vectors` vectors from `column` on read x directly. False
  // if that does not pay off, if more than the vectors at a line's ends would
  // be partly outside, or if memory outside x would be read.
  bool Borrow(int64_t q, int64_t count, int64_t column, int64_t vectors,
              LineBlock& block) const {
    if constexpr (std::is_same_v<T, float>) {
      if (!parts.borrows) return false;
      int64_t wide = parts.kit.count, step = c.dilation[2];
      int64_t left = c.pad[2], right = c.out[2] + parts.reach - left - c.in[2];
      if (left > wide || right > wide || parts.reach > kMostReach) return false;
      int64_t last_column = column + block.columns - 1;
      block.inside = std::min(StepsTo(left - column, step), c.kernel[2]);
      block.outside =
          std::min(StepsTo(c.in[2] + left - last_column, step), c.kernel[2]);
      if (block.outside < block.inside) return false;
      // The lines inside of the image.
      int64_t first = std::max(q - c.pad[1], int64_t{0});
      int64_t last =
          std::min(q + count - 1 + c.kernel[1] - 1 - c.pad[1], c.in[1] - 1);
      int64_t all = c.groups * c.channels;
      int64_t channel = image_in_x * all + group * c.channels;
      int64_t from = channel * c.in_pixels() + column - left;
      int64_t behind = from + (c.channels - 1) * c.in_pixels() + parts.reach +
                       vectors * wide;
      if (from + first * c.in[2] < 0 ||
          behind + last * c.in[2] > c.batch * all * c.in_pixels()) {
        return false;
      }
      for (int64_t i = 0; i < count + c.kernel[1] - 1; ++i) {
        int64_t u = q + i - c.pad[1];
        bool inside = u >= 0 && u < c.in[1];
        block.lines[i] = inside ? x + from + u * c.in[2] : kNothing;
        block.channel_step[i] = inside ? c.in_pixels() : 0;
      }
      block.left =
          kMasks.left + Masks::kCount - std::max(left - column, int64_t{0});
      // Elements of the last vector before the image's end, at `outside`.
      int64_t kept = c.in[2] + left - block.outside * step -
                     (column + (vectors - 1) * wide);
      block.right = kMasks.right + 2 * Masks::kCount - std::min(kept, wide);
      return true;
    }
    return false;
  }

  // Line i meets output line i at the kernel's first row.
  float* Line(int64_t i) const {
    return copies + i % parts.lines * c.channels * parts.line_size;
  }
  // Lets a block read copies of its lines, with zeros outside x.
  void Copy(int64_t q, int64_t count, int64_t column, LineBlock& block) {
    int64_t needed = q + count + c.kernel[1] - 1;
    if (ready < 0) {  // what is left and right of the image stays zero
      std::fill_n(copies, parts.lines * c.channels * parts.line_size, 0.0f);
    }
    if (ready < needed) CopyLines(std::max(ready, q), needed);
    ready = needed;
    for (int64_t i = 0; i < count + c.kernel[1] - 1; ++i) {
      block.lines[i] = Line(q + i) + column - begin;
      block.channel_step[i] = parts.line_size;
    }
    block.inside = 0;
    block.outside = c.kernel[2];
    block.left = block.right = nullptr;
  }
  void CopyLines(int64_t first_line, int64_t last_line) const {
    int64_t first = begin - c.pad[2];
    int64_t size = end - begin + parts.reach;
    int64_t from = std::clamp<int64_t>(-first, 0, size);
    int64_t n = std::clamp<int64_t>(c.in[2] - first, from, size) - from;
    int64_t all = c.groups * c.channels;
    const T* channels =
        x + (image_in_x * all + group * c.channels) * c.in_pixels();
    for (int64_t i = first_line; i < last_line; ++i) {
      int64_t u = i - c.pad[1];
      float* to = Line(i) + from;
      const T* line = channels + u * c.in[2] + first + from;
      for (int64_t k = 0; k < c.channels; ++k) {
        if (u < 0 || u >= c.in[1]) {
          std::fill(to, to + n, 0.0f);
        } else {
          SL_VECTORIZE
          for (int64_t j = 0; j < n; ++j) to[j] = static_cast<float>(line[j]);
        }
        to += parts.line_size;
        line += c.in_pixels();
      }
    }
  }

  void Finish(int64_t q, int64_t count) const {
    int64_t pixel = q * c.out[2] + begin, row = group * c.rows;
    if (end - begin == c.out[2]) {
      finished.Rows(image, row, c.rows, pixel, count * c.out[2]);
      return;
    }
    for (int64_t i = 0; i < count; ++i, pixel += c.out[2]) {
      finished.Rows(image, row, c.rows, pixel, end - begin);
    }
  }
};

}  // namespace

template <class T>
bool FewLinesFits(const Correlation& c) {
  if (c.rows > kFewRows) return false;
  if (c.in[0] != 1 || c.out[0] != 1 || c.kernel[0] != 1) return false;
  if (c.stride[1] != 1 || c.stride[2] != 1 || c.dilation[1] != 1) return false;
  if (c.kernel[1] < conv::kLeastKernelRows) return false;
  if (c.kernel[1] > conv::kMostKernelRows) return false;
  if (c.batch * c.groups * c.channels * c.taps() == 0) return false;
  return c.out[1] >= conv::kLeastBlockLines && LineParts<T>(c, nullptr).fits;
}

template <class T>
int64_t FewLinesWorkspace(const Correlation& c) {
  return LineParts<T>(c, nullptr).bytes;
}

template <class T>
void FewLines(const Correlation& c, const T* w, const T* x, T* y,
              const KernelContext& ctx) {
  WorkerPool* pool = ctx.step().pool;
  LineParts<T> parts(c, ctx.workspace());
  PackWeights(c, parts, w, pool);
  int64_t work = c.rows * c.out_pixels() * c.depth() / parts.line_parts;
  int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(work, 1));
  for (int64_t round = 0; round < c.batch; round += parts.images) {
    int64_t images = std::min(parts.images, c.batch - round);
    Finished<T> finished(ctx, y, parts.sums, round, c.groups * c.rows,
                         c.out_pixels());
    int64_t tasks = images * c.groups * parts.line_parts;
    ParallelFor(pool, tasks, grain, [&](int64_t b, int64_t e) {
      alignas(64) float copies[kLineCopies];
      for (int64_t i = b; i < e; ++i) {
        int64_t part = i % parts.line_parts, at = i / parts.line_parts;
        int64_t image = at / c.groups, group = at % c.groups;
        for (int64_t p = 0; p < parts.column_parts; ++p) {
          Strip<T>{c,
                   parts,
                   x,
                   finished,
                   round + image,
                   image,
                   group,
                   PartBegin(c.out[2], parts.column_parts, p),
                   PartBegin(c.out[2], parts.column_parts, p + 1),
                   copies}
              .Run(PartBegin(parts.blocks, parts.line_parts, part),
                   PartBegin(parts.blocks, parts.line_parts, part + 1));
        }
      }
    });
  }
}

#define SL_INSTANTIATE(T)                                               \
  template bool FewLinesFits<T>(const Correlation&);                    \
  template int64_t FewLinesWorkspace<T>(const Correlation&);            \
  template void FewLines<T>(const Correlation&, const T*, const T*, T*, \
                            const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

// Doubles are summed as few_rows.h does.
template <>
bool FewLinesFits<double>(const Correlation&) {
  return false;
}
template <>
int64_t FewLinesWorkspace<double>(const Correlation&) {
  return 0;
}
template <>
void FewLines<double>(const Correlation&, const double*, const double*, double*,
                      const KernelContext&) {}

}  // namespace sluice
