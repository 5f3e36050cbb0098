#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  return string_op::Map<std::string>(ctx, [](std::string s) {
    for (char& c : s) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return s;
  });
}

}  // namespace

SL_OP(StringUpper)
    .doc("Strings with the letters a to z made capital; all other bytes stay.")
    .input("x: string")
    .output("y: string")
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(string_op::MapReference([](const std::string& s, const Attrs&) {
      return string_op::Spelled(s);
    }))
    .samples(string_op::Samples())
    .rejects(string_op::Rejects("StringUpper"));

}  // namespace sluice
