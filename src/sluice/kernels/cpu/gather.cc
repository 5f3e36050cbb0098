#include "sluice/kernels/cpu/gather.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "sluice/kernels/cpu/ask_for_row.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

constexpr int64_t kTaskBytes = 16 << 10, kLargeTaskBytes = 256 << 10;
constexpr int64_t kAhead = 16;  // rows in flight at once

// Rows [begin, end) of one outer slice. Returns `end`, or the first position
// whose index is not in [0, size); rows after it are not read. Indices are
// checked when their rows are prefetched: they come from memory themselves, and
// a separate pass would wait for that without other loads in flight.
template <class I, int64_t kBytes>
int64_t Rows(const RowPick& pick, const char* from, const I* index,
             int64_t begin, int64_t end, char* to) {
  const int64_t bytes = kBytes > 0 ? kBytes : pick.row_bytes;
  if constexpr (kBytes > 0 && kBytes <= 16) {
    if (!pick.checked) {
      end = begin + FirstOutside(DTypeOf<I>::value, index + begin, end - begin,
                                 pick.size);
    }
    // Elements: the loads do not wait for each other, the core looks ahead.
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(to + i * kBytes, from + int64_t{index[i]} * kBytes, kBytes);
    }
    return end;
  }
  // Callers that have checked the indices need not give the size.
  const uint64_t size = pick.checked ? std::numeric_limits<uint64_t>::max()
                                     : static_cast<uint64_t>(pick.size);
  // Sets the end where an index is wrong.
  auto ask = [&](int64_t i) {
    if (static_cast<uint64_t>(int64_t{index[i]}) >= size) {
      end = i;
      return;
    }
    AskForRow(from + int64_t{index[i]} * bytes, bytes);
  };
  for (int64_t i = begin; i < std::min(begin + kAhead, end); ++i) ask(i);
  for (int64_t i = begin; i < end; ++i) {
    if (i + kAhead < end) ask(i + kAhead);
    CopyBytes(to + i * bytes, from + int64_t{index[i]} * bytes, bytes);
  }
  return end;
}

template <class I>
int64_t Gather(const RowPick& pick, const char* from, const I* index, char* to,
               WorkerPool* pool) {
  auto rows = &Rows<I, 0>;
  switch (pick.row_bytes) {
    case 1:
      rows = &Rows<I, 1>;
      break;
    case 2:
      rows = &Rows<I, 2>;
      break;
    case 4:
      rows = &Rows<I, 4>;
      break;
    case 8:
      rows = &Rows<I, 8>;
      break;
    case 16:
      rows = &Rows<I, 16>;
      break;
    case 128:
      rows = &Rows<I, 128>;
      break;
    case 256:
      rows = &Rows<I, 256>;
      break;
    case 512:
      rows = &Rows<I, 512>;
      break;
    default:
      break;
  }
  // One task per thread if that is not too large: every task starts by waiting
  // for its first rows.
  int64_t share = pick.outer * pick.count / (pool ? pool->parallelism() : 1);
  int64_t grain =
      std::max<int64_t>(1, std::clamp(share + 1, kTaskBytes / pick.row_bytes,
                                      kLargeTaskBytes / pick.row_bytes));
  std::atomic<int64_t> first_bad{pick.count};
  ParallelFor(pool, pick.outer * pick.count, grain,
              [&](int64_t begin, int64_t end) {
                while (begin < end) {
                  int64_t o = begin / pick.count;
                  int64_t first = begin - o * pick.count;
                  int64_t last = std::min(pick.count, first + end - begin);
                  int64_t good =
                      rows(pick, from + o * pick.size * pick.row_bytes, index,
                           first, last, to + o * pick.count * pick.row_bytes);
                  if (good < last) {
                    int64_t seen = first_bad.load();
                    while (good < seen &&
                           !first_bad.compare_exchange_weak(seen, good)) {
                    }
                    return;
                  }
                  begin += last - first;
                }
              });
  return first_bad.load();
}

}  // namespace

int64_t GatherRows(const RowPick& pick, const void* from, DType index_dtype,
                   const void* index, void* to, WorkerPool* pool) {
  if (pick.outer == 0 || pick.count == 0 || pick.row_bytes == 0) {
    return pick.checked
               ? pick.count
               : FirstOutside(index_dtype, index, pick.count, pick.size);
  }
  int64_t good = 0;
  DispatchIndex(index_dtype, [&]<class I>() {
    good = Gather(pick, static_cast<const char*>(from),
                  static_cast<const I*>(index), static_cast<char*>(to), pool);
  });
  return good;
}

}  // namespace sluice
