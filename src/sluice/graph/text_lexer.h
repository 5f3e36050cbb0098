// TextLexer: the words of the graph's text form, one at a time.
//
// Names are %name or %"any text"; %name:2 is output 2 of a node. Comments run
// from // or # to the end of the line. Never fails: unreadable text becomes a
// kError token with the reason. Borrows the text; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

enum class TextToken : uint8_t {
  kEnd,
  kError,   // text: the reason
  kValue,   // %name or %name:2
  kIdent,   // a word
  kNumber,  // -3, 0.5, 1e-06, -inf; `text` is as written
  kString,  // "..." with its escapes resolved
  kPunct,   // ( ) [ ] { } , : = @ ? -> ...
};

struct TextWord {
  TextToken kind = TextToken::kEnd;
  std::string text;  // the name, word, number, contents or mark
  int index = -1;    // of %name:index; -1 if there is none
  size_t begin = 0;  // position in the source, for messages
};

class TextLexer {
 public:
  explicit TextLexer(std::string_view source) : source_(source) {}

  TextWord Next();

  // "graph text:3:14: what"
  Status ErrorAt(size_t position, std::string_view what) const;
  std::string Where(size_t position) const;  // "graph text:3:14"

 private:
  void SkipBlanks();
  TextWord Name();
  TextWord Quoted();
  TextWord Number();
  TextWord Fail(std::string_view what) const;
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  std::string_view source_;
  size_t at_ = 0;
};

// A word as shown after "got ..." in a message, truncated to fit a line.
std::string DescribeWord(const TextWord& word);

// True if %name needs no quotes.
bool IsPlainName(std::string_view name);
// %name or %"name"
std::string QuoteName(std::string_view name);

}  // namespace sluice
