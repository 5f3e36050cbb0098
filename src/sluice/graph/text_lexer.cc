#include "sluice/graph/text_lexer.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// Not isalpha(): the text form does not depend on the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNameChar(char c) {
  return IsLetter(c) || IsDigit(c) || c == '/' || c == '.' || c == '-';
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr size_t kMaxShown = 40;

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsNameChar);
}

std::string QuoteName(std::string_view name) {
  if (IsPlainName(name)) return StrCat("%", name);
  return StrCat("%\"", EscapeString(name), "\"");
}

std::string DescribeWord(const TextWord& word) {
  std::string text =
      EscapeString(std::string_view(word.text).substr(0, kMaxShown));
  if (word.text.size() > kMaxShown) text += "...";
  switch (word.kind) {
    case TextToken::kEnd:
      return "the end of the text";
    case TextToken::kValue:
      return word.index < 0 ? StrCat("%", text)
                            : StrCat("%", text, ":", word.index);
    case TextToken::kString:
      return StrCat("\"", text, "\"");
    default:
      return StrCat("'", text, "'");
  }
}

std::string TextLexer::Where(size_t position) const {
  // Counted only if there is an error to report.
  position = std::min(position, source_.size());
  std::string_view before = source_.substr(0, position);
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t start = before.rfind('\n');
  size_t column = start == before.npos ? position + 1 : position - start;
  return StrCat("graph text:", line, ":", column);
}

Status TextLexer::ErrorAt(size_t position, std::string_view what) const {
  return InvalidArgument(StrCat(Where(position), ": ", what));
}

TextWord TextLexer::Fail(std::string_view what) const {
  TextWord word;
  word.kind = TextToken::kError;
  word.text = what;
  word.begin = at_;
  return word;
}

void TextLexer::SkipBlanks() {
  while (at_ < source_.size()) {
    char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#' || (c == '/' && peek(1) == '/')) {
      while (at_ < source_.size() && source_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

TextWord TextLexer::Quoted() {
  TextWord word;
  word.kind = TextToken::kString;
  word.begin = at_++;
  while (true) {
    if (at_ >= source_.size()) return Fail("a string is not closed");
    char c = source_[at_++];
    if (c == '"') return word;
    if (c == '\n') return Fail("a string ends at the end of its line");
    if (c != '\\') {
      word.text += c;
      continue;
    }
    char escaped = peek();
    ++at_;
    switch (escaped) {
      case 'n':
        word.text += '\n';
        break;
      case 't':
        word.text += '\t';
        break;
      case 'r':
        word.text += '\r';
        break;
      case '"':
        word.text += '"';
        break;
      case '\\':
        word.text += '\\';
        break;
      case 'x': {
        int high = HexDigit(peek()), low = HexDigit(peek(1));
        if (high < 0 || low < 0) return Fail("\\x wants two hex digits");
        word.text += static_cast<char>(high * 16 + low);
        at_ += 2;
        break;
      }
      default:
        return Fail("unknown escape; wanted \\n \\t \\r \\\" \\\\ or \\xHH");
    }
  }
}

TextWord TextLexer::Name() {
  size_t begin = at_++;  // the percent sign
  TextWord word;
  if (peek() == '"') {
    word = Quoted();
    if (word.kind == TextToken::kError) return word;
  } else {
    size_t start = at_;
    while (IsNameChar(peek())) ++at_;
    if (at_ == start) return Fail("a name is missing after '%'");
    word.text = source_.substr(start, at_ - start);
  }
  word.kind = TextToken::kValue;
  word.begin = begin;
  // Only directly after the name: in `%a : f32[]` the colon starts a type.
  if (peek() == ':' && IsDigit(peek(1))) {
    ++at_;
    int64_t index = 0;
    for (; IsDigit(peek()); ++at_) {
      index = std::min<int64_t>(index * 10 + (peek() - '0'), 1 << 30);
    }
    word.index = static_cast<int>(index);
  }
  return word;
}

TextWord TextLexer::Number() {
  TextWord word;
  word.kind = TextToken::kNumber;
  word.begin = at_;
  if (peek() == '-' || peek() == '+') ++at_;
  if (IsLetter(peek())) {  // -inf, -nan
    while (IsLetter(peek())) ++at_;
  } else {
    // The longest run that can belong to a number; the code that parses it as
    // an int or a float checks the rest.
    while (IsDigit(peek()) || IsLetter(peek()) || peek() == '.' ||
           ((peek() == '-' || peek() == '+') &&
            (source_[at_ - 1] == 'e' || source_[at_ - 1] == 'E'))) {
      ++at_;
    }
  }
  word.text = source_.substr(word.begin, at_ - word.begin);
  return word;
}

TextWord TextLexer::Next() {
  SkipBlanks();
  TextWord word;
  word.begin = at_;
  if (at_ >= source_.size()) return word;
  char c = peek();
  if (c == '%') return Name();
  if (c == '"') return Quoted();
  if (IsLetter(c)) {
    size_t start = at_;
    while (IsLetter(peek()) || IsDigit(peek())) ++at_;
    word.kind = TextToken::kIdent;
    word.text = source_.substr(start, at_ - start);
    return word;
  }
  word.kind = TextToken::kPunct;
  if (source_.substr(at_, 2) == "->") {
    word.text = "->";
  } else if (source_.substr(at_, 3) == "...") {
    word.text = "...";
  } else if (IsDigit(c) || c == '-' || c == '+' ||
             (c == '.' && IsDigit(peek(1)))) {
    return Number();
  } else if (std::string_view("()[]{},:=@?").find(c) !=
             std::string_view::npos) {
    word.text = c;
  } else {
    return Fail(StrCat("unexpected byte '", EscapeString({&c, 1}), "'"));
  }
  at_ += word.text.size();
  return word;
}

}  // namespace sluice
