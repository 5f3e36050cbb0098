// Guards: the program state outside that recorded Python code has read:
// globals, closure variables, defaults, attributes, elements of containers. A
// recording is valid while all of it is unchanged.
//
// Modules and optimizers report their changes through the epoch (recorder.h):
// values read from them are compared only after a change. All others are
// compared at every call, by pointer first.
//
// Under the GIL.
#pragma once

#include <vector>

#include "seen.h"

namespace sluice::py {

class Guards {
 public:
  // From Python: a list of (when, kind, owner, key, value, text); `when` is 1
  // for values that only a new epoch can change; kind -1 means all elements of
  // a container, with a copy of it as `value`. Known ones are skipped.
  void Add(nb::handle list);
  // Adds guards on requires_grad of captured tensors.
  void AddCaptured(const std::vector<EagerRef>& captured);
  bool Hold();
  // Describes the first broken guard: "self.scale is 3.0; the last trace has
  // 2.0".
  std::string Broken() const;
  // Places that hold another tensor than before, unless a guard is broken that
  // passing tensors as inputs would not fix.
  std::vector<std::pair<Place, std::string>> OtherTensors() const;
  // Places that hold another number of the same type than before.
  std::vector<std::pair<Place, std::string>> OtherNumbers() const;
  // A call of `trace` has written between these epochs. Once its writes have
  // been found to break no guard they are ignored later: it writes the same
  // places with the same values, except for tensors.
  void Wrote(const void* trace, uint64_t before, uint64_t after);
  size_t size() const { return always_.size() + by_epoch_.size(); }
  int Visit(visitproc visit, void* arg) const;
  void Clear();

 private:
  struct One {
    Place place;
    Seen seen;
    std::string text;
    bool Holds() const;
  };
  // The elements of a list, dict, set or deque, or the bytes of an array.
  struct Contents {
    nb::object owner;
    std::vector<nb::object> keys;
    std::vector<Seen> values;
    nb::object frozen;  // a set's elements; an array's bytes
    std::string text;
    bool Holds() const;
    std::string Broken() const;
    // The name of an element: "table['k']"; "self.k" if the text ends in a dot.
    std::string Name(nb::handle key) const;
    static Contents Of(nb::handle owner, nb::handle seen, std::string text);
  };
  struct Flag {
    EagerRef value;
    bool requires_grad;
  };

  template <class F>
  void Each(F f) const;
  bool HoldAlways() const;

  std::vector<One> always_, by_epoch_;
  std::vector<Contents> contents_, contents_by_epoch_;
  std::vector<Flag> flags_;
  uint64_t epoch_ = 0;
  const void* writer_ = nullptr;  // the last writer
  uint64_t wrote_ = 0;            // the epoch after that write
  const void* harmless_ = nullptr;
};

}  // namespace sluice::py
