// Exceptions of a program in another language on their way through C++: a
// binding lets the places that they pass add lines to their text, as for a
// Status.
#pragma once

#include <atomic>
#include <string>

namespace sluice {

// Set once, by a binding: adds a line to the exception being handled if that
// represents a sluice::Error. Called inside a catch block.
using AddLineToForeignError = void(const std::string& line);
extern constinit std::atomic<AddLineToForeignError*> add_line_to_foreign_error;

// Call inside catch (...), before rethrowing.
inline void AddToForeignError(const std::string& line) {
  if (AddLineToForeignError* add = add_line_to_foreign_error.load()) add(line);
}

}  // namespace sluice
