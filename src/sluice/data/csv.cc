#include "sluice/data/csv.h"

#include <charconv>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/formats/csv.h"
#include "sluice/formats/packed_file.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::data {

namespace {

// The text without leading and trailing spaces.
std::string_view Trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// False if the text is no number, or is out of range for the type.
template <class T>
bool ParseNumber(std::string_view text, T* out) {
  text = Trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  if constexpr (std::is_same_v<T, bool>) {
    *out = text == "1" || text == "true" || text == "True";
    return *out || text == "0" || text == "false" || text == "False";
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, float> ||
                       std::is_same_v<T, double>) {
    auto [stop, error] = std::from_chars(text.data(), end, *out);
    return error == std::errc() && stop == end;
  } else {
    float value;
    if (!ParseNumber(text, &value)) return false;
    *out = static_cast<T>(value);
    return true;
  }
}

template <class T>
bool FromDouble(double value, T* out) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Limits = std::numeric_limits<T>;
    if (!(value >= static_cast<double>(Limits::min()) &&
          value < static_cast<double>(Limits::max()) + 1 &&
          value == std::trunc(value))) {
      return false;
    }
    *out = static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    *out = value;
  } else if constexpr (std::is_same_v<T, bool>) {
    *out = value != 0;
  } else {
    *out = static_cast<T>(static_cast<float>(value));
  }
  return true;
}

class CsvReader {
 public:
  CsvReader(const std::string& what, const CsvOptions& options,
            const std::vector<Columns>& components)
      : who_(StrCat("[csv] ", what)),
        options_(options),
        components_(components) {}

  Result<std::vector<Tensor>> Read(std::string_view text) {
    SL_RETURN_IF_ERROR(Split(text));
    std::vector<Tensor> tensors;
    for (const Columns& c : components_) {
      SL_ASSIGN_OR_RETURN(Array array, Component(c));
      tensors.push_back(TensorOf(std::move(array)));
    }
    return tensors;
  }

 private:
  struct Line {
    int64_t number;
    std::vector<CsvField> fields;
  };

  std::string Where(const Line& line) const {
    return StrCat(who_, " line ", line.number);
  }

  Status Split(std::string_view text) {
    int64_t number = 0;
    bool header = options_.header;
    while (!text.empty()) {
      size_t end = text.find('\n');
      std::string_view bytes = text.substr(0, end);
      text = end == text.npos ? std::string_view() : text.substr(end + 1);
      Line line{++number, {}};
      if (bytes.empty() || bytes == "\r") continue;
      std::string wrong = SplitCsv(bytes, options_.separator, &line.fields);
      if (!wrong.empty()) return DataLoss(StrCat(Where(line), ": ", wrong));
      if (header) {
        header = false;
        names_ = std::move(line.fields);
        continue;
      }
      const Line* first = lines_.empty() ? nullptr : &lines_[0];
      size_t want = options_.header ? names_.size()
                    : first         ? first->fields.size()
                                    : line.fields.size();
      if (line.fields.size() != want) {
        return DataLoss(StrCat(Where(line), " has ", line.fields.size(),
                               " fields; wanted ", want,
                               ", as the first line"));
      }
      lines_.push_back(std::move(line));
    }
    return OkStatus();
  }

  Result<size_t> Find(const Column& column) const {
    size_t width = options_.header  ? names_.size()
                   : lines_.empty() ? SIZE_MAX
                                    : lines_[0].fields.size();
    if (column.number() >= 0) {
      auto number = static_cast<size_t>(column.number());
      if (number < width) return number;
      return InvalidArgument(
          StrCat(who_, " has ", width, " columns; wanted number ", number));
    }
    std::string known;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (Trimmed(names_[i].text) == column.name()) return i;
      StrAppend(known, i ? ", " : "", "\"", EscapeString(names_[i].text), "\"");
    }
    return NotFound(StrCat(who_, " has no column \"",
                           EscapeString(column.name()), "\"; it has ",
                           known.empty() ? "no header" : known));
  }

  template <class T>
  Status Field(const Line& line, size_t column, T* out) const {
    const CsvField& field = line.fields[column];
    if constexpr (std::is_same_v<T, std::string>) {
      *out = field.text;
      return OkStatus();
    } else if constexpr (std::is_same_v<T, complex64>) {
      return InvalidArgument(StrCat(who_, ": wanted real numbers or strings"));
    } else {
      bool empty = Trimmed(field.text).empty();
      if (empty && options_.missing) {
        if (FromDouble(*options_.missing, out)) return OkStatus();
        return InvalidArgument(StrCat(who_, ": missing is ", *options_.missing,
                                      ", which is no ",
                                      DTypeName(DTypeOf<T>::value)));
      }
      if (!empty && ParseNumber(field.text, out)) return OkStatus();
      return DataLoss(StrCat(Where(line), " column ", column, " is \"",
                             EscapeString(field.text), "\"; wanted ",
                             DTypeName(DTypeOf<T>::value)));
    }
  }

  Result<Array> Component(const Columns& component) const {
    std::vector<size_t> columns;
    for (const Column& c : component.columns) {
      SL_ASSIGN_OR_RETURN(size_t found, Find(c));
      columns.push_back(found);
    }
    if (columns.empty()) {
      return InvalidArgument(StrCat(who_, ": a component without columns"));
    }
    auto rows = static_cast<int64_t>(lines_.size());
    auto width = static_cast<int64_t>(columns.size());
    Shape shape = width == 1 ? Shape{rows} : Shape{rows, width};
    SL_ASSIGN_OR_RETURN(Array out, Array::Make(component.dtype, shape));
    Status status;
    bool known = DispatchAll(component.dtype, [&]<class T>() {
      T* to = out.mutable_data<T>();
      for (const Line& line : lines_) {
        for (size_t column : columns) {
          status = Field(line, column, to++);
          if (!status.ok()) return;
        }
      }
    });
    if (!known) {
      return InvalidArgument(StrCat(who_, ": wanted numbers or strings, not ",
                                    DTypeName(component.dtype)));
    }
    if (!status.ok()) return status;
    return out;
  }

  const std::string who_;
  const CsvOptions& options_;
  const std::vector<Columns>& components_;
  std::vector<CsvField> names_;
  std::vector<Line> lines_;
};

}  // namespace

Result<Element> ParseCsv(std::string_view text, const std::string& what,
                         const CsvOptions& options,
                         const std::vector<Columns>& components) {
  return CsvReader(what, options, components).Read(text);
}

std::vector<Tensor> read_csv(const std::string& path, const CsvOptions& options,
                             const std::vector<Columns>& components) {
  std::string text = ValueOrThrow(ReadMaybePacked(path));
  return ValueOrThrow(ParseCsv(text, QuotedPath(path), options, components));
}

}  // namespace sluice::data
