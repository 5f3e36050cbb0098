// The metrics of a step as a line of CSV or JSON, and parsing of such lines for
// appending to a file: their steps and columns. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::report {

using MetricValues = std::vector<std::pair<std::string, double>>;

// Without the newline.
std::string JsonLine(int64_t step, const MetricValues& values);
// The value of "step", which is the first field in our lines; empty for other
// lines.
std::optional<int64_t> StepOfJsonLine(std::string_view line);

// A CSV field, quoted if necessary.
std::string CsvField(std::string_view text);
// Columns are the names after "step".
std::string CsvHeader(const std::vector<std::string>& columns);
std::string CsvLine(int64_t step, const std::vector<std::string>& columns,
                    const MetricValues& values);
std::optional<int64_t> StepOfCsvLine(std::string_view line);

// CSV records with their newlines: a record may span lines inside quotes. Text
// after the last newline is ignored.
std::vector<std::string_view> CsvRecords(std::string_view text);
// The fields of one record.
std::vector<std::string> CsvFields(std::string_view record);

}  // namespace sluice::report
