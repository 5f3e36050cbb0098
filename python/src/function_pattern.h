// What a captured function is called with: the form of its arguments, which of
// their leaves are tensors, and the others, which are part of what is recorded.
//
//   Pattern   the trees of all arguments, and of each leaf what it is
//   Variant   the other leaves, by value or by identity: recorded by itself
//
// Numbers (int, float) are fixed at first. One that takes a third value is
// given as a tensor from then on, so that a learning rate does not record anew
// for ever; unless the code needs a number there, as range() does.
//
// Under the GIL.
#pragma once

#include "code.h"
#include "function_arguments.h"
#include "guards.h"
#include "sluice/front/function.h"

namespace sluice::py {

enum class LeafKind : uint8_t { kTensor, kFixed, kNumber };

// The class of a tensor that is derived from Tensor, as a parameter's is: what
// the code is given in its place is of that class, too. Else it holds nothing.
nb::object DerivedClass(nb::handle leaf);
nb::object TensorOfClass(const Tensor& tensor, const nb::object& derived);

// A place whose value is given to the code, as an argument is: whatever tensor
// is there, or whatever number. Whole numbers come as sizes.
struct Hidden {
  enum class Kind : uint8_t { kTensor, kCount, kFloat };
  Place place;
  std::string text;
  Kind kind = Kind::kTensor;
  nb::object derived{};  // of the tensor there

  // Whether something of that kind is there now.
  bool Serves() const;
};

struct Variant {
  std::vector<nb::object> fixed;  // leaves of kind kFixed, in order
  front_internal::FunctionCore::VariantRef ref;
  bool recorded = false;  // its code went through at least once
  // Numbers are inputs in it for the first time, and may be numbers again.
  bool tentative = false;
  // What its code read of the program around it.
  Guards guards;
  // Places of tensors that are bound anew between calls, and of numbers that
  // keep changing.
  std::vector<Hidden> hidden;

  // Containers among the arguments that its code found elsewhere, too, as
  // Python gave them: a function of all arguments that says whether they are
  // the same now. Holds nothing when there were no containers.
  nb::object same_containers;

  // Whether it serves a call now, apart from the leaves of its arguments.
  bool Serves(const Values& values);
  // The tensors in the hidden places, after those of the arguments; and the
  // objects they are.
  void AddHidden(std::vector<Tensor>& tensors,
                 std::vector<nb::object>& objects) const;
};

struct Pattern {
  std::vector<TreeDef> trees;  // one for each parameter
  std::vector<LeafKind> kinds;
  std::vector<nb::object> derived;  // by leaf: DerivedClass()
  std::vector<std::string> names;   // "batch['x']"
  std::vector<bool> stays;          // a number the code needs as it is
  std::vector<std::shared_ptr<Variant>> variants;  // used last: first

  // The form of these arguments, with their leaves.
  static Pattern Of(const Parameters& parameters, const Values& values,
                    std::vector<nb::object>& leaves);
  // False when they have another form.
  bool Collect(const Values& values, std::vector<nb::object>& leaves) const;

  bool SameFixed(const std::vector<nb::object>& fixed,
                 const std::vector<nb::object>& leaves) const;
  // Moves it to the front; null when there is none. Then `broken` is one for
  // these leaves that does not serve for what is read besides.
  std::shared_ptr<Variant> Find(const Values& values,
                                const std::vector<nb::object>& leaves,
                                std::shared_ptr<Variant>& broken);
  std::vector<nb::object> Fixed(const std::vector<nb::object>& leaves) const;
  std::vector<Tensor> Tensors(const std::vector<nb::object>& leaves) const;
  // Into a list that is empty.
  void Tensors(const std::vector<nb::object>& leaves,
               std::vector<Tensor>& tensors) const;
  std::vector<std::string> TensorNames() const;
  // "training=True, mode='fast'".
  std::string FixedText(const std::vector<nb::object>& fixed) const;
  // Numbers that have had two values and come with a third.
  std::vector<size_t> Moving(const std::vector<nb::object>& leaves) const;
  // The same form with these numbers as tensors, and nothing recorded.
  Pattern WithTensors(const std::vector<size_t>& numbers) const;
  // Arguments again, of the fixed leaves and other tensors.
  Values Together(const std::vector<nb::object>& fixed,
                  std::span<const Tensor> tensors,
                  std::vector<nb::object>* objects = nullptr) const;
  // Names of the leaves that are fixed.
  std::vector<std::string> FixedNames() const;
};

// How arguments differ from those of the call before, by name.
std::string Difference(const Parameters& parameters, const Pattern& before,
                       const Variant& variant, const Pattern& now,
                       const std::vector<nb::object>& leaves);

}  // namespace sluice::py
