// Parses and checks the equation of an einsum, "bij,bjk->bik". Labels become
// small numbers; "..." stands for additional axes, counted from the right, that
// broadcast. Plain values of a fixed size, without allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/tensor/shape.h"

namespace sluice {

inline constexpr int kMaxEinsumOperands = 32;
// 26 uppercase letters, 26 lowercase letters, then the axes of "...", rightmost
// first.
inline constexpr int kEinsumEllipsis = 52;
inline constexpr int kNumEinsumLabels = kEinsumEllipsis + kMaxRank;

// The labels of one operand or of the result, one per axis.
struct EinsumTerm {
  int rank = 0;
  int8_t label[kMaxRank];

  bool Has(int l) const {
    for (int i = 0; i < rank; ++i) {
      if (label[i] == l) return true;
    }
    return false;
  }
};

class EinsumEquation {
 public:
  // Parses `text` for operands of these ranks. An unknown rank (-1) is taken as
  // the number of letters of the operand, with "..." as no axes. The error text
  // can follow "[Einsum] ".
  static Result<EinsumEquation> Parse(std::string_view text, const int* ranks,
                                      int operands);

  int operands() const { return operands_; }
  const EinsumTerm& in(int i) const { return in_[i]; }
  const EinsumTerm& out() const { return out_; }
  // Whether the rank of the result is known although that of some operand is
  // not.
  bool rank_known() const { return rank_known_; }

 private:
  int operands_ = 0;
  bool rank_known_ = true;
  EinsumTerm in_[kMaxEinsumOperands];
  EinsumTerm out_;
};

}  // namespace sluice
