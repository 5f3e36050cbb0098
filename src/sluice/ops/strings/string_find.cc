#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const std::string& pattern = ctx.attr<std::string>("pattern");
  return string_op::Map<int64_t>(ctx, [&](const std::string& s) {
    size_t at = s.find(pattern);
    return at == std::string::npos ? int64_t{-1} : static_cast<int64_t>(at);
  });
}

double Reference(const std::string& s, const Attrs& attrs) {
  const std::string& pattern = attrs.get<std::string>("pattern");
  for (size_t i = 0; i + pattern.size() <= s.size(); ++i) {
    if (s.compare(i, pattern.size(), pattern) == 0) {
      return static_cast<double>(i);
    }
  }
  return -1;
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = string_op::Samples({{"pattern", "3"}});
  samples.push_back({.in = {{3}}, .attrs = {{"pattern", ""}}});
  samples.push_back({.in = {{3}}, .attrs = {{"pattern", "1234567890"}}});
  return samples;
}

}  // namespace

SL_OP(StringFind)
    .doc(
        "The byte where a pattern first occurs in strings, -1 where it does "
        "not. The pattern is plain text.")
    .input("x: string")
    .output("y: i64")
    .attr("pattern", AttrKind::kString, "What to look for.")
    .shape(shapes::same_as_first)
    .cpu(Launch)
    .reference(string_op::MapReference(Reference))
    .samples(Samples());

}  // namespace sluice
