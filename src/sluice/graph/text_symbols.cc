#include "sluice/graph/text_symbols.h"

#include "sluice/base/strings.h"

namespace sluice {

const TextSymbols::Named* TextSymbols::Find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto it = scope->find(name);
    if (it != scope->end()) return &it->second;
  }
  return nullptr;
}

Status TextSymbols::CheckFree(const TextCursor& text,
                              const TextWord& word) const {
  if (word.index >= 0) {
    return text.Error(
        word.begin, StrCat(DescribeWord(word),
                           " names an output; wanted a name without an index"));
  }
  if (Find(word.text)) {
    return text.Error(
        word.begin, StrCat(DescribeWord(word),
                           " is defined already; wanted a name not yet used"));
  }
  return OkStatus();
}

Status TextSymbols::Define(const TextCursor& text, const TextWord& word,
                           Named named) {
  SL_RETURN_IF_ERROR(CheckFree(text, word));
  scopes_.back().emplace(word.text, named);
  return OkStatus();
}

Result<TextSymbols::Named> TextSymbols::Lookup(const TextCursor& text,
                                               const TextWord& word) const {
  if (const Named* named = Find(word.text)) return *named;
  return text.Error(word.begin,
                    StrCat(DescribeWord(word),
                           " is not defined; wanted a name defined above"));
}

Result<Value> TextSymbols::LookupValue(const TextCursor& text,
                                       const TextWord& word) const {
  SL_ASSIGN_OR_RETURN(Named named, Lookup(text, word));
  if (!named.node) {
    if (word.index < 0) return named.value;
    return text.Error(word.begin, StrCat(DescribeWord(word),
                                         ": the name is of one value; wanted "
                                         "it without an index"));
  }
  Node* node = named.value.node;
  int index = word.index < 0 ? 0 : word.index;
  if (index >= node->num_outputs()) {
    return text.Error(
        word.begin, StrCat(DescribeWord(word), ": [", node->op().name, "] has ",
                           node->num_outputs(), " outputs"));
  }
  return node->output(index);
}

Result<Node*> TextSymbols::LookupNode(const TextCursor& text,
                                      const TextWord& word) const {
  SL_ASSIGN_OR_RETURN(Named named, Lookup(text, word));
  if (named.node && word.index < 0) return named.value.node;
  return text.Error(word.begin, StrCat(DescribeWord(word),
                                       " is a value; wanted a node's name"));
}

}  // namespace sluice
