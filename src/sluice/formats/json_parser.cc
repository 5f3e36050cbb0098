#include <algorithm>
#include <charconv>

#include "sluice/base/strings.h"
#include "sluice/formats/json.h"
#include "sluice/formats/utf8.h"

namespace sluice {

namespace {

// A recursive parser of one text; the first error ends it.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Json> Whole() {
    Json value;
    SL_RETURN_IF_ERROR(ReadValue(0, value));
    SkipSpaces();
    if (at_ < text_.size()) return Wrong("the end of the text");
    return value;
  }

 private:
  Status Fault(size_t at, std::string_view what) const {
    return InvalidArgument(StrCat("byte ", at, ": ", what));
  }
  // The error if the input is not what is expected here.
  Status Wrong(std::string_view wanted) const {
    std::string got = "the end of the text";
    if (at_ < text_.size()) {
      size_t length =
          std::max<size_t>(1, Utf8CharacterBytes(text_.substr(at_)));
      got = StrCat("\"", EscapeString(text_.substr(at_, length)), "\"");
    }
    return Fault(at_, StrCat("got ", got, "; wanted ", wanted));
  }

  void SkipSpaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                  text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Status ReadValue(int depth, Json& to) {
    SkipSpaces();
    char c = Peek();
    if (c == '{' || c == '[') {
      if (depth >= Json::kMaxDepth) {
        return Fault(at_, StrCat("nested deeper than ", Json::kMaxDepth));
      }
      return c == '{' ? ReadObject(depth + 1, to) : ReadArray(depth + 1, to);
    }
    if (c == '"') {
      std::string text;
      SL_RETURN_IF_ERROR(ReadString(text));
      to = Json(std::move(text));
      return OkStatus();
    }
    if (c == '-' || (c >= '0' && c <= '9')) return ReadNumber(to);
    if (Take("true")) {
      to = Json(true);
    } else if (Take("false")) {
      to = Json(false);
    } else if (Take("null")) {
      to = Json();
    } else {
      return Wrong("a value");
    }
    return OkStatus();
  }

  Status ReadArray(int depth, Json& to) {
    ++at_;
    Json::Items items;
    SkipSpaces();
    if (!Take("]")) {
      do {
        SL_RETURN_IF_ERROR(ReadValue(depth, items.emplace_back()));
        SkipSpaces();
      } while (Take(","));
      if (!Take("]")) return Wrong("\",\" or \"]\"");
    }
    to = Json::array(std::move(items));
    return OkStatus();
  }

  Status ReadObject(int depth, Json& to) {
    size_t begin = at_++;
    Json::Members members;
    SkipSpaces();
    if (!Take("}")) {
      do {
        SkipSpaces();
        if (Peek() != '"') return Wrong("a name in quotes");
        Json::Member& member = members.emplace_back();
        SL_RETURN_IF_ERROR(ReadString(member.first));
        SkipSpaces();
        if (!Take(":")) return Wrong("\":\"");
        SL_RETURN_IF_ERROR(ReadValue(depth, member.second));
        SkipSpaces();
      } while (Take(","));
      if (!Take("}")) return Wrong("\",\" or \"}\"");
    }
    SL_RETURN_IF_ERROR(CheckNames(begin, members));
    to = Json::object(std::move(members));
    return OkStatus();
  }

  // Two members with one name are ambiguous.
  Status CheckNames(size_t begin, const Json::Members& members) const {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const Json::Member& m : members) names.push_back(m.first);
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return OkStatus();
    return Fault(begin, StrCat("the object has two members \"",
                               EscapeString(*twice), "\""));
  }

  Status ReadNumber(Json& to) {
    size_t begin = at_;
    auto digits = [&] {
      size_t first = at_;
      while (Peek() >= '0' && Peek() <= '9') ++at_;
      return at_ - first;
    };
    Take("-");
    bool zero = Peek() == '0';
    size_t whole = digits();
    if (whole == 0) return Wrong("a digit");
    if (zero && whole > 1) return Fault(begin, "a number begins with 0");
    bool integer = true;
    if (Take(".")) {
      integer = false;
      if (digits() == 0) return Wrong("a digit");
    }
    if (Peek() == 'e' || Peek() == 'E') {
      integer = false;
      ++at_;
      if (!Take("+")) Take("-");
      if (digits() == 0) return Wrong("a digit");
    }
    const char *from = text_.data() + begin, *end = text_.data() + at_;
    if (integer) {
      int64_t value = 0;
      if (std::from_chars(from, end, value).ec != std::errc()) {
        return Fault(begin, "the integer does not fit into 64 bits");
      }
      to = Json(value);
      return OkStatus();
    }
    double value = 0;
    auto read = std::from_chars(from, end, value);
    if (read.ec == std::errc::result_out_of_range) {
      // Numbers too small become zero; too large ones are errors.
      if (!BelowOne({from, end}))
        return Fault(begin, "the number is too large");
      value = *from == '-' ? -0.0 : 0.0;
    }
    to = Json(value);
    return OkStatus();
  }

  // Whether a well-formed number, ignoring its sign, is less than one.
  static bool BelowOne(std::string_view number) {
    size_t e = std::min(number.find_first_of("eE"), number.size());
    size_t point = std::min(number.find('.'), e);
    size_t first = number.find_first_of("123456789");
    if (first >= e) return true;
    // The position of the first nonzero digit: 0 for ones, -1 for tenths.
    int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    if (place > 0) --place;
    std::string_view power = number.substr(std::min(e + 1, number.size()));
    if (power.starts_with('+')) power.remove_prefix(1);
    int64_t exponent = 0;
    if (std::from_chars(power.data(), power.data() + power.size(), exponent)
            .ec == std::errc::result_out_of_range) {
      return power.starts_with('-');
    }
    return exponent < -place;
  }

  Status ReadString(std::string& to) {
    size_t begin = at_++;
    for (;;) {
      size_t plain = at_;
      while (at_ < text_.size()) {
        auto byte = static_cast<unsigned char>(text_[at_]);
        if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') break;
        ++at_;
      }
      to.append(text_.substr(plain, at_ - plain));
      if (at_ >= text_.size()) return Fault(begin, "the string does not end");
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return OkStatus();
      }
      if (c == '\\') {
        SL_RETURN_IF_ERROR(ReadEscape(to));
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return Fault(at_, "a control character in a string");
      } else {
        size_t length = Utf8CharacterBytes(text_.substr(at_));
        if (length == 0) return Fault(at_, "the bytes are no UTF-8");
        to.append(text_.substr(at_, length));
        at_ += length;
      }
    }
  }

  Status ReadEscape(std::string& to) {
    size_t begin = at_++;
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    size_t which =
        at_ < text_.size() ? kFrom.find(text_[at_]) : std::string_view::npos;
    if (which != std::string_view::npos) {
      ++at_;
      to += kTo[which];
      return OkStatus();
    }
    if (!Take("u"))
      return Wrong("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    uint32_t code = 0;
    SL_RETURN_IF_ERROR(ReadHex(code));
    if (code >= 0xd800 && code < 0xe000) {
      uint32_t low = 0;
      if (code < 0xdc00 && Take("\\u")) SL_RETURN_IF_ERROR(ReadHex(low));
      if (low < 0xdc00 || low >= 0xe000) {
        return Fault(begin, "half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(to, code);
    return OkStatus();
  }

  Status ReadHex(uint32_t& to) {
    for (int i = 0; i < 4; ++i, ++at_) {
      char c = Peek();
      uint32_t digit;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<uint32_t>(c - 'A') + 10;
      } else {
        return Wrong("four digits of base 16");
      }
      to = to * 16 + digit;
    }
    return OkStatus();
  }

  static void AppendUtf8(std::string& to, uint32_t code) {
    auto add = [&](uint32_t byte) { to += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xc0 | code >> 6);
      add(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      add(0xe0 | code >> 12);
      add(0x80 | (code >> 6 & 0x3f));
      add(0x80 | (code & 0x3f));
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3f));
      add(0x80 | (code >> 6 & 0x3f));
      add(0x80 | (code & 0x3f));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Json> Json::Parse(std::string_view text) { return Parser(text).Whole(); }

}  // namespace sluice
