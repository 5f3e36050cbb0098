// Comma-separated values: a file read whole, its columns put together to the
// components of elements.
//
//   auto flowers = data::csv("iris.csv", {.header = true},
//                            data::Columns{{"length", "width"}},      // f32[2]
//                            data::Columns{{"kind"}, sl::string});    // string
//
// Columns go by their names in the header, or by number from 0 on. One column
// gives scalars, several a vector; they are in memory, so that shuffles and
// batches cost no more than those of tensors. Errors name the file, the line,
// the column, what is there and what was wanted. Files may be packed by gzip.
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

class Column {
 public:
  Column(int number) : number_(number) {}
  Column(const char* name) : name_(name) {}
  Column(std::string name) : name_(std::move(name)) {}
  int number() const { return number_; }  // -1: by name
  const std::string& name() const { return name_; }

 private:
  int number_ = -1;
  std::string name_;
};

// `dtype`: a type of numbers, or string.
struct Columns {
  std::vector<Column> columns;
  DType dtype = DType::kF32;
};

struct CsvOptions {
  bool header = false;  // the first line has names
  char separator = ',';
  // What empty fields are; without it they are errors.
  std::optional<double> missing{};
};

// One tensor for each of `components`, axis 0 counting the lines. Empty lines
// are left out.
std::vector<Tensor> read_csv(const std::string& path, const CsvOptions& options,
                             const std::vector<Columns>& components);

// The same for text in memory; `what` names it in messages.
Result<Element> ParseCsv(std::string_view text, const std::string& what,
                         const CsvOptions& options,
                         const std::vector<Columns>& components);

template <std::same_as<Columns>... Cs>
Dataset<sizeof...(Cs)> csv(const std::string& path, const CsvOptions& options,
                           const Cs&... components) {
  return Dataset<sizeof...(Cs)>(
      TensorSource(read_csv(path, options, {components...}), "csv"));
}

}  // namespace sluice::data
