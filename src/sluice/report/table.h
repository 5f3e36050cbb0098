// Table: plain text in columns, for summaries and confusion tables.
//
//   report::Table table({"layer", "parameters"});
//   table.row({"fc1", "78500"});
//   std::cout << table.text();
//
// Columns of numbers stand to the right, others to the left. A row may have
// fewer cells than there are columns, or more: the table grows. Control
// characters in a cell are shown as spaces. A plain value.
#pragma once

#include <string>
#include <vector>

namespace sluice::report {

class Table {
 public:
  Table() = default;
  // With a head and a line below it.
  explicit Table(std::vector<std::string> head);

  Table& row(std::vector<std::string> cells);
  // A line of dashes between the rows before and after.
  Table& line();
  size_t rows() const { return rows_.size(); }

  // Every line ends with a newline, none with blanks.
  std::string text() const;

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;  // no cells: a line
};

}  // namespace sluice::report
