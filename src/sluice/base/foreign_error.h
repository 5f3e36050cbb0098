// What a program in another language threw, on its way through C++: a binding
// lets the places it passes add to its text, as they do to a Status.
#pragma once

#include <atomic>
#include <string>

namespace sluice {

// Set once, by a binding: adds a line to the exception being handled, when that
// stands for an Error of ours. Called inside a catch block.
using AddLineToForeignError = void(const std::string& line);
extern constinit std::atomic<AddLineToForeignError*> add_line_to_foreign_error;

// Inside catch (...), before it is thrown on.
inline void AddToForeignError(const std::string& line) {
  if (AddLineToForeignError* add = add_line_to_foreign_error.load()) add(line);
}

}  // namespace sluice
