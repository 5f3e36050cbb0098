#include "sluice/state/barrier.h"

#include <unordered_set>

#include "sluice/base/strings.h"

namespace sluice {

Status Barrier::Check(const TupleSpec& spec) {
  SL_RETURN_IF_ERROR(spec.Check());
  for (int i = 0; i < spec.size(); ++i) {
    if (CanBatch(spec.shape(i), false)) continue;
    return InvalidArgument(
        StrCat("the shape of component ", i, " is ", spec.shape(i),
               "; wanted known sizes and at most ", kMaxRank - 1, " axes"));
  }
  return OkStatus();
}

std::string Barrier::Signature(const TupleSpec& spec) {
  return StrCat("barrier ", spec.ToString());
}

Result<Ref<Barrier>> Barrier::Make(std::string name, TupleSpec spec) {
  SL_RETURN_IF_ERROR(Check(spec));
  return MakeRef<Barrier>(std::move(name), std::move(spec));
}

Barrier::Barrier(std::string name, TupleSpec spec)
    : WaitingResource(std::move(name), Signature(spec)),
      spec_(std::move(spec)) {}

Barrier::~Barrier() {
  Replies replies;
  while (!takes_.empty()) {
    replies.AddCancelled(takes_.pop().waiter,
                         [&] { return StrCat("take from ", who()); });
  }
}

Status Barrier::Insert(int64_t component, const Array& keys,
                       const Array& values) {
  if (component < 0 || component >= spec_.size()) {
    return InvalidArgument(StrCat("component is ", component, "; wanted 0 to ",
                                  spec_.size() - 1, " as ", who()));
  }
  auto c = static_cast<size_t>(component);
  if (keys.dtype() != DType::kString || keys.rank() != 1) {
    return InvalidArgument(
        StrCat("keys is ", keys.TypeText(), "; wanted string[?]"));
  }
  PartialShape wanted =
      BatchShape(spec_.shape(static_cast<int>(component)), keys.dim(0));
  if (values.dtype() != spec_.dtypes[c] || values.rank() == 0 ||
      !wanted.Covers(values.shape())) {
    return InvalidArgument(StrCat("values is ", values.TypeText(), "; wanted ",
                                  TypeText(spec_.dtypes[c], wanted),
                                  " for component ", component, " of ", who()));
  }
  TupleSpec one{
      {spec_.dtypes[c]}, {spec_.shape(static_cast<int>(component))}, {}};
  SL_ASSIGN_OR_RETURN(std::vector<Element> rows,
                      SplitBatch(one, {&values, 1}, who()));
  SL_ASSIGN_OR_RETURN(Array names, keys.AsContiguous());

  Replies replies;
  MutexLock lock(mu_);
  SL_RETURN_IF_ERROR(CheckInsert(c, names));
  Put(c, names, rows);
  Flush(replies);
  return OkStatus();
}

// Allocates everything first, so that it succeeds completely or has no effect.
void Barrier::Put(size_t component, const Array& keys,
                  std::vector<Element>& rows) {
  const auto* names = keys.data<std::string>();
  std::map<Order, Complete> complete;  // nodes for keys that become complete
  size_t made = 0;
  const Order before = next_order_;
  try {
    for (; made < rows.size(); ++made) {
      const std::string& key = names[made];
      auto it = incomplete_.find(key);
      if (it == incomplete_.end()) {
        Partial fresh;
        fresh.order = next_order_;
        fresh.element.parts.resize(spec_.dtypes.size());
        fresh.missing = spec_.size();
        it = incomplete_.emplace(key, std::move(fresh)).first;
        ++next_order_;
      }
      if (it->second.missing == 1) {
        complete.emplace(it->second.order, Complete{key, {}});
      }
    }
  } catch (...) {
    std::erase_if(incomplete_, [&](const auto& entry) {
      return entry.second.order >= before;
    });
    next_order_ = before;
    throw;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    auto it = incomplete_.find(names[i]);
    Partial& partial = it->second;
    partial.element.parts[component] = std::move(rows[i].parts[0]);
    if (--partial.missing > 0) continue;
    complete.at(partial.order).element = std::move(partial.element);
    incomplete_.erase(it);
  }
  ready_.merge(complete);
}

Status Barrier::CheckInsert(size_t component, const Array& keys) const {
  if (dropped_) return Cancelled(StrCat(who(), " is closed"));
  std::unordered_set<std::string_view> seen;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const std::string& key = keys.data<std::string>()[i];
    auto named = [&] { return StrCat("key \"", EscapeString(key), "\""); };
    if (!seen.insert(key).second) {
      return InvalidArgument(StrCat(named(), " is given twice in one insert"));
    }
    auto it = incomplete_.find(key);
    if (it == incomplete_.end()) {
      if (!closed_) continue;
      return Cancelled(
          StrCat(who(), " is closed, and ", named(), " would be new"));
    }
    if (it->second.element.parts[component]) {
      return InvalidArgument(StrCat(named(), " of ", who(),
                                    " has its component ", component,
                                    " already"));
    }
  }
  return OkStatus();
}

void Barrier::Take(int64_t n, bool up_to, Cancellation* c, Reply reply) {
  if (n < 0) {
    return reply(InvalidArgument(StrCat("n is ", n, "; wanted 0 or more")), {});
  }
  PendingTake take{{c, std::move(reply)}, n, up_to};
  Replies replies;
  MutexLock lock(mu_);
  bool now = takes_.empty() && static_cast<int64_t>(ready_.size()) >= n;
  if (auto refused = Wait(takes_, std::move(take), now)) {
    return replies.AddCancelled(std::move(refused->waiter),
                                [&] { return StrCat("take from ", who()); });
  }
  Flush(replies);
}

void Barrier::Close(bool cancel_pending) {
  Replies replies;
  MutexLock lock(mu_);
  closed_ = true;
  if (cancel_pending) {
    dropped_ = true;
    incomplete_.clear();
  }
  Flush(replies);
}

void Barrier::CancelWaiter(uint64_t id) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  if (auto take = takes_.Remove(id)) {
    replies.AddCancelled(std::move(take->waiter),
                         [&] { return StrCat("take from ", who()); });
  }
  Flush(replies);  // the next waiter may need fewer
}

void Barrier::Flush(Replies& replies) noexcept {
  while (!takes_.empty()) {
    const PendingTake& take = takes_.front();
    auto ready = static_cast<int64_t>(ready_.size());
    auto possible = ready + static_cast<int64_t>(incomplete_.size());
    if (ready >= take.wanted) {
      PendingTake next = takes_.pop();
      int64_t n = next.wanted;
      Give(std::move(next), n, replies);
    } else if (!closed_ || possible >= take.wanted ||
               (take.up_to && possible > ready)) {
      return;
    } else if (take.up_to && ready > 0) {
      Give(takes_.pop(), ready, replies);
    } else {
      PendingTake failed = takes_.pop();
      size_t incomplete = incomplete_.size();
      replies.AddError(std::move(failed.waiter), [&] {
        return OutOfRange(StrCat(
            who(), " is closed and has insufficient elements (requested ",
            failed.wanted, ", complete ", ready, ", incomplete ", incomplete,
            ")"));
      });
    }
  }
}

// A batch and its elements, until it is filled.
struct Barrier::Filling {
  std::map<Order, Complete> given;
  std::vector<Element> rows;
  std::vector<Array> batch;
};

void Barrier::Give(PendingTake take, int64_t n, Replies& replies) {
  std::shared_ptr<Filling> filling;
  std::vector<Array> outputs;
  std::function<void()> finish;
  // Runs immediately, under the lock, which the analysis does not see.
  Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
    filling = std::make_shared<Filling>();
    finish = [filling, barrier = Ref<Barrier>::Share(this)] {
      try {
        FillBatch(filling->rows, filling->batch);  // copies texts
      } catch (...) {
        barrier->Return(std::move(filling->given));
        throw;
      }
    };
    std::vector<std::string> keys;
    auto next = ready_.begin();
    for (int64_t i = 0; i < n; ++i, ++next) {
      filling->rows.push_back(next->second.element);
      keys.push_back(next->second.key);
    }
    SL_ASSIGN_OR_RETURN(filling->batch,
                        AllocateBatch(spec_, false, filling->rows));
    outputs.push_back(
        Array::Of<std::string>(Shape{n}, std::span<const std::string>(keys)));
    outputs.insert(outputs.end(), filling->batch.begin(), filling->batch.end());
    return OkStatus();
  });
  if (!status.ok()) {
    // The elements stay for the next one.
    return replies.Add(std::move(take.waiter), std::move(status));
  }
  // Map nodes are moved: transferring to the batch and back needs no memory.
  for (int64_t i = 0; i < n; ++i) {
    filling->given.insert(filling->given.end(), ready_.extract(ready_.begin()));
  }
  replies.Add(std::move(take.waiter), OkStatus(), std::move(outputs),
              std::move(finish));
}

void Barrier::Return(std::map<Order, Complete> given) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  ready_.merge(given);
  Flush(replies);
}

int64_t Barrier::ready_size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(ready_.size());
}

int64_t Barrier::incomplete_size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(incomplete_.size());
}

bool Barrier::closed() const {
  MutexLock lock(mu_);
  return closed_;
}

}  // namespace sluice
