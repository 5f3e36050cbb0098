// Receiver: where what comes goes, piece by piece: to its place as it is, or
// through the combiner, in whole elements.
//
// Of one exchange, on its thread.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "sluice/collective/links.h"

namespace sluice::collective {

class Receiver {
 public:
  // `piece` is room for what is combined and comes by copies.
  Receiver(const Incoming& in, std::vector<char>& piece)
      : in_(in), piece_(piece), taken_(in.from < 0 ? in.bytes : 0) {}

  bool done() const { return taken_ == in_.bytes; }
  size_t left() const { return in_.bytes - taken_; }

  // ---- What is copied here by somebody else ----
  void* place() const {
    return in_.combine ? piece_.data() + held_
                       : static_cast<char*>(in_.into) + taken_;
  }
  size_t room() const {
    if (!in_.combine) return left();
    return std::min(left(), piece_.size()) - held_;
  }
  // So many bytes are at place().
  void Took(size_t n) {
    if (!in_.combine) {
      taken_ += n;
      return;
    }
    held_ += n;
    // Small pieces would pay more for the call than for the sum.
    if (room() > 0 && held_ < piece_.size() / 4) return;
    size_t whole = Combine(piece_.data(), held_);
    std::memmove(piece_.data(), piece_.data() + whole, held_ - whole);
    held_ -= whole;
  }

  // ---- What lies somewhere and can be looked at there ----
  // How much of it was used: whole elements.
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
  size_t taken_;     // bytes at their place
  size_t held_ = 0;  // bytes in the piece
};

}  // namespace sluice::collective
