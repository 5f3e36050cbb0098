#include "examples/models/text.h"

#include <sluice/sluice.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace sluice::models {

const std::string& english() {
  static const std::string* text = [] {
    ImperativeScope now;
    Tensor packed =
        read_file(constant(data::find_file("text", {"kjv.txt.gz"})));
    return new std::string(decode_gzip(packed).item<std::string>());
  }();
  return *text;
}

const Coded& letters() {
  static const Coded* coded = [] {
    auto* made = new Coded;
    int64_t id_of[256];
    std::fill(std::begin(id_of), std::end(id_of), -1);
    for (unsigned char c : english()) id_of[c] = 0;
    for (int c = 0; c < 256; ++c) {
      if (id_of[c] < 0) continue;
      id_of[c] = static_cast<int64_t>(made->meaning.size());
      made->meaning.emplace_back(1, static_cast<char>(c));
    }
    for (unsigned char c : english()) made->ids.push_back(id_of[c]);
    return made;
  }();
  return *coded;
}

Coded words(size_t vocabulary) {
  std::vector<std::string> all(1);
  for (char c : english()) {
    auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter)) {
      all.back() += static_cast<char>(std::tolower(letter));
    } else if (!all.back().empty()) {
      all.emplace_back();
    }
  }
  if (all.back().empty()) all.pop_back();
  std::unordered_map<std::string, int64_t> seen;
  for (const std::string& word : all) ++seen[word];
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [word, times] : seen) order.emplace_back(-times, word);
  std::sort(order.begin(), order.end());

  Coded made{{}, {"<rare>"}};
  std::unordered_map<std::string, int64_t> id_of;
  for (const auto& [times, word] : order) {
    if (made.meaning.size() >= vocabulary) break;
    id_of[word] = static_cast<int64_t>(made.meaning.size());
    made.meaning.push_back(word);
  }
  for (const std::string& word : all) {
    auto found = id_of.find(word);
    made.ids.push_back(found == id_of.end() ? 0 : found->second);
  }
  return made;
}

}  // namespace sluice::models
