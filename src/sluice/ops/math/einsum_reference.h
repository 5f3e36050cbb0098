// Einsum as one large loop over all labels, for tests. It has its own parser of
// the equation.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sluice/kernels/reference.h"

namespace sluice {

// The equation as strings of one character per axis; axes under "..." get the
// digits, counted from the right.
inline std::vector<RefArray> EinsumReference(const std::vector<RefArray>& in,
                                             const Attrs& attrs) {
  std::string text;
  for (char c : attrs.get<std::string>("equation")) {
    if (c != ' ') text += c;
  }
  size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  std::vector<std::string> terms(1);
  for (char c : left) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  size_t most = 0;
  auto expand = [&](std::string term, size_t axes) {
    size_t dots = term.find("...");
    if (dots == std::string::npos) return term;
    std::string digits;
    for (size_t k = axes; k > 0; --k) {
      digits += static_cast<char>('0' + static_cast<int>(k) - 1);
    }
    return term.replace(dots, 3, digits);
  };
  std::map<char, int64_t> size;
  std::map<char, int> times;
  for (size_t i = 0; i < in.size(); ++i) {
    bool dots = terms[i].find("...") != std::string::npos;
    auto rank = static_cast<size_t>(in[i].shape.rank());
    if (dots) most = std::max(most, rank - (terms[i].size() - 3));
    terms[i] = expand(terms[i], dots ? rank - (terms[i].size() - 3) : 0);
    for (size_t k = 0; k < rank; ++k) {
      int64_t d = in[i].shape.dim(static_cast<int>(k));
      auto [at, fresh] = size.try_emplace(terms[i][k], d);
      if (d != 1) at->second = d;
      ++times[terms[i][k]];
    }
  }
  std::string out;
  if (arrow != std::string::npos) {
    out = expand(text.substr(arrow + 2), most);
  } else {
    out = expand("...", most);
    for (auto& [label, n] : times) {
      if (n == 1 && !(label >= '0' && label <= '9')) out += label;
    }
  }
  // Every label is one axis of a large loop: the result's, then the others.
  std::string all = out;
  for (auto& [label, d] : size) {
    if (out.find(label) == std::string::npos) all += label;
  }
  Ints out_dims, inner_dims;
  for (size_t i = 0; i < all.size(); ++i) {
    (i < out.size() ? out_dims : inner_dims).push_back(size[all[i]]);
  }
  Shape inner = ref::MakeShape(inner_dims);
  return {ref::Build(ref::MakeShape(out_dims), [&](const Ints& index) {
    double sum = 0;
    ref::ForEach(inner, [&](const Ints& rest) {
      double product = 1;
      for (size_t i = 0; i < in.size(); ++i) {
        Ints at;
        for (size_t k = 0; k < terms[i].size(); ++k) {
          size_t axis = all.find(terms[i][k]);
          int64_t p = axis < out.size() ? index[axis] : rest[axis - out.size()];
          at.push_back(in[i].shape.dim(static_cast<int>(k)) == 1 ? 0 : p);
        }
        product *= ref::At(in[i], at);
      }
      sum += product;
    });
    return sum;
  })};
}

}  // namespace sluice
