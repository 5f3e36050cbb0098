#include <atomic>

#include "sluice/base/strings.h"
#include "sluice/kernels/text_number.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  const std::string* from = x.data<std::string>();
  char* to = static_cast<char*>(y.mutable_raw());
  int64_t size = DTypeSize(y.dtype()), n = x.num_elements();
  std::atomic<int64_t> bad{n};
  ParallelFor(ctx.step().pool, n, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (ReadNumber(from[i], y.dtype(), to + i * size).empty()) continue;
      int64_t before = bad.load(std::memory_order_relaxed);
      while (i < before && !bad.compare_exchange_weak(before, i)) {
      }
      return;
    }
  });
  int64_t at = bad.load();
  if (at == n) return OkStatus();
  // Read once more, for the words.
  uint64_t unused = 0;
  return ctx.Error(StrCat("x[", at, "] is ", QuoteForMessage(from[at]),
                          "; wanted ",
                          ReadNumber(from[at], y.dtype(), &unused)));
}

Array Text(std::initializer_list<std::string> values) {
  return Array::Vector<std::string>(values);
}

}  // namespace

SL_OP(StringToNumber)
    .doc(
        "Numbers from their text, spaces around it allowed; for bool: true, "
        "false, 1 or 0.")
    .input("x: string")
    .output("y: dtype")
    .types("dtype", kTextTypes)
    .attr("dtype", DType::kF32, "The type of the result.")
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{{in[0].shape, in[0].v}};
    })
    .samples({{.in = {Text({"1", "-2.5", "1e3", " +7 ", "inf", ".5"})}},
              {.in = {Text({"0.1", "-1e-300", "1.7976931348623157e308"})},
               .attrs = {{"dtype", DType::kF64}}},
              {.in = {Text({"1", "-20", "\t300\n"})},
               .attrs = {{"dtype", DType::kI32}}},
              {.in = {Text({"9007199254740992", "-9223372036854775808"})},
               .attrs = {{"dtype", DType::kI64}}},
              {.in = {Text({"0", "255"})}, .attrs = {{"dtype", DType::kU8}}},
              {.in = {Text({"0.5", "65504"})},
               .attrs = {{"dtype", DType::kF16}}},
              {.in = {Text({"2.5"})}, .attrs = {{"dtype", DType::kBF16}}},
              {.in = {Text({"1", "0"})}, .attrs = {{"dtype", DType::kBool}}},
              {.in = {{3000}}, .lo = -9999, .hi = 9999},
              {.in = {{2, 0}}}})
    .rejects({{.in = {Text({"1", "12x"})},
               .message = "[StringToNumber] x[1] is \"12x\"; wanted a number "
                          "of type f32 (byte 2 is no part of one)"},
              {.in = {Text({" abc"})},
               .message = "[StringToNumber] x[0] is \" abc\"; wanted a number "
                          "of type f32 (byte 1 is no part of one)"},
              {.in = {Text({""})},
               .message = "[StringToNumber] x[0] is \"\"; wanted a number of "
                          "type f32 (byte 0"},
              {.in = {Text({"+-1"})},
               .message = "[StringToNumber] x[0] is \"+-1\"; wanted"},
              {.in = {Text({"300"})},
               .attrs = {{"dtype", DType::kU8}},
               .message = "[StringToNumber] x[0] is \"300\"; wanted a number "
                          "of type u8 (it does not fit)"},
              {.in = {Text({"1.5"})},
               .attrs = {{"dtype", DType::kI64}},
               .message = "[StringToNumber] x[0] is \"1.5\"; wanted a number "
                          "of type i64 (byte 1 is no part of one)"},
              {.in = {Text({"yes"})},
               .attrs = {{"dtype", DType::kBool}},
               .message = "[StringToNumber] x[0] is \"yes\"; wanted true, "
                          "false, 1 or 0"}});

}  // namespace sluice
