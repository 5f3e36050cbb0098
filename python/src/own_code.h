// The parts of a captured function that can be reassigned: the code and the
// defaults of a function, of the function of a method or a partial, of the
// `__call__` of an object. Assigning one of them makes it a different function.
//
// Owned by one captured function. Under the GIL.
#pragma once

#include <utility>
#include <vector>

#include "common.h"

namespace sluice::py {

class OwnCode {
 public:
  OwnCode() = default;
  // Records the current state.
  explicit OwnCode(nb::handle callable) { Look(callable); }

  // Whether all of it is unchanged: a few pointer comparisons.
  bool Same() const;
  int Visit(visitproc visit, void* arg) const;

 private:
  struct Part {
    nb::object owner;  // a function, a partial, a callable object
    nb::object code;   // for an object: its class
    nb::object rest;   // defaults; for an object: its class's __call__
    // Keyword defaults and arguments: anyone with the dict may change it.
    nb::object named;
    std::vector<std::pair<nb::object, nb::object>> values;

    bool Same() const;
  };

  void Look(nb::handle callable);

  std::vector<Part> parts_;
};

}  // namespace sluice::py
