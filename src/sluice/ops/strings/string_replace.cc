#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.attr<std::string>("pattern").empty()) {
    return c.Error("pattern is \"\"; wanted at least one byte");
  }
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const std::string& pattern = ctx.attr<std::string>("pattern");
  const std::string& with = ctx.attr<std::string>("with");
  return string_op::Map<std::string>(ctx, [&](const std::string& s) {
    std::string out;
    size_t begin = 0;
    for (size_t at; (at = s.find(pattern, begin)) != std::string::npos;) {
      out.append(s, begin, at - begin).append(with);
      begin = at + pattern.size();
    }
    return out.append(s, begin);
  });
}

double Reference(const std::string& s, const Attrs& attrs) {
  const std::string& pattern = attrs.get<std::string>("pattern");
  std::string out;
  for (size_t i = 0; i < s.size();) {
    if (s.substr(i, pattern.size()) == pattern) {
      out += attrs.get<std::string>("with");
      i += pattern.size();
    } else {
      out += s[i++];
    }
  }
  return string_op::Spelled(out);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples =
      string_op::Samples({{"pattern", "1"}, {"with", "77"}});
  samples.push_back({.in = {Array::Vector<std::string>({"1111", "9", "911"})},
                     .attrs = {{"pattern", "11"}, {"with", ""}}});
  return samples;
}

}  // namespace

SL_OP(StringReplace)
    .doc(
        "Strings with every occurrence of a pattern, from the left, replaced. "
        "The pattern is plain text.")
    .input("x: string")
    .output("y: string")
    .attr("pattern", AttrKind::kString, "What to replace; not empty.")
    .attr("with", "", "What to put in its place.")
    .shape(Infer)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(string_op::MapReference(Reference))
    .samples(Samples())
    .rejects({{.in = {Array::Vector<std::string>({"a"})},
               .attrs = {{"pattern", ""}},
               .message = "[StringReplace] pattern is \"\"; wanted at least "
                          "one byte"}});

}  // namespace sluice
