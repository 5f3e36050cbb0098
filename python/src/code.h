// Python callables as the code of branches and loops: their results are
// flattened to tensors, and their arguments are rebuilt from tensors.
//
// Numbers that code returns, or that a loop starts with, are weak: they take
// the type of the other operand, as in x * 2. Everything here holds Python
// objects and is used under the GIL; UnderGil wraps objects that C++ keeps.
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

// A value that C++ may release on any thread: destroyed under the GIL.
template <class T>
std::shared_ptr<T> UnderGil(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T* held) {
    // Too late after the interpreter has been finalized.
    if (!Py_IsInitialized()) return;
    TakeGil gil;
    delete held;
  });
}

// A flattened tree of tensors.
struct Parts {
  TreeDef tree;
  std::vector<nb::object> leaves;
  std::vector<Tensor> tensors;
  std::vector<bool> weak;

  // The structure as text: "(tensor, {h: tensor})".
  std::string Text() const { return tree.ToString("tensor"); }
};

// `what` names the tree in messages. A weak leaf k becomes a tensor of type
// like[k] if that type can hold its value.
Parts TakeParts(nb::handle tree, std::string_view what,
                std::span<const DType> like = {});

// Whether a number of type `from` may be used where `to` is computed: integers
// as floats, but not the reverse.
bool Fits(DType from, DType to);

// The same tree with other tensors.
nb::object Together(const TreeDef& tree, std::span<const Tensor> tensors);

// Calls the callable with a tuple of arguments. Its exceptions propagate
// unchanged.
nb::object CallCode(nb::handle callable, nb::handle arguments);

// Adds a note to the exception that names the iteration and the loop. For eager
// loops; C++ adds it for loops in graphs.
[[noreturn]] void RethrowFromIteration(nb::python_error& error,
                                       int64_t iteration);

}  // namespace sluice::py
