// Text: the project's English text as numbers, by letters and by words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::models {

// 1 MB of the King James Bible.
const std::string& english();

struct Coded {
  std::vector<int64_t> ids;          // one for each letter or word
  std::vector<std::string> meaning;  // of each id
};
// Each letter an id of its own, in the order of their codes.
const Coded& letters();
// The most frequent words in lower case, most frequent first; all others are
// id 0, "<rare>".
Coded words(size_t vocabulary);

}  // namespace sluice::models
