#include "sluice/report/metrics_text.h"

#include <charconv>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"

namespace sluice::report {

namespace {

// The shortest text that reads back as the same double.
std::string Number(double value) {
  if (std::isnan(value)) return "nan";
  return StrCat(value);
}

std::optional<int64_t> Integer(std::string_view text, std::string_view ends) {
  int64_t step = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (!rest.empty() && ends.find(rest[0]) == ends.npos) return std::nullopt;
  return step;
}

}  // namespace

std::string JsonLine(int64_t step, const MetricValues& values) {
  std::string line = StrCat("{\"step\": ", step);
  for (const auto& [name, value] : values) {
    StrAppend(line, ", ", JsonQuote(ValidUtf8(name)), ": ");
    if (std::isfinite(value)) {
      line += Number(value);
    } else {
      line += std::isnan(value) ? "\"NaN\""
              : value > 0       ? "\"Infinity\""
                                : "\"-Infinity\"";
    }
  }
  return line + "}";
}

std::optional<int64_t> StepOfJsonLine(std::string_view line) {
  constexpr std::string_view kBegin = "{\"step\": ";
  if (!line.starts_with(kBegin)) return std::nullopt;
  if (line.find_last_not_of("\r\n") == line.npos) return std::nullopt;
  if (line[line.find_last_not_of("\r\n")] != '}') return std::nullopt;
  return Integer(line.substr(kBegin.size()), ",}");
}

std::string CsvField(std::string_view text) {
  std::string valid = ValidUtf8(text);
  if (valid.find_first_of(",\"\r\n") == valid.npos) return valid;
  std::string out = "\"";
  for (char c : valid) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string CsvHeader(const std::vector<std::string>& columns) {
  std::string line = "step";
  for (const std::string& name : columns) line += "," + CsvField(name);
  return line;
}

std::string CsvLine(int64_t step, const std::vector<std::string>& columns,
                    const MetricValues& values) {
  std::string line = std::to_string(step);
  for (const std::string& column : columns) {
    line += ',';
    for (const auto& [name, value] : values) {
      if (name == column) line += Number(value);
    }
  }
  return line;
}

std::optional<int64_t> StepOfCsvLine(std::string_view line) {
  return Integer(line, ",\r\n");
}

std::vector<std::string_view> CsvRecords(std::string_view text) {
  std::vector<std::string_view> records;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] != '\n' || quoted) continue;
    records.push_back(text.substr(start, i + 1 - start));
    start = i + 1;
  }
  return records;
}

std::vector<std::string> CsvFields(std::string_view record) {
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r')) {
    record.remove_suffix(1);
  }
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < record.size(); ++i) {
    char c = record[i];
    if (c == '"') {
      // Two quotes inside quotes are one.
      bool twice = quoted && i + 1 < record.size() && record[i + 1] == '"';
      if (twice) {
        fields.back() += c;
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace sluice::report
