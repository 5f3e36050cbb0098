// Guards: what recorded Python code has read of the program around it: globals,
// closure variables, defaults, attributes, elements of containers. A recording
// serves while all of them are as they were.
//
// Modules and optimizers say when something of them changes, by the epoch
// (recorder.h): what was read of them is compared only then. The rest is
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
  // for what only a new epoch can change; kind -1 is for all elements of a
  // container, `value` for a copy of it. Those known already are left out.
  void Add(nb::handle list);
  // Whether what a recording captured requires gradients as it did.
  void AddCaptured(const std::vector<EagerRef>& captured);
  bool Hold();
  // "self.scale is 3.0; the last trace has 2.0", of the first that is broken.
  std::string Broken() const;
  // Places that hold another tensor than they did, if nothing else is broken
  // that a tensor given anew would not mend.
  std::vector<std::pair<Place, std::string>> OtherTensors() const;
  // Places that hold another number of the same type than they did.
  std::vector<std::pair<Place, std::string>> OtherNumbers() const;
  // A call of `trace` has written between these epochs. Once its writes were
  // found to break nothing they are no news: it writes the same places, with
  // the same values but for tensors.
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
  // The elements of a list, dict, set, deque, or the bytes of an array.
  struct Contents {
    nb::object owner;
    std::vector<nb::object> keys;
    std::vector<Seen> values;
    nb::object frozen;  // of a set: its elements; of an array: its bytes
    std::string text;
    bool Holds() const;
    std::string Broken() const;
    // Of an element: "table['k']"; of a text that ends in a dot "self.k".
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
  const void* writer_ = nullptr;  // who has written last
  uint64_t wrote_ = 0;            // the epoch after that
  const void* harmless_ = nullptr;
};

}  // namespace sluice::py
