// The matrix of programs that gradients through control flow are tested on:
// kinds of control flow crossed with what is used inside it. Every program is
// smooth where it is tested: how often its loops run and which branches it
// takes depend on values, but do not change near them.
//
// A program is made of f64[1,2] values `z`, whatever else is carried along, and
// the control flow around the steps; written out, the same steps follow one
// another without control flow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/front/front_test_util.h"

namespace sluice::loop_matrix {

using Tensors = std::vector<Tensor>;
using Arrays = std::vector<Array>;

// What a program is a function of, and how it is to be written.
struct Around {
  Tensor x;        // f64[1,2]
  Tensor w;        // f64[2,2]; holds nothing where `v` is used
  Variable v;      // the same as a variable
  Variable count;  // of i64, counted up; or holds nothing
  bool written_out = false;
  Save save{};            // of all its loops
  bool positive = false;  // the sum of x, for what is written out
};

// What is used inside: `start` is what is carried beside z, `step` one step of
// {z, carried...}, `finish` a scalar of the last ones.
struct Ingredient {
  std::string name;
  std::function<Tensors(const Around&)> start;
  std::function<Tensors(const Around&, const Tensors&)> step;
  std::function<Tensor(const Around&, const Tensors&)> finish;
};
const std::vector<Ingredient>& Ingredients();

// The control flow: takes {z, carried...} to the last of them.
struct Kind {
  std::string name;
  std::function<Tensors(const Around&, const Ingredient&, const Tensors&)> run;
};
const std::vector<Kind>& Kinds();

// What is asked for. Differences need no second derivatives.
enum class Order : uint8_t { kFirst, kSecond };

struct Cell {
  Kind kind;
  Ingredient with;
  std::string name() const { return kind.name + "_" + with.name; }
  bool uses_variables() const { return with.name == "variables"; }
  bool draws() const { return with.name == "random"; }
  // The program: a scalar.
  Tensor Run(const Around& around) const;
};
std::vector<Cell> AllCells();
void PrintTo(const Cell& cell, std::ostream* out);

// Values of x and w; each cell is tested at all of them.
std::vector<Arrays> Points();

}  // namespace sluice::loop_matrix
