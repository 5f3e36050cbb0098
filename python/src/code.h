// Python callables as the code of branches and loops: what they return is taken
// apart into tensors, what they are given is put together again.
//
// Numbers that code returns or a loop begins with are weak: they take the type
// of what they meet, as in x * 2. Everything here holds Python objects and is
// made and used under the GIL; what C++ keeps of it is held by UnderGil.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "caller_line.h"
#include "common.h"
#include "sluice/trace/record_region.h"
#include "tree.h"

namespace sluice::py {

// A value that C++ may let go of on any thread: destroyed under the GIL.
template <class T>
std::shared_ptr<T> UnderGil(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T* held) {
    // Too late once the interpreter is gone.
    if (!Py_IsInitialized()) return;
    TakeGil gil;
    delete held;
  });
}

// A tree of tensors taken apart.
struct Parts {
  TreeDef tree;
  std::vector<nb::object> leaves;
  std::vector<Tensor> tensors;
  std::vector<bool> weak;

  // The structure in words: "(tensor, {h: tensor})".
  std::string Text() const { return tree.ToString("tensor"); }
};

// `what` names the tree in messages. Leaf k, if it is weak, becomes a tensor of
// type like[k] where that holds its value.
Parts TakeParts(nb::handle tree, std::string_view what,
                std::span<const DType> like = {});

// Whether a number of type `from` may be written where `to` is computed: whole
// numbers as floats, not the other way.
bool Fits(DType from, DType to);

// The same tree of other tensors.
nb::object Together(const TreeDef& tree, std::span<const Tensor> tensors);

// What the callable gives for a tuple of arguments. Its errors leave as they
// are.
nb::object CallCode(nb::handle callable, nb::handle arguments);

// The exception says in which iteration of which loop it was, as a note. For
// loops that run at once; C++ says it of those in graphs.
[[noreturn]] void RethrowFromIteration(nb::python_error& error,
                                       int64_t iteration);

}  // namespace sluice::py
