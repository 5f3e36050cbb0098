// The algorithms of collectives, on links. The ranks form a ring. The order of
// summation depends only on the ring and the size, and every sum is computed by
// one rank, so all ranks have the same bits in every run.
//
// Bytes on the wire per rank, for a message of B bytes on n ranks: all_reduce 2
// B (n-1)/n; all_gather, reduce_scatter and all_to_all B (n-1)/n; broadcast B.
//
// Called by one thread of a rank at a time. Errors are those of the links.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

// How elements are reduced.
struct Reduction {
  ReduceOp op = ReduceOp::kSum;
  DType dtype = DType::kF32;
  CombineFn combine = nullptr;
  size_t element = 4;
};

class Ring {
 public:
  Ring(Links& links, int64_t deadline)
      : links_(links),
        deadline_(deadline),
        rank_(links.rank()),
        size_(links.size()) {}

  // Replaces every rank's x by the reduction of all ranks' x.
  Status AllReduce(void* x, int64_t elements, const Reduction& r);
  // `x` has one part of `elements` per rank; `out` receives the reduction of
  // this rank's part.
  Status ReduceScatter(const void* x, void* out, int64_t elements,
                       const Reduction& r);
  // `out` holds `bytes` for each rank's `x`, in order.
  Status AllGather(const void* x, void* out, size_t bytes);
  Status Broadcast(void* x, size_t bytes, int root);
  // Part j of `x` is sent to rank j; part j of `out` is received from it.
  Status AllToAll(const void* x, void* out, size_t bytes);
  Status Barrier();
  int size() const { return size_; }
  int64_t deadline() const { return deadline_; }
  // Sends `mine` to the next rank and receives that of the previous one.
  Status PassOn(const void* mine, void* theirs, size_t bytes);

 private:
  int Wrapped(int rank) const { return ((rank % size_) + size_) % size_; }
  int next() const { return Wrapped(rank_ + 1); }
  int before() const { return Wrapped(rank_ - 1); }
  Status AllReduceSmall(char* x, int64_t elements, const Reduction& r);
  Status GatherParts(char* x, const int64_t* begins, size_t element);

  Links& links_;
  const int64_t deadline_;
  const int rank_, size_;
};

}  // namespace sluice::collective
