// A Summary as a table.
#include <algorithm>
#include <array>

#include "sluice/base/strings.h"
#include "sluice/nn/summary.h"

namespace sluice::nn {

namespace {

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace

std::string Summary::ToString() const {
  using Cells = std::array<std::string, 5>;
  std::vector<Cells> table{{"layer", "type", "output", "parameters", "FLOPs"}};
  for (const ModuleSummary& row : rows) {
    size_t depth = 0;
    if (!row.path.empty()) {
      depth = 1 + static_cast<size_t>(
                      std::count(row.path.begin(), row.path.end(), '.'));
    }
    std::string name = row.path.empty() ? "(model)" : row.path;
    auto number = [](double n) {
      return n == 0 ? std::string("-") : WithCommas(static_cast<int64_t>(n));
    };
    table.push_back(
        {std::string(2 * depth, ' ') + name,
         row.calls > 1 ? StrCat(row.type, " x", row.calls) : row.type,
         row.calls == 0 ? "not called" : row.shape,
         number(static_cast<double>(row.parameters)), number(row.flops)});
  }
  table.push_back({"total", "", "", WithCommas(parameters),
                   WithCommas(static_cast<int64_t>(flops))});
  std::array<size_t, 5> widths{};
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  size_t width = 8;
  for (size_t w : widths) width += w;
  std::string rule = std::string(width, '-') + "\n", out;
  for (size_t r = 0; r < table.size(); ++r) {
    if (r == 1 || r + 1 == table.size()) out += rule;
    std::string text;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string& cell = table[r][i];
      std::string space(widths[i] - cell.size(), ' ');
      if (i > 0) text += "  ";
      text += i < 3 ? cell + space : space + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  StrAppend(out, rule, "trainable parameters ", WithCommas(trainable),
            ", others ", WithCommas(parameters - trainable), ", buffers ",
            WithCommas(buffers), "\n");
  return out;
}

}  // namespace sluice::nn
