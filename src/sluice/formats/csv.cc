#include "sluice/formats/csv.h"

#include "sluice/base/strings.h"

namespace sluice {

std::string SplitCsv(std::string_view line, char separator,
                     std::vector<CsvField>* fields) {
  // The line end is not part of the last field.
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (size_t i = 0;; ++i) {
    CsvField& field = fields->emplace_back();
    field.begin = i;
    if (i < line.size() && line[i] == '"') {
      field.quoted = true;
      for (++i;; ++i) {
        if (i >= line.size()) {
          return StrCat("the quote at byte ", field.begin, " is not closed");
        }
        if (line[i] == '"') {
          if (i + 1 >= line.size() || line[i + 1] != '"') break;
          ++i;
        }
        field.text += line[i];
      }
      ++i;
      if (i < line.size() && line[i] != separator) {
        return StrCat("byte ", i, " follows a closing quote");
      }
    } else {
      size_t end = line.find(separator, i);
      if (end == std::string_view::npos) end = line.size();
      field.text = line.substr(i, end - i);
      if (size_t quote = field.text.find('"'); quote != std::string::npos) {
        return StrCat("byte ", i + quote, " is a quote inside a field");
      }
      i = end;
    }
    if (i >= line.size()) return "";
  }
}

}  // namespace sluice
