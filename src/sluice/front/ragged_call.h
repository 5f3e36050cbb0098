// How functions of Ragged call ops: one call of the user's, whose line every op
// gets.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/eager/call.h"
#include "sluice/front/ragged.h"

namespace sluice::front_internal {

struct RaggedCall {
  std::source_location where;

  Tensor operator()(std::string_view op, std::vector<Operand> in,
                    const Attrs& attrs = {}) const {
    return CallOne(op, in, attrs, "", where);
  }
  std::vector<Tensor> all(std::string_view op, std::vector<Operand> in,
                          const Attrs& attrs = {}) const {
    return CallMany(op, in, attrs, "", where);
  }
  [[noreturn]] void Throw(std::string_view message) const;

  // 0, 1, ... below a scalar of i64.
  Tensor CountTo(const Tensor& n) const { return (*this)("Range", {0, n, 1}); }

  // The splits of r when it has one level; else throws, naming the function.
  const Tensor& OneLevel(std::string_view function, const Ragged& r) const;

  // values, which in a graph nobody sees before the checks that `splits` are
  // made by have passed, even if he never asks for splits.
  Tensor After(const Tensor& values, const std::vector<Tensor>& splits) const;

  // Splits that several hold: the same, or checked to be equal, which
  // `checked` tells.
  std::vector<Tensor> SameSplits(std::string_view function, const Ragged& a,
                                 const Ragged& b,
                                 bool* checked = nullptr) const;

  // Axes of size 1 behind those of x until there are `rank`.
  Tensor WithRank(Tensor x, int rank) const;
  // The number of axes; throws when it is unknown.
  int RankOf(std::string_view function, const Tensor& x) const;
};

}  // namespace sluice::front_internal
