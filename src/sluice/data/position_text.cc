#include "sluice/data/position_text.h"

#include <charconv>

#include "sluice/base/strings.h"

namespace sluice::data {

namespace {

// Parses a JSON object of strings and integers, the only values used.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Take(char c) {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) !=
                                     std::string_view::npos) {
      ++at_;
    }
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool String(std::string* out) {
    if (!Take('"')) return false;
    out->clear();
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        // Names of stages need no other escapes.
        if (++at_ == text_.size()) return false;
        c = text_[at_];
        if (c != '"' && c != '\\' && c != '/') return false;
      }
      out->push_back(c);
    }
    return false;
  }
  template <class T>
  bool Number(T* out) {
    Take('\0');  // spaces
    const char* begin = text_.data() + at_;
    auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), *out);
    at_ += static_cast<size_t>(end - begin);
    return error == std::errc() && end != begin;
  }
  bool AtEnd() {
    Take('\0');
    return at_ == text_.size();
  }
  size_t at() const { return at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string PositionText::ToText() const {
  return StrCat("{\"pipeline\": ", JsonQuote(pipeline), ", \"epoch\": ", epoch,
                ", \"taken\": ", taken, "}");
}

Result<PositionText> PositionText::Parse(std::string_view text) {
  PositionText position;
  Scanner scan(text);
  std::string key;
  unsigned seen = 0;
  bool good = scan.Take('{');
  while (good) {
    good = scan.String(&key) && scan.Take(':');
    if (!good) break;
    if (key == "pipeline") {
      good = scan.String(&position.pipeline);
      seen |= 1;
    } else if (key == "epoch") {
      good = scan.Number(&position.epoch);
      seen |= 2;
    } else if (key == "taken") {
      good = scan.Number(&position.taken) && position.taken >= 0;
      seen |= 4;
    } else {
      good = false;
    }
    if (good && !scan.Take(',')) {
      good = scan.Take('}') && scan.AtEnd() && seen == 7;
      if (good) return position;
    }
  }
  return DataLoss(
      StrCat("[data] the text of a position goes wrong at byte ", scan.at(),
             "; wanted {\"pipeline\": \"...\", \"epoch\": 0, \"taken\": 0}"));
}

}  // namespace sluice::data
