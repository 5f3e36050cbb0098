#include "sluice/report/table.h"

#include <algorithm>
#include <cctype>

#include "sluice/formats/utf8.h"

namespace sluice::report {

namespace {

constexpr size_t kGap = 2;  // blanks between columns

void Clean(std::vector<std::string>& cells) {
  for (std::string& cell : cells) {
    cell = ValidUtf8(cell);
    for (char& c : cell) {
      if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
    }
  }
}

// Digits, maybe with signs, a point, a unit of one letter: "-1.5e-07", "12%".
bool LooksLikeNumber(const std::string& cell) {
  if (cell == "nan" || cell == "inf" || cell == "-inf" || cell == "-") {
    return true;
  }
  size_t digit = cell.find_first_of("0123456789");
  return digit != std::string::npos && digit <= 2 &&
         cell.find_first_not_of("0123456789+-.,eE%:kMGT ") == std::string::npos;
}

}  // namespace

Table::Table(std::vector<std::string> head) : head_(std::move(head)) {
  Clean(head_);
}

Table& Table::row(std::vector<std::string> cells) {
  // A row of nothing is a blank one, not a line.
  if (cells.empty()) cells.emplace_back();
  Clean(cells);
  rows_.push_back(std::move(cells));
  return *this;
}

Table& Table::line() {
  rows_.emplace_back();
  return *this;
}

std::string Table::text() const {
  std::vector<size_t> width;
  std::vector<bool> number;  // every cell is one, and there is one
  auto measure = [&](const std::vector<std::string>& cells, bool body) {
    if (cells.size() > width.size()) {
      width.resize(cells.size(), 0);
      number.resize(cells.size(), true);
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      width[i] = std::max(width[i], Utf8Columns(cells[i]));
      if (body && !cells[i].empty() && !LooksLikeNumber(cells[i])) {
        number[i] = false;
      }
    }
  };
  measure(head_, false);
  for (const auto& cells : rows_) measure(cells, true);

  std::string out;
  auto put = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string blanks(width[i] - Utf8Columns(cells[i]), ' ');
      if (i > 0) line.append(kGap, ' ');
      line += number[i] ? blanks + cells[i] : cells[i] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  size_t total = 0;
  for (size_t w : width) total += w;
  if (!width.empty()) total += kGap * (width.size() - 1);
  const std::string dashes = std::string(total, '-') + '\n';

  if (!head_.empty()) {
    put(head_);
    out += dashes;
  }
  for (const auto& cells : rows_) {
    if (cells.empty()) {
      out += dashes;
    } else {
      put(cells);
    }
  }
  return out;
}

}  // namespace sluice::report
