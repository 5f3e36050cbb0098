// TextCursor: a lexer with a current word, and error messages that say what was
// expected instead. Borrows the text; one thread.
#pragma once

#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/graph/text_lexer.h"

namespace sluice {

class TextCursor {
 public:
  explicit TextCursor(std::string_view source)
      : lexer_(source), word_(lexer_.Next()) {}

  const TextWord& word() const { return word_; }
  bool is(TextToken kind) const { return word_.kind == kind; }
  bool at_mark(std::string_view mark) const {
    return is(TextToken::kPunct) && word_.text == mark;
  }
  bool at_ident(std::string_view ident) const {
    return is(TextToken::kIdent) && word_.text == ident;
  }
  TextWord Take() {
    TextWord word = std::move(word_);
    word_ = lexer_.Next();
    return word;
  }
  bool AcceptMark(std::string_view mark) {
    if (!at_mark(mark)) return false;
    Take();
    return true;
  }
  bool AcceptIdent(std::string_view ident) {
    if (!at_ident(ident)) return false;
    Take();
    return true;
  }
  Status ExpectMark(std::string_view mark) {
    if (AcceptMark(mark)) return OkStatus();
    return Unexpected(StrCat("'", mark, "'"));
  }
  // `wanted` describes the expected word: "an op's name".
  Result<TextWord> Expect(TextToken kind, std::string_view wanted) {
    if (!is(kind)) return Unexpected(wanted);
    return Take();
  }

  Status Unexpected(std::string_view wanted) const {
    if (is(TextToken::kError)) return Error(word_.begin, word_.text);
    return Error(word_.begin,
                 StrCat("got ", DescribeWord(word_), "; wanted ", wanted));
  }
  Status Error(size_t position, std::string_view what) const {
    return lexer_.ErrorAt(position, what);
  }
  // Adds the position in the text to an error from elsewhere.
  Status At(size_t position, const Status& status) const {
    if (status.ok()) return status;
    return Status(status.code(),
                  StrCat(lexer_.Where(position), ": ", status.message()));
  }

 private:
  TextLexer lexer_;
  TextWord word_;
};

}  // namespace sluice
