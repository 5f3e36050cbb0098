// What a captured function is made of: the code and the defaults of a function,
// of that under a method or a partial, of the `__call__` of an object. Whoever
// assigns one of them makes another function of it.
//
// Of one captured function. Under the GIL.
#pragma once

#include <utility>
#include <vector>

#include "common.h"

namespace sluice::py {

class OwnCode {
 public:
  OwnCode() = default;
  // As it is now.
  explicit OwnCode(nb::handle callable) { Look(callable); }

  // Whether all of it is as it was: a few comparisons of pointers.
  bool Same() const;
  int Visit(visitproc visit, void* arg) const;

 private:
  struct Part {
    nb::object owner;  // a function, a partial, an object that is called
    nb::object code;   // of an object: its class
    nb::object rest;   // defaults; of an object: what its class is called by
    // Defaults and arguments by name: whoever has the dict may change it.
    nb::object named;
    std::vector<std::pair<nb::object, nb::object>> values;

    bool Same() const;
  };

  void Look(nb::handle callable);

  std::vector<Part> parts_;
};

}  // namespace sluice::py
