// The arguments of a captured function: their structure, which of their leaves
// are tensors, and the other leaves, which are part of the recording.
//
//   Pattern   the trees of all arguments, and the kind of each leaf
//   Variant   the other leaves, by value or identity: recorded separately
//
// Numbers (int, float) are fixed at first. A number that takes a third value is
// passed as a tensor from then on, so that a learning rate does not lead to new
// recordings forever, unless the code needs a number there, as range() does.
//
// Under the GIL.
#pragma once

#include "code.h"
#include "function_arguments.h"
#include "guards.h"
#include "sluice/front/function.h"

namespace sluice::py {

enum class LeafKind : uint8_t { kTensor, kFixed, kNumber };

// The class of a tensor that is derived from Tensor, such as Parameter: the
// code's stand-in has that class too. Otherwise empty.
nb::object DerivedClass(nb::handle leaf);
nb::object TensorOfClass(const Tensor& tensor, const nb::object& derived);

// A place whose value is passed to the code like an argument: whatever tensor
// or number is there. Integers are passed as sizes.
struct Hidden {
  enum class Kind : uint8_t { kTensor, kCount, kFloat };
  Place place;
  std::string text;
  Kind kind = Kind::kTensor;
  nb::object derived{};  // of the tensor there

  // Whether the place now holds an object of that kind.
  bool Serves() const;
};

struct Variant {
  std::vector<nb::object> fixed;  // leaves of kind kFixed, in order
  front_internal::FunctionCore::VariantRef ref;
  bool recorded = false;  // its code was recorded at least once
  // Numbers are inputs for the first time, and may become fixed again.
  bool tentative = false;
  // The program state outside that its code read.
  Guards guards;
  // Places of tensors that are rebound between calls, and of numbers that keep
  // changing.
  std::vector<Hidden> hidden;

  // For containers among the arguments that the code also reached in other
  // ways: a Python function of all arguments that tells whether they are the
  // same objects now. Empty if there are none.
  nb::object same_containers;

  // Whether it is valid for a call, apart from the leaves of the arguments.
  bool Serves(const Values& values);
  // Adds the tensors in the hidden places, after those of the arguments, and
  // their objects.
  void AddHidden(std::vector<Tensor>& tensors,
                 std::vector<nb::object>& objects) const;
};

struct Pattern {
  std::vector<TreeDef> trees;  // one for each parameter
  std::vector<LeafKind> kinds;
  std::vector<nb::object> derived;  // by leaf: DerivedClass()
  std::vector<std::string> names;   // "batch['x']"
  std::vector<bool> stays;          // a number the code needs as it is
  std::vector<std::shared_ptr<Variant>> variants;  // most recently used first

  // The structure of these arguments, with their leaves.
  static Pattern Of(const Parameters& parameters, const Values& values,
                    std::vector<nb::object>& leaves);
  // False if they have another structure.
  bool Collect(const Values& values, std::vector<nb::object>& leaves) const;

  bool SameFixed(const std::vector<nb::object>& fixed,
                 const std::vector<nb::object>& leaves) const;
  // Moves the matching variant to the front; null if there is none. `broken` is
  // then one for these leaves whose guards do not hold.
  std::shared_ptr<Variant> Find(const Values& values,
                                const std::vector<nb::object>& leaves,
                                std::shared_ptr<Variant>& broken);
  std::vector<nb::object> Fixed(const std::vector<nb::object>& leaves) const;
  std::vector<Tensor> Tensors(const std::vector<nb::object>& leaves) const;
  // REQUIRES: the list is empty.
  void Tensors(const std::vector<nb::object>& leaves,
               std::vector<Tensor>& tensors) const;
  std::vector<std::string> TensorNames() const;
  // "training=True, mode='fast'".
  std::string FixedText(const std::vector<nb::object>& fixed) const;
  // Numbers that have had two values and now have a third.
  std::vector<size_t> Moving(const std::vector<nb::object>& leaves) const;
  // The same structure with these numbers as tensors, and without recordings.
  Pattern WithTensors(const std::vector<size_t>& numbers) const;
  // Rebuilds arguments from the fixed leaves and other tensors.
  Values Together(const std::vector<nb::object>& fixed,
                  std::span<const Tensor> tensors,
                  std::vector<nb::object>* objects = nullptr) const;
  // Names of the fixed leaves.
  std::vector<std::string> FixedNames() const;
};

// Describes how arguments differ from those of the previous call, by name.
std::string Difference(const Parameters& parameters, const Pattern& before,
                       const Variant& variant, const Pattern& now,
                       const std::vector<nb::object>& leaves);

}  // namespace sluice::py
