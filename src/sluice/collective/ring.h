// The algorithms of collectives, on links. Ranks stand in a ring; sums are made
// in an order that the ring and the size alone decide, and every sum is made by
// one rank: all ranks have the same bits, in every run.
//
// Bytes on the wire per rank, of a message of B on n ranks: all_reduce
// 2 B (n-1)/n, all_gather, reduce_scatter and all_to_all B (n-1)/n, broadcast
// B.
//
// Called by one thread of a rank at a time. Errors are those of the links.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

// What one reduction does to the elements.
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

  // x of all ranks becomes x of every rank.
  Status AllReduce(void* x, int64_t elements, const Reduction& r);
  // `x` has as many parts of `elements` as there are ranks; `out` is this
  // rank's, of all ranks.
  Status ReduceScatter(const void* x, void* out, int64_t elements,
                       const Reduction& r);
  // `out` has a part of `bytes` for every rank's `x`, in order.
  Status AllGather(const void* x, void* out, size_t bytes);
  Status Broadcast(void* x, size_t bytes, int root);
  // Part j of `x` goes to rank j; part j of `out` came from it.
  Status AllToAll(const void* x, void* out, size_t bytes);
  Status Barrier();
  int size() const { return size_; }
  int64_t deadline() const { return deadline_; }
  // Sends `mine` on and receives that of the rank before.
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
