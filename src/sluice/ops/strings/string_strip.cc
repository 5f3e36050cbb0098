#include "sluice/kernels/text_number.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  return string_op::Map<std::string>(
      ctx, [](const std::string& s) { return std::string(StripSpaces(s)); });
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = string_op::Samples();
  samples.push_back(
      {.in = {Array::Vector<std::string>({" 12\t\n", "7 ", " ", ""})}});
  return samples;
}

}  // namespace

SL_OP(StringStrip)
    .doc("Strings without the spaces, tabs and line ends around them.")
    .input("x: string")
    .output("y: string")
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(string_op::MapReference([](const std::string& s, const Attrs&) {
      return string_op::Spelled(s);
    }))
    .samples(Samples())
    .rejects(string_op::Rejects("StringStrip"));

}  // namespace sluice
