// StringLower, StringUpper and StringStrip.
#include "sluice/kernels/text_number.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/family.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status LaunchStringLower(KernelContext& ctx) {
  return string_op::Map<std::string>(ctx, [](std::string s) {
    for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return s;
  });
}

Status LaunchStringUpper(KernelContext& ctx) {
  return string_op::Map<std::string>(ctx, [](std::string s) {
    for (char& c : s) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return s;
  });
}

Status LaunchStringStrip(KernelContext& ctx) {
  return string_op::Map<std::string>(
      ctx, [](const std::string& s) { return std::string(StripSpaces(s)); });
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = string_op::Samples();
  samples.push_back(
      {.in = {Array::Vector<std::string>({" 12\t\n", "7 ", " ", ""})}});
  return samples;
}

OpDefinition& StringMap(OpDefinition&& op, std::string_view name) {
  return op.input("x: string")
      .output("y: string")
      .shape(shapes::same_as_first)
      .batch(batch_rules::leading)
      .reference(
          string_op::MapReference([](const std::string& s, const Attrs&) {
            return string_op::Spelled(s);
          }))
      .rejects(string_op::Rejects(name));
}

}  // namespace

SL_OP_OF(StringLower, StringMap)
    .doc("Strings with the letters A to Z made small; all other bytes stay.")
    .cpu(LaunchStringLower)
    .samples(string_op::Samples());

SL_OP_OF(StringUpper, StringMap)
    .doc("Strings with the letters a to z made capital; all other bytes stay.")
    .cpu(LaunchStringUpper)
    .samples(string_op::Samples());

SL_OP_OF(StringStrip, StringMap)
    .doc("Strings without the spaces, tabs and line ends around them.")
    .cpu(LaunchStringStrip)
    .samples(Samples());

}  // namespace sluice
