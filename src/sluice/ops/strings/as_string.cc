#include <cstdio>
#include <cstdlib>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/text_number.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  auto precision = static_cast<int>(ctx.attr<int64_t>("precision"));
  const char* from = static_cast<const char*>(x.raw());
  std::string* to = ctx.out(0).mutable_data<std::string>();
  int64_t size = DTypeSize(x.dtype());
  ParallelFor(ctx.step().pool, x.num_elements(), 1024,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  to[i] = WriteNumber(from + i * size, x.dtype(), precision);
                }
              });
  return OkStatus();
}

// The value of the text: the decimal number with the fewest digits that is
// parsed as the same float or double; bools as words.
std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y = in[0];
  for (double& v : y.v) {
    if (in[0].dtype == DType::kBool) v = 0;
    if (!IsFloating(in[0].dtype) || in[0].dtype == DType::kF64) continue;
    char text[40];
    for (int digits = 1; digits <= 9; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, v);
      if (std::strtof(text, nullptr) == static_cast<float>(v)) break;
    }
    v = std::atof(text);
  }
  return {y};
}

}  // namespace

SL_OP(AsString)
    .doc(
        "Numbers as text: the shortest that reads back as the same number, or "
        "a fixed number of digits after the point.")
    .input("x: T")
    .output("y: string")
    .types("T", kTextTypes)
    .attr("precision", -1,
          "Digits after the point of floats; -1: as many as needed.")
    .between(-1, 100)
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{2, 3}}, .lo = -100, .hi = 100},
              {.in = {Shape()}},
              {.in = {{0}}},
              // Sixteenths have at most four digits after the point.
              {.in = {Array::Vector<float>({0.0625f, -3.25f, 1e10f})},
               .attrs = {{"precision", 4}}}});

}  // namespace sluice
