// Splits a line of comma-separated values into fields: quotes around a field
// protect separators in it, and two consecutive quotes inside denote one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct CsvField {
  std::string text;
  size_t begin = 0;  // the byte offset in the line
  bool quoted = false;
};

// Appends the fields of `line`; returns an error message with the byte of the
// error, or "".
std::string SplitCsv(std::string_view line, char separator,
                     std::vector<CsvField>* fields);

}  // namespace sluice
