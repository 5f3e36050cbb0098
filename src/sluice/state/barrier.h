// Barrier: joins components by key. The components of a key arrive separately,
// from any step, in any order. A key with all components is complete and can be
// taken; keys are taken in the order of their first arrival.
//
// After Close there are no new keys. Missing components of existing keys may
// still arrive, unless cancel_pending drops those keys. A take that can no
// longer be satisfied fails.
//
// Thread safe; waiting takes block no thread and are served in order of
// arrival.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/state/tuple_spec.h"
#include "sluice/state/waiting.h"

namespace sluice {

class Barrier : public WaitingResource {
 public:
  static constexpr char kKind[] = "barrier";
  const void* tag() const override { return kKind; }

  // Errors: as TupleSpec::Check(), and shapes with unknown sizes.
  static Status Check(const TupleSpec& spec);
  static Result<Ref<Barrier>> Make(std::string name, TupleSpec spec);
  // "barrier (f32[2], i64[])".
  static std::string Signature(const TupleSpec& spec);
  // REQUIRES: Check(spec) is OK.
  Barrier(std::string name, TupleSpec spec);

  const TupleSpec& spec() const { return spec_; }

  // Row i of `values` is component `component` of keys[i]. All or nothing: an
  // error leaves the barrier unchanged.
  Status Insert(int64_t component, const Array& keys, const Array& values);
  // Replies with the keys (string[n]) and the n rows of every component. With
  // `up_to`, a closed barrier may return fewer rows, but at least one.
  void Take(int64_t n, bool up_to, Cancellation* c, Reply reply);
  void Close(bool cancel_pending);

  int64_t ready_size() const;
  int64_t incomplete_size() const;
  bool closed() const;

 protected:
  ~Barrier() override;
  void CancelWaiter(uint64_t id) noexcept override;

 private:
  using Order = uint64_t;  // position among first arrivals
  struct Partial {
    Order order = 0;
    Element element;  // missing components are null
    int missing = 0;
  };
  struct Complete {
    std::string key;
    Element element;
  };
  struct Filling;
  struct PendingTake {
    Waiter waiter;
    int64_t wanted = 0;
    bool up_to = false;
  };

  Status CheckInsert(size_t component, const Array& keys) const
      SL_REQUIRES(mu_);
  // Stores the rows. REQUIRES: CheckInsert() returned OK.
  void Put(size_t component, const Array& keys, std::vector<Element>& rows)
      SL_REQUIRES(mu_);
  void Flush(Replies& replies) noexcept SL_REQUIRES(mu_);
  void Give(PendingTake take, int64_t n, Replies& replies) SL_REQUIRES(mu_);
  // Puts back the elements of a batch that could not be completed.
  void Return(std::map<Order, Complete> given) noexcept;
  std::string who() const { return "barrier \"" + name() + "\""; }

  const TupleSpec spec_;
  mutable Mutex mu_;
  std::unordered_map<std::string, Partial> incomplete_ SL_GUARDED_BY(mu_);
  std::map<Order, Complete> ready_ SL_GUARDED_BY(mu_);
  Order next_order_ SL_GUARDED_BY(mu_) = 0;
  bool closed_ SL_GUARDED_BY(mu_) = false;
  bool dropped_ SL_GUARDED_BY(mu_) = false;  // closed with cancel_pending
  WaitLine<PendingTake> takes_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
