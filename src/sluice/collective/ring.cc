#include "sluice/collective/ring.h"

#include <algorithm>
#include <cstring>

namespace sluice::collective {

namespace {

// Below this size every rank receives everything and sums it: half the rounds.
constexpr size_t kSmall = 4096;
// Bytes a broadcast forwards at a time.
constexpr size_t kChunk = 1 << 20;

}  // namespace

Status Ring::PassOn(const void* mine, void* theirs, size_t bytes) {
  if (size_ == 1) return OkStatus();
  return links_.Exchange({next(), mine, bytes}, {before(), theirs, bytes},
                         deadline_);
}

Status Ring::AllReduceSmall(char* x, int64_t elements, const Reduction& r) {
  const size_t bytes = static_cast<size_t>(elements) * r.element;
  std::vector<char> all(bytes * static_cast<size_t>(size_));
  SL_RETURN_IF_ERROR(AllGather(x, all.data(), bytes));
  // In rank order, so that the sum is the same on all ranks.
  std::memcpy(x, all.data(), bytes);
  for (int i = 1; i < size_; ++i) {
    r.combine(x, x, all.data() + static_cast<size_t>(i) * bytes, elements);
  }
  if (r.op == ReduceOp::kAvg) DivideBy(size_, r.dtype, x, elements);
  return OkStatus();
}

Status Ring::AllReduce(void* data, int64_t elements, const Reduction& r) {
  if (size_ == 1 || elements == 0) return OkStatus();
  auto* x = static_cast<char*>(data);
  if (static_cast<size_t>(elements) * r.element <= kSmall) {
    return AllReduceSmall(x, elements, r);
  }
  // Part i is [begins[i], begins[i + 1]).
  std::vector<int64_t> begins;
  for (int i = 0; i <= size_; ++i) {
    begins.push_back(elements / size_ * i +
                     std::min<int64_t>(i, elements % size_));
  }
  auto at = [&](int part) {
    return x +
           static_cast<size_t>(begins[static_cast<size_t>(part)]) * r.element;
  };
  auto bytes = [&](int part) {
    auto i = static_cast<size_t>(part);
    return static_cast<size_t>(begins[i + 1] - begins[i]) * r.element;
  };
  for (int k = 0; k + 1 < size_; ++k) {
    int out = Wrapped(rank_ - 1 - k), in = Wrapped(rank_ - 2 - k);
    SL_RETURN_IF_ERROR(links_.Exchange(
        {next(), at(out), bytes(out)},
        {before(), at(in), bytes(in), r.combine, at(in), r.element},
        deadline_));
  }
  if (r.op == ReduceOp::kAvg) {
    DivideBy(size_, r.dtype, at(rank_),
             static_cast<int64_t>(bytes(rank_) / r.element));
  }
  return GatherParts(x, begins.data(), r.element);
}

Status Ring::GatherParts(char* x, const int64_t* begins, size_t element) {
  auto at = [&](int part) {
    return x + static_cast<size_t>(begins[part]) * element;
  };
  auto bytes = [&](int part) {
    return static_cast<size_t>(begins[part + 1] - begins[part]) * element;
  };
  for (int k = 0; k + 1 < size_; ++k) {
    int out = Wrapped(rank_ - k), in = Wrapped(rank_ - k - 1);
    SL_RETURN_IF_ERROR(links_.Exchange({next(), at(out), bytes(out)},
                                       {before(), at(in), bytes(in)},
                                       deadline_));
  }
  return OkStatus();
}

Status Ring::ReduceScatter(const void* data, void* out, int64_t elements,
                           const Reduction& r) {
  const auto* x = static_cast<const char*>(data);
  const size_t bytes = static_cast<size_t>(elements) * r.element;
  auto at = [&](int part) { return x + static_cast<size_t>(part) * bytes; };
  if (size_ == 1) {
    if (bytes > 0) std::memcpy(out, x, bytes);
    return OkStatus();
  }
  // Two buffers: one sum is sent while the next is computed.
  std::vector<char> scratch[2];
  if (size_ > 2) {
    for (auto& s : scratch) s.resize(bytes);
  }
  const char* sends = at(Wrapped(rank_ - 1));
  for (int k = 0; k + 1 < size_; ++k) {
    bool last = k + 2 == size_;
    char* into = last ? static_cast<char*>(out) : scratch[k % 2].data();
    SL_RETURN_IF_ERROR(links_.Exchange({next(), sends, bytes},
                                       {before(), into, bytes, r.combine,
                                        at(Wrapped(rank_ - 2 - k)), r.element},
                                       deadline_));
    sends = into;
  }
  if (r.op == ReduceOp::kAvg) DivideBy(size_, r.dtype, out, elements);
  return OkStatus();
}

Status Ring::AllGather(const void* x, void* data, size_t bytes) {
  auto* out = static_cast<char*>(data);
  if (bytes == 0) return OkStatus();
  std::memmove(out + static_cast<size_t>(rank_) * bytes, x, bytes);
  if (size_ == 1) return OkStatus();
  std::vector<int64_t> begins;
  for (int i = 0; i <= size_; ++i) begins.push_back(i);
  return GatherParts(out, begins.data(), bytes);
}

Status Ring::Broadcast(void* data, size_t bytes, int root) {
  if (size_ == 1) return OkStatus();
  auto* x = static_cast<char*>(data);
  // A chain from the root: a rank receives a chunk while it forwards the
  // previous one.
  const bool first = rank_ == root, last = next() == root;
  const size_t chunks = (bytes + kChunk - 1) / kChunk;
  auto length = [&](size_t i) { return std::min(kChunk, bytes - i * kChunk); };
  for (size_t i = 0; i <= chunks; ++i) {
    Outgoing out;
    Incoming in;
    if (first && i < chunks) out = {next(), x + i * kChunk, length(i)};
    if (!first && i < chunks) in = {before(), x + i * kChunk, length(i)};
    if (!first && !last && i > 0) {
      out = {next(), x + (i - 1) * kChunk, length(i - 1)};
    }
    if (out.to < 0 && in.from < 0) continue;
    SL_RETURN_IF_ERROR(links_.Exchange(out, in, deadline_));
  }
  return OkStatus();
}

Status Ring::AllToAll(const void* data, void* into, size_t bytes) {
  const auto* x = static_cast<const char*>(data);
  auto* out = static_cast<char*>(into);
  auto at = [&](int part) { return static_cast<size_t>(part) * bytes; };
  if (bytes == 0) return OkStatus();
  std::memcpy(out + at(rank_), x + at(rank_), bytes);
  for (int k = 1; k < size_; ++k) {
    int to = Wrapped(rank_ + k), from = Wrapped(rank_ - k);
    SL_RETURN_IF_ERROR(links_.Exchange(
        {to, x + at(to), bytes}, {from, out + at(from), bytes}, deadline_));
  }
  return OkStatus();
}

Status Ring::Barrier() {
  // After round k a rank has heard, directly or indirectly, from 2^(k+1) ranks.
  for (int far = 1; far < size_; far *= 2) {
    char mine = 1, theirs = 0;
    SL_RETURN_IF_ERROR(links_.Exchange({Wrapped(rank_ + far), &mine, 1},
                                       {Wrapped(rank_ - far), &theirs, 1},
                                       deadline_));
  }
  return OkStatus();
}

}  // namespace sluice::collective
