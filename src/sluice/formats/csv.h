// Cutting a line of comma-separated values into fields: quotes around a field
// keep separators in it, two quotes in a row inside one stand for one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct CsvField {
  std::string text;
  size_t begin = 0;  // the byte of the line where it begins
  bool quoted = false;
};

// Appends the fields of `line`; an error message says at which byte the line
// goes wrong, "" when it does not.
std::string SplitCsv(std::string_view line, char separator,
                     std::vector<CsvField>* fields);

}  // namespace sluice
