// The gradient of an einsum: for each operand an einsum of what flows in and
// the other operands, with the operand's labels as the result's.
#pragma once

#include <algorithm>
#include <string>

#include "sluice/kernels/cpu/einsum/equation.h"
#include "sluice/op/grad_context.h"

namespace sluice {

namespace einsum_internal {

// 26 capitals, 26 small letters; '.' for every axis of "...".
inline std::string LettersOf(const EinsumTerm& term) {
  std::string letters;
  for (int k = 0; k < term.rank; ++k) {
    int l = term.label[k];
    letters += l >= kEinsumEllipsis ? '.'
               : l < 26             ? static_cast<char>('A' + l)
                                    : static_cast<char>('a' + (l - 26));
  }
  return letters;
}

// In the syntax of an equation: "..." for any number of dots.
inline std::string Written(const std::string& letters) {
  std::string text;
  for (char c : letters) {
    if (c != '.') {
      text += c;
    } else if (text.empty() || text.back() != '.') {
      text += "...";
    }
  }
  return text;
}

inline char FreeLetter(const std::string& used) {
  for (char c : {'A', 'a'}) {
    for (int i = 0; i < 26; ++i, ++c) {
      if (used.find(c) == std::string::npos) return c;
    }
  }
  return 0;
}

// x has the operand's axes under "...", but broadcast, followed by `letters`.
// Sums it over the broadcast axes.
inline GradVar SumDots(GradContext& g, GradVar x, GradVar operand,
                       const std::string& own, const std::string& letters) {
  std::vector<int64_t> axes;
  for (size_t k = 0; k < own.size(); ++k) {
    if (own[k] == '.') axes.push_back(static_cast<int64_t>(k));
  }
  for (char c : letters) axes.push_back(static_cast<int64_t>(own.find(c)));
  PartialShape shape = operand.shape();
  std::vector<int64_t> dims;
  for (int64_t a : axes) dims.push_back(shape[static_cast<int>(a)]);
  bool known =
      std::none_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; });
  GradVar to =
      known ? g.ints(dims)
            : g.call("Gather", {g.call("Shape", {operand}), g.ints(axes)});
  return g.call("SumTo", {x, to});
}

inline GradVar OperandGrad(GradContext& g, const EinsumEquation& eq, int i) {
  const std::string result = LettersOf(eq.out());
  std::string left = Written(result), used = result;
  std::vector<GradVar> operands = {g.dy()};
  for (int j = 0; j < eq.operands(); ++j) {
    used += LettersOf(eq.in(j));
    if (j == i) continue;
    left += "," + Written(LettersOf(eq.in(j)));
    operands.push_back(g.in(j));
  }
  // A label that occurs twice selects a diagonal: the second gets a separate
  // letter, and an identity matrix connects the two.
  GradVar x = g.in(i);
  std::string own;
  for (char c : LettersOf(eq.in(i))) {
    if (c != '.' && own.find(c) != std::string::npos) {
      int64_t size = x.shape()[static_cast<int>(own.size())];
      char fresh = FreeLetter(used);
      if (size < 0 || fresh == 0) {
        g.fail("the gradient needs to know the size of a diagonal");
        return {};
      }
      used += fresh;
      left += std::string(",") + c + fresh;
      operands.push_back(
          g.call("Eye", {}, {{"rows", size}, {"dtype", x.dtype()}}));
      c = fresh;
    }
    own += c;
  }
  // Labels of this operand alone were summed over: what flows in is repeated
  // along them, at the end.
  std::string have, inner;
  for (char c : own) {
    bool there = c == '.' || left.find(c) != std::string::npos;
    if (there) inner += c;
    if (there && c != '.') have += c;
  }
  const bool dots = result.find('.') != std::string::npos;
  Attrs attrs = {{"equation", left + "->" + (dots ? "..." : "") + have}};
  GradVars made = g.call_all("Einsum", operands, attrs);
  if (made.empty()) return {};
  GradVar dx = made[0];
  if (dots) {
    dx = SumDots(g, dx, x, own, have);
    std::string from = (own.find('.') == std::string::npos ? "" : "...") + have;
    if (from != Written(inner)) {
      dx = g.call("Einsum", {dx}, {{"equation", from + "->" + Written(inner)}});
    }
  }
  if (inner.size() == own.size()) return dx;
  for (size_t k = 0; k < own.size(); ++k) {
    if (inner.find(own[k]) == std::string::npos) {
      dx = g.call("ExpandDims", {dx}, {{"axis", static_cast<int64_t>(k)}});
    }
  }
  return g.broadcast_as(dx, x);
}

}  // namespace einsum_internal

inline void EinsumGrad(GradContext& g) {
  int ranks[kMaxEinsumOperands] = {};
  for (int i = 0; i < g.num_inputs(); ++i) {
    ranks[i] = g.in(i).rank();
    if (ranks[i] < 0) {
      return g.fail("the gradient needs to know how many axes operands have");
    }
  }
  Result<EinsumEquation> eq = EinsumEquation::Parse(
      g.attr<std::string>("equation"), ranks, g.num_inputs());
  if (!eq.ok()) return g.fail(eq.status().message());
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set_dx(i, einsum_internal::OperandGrad(g, *eq, i));
  }
}

}  // namespace sluice
