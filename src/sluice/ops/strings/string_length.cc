#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  if (ctx.attr<std::string>("unit") == "bytes") {
    return string_op::Map<int64_t>(ctx, [](const std::string& s) {
      return static_cast<int64_t>(s.size());
    });
  }
  // Every byte of UTF-8 except continuation bytes begins a character.
  return string_op::Map<int64_t>(ctx, [](const std::string& s) {
    int64_t count = 0;
    for (char c : s) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return count;
  });
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = string_op::Samples();
  samples.push_back({.in = {{5}}, .attrs = {{"unit", "chars"}}});
  return samples;
}

}  // namespace

SL_OP(StringLength)
    .doc("How long strings are.")
    .input("x: string")
    .output("y: i64")
    .attr("unit", "bytes", "What to count; chars are those of UTF-8.")
    .one_of({"bytes", "chars"})
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(string_op::MapReference([](const std::string& s, const Attrs&) {
      return static_cast<double>(s.size());
    }))
    .samples(Samples());

}  // namespace sluice
