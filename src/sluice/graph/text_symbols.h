// TextSymbols: the meaning of names while the graph's text form is parsed.
// Scopes nest as regions do and nothing is shadowed: a visible name may not be
// defined again.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/graph/text_cursor.h"

namespace sluice {

class TextSymbols {
 public:
  TextSymbols() : scopes_(1) {}

  void Enter() { scopes_.emplace_back(); }
  void Leave() { scopes_.pop_back(); }

  // A node: %name is its output 0, %name:2 its output 2.
  Status DefineNode(const TextCursor& text, const TextWord& word, Node& node) {
    return Define(text, word, {{&node, 0}, true});
  }
  // One value: an argument, or a second name of an output.
  Status DefineValue(const TextCursor& text, const TextWord& word,
                     Value value) {
    return Define(text, word, {value, false});
  }
  bool Defined(const TextWord& word) const { return Find(word.text); }
  Status CheckFree(const TextCursor& text, const TextWord& word) const;

  Result<Value> LookupValue(const TextCursor& text, const TextWord& word) const;
  Result<Node*> LookupNode(const TextCursor& text, const TextWord& word) const;

 private:
  struct Named {
    Value value;
    bool node = false;
  };
  Status Define(const TextCursor& text, const TextWord& word, Named named);
  const Named* Find(const std::string& name) const;
  Result<Named> Lookup(const TextCursor& text, const TextWord& word) const;

  std::vector<std::unordered_map<std::string, Named>> scopes_;
};

}  // namespace sluice
