// Metrics of a step as a line of CSV or JSON, and what is needed of such lines
// to go on with a file: their steps and columns. Pure functions.
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
// The value of "step", which stands first in lines of ours; nothing in lines
// that are not.
std::optional<int64_t> StepOfJsonLine(std::string_view line);

// A field of CSV, in quotes where it must be.
std::string CsvField(std::string_view text);
// Columns are the names behind "step".
std::string CsvHeader(const std::vector<std::string>& columns);
std::string CsvLine(int64_t step, const std::vector<std::string>& columns,
                    const MetricValues& values);
std::optional<int64_t> StepOfCsvLine(std::string_view line);

// Records of CSV with their newlines: one may span lines inside quotes. What is
// behind the last newline is left out.
std::vector<std::string_view> CsvRecords(std::string_view text);
// The fields of one record.
std::vector<std::string> CsvFields(std::string_view record);

}  // namespace sluice::report
