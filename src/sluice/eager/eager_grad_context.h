// A gradient rule applied to a recorded call: what the rule calls runs at once.
// With `record` the calls are recorded in turn, for gradients of gradients;
// without, plain arrays are all there is.
#pragma once

#include "sluice/eager/tape.h"
#include "sluice/op/grad_context.h"

namespace sluice {

class EagerGradContext final : public GradContext {
 public:
  EagerGradContext(OpTapeNode& node, std::span<const EagerRef> dy, bool record);

  // Null when the rule set none.
  Result<EagerRef> Gradient(size_t i);
  const Status& status() const {
    return setup_.ok() ? GradContext::status() : setup_;
  }

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override;
  DType TypeOf(int id) const override { return At(id).array.dtype(); }
  PartialShape ShapeOf(int id) const override {
    return PartialShape(At(id).array.shape());
  }

 private:
  struct Entry {
    Array array;
    EagerRef value;    // made when a recorded call asks for it
    TapeEdge edge;     // how it came to be
    bool kept = true;  // else type and shape alone are true
    // Made by the rule, on the host: it goes where the others of a call are.
    bool constant = false;
  };
  const Entry& At(int id) const { return table_[static_cast<size_t>(id)]; }
  const EagerRef& ValueOf(int id);
  // Constants of the rule that the call reads on a device are brought there.
  Status BringConstants(const OpRecord& op, std::span<const int> inputs);
  Status Bring(Entry& constant);
  EagerRef Whole(int id);  // for outside: recorded or not, as asked for
  int Enter(Array array, EagerRef value = {}, TapeEdge edge = {},
            bool kept = true);

  OpTapeNode& node_;
  const bool record_;
  // Where the gradients lie, and what the rule makes of nothing goes; null: on
  // the host, there is nothing else.
  Device* device_ = nullptr;
  Status setup_;
  SmallVector<Entry, 12> table_;
};

}  // namespace sluice
