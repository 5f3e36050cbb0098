#include "sluice/base/strings.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& cond = ctx.in(0);
  const bool* ok = cond.data<bool>();
  bool all = true;
  for (int64_t i = 0; i < cond.num_elements(); ++i) all = all && ok[i];
  if (all) return OkStatus();
  std::string text = ctx.attr<std::string>("message");
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    StrAppend(text, i == 1 ? ": " : ", ", ctx.in(i).ToString(16));
  }
  return ctx.Error(text);
}

Array Truth(bool value) { return Array::Scalar(value); }

}  // namespace

SL_OP(Assert)
    .doc(
        "Fails the step with a message and some values unless every element of "
        "cond is true.")
    .function("assert_that")
    .input("cond: bool")
    .input("data: any*")
    .attr("message", "assertion failed", "What to say.")
    .shape(shapes::none)
    .batch(batch_rules::as_given)
    .cpu(Launch)
    .stateful()
    .role(Role::kAssert)
    .samples({{.in = {Truth(true)}},
              {.in = {Array::Vector<bool>({true, true}), {2}}},
              {.in = {Array::Zeros(DType::kBool, {0}), {2}, {3}}}})
    .rejects({{.in = {Truth(false), Array::Vector<int32_t>({1, 2}),
                      Array::Scalar<std::string>("x")},
               .attrs = {{"message", "sizes must agree"}},
               .message = "[Assert] sizes must agree: [1 2], \"x\""},
              {.in = {Array::Vector<bool>({true, false})},
               .message = "[Assert] assertion failed"}});

}  // namespace sluice
