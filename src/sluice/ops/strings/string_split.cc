#include "sluice/base/strings.h"
#include "sluice/kernels/text_number.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  c.set_out(0, PartialShape({kUnknownDim}));
  int64_t n = c.in(0).rank_known() ? c.in(0)[0] : kUnknownDim;
  c.set_out(1, PartialShape({n < 0 ? kUnknownDim : n + 1}));
  return OkStatus();
}

// Calls put(piece) for each piece of `text`.
template <class F>
void Split(std::string_view text, std::string_view separator, const F& put) {
  if (!separator.empty()) {
    size_t begin = 0;
    for (size_t at;
         (at = text.find(separator, begin)) != std::string_view::npos;
         begin = at + separator.size()) {
      put(text.substr(begin, at - begin));
    }
    return put(text.substr(begin));
  }
  for (size_t i = 0; i < text.size();) {
    while (i < text.size() && IsSpace(text[i])) ++i;
    size_t begin = i;
    while (i < text.size() && !IsSpace(text[i])) ++i;
    if (i > begin) put(text.substr(begin, i - begin));
  }
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  const std::string& separator = ctx.attr<std::string>("separator");
  if (x.rank() != 1) {
    return ctx.Error(StrCat("x is ", x.TypeText(), "; wanted rank 1"));
  }
  int64_t n = x.dim(0), total = 0;
  const std::string* from = x.data<std::string>();
  SL_RETURN_IF_ERROR(ctx.AllocateOut(1, DType::kI64, Shape({n + 1})));
  int64_t* rows = ctx.out(1).mutable_data<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    rows[i] = total;
    Split(from[i], separator, [&](std::string_view) { ++total; });
  }
  rows[n] = total;
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, DType::kString, Shape({total})));
  std::string* to = ctx.out(0).mutable_data<std::string>();
  for (int64_t i = 0; i < n; ++i) {
    Split(from[i], separator, [&](std::string_view piece) { *to++ = piece; });
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const std::string& separator = attrs.get<std::string>("separator");
  RefArray values, rows{{in[0].shape.dim(0) + 1}, {0}};
  for (double v : in[0].v) {
    std::string text = string_op::Digits(v), piece;
    for (char c : text) {
      if (separator.size() == 1 && c == separator[0]) {
        values.v.push_back(string_op::Spelled(piece));
        piece.clear();
      } else {
        piece += c;
      }
    }
    values.v.push_back(string_op::Spelled(piece));
    rows.v.push_back(static_cast<double>(values.v.size()));
  }
  values.shape = Shape{static_cast<int64_t>(values.v.size())};
  return {values, rows};
}

}  // namespace

SL_OP(StringSplit)
    .doc(
        "Strings cut into pieces. The pieces of x[i] are values[rows[i]] to "
        "values[rows[i + 1] - 1].")
    .input("x: string")
    .output("values: string")
    .output("rows: i64")
    .attr("separator", "",
          "What stands between pieces, which may be empty; empty: spaces, any "
          "number of them, and no piece is empty.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples(
        {{.in = {{4}}, .attrs = {{"separator", "1"}}, .lo = 1, .hi = 99999},
         {.in = {{300}}, .attrs = {{"separator", "0"}}, .lo = 1, .hi = 999999},
         {.in = {{3}}, .lo = 1, .hi = 99},
         {.in = {{3}}, .attrs = {{"separator", "ab"}}, .lo = 1, .hi = 99},
         {.in = {{0}}}})
    .rejects({{.in = {Array::Zeros(DType::kString, {2, 2})},
               .message = "[StringSplit] x is string[2,2]; wanted rank 1"}});

}  // namespace sluice
