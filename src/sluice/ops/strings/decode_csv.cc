#include "sluice/base/strings.h"
#include "sluice/formats/csv.h"
#include "sluice/kernels/text_number.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

Status Infer(ShapeContext& c) {
  const auto& dtypes = c.attr<std::vector<DType>>("dtypes");
  const auto& defaults = c.attr<Texts>("defaults");
  constexpr DTypeSet kColumns = kTextTypes | DTypeSet{DType::kString};
  if (dtypes.empty()) return c.Error("dtypes is empty; wanted a column");
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (!kColumns.contains(dtypes[i])) {
      return c.Error(StrCat("dtypes[", i, "] is ", DTypeName(dtypes[i]),
                            "; wanted one of ", kColumns));
    }
  }
  if (!defaults.empty() && defaults.size() != dtypes.size()) {
    return c.Error(StrCat("defaults has ", defaults.size(),
                          " entries; wanted none or ", dtypes.size(),
                          ", as dtypes"));
  }
  if (c.attr<std::string>("separator").size() != 1 ||
      c.attr<std::string>("separator") == "\"") {
    return c.Error("separator is " +
                   QuoteForMessage(c.attr<std::string>("separator")) +
                   "; wanted one byte that is no quote");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, c.in(0));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  const auto& dtypes = ctx.attr<std::vector<DType>>("dtypes");
  const auto& defaults = ctx.attr<Texts>("defaults");
  const auto& missing = ctx.attr<std::string>("missing");
  char separator = ctx.attr<std::string>("separator")[0];
  std::vector<CsvField> fields;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const std::string& line = x.data<std::string>()[i];
    fields.clear();
    std::string wrong = SplitCsv(line, separator, &fields);
    if (!wrong.empty()) return ctx.Error(StrCat("records[", i, "]: ", wrong));
    if (fields.size() != dtypes.size()) {
      return ctx.Error(StrCat("records[", i, "] has ", fields.size(),
                              " fields; wanted ", dtypes.size()));
    }
    for (size_t k = 0; k < fields.size(); ++k) {
      CsvField& field = fields[k];
      bool empty =
          !field.quoted && (field.text.empty() || field.text == missing);
      if (empty && !defaults.empty()) field.text = defaults[k];
      const Array& out = ctx.out(static_cast<int>(k));
      if (dtypes[k] == DType::kString) {
        out.mutable_data<std::string>()[i] = std::move(field.text);
        continue;
      }
      char* to =
          static_cast<char*>(out.mutable_raw()) + i * DTypeSize(dtypes[k]);
      wrong = ReadNumber(field.text, dtypes[k], to);
      if (wrong.empty()) continue;
      return ctx.Error(StrCat("records[", i, "] field ", k, " at byte ",
                              field.begin, " is ", QuoteForMessage(field.text),
                              "; wanted ", wrong));
    }
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  // The reference only sees a number before the first comma.
  return std::vector<RefArray>(attrs.get<std::vector<DType>>("dtypes").size(),
                               in[0]);
}

using Columns = std::vector<DType>;
Array Text(std::initializer_list<std::string> values) {
  return Array::Vector<std::string>(values);
}

}  // namespace

SL_OP(DecodeCsv)
    .doc(
        "Records of comma-separated values as one array per column. Quotes "
        "around a field keep separators in it; two of them stand for one.")
    .input("records: string")
    .output("columns: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "The types of the columns.")
    .attr("defaults", Texts(),
          "What an empty field means, one text per column; none: fields of "
          "numbers must not be empty.")
    .attr("separator", ",", "What stands between fields, one byte.")
    .attr("missing", "", "A text that counts as an empty field.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{3}},
          .attrs = {{"dtypes", Columns{DType::kF32}}},
          .lo = 1,
          .hi = 99},
         {.in = {Text({"1,1", "2,2", "3,\"3\"\r\n"})},
          .attrs = {{"dtypes", Columns{DType::kI64, DType::kString}}}},
         {.in = {Text({"4;4;4"})},
          .attrs = {{"dtypes", Columns{DType::kU8, DType::kF64, DType::kBF16}},
                    {"separator", ";"}}},
         {.in = {Text({"1,,NA"})},
          .attrs = {{"dtypes", Columns{DType::kBool, DType::kI32, DType::kF16}},
                    {"defaults", Texts{"0", "1", "1"}},
                    {"missing", "NA"}}},
         {.in = {{2, 2}},
          .attrs = {{"dtypes", Columns{DType::kI32}}},
          .lo = 1,
          .hi = 99},
         {.in = {{0}},
          .attrs = {{"dtypes", Columns{DType::kI32, DType::kString}}}}})
    .rejects(
        {{.in = {Text({"1,2", "1,2,3"})},
          .attrs = {{"dtypes", Columns{DType::kI32, DType::kI32}}},
          .message = "[DecodeCsv] records[1] has 3 fields; wanted 2"},
         {.in = {Text({"1,two"})},
          .attrs = {{"dtypes", Columns{DType::kI32, DType::kI32}}},
          .message = "[DecodeCsv] records[0] field 1 at byte 2 is \"two\"; "
                     "wanted a number of type i32 (byte 0 is no part of one)"},
         {.in = {Text({"1,"})},
          .attrs = {{"dtypes", Columns{DType::kI32, DType::kI32}}},
          .message =
              "[DecodeCsv] records[0] field 1 at byte 2 is \"\"; wanted"},
         {.in = {Text({"\"1"})},
          .attrs = {{"dtypes", Columns{DType::kI32}}},
          .message = "[DecodeCsv] records[0]: the quote at byte 0 is not "
                     "closed"},
         {.in = {Text({"\"1\"2"})},
          .attrs = {{"dtypes", Columns{DType::kI32}}},
          .message = "[DecodeCsv] records[0]: byte 3 follows a closing quote"},
         {.in = {Text({"a\"b"})},
          .attrs = {{"dtypes", Columns{DType::kString}}},
          .message = "[DecodeCsv] records[0]: byte 1 is a quote inside a "
                     "field"},
         {.in = {Text({"1"})},
          .attrs = {{"dtypes", Columns{DType::kC64}}},
          .message = "[DecodeCsv] dtypes[0] is complex64; wanted one of"},
         {.in = {Text({"1"})},
          .attrs = {{"dtypes", Columns()}},
          .message = "[DecodeCsv] dtypes is empty; wanted a column"},
         {.in = {Text({"1"})},
          .attrs = {{"dtypes", Columns{DType::kI32}},
                    {"defaults", Texts{"1", "2"}}},
          .message = "[DecodeCsv] defaults has 2 entries; wanted none or 1"},
         {.in = {Text({"1"})},
          .attrs = {{"dtypes", Columns{DType::kI32}}, {"separator", "ab"}},
          .message = "[DecodeCsv] separator is \"ab\"; wanted one byte that is "
                     "no quote"}});

}  // namespace sluice
