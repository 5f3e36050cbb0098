#include <algorithm>

#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  int64_t start = ctx.attr<int64_t>("start");
  int64_t length = ctx.attr<int64_t>("length");
  return string_op::Map<std::string>(ctx, [=](const std::string& s) {
    auto size = static_cast<int64_t>(s.size());
    // Clamped first: start + length must not overflow.
    int64_t from = start < 0
                       ? std::max<int64_t>(0, size + std::max(start, -size))
                       : std::min(start, size);
    int64_t count = length < 0 ? size - from : std::min(length, size - from);
    return s.substr(static_cast<size_t>(from), static_cast<size_t>(count));
  });
}

double Reference(const std::string& s, const Attrs& attrs) {
  std::string out;
  auto size = static_cast<double>(s.size());
  auto start = static_cast<double>(attrs.get<int64_t>("start"));
  auto length = static_cast<double>(attrs.get<int64_t>("length"));
  if (start < 0) start = std::max(0.0, size + start);
  for (size_t i = 0; i < s.size(); ++i) {
    auto at = static_cast<double>(i);
    if (at >= start && (length < 0 || at < start + length)) out += s[i];
  }
  return string_op::Spelled(out);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (int64_t start : {int64_t{0}, int64_t{1}, int64_t{-2}, int64_t{9},
                        int64_t{-9}, INT64_MAX, INT64_MIN}) {
    for (int64_t length : {int64_t{-1}, int64_t{0}, int64_t{2}, INT64_MAX}) {
      samples.push_back({.in = {{4}},
                         .attrs = {{"start", start}, {"length", length}},
                         .lo = 1,
                         .hi = 99999});
    }
  }
  samples.push_back({.in = {{0}}, .attrs = {{"start", 1}}});
  return samples;
}

}  // namespace

SL_OP(Substr)
    .doc("Parts of strings, counted in bytes. What lies outside is left out.")
    .input("x: string")
    .output("y: string")
    .attr("start", AttrKind::kInt,
          "Where to begin; negative: counted from the end.")
    .attr("length", -1, "How many bytes; -1: all that follow.")
    .between(-1, INT64_MAX)
    .shape(shapes::same_as_first)
    .cpu(Launch)
    .reference(string_op::MapReference(Reference))
    .samples(Samples());

}  // namespace sluice
