// The part of SyncReplicas that the chief runs: sums, update and decisions.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/fleet/calls.h"
#include "sluice/fleet/in_task.h"
#include "sluice/fleet/sync_replicas.h"
#include "sluice/front/beside.h"
#include "sluice/front/control_flow.h"
#include "sluice/graph/graph.h"

namespace sluice::distributed {

namespace {

// The chief's nodes do not wait for the enclosing control scopes.
class OnItsOwn : front_internal::SavedBuilding {
 public:
  OnItsOwn() {
    front_internal::Building::Current().region = nullptr;
    front_internal::Building::Current().controls.clear();
  }
};

// One sparse gradient of a graph.
Tensor Rows(const Variable& variable, const Tensor& indices,
            const Tensor& values, std::source_location where) {
  auto rows = MakeRef<Tensor::GraphRows>();
  rows->indices = indices.value();
  rows->values = values.value();
  rows->shape =
      calls::Identity(calls::Sizes(calls::DimsOf(variable.shape())), where)
          .value();
  rows->dense = variable.shape();
  return Tensor(indices.graph(), std::move(rows));
}

}  // namespace

const Samples* SyncReplicas::SamplesOf(int worker) const {
  const Samples& own = samples_[static_cast<size_t>(worker)];
  if (!own.values.empty()) return &own;
  // For a worker whose step is in another process's graph: as for those here.
  bool here = static_cast<bool>(steps_[static_cast<size_t>(worker)].done);
  for (const Samples& other : samples_) {
    if (!here && !other.values.empty()) return &other;
  }
  return nullptr;
}

// The initial value of the sum is -0, which leaves every number unchanged; 0
// would turn -0 into 0.
std::vector<Tensor> SyncReplicas::SumAt(const Place& place, Where where) {
  InTask there(place.device);
  std::vector<Tensor> sums;
  for (size_t i : place.members) {
    const Variable& v = trained_[i].variable;
    std::vector<int64_t> dims = calls::DimsOf(v.shape());
    if (trained_[i].sparse) {
      dims[0] = 0;
      DType index = place.dtypes[sums.size()];
      sums.push_back(calls::Filled(0, index, {0}, where));
    }
    sums.push_back(calls::Filled(-0.0, v.dtype(), dims, where));
  }
  for (int w = 0; w < options_.workers; ++w) {
    Queue slot = SlotOf(place, w, where);
    sums = cond(
        chief_.chosen.at({w}, where),
        [&] {
          std::vector<Tensor> more = slot.dequeue(where), next;
          for (size_t i : place.members) {
            if (trained_[i].sparse) {
              for (int part = 0; part < 2; ++part) {
                size_t k = next.size();
                next.push_back(calls::Concat(sums[k], more[k], where));
              }
            } else {
              size_t k = next.size();
              next.push_back(sums[k] + more[k]);
            }
          }
          return next;
        },
        [&] { return sums; }, where);
  }
  return sums;
}

std::vector<Gradient> SyncReplicas::means(Where where) {
  if (trained_.empty()) {
    Refuse("means() before any gradients; wanted the step of a worker first",
           where);
  }
  OnItsOwn apart;
  {
    InTask there(options_.task);
    int64_t n = options_.workers;
    chief_.chosen = placeholder(DType::kBool, {n});
    chief_.tokens = placeholder(DType::kI64, {n});
    chief_.count = placeholder(DType::kF64, Shape());
  }
  std::vector<Gradient> all(trained_.size());
  for (const Place& place : places_) {
    std::vector<Tensor> sums = SumAt(place, where);
    InTask there(place.device);
    size_t k = 0;
    for (size_t i : place.members) {
      const auto& [variable, sparse] = trained_[i];
      Tensor indices = sparse ? sums[k++] : Tensor();
      Tensor mean =
          sums[k++] / calls::Cast(chief_.count, variable.dtype(), where);
      all[i] = {sparse ? Rows(variable, indices, mean, where) : mean, variable};
    }
  }
  means_made_ = true;
  return all;
}

void SyncReplicas::GiveTokens(std::vector<Operation>& done, Where where) const {
  InTask there(options_.task);
  for (int w = 0; w < options_.workers; ++w) {
    Queue queue = TokensOf(w, where);
    Tensor token = chief_.tokens.at({w}, where);
    done.push_back(cond(
        token > kNoToken, [&] { (void)queue.enqueue({token}, where); }, [] {},
        where));
  }
}

void SyncReplicas::Settle(bool give_back, std::vector<Operation>& done,
                          Where where) const {
  for (int w = 0; w < options_.workers; ++w) {
    const Samples* samples = SamplesOf(w);
    if (!samples) continue;
    Queue pending = PendingOf(*samples, w, where);
    Beside there(samples->input.handle());
    done.push_back(cond(
        chief_.chosen.at({w}, where),
        [&] {
          std::vector<Tensor> values = pending.dequeue(where);
          if (!give_back) return;
          std::vector<Operand> back(values.begin(), values.end());
          if (samples->many) {
            (void)samples->input.enqueue_many(back, where);
          } else {
            (void)samples->input.enqueue(back, where);
          }
        },
        [] {}, where));
  }
}

void SyncReplicas::set_update(const Operation& applied, Where where) {
  if (!means_made_ || !applied) {
    Refuse("set_update() without means() that are applied", where);
  }
  OnItsOwn apart;
  auto all = [&](const std::vector<Operation>& parts) {
    InTask there(options_.task);
    ControlScope after(parts);
    return calls::NoOp(where);
  };
  std::vector<Operation> updated, dropped, taken;
  {
    ControlScope after({applied});
    InTask there(options_.task);
    updated.push_back(step_.assign_add(int64_t{1}, {}, where));
    ControlScope counted({updated.back()});
    GiveTokens(updated, where);
  }
  Settle(/*give_back=*/false, updated, where);
  chief_.update = all(updated);

  for (const Place& place : places_) {
    InTask there(place.device);
    for (int w = 0; w < options_.workers; ++w) {
      Queue slot = SlotOf(place, w, where);
      taken.push_back(cond(
          chief_.chosen.at({w}, where), [&] { (void)slot.dequeue(where); },
          [] {}, where));
    }
  }
  Settle(/*give_back=*/true, dropped, where);
  {
    // Not after the samples have returned: if the queue is full, this worker is
    // the one that frees a place.
    ControlScope after(taken);
    GiveTokens(dropped, where);
  }
  chief_.drop = all(dropped);

  InTask there(options_.task);
  chief_.initialize = step_.initializer();
  chief_.step = step_.value();
  chief_.arrivals_wanted = placeholder(DType::kI64, Shape());
  auto arrived = arrivals_.dequeue_many(chief_.arrivals_wanted, where);
  chief_.arrived_workers = arrived[0];
  chief_.arrived_steps = arrived[1];
}

}  // namespace sluice::distributed
