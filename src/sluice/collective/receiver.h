// Receiver: stores received data piece by piece: directly at its destination,
// or through the combiner, in whole elements.
//
// Used for one exchange, on its thread.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "sluice/collective/links.h"

namespace sluice::collective {

class Receiver {
 public:
  // `piece` is a buffer for data that arrives by copying and is combined.
  Receiver(const Incoming& in, std::vector<char>& piece)
      : in_(in), piece_(piece), taken_(in.from < 0 ? in.bytes : 0) {}

  bool done() const { return taken_ == in_.bytes; }
  size_t left() const { return in_.bytes - taken_; }

  // ---- Data that another function copies to place() ----
  void* place() const {
    return in_.combine ? piece_.data() + held_
                       : static_cast<char*>(in_.into) + taken_;
  }
  size_t room() const {
    if (!in_.combine) return left();
    return std::min(left(), piece_.size()) - held_;
  }
  // `n` bytes have been copied to place().
  void Took(size_t n) {
    if (!in_.combine) {
      taken_ += n;
      return;
    }
    held_ += n;
    // For small pieces the call would cost more than the sum.
    if (room() > 0 && held_ < piece_.size() / 4) return;
    size_t whole = Combine(piece_.data(), held_);
    std::memmove(piece_.data(), piece_.data() + whole, held_ - whole);
    held_ -= whole;
  }

  // ---- Data that can be read in place ----
  // Returns how many bytes were used: whole elements.
  size_t Take(const char* data, size_t n) {
    n = std::min(n, left());
    if (in_.combine) return Combine(data, n);
    std::memcpy(static_cast<char*>(in_.into) + taken_, data, n);
    taken_ += n;
    return n;
  }

 private:
  size_t Combine(const char* data, size_t n) {
    size_t whole = n / in_.element * in_.element;
    in_.combine(static_cast<char*>(in_.into) + taken_, data,
                static_cast<const char*>(in_.own) + taken_,
                static_cast<int64_t>(whole / in_.element));
    taken_ += whole;
    return whole;
  }

  const Incoming& in_;
  std::vector<char>& piece_;
  size_t taken_;     // bytes at their destination
  size_t held_ = 0;  // bytes in the piece
};

}  // namespace sluice::collective
