#include "sluice/fleet/sync_chief.h"

#include <algorithm>
#include <chrono>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::distributed {

namespace {

Array Bools(const std::vector<bool>& values) {
  Array a =
      Array::Zeros(DType::kBool, Shape({static_cast<int64_t>(values.size())}));
  bool* to = static_cast<bool*>(a.mutable_raw());
  std::copy(values.begin(), values.end(), to);
  return a;
}

Array Numbers(const std::vector<int64_t>& values) {
  return Array::Vector(std::span<const int64_t>(values));
}

}  // namespace

SyncChief::SyncChief(const SyncReplicas& replicas, Session& session,
                     int64_t timeout_ms,
                     std::shared_ptr<Cancellation> cancellation)
    : replicas_(replicas),
      timeout_ms_(timeout_ms),
      cancellation_(std::move(cancellation)),
      choice_(replicas.options().workers,
              (replicas.options().workers + 1) / 2) {
  const SyncReplicas::Chief& c = replicas.chief();
  arrivals_ = session.prepare({c.arrived_workers, c.arrived_steps},
                              {c.arrivals_wanted});
  update_ = session.prepare({}, {c.chosen, c.tokens, c.count}, {c.update});
  drop_ = session.prepare({}, {c.chosen, c.tokens}, {c.drop});
  step_ = session.prepare({c.step});
  auto n = static_cast<size_t>(replicas.options().workers);
  released_.resize(n);
  handed_.resize(n);
  stats_.seconds.resize(n);
  stats_.dropped.resize(n);
  stats_.backups = replicas.options().backups;
}

RunOptions SyncChief::Options() const {
  RunOptions options;
  options.timeout_ms = timeout_ms_;
  options.cancellation = cancellation_;
  return options;
}

double SyncChief::Now() const {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::vector<bool> SyncChief::Chosen(const std::vector<int>& workers) const {
  std::vector<bool> chosen(released_.size());
  for (int w : workers) chosen[static_cast<size_t>(w)] = true;
  return chosen;
}

void SyncChief::Start() {
  int64_t step = step_({}, Options())[0].data<int64_t>()[0];
  int n = replicas_.options().workers;
  admission_ = std::make_unique<Admission>(n, n - stats_.backups, step);
  Drop({}, step);
}

// Workers that deliver nothing now also get tokens: they have none yet.
void SyncChief::Drop(const std::vector<int>& late, int64_t token) {
  std::vector<int64_t> tokens(released_.size(), SyncReplicas::kNoToken);
  if (token == SyncReplicas::kLastToken) {
    std::fill(tokens.begin(), tokens.end(), token);
  } else if (token != SyncReplicas::kNoToken) {
    for (int w : admission_->Release()) {
      tokens[static_cast<size_t>(w)] = token;
      released_[static_cast<size_t>(w)] = Now();
    }
  }
  drop_({Bools(Chosen(late)), Numbers(tokens)}, Options());
  for (int w : late) ++stats_.dropped[static_cast<size_t>(w)];
}

void SyncChief::Take(int64_t wanted) {
  std::vector<Array> arrived;
  try {
    arrived = arrivals_({Array::Scalar(wanted)}, Options());
  } catch (const Error& error) {
    if (error.code() != Code::kDeadlineExceeded) throw;
    std::string names;
    for (int w : admission_->Outstanding()) {
      StrAppend(names, names.empty() ? "" : ", ", w);
    }
    throw Error(DeadlineExceeded(
        StrCat("step ", admission_->step(), " waits for ",
               admission_->missing(), " more gradients, and no worker of ",
               names, " has handed in one for ", timeout_ms_, " ms")));
  }
  double now = Now();
  std::vector<int> late;
  for (int64_t i = 0; i < wanted; ++i) {
    auto w = static_cast<int>(arrived[0].data<int64_t>()[i]);
    int64_t step = arrived[1].data<int64_t>()[i];
    auto verdict = ValueOrThrow(admission_->Arrive(w, step));
    if (verdict == Admission::Verdict::kLate) late.push_back(w);
    auto k = static_cast<size_t>(w);
    double took = now - released_[k];
    stats_.seconds[k] +=
        (took - stats_.seconds[k]) / static_cast<double>(++handed_[k]);
    choice_.Arrived(w, step, took);
  }
  if (!late.empty()) Drop(late, admission_->step());
}

std::vector<int> SyncChief::Step() {
  // One at a time, because times matter: in a batch, all but the last have
  // waited.
  while (!admission_->complete()) {
    Take(replicas_.options().adapt ? 1 : admission_->missing());
  }
  std::vector<int> members = admission_->Advance();
  if (replicas_.options().adapt) {
    admission_->set_admitted(choice_.Choose(admission_->admitted()));
    stats_.backups = admission_->workers() - admission_->admitted();
  }
  std::vector<int64_t> tokens(released_.size(), SyncReplicas::kNoToken);
  std::vector<int> free = admission_->Release();
  for (int w : free) tokens[static_cast<size_t>(w)] = admission_->step();
  auto count = static_cast<double>(members.size());
  update_({Bools(Chosen(members)), Numbers(tokens), Array::Scalar(count)},
          Options());
  for (int w : free) released_[static_cast<size_t>(w)] = Now();
  ++stats_.steps;
  stats_.admitted += static_cast<int64_t>(members.size());
  return members;
}

void SyncChief::Finish() {
  if (!admission_) return;
  // Pending gradients are dropped like late ones, but not counted as late.
  std::vector<int64_t> dropped = stats_.dropped;
  auto drain = [&](int64_t n) {
    if (n == 0) return;
    std::vector<Array> arrived = arrivals_({Array::Scalar(n)}, Options());
    std::vector<int> late;
    for (int64_t i = 0; i < n; ++i) {
      late.push_back(static_cast<int>(arrived[0].data<int64_t>()[i]));
    }
    Drop(late, SyncReplicas::kNoToken);
  };
  drain(static_cast<int64_t>(admission_->Outstanding().size()));
  Drop({}, SyncReplicas::kLastToken);
  drain(admission_->workers());
  stats_.dropped = dropped;
  admission_.reset();
}

int64_t Work(const SyncReplicas& replicas, Session& session, int worker,
             const WorkerFeeds& feeds, const RunOptions& options) {
  const SyncReplicas::WorkerStep& step = replicas.step_of(worker);
  for (int64_t steps = 0;; ++steps) {
    std::vector<Array> token =
        session.run({Fetch(step.token)}, feeds ? feeds(worker) : Feeds{},
                    {step.done}, options);
    if (token[0].data<int64_t>()[0] < 0) return steps;
  }
}

SyncStats Train(const SyncReplicas& replicas, Session& session, int64_t steps,
                const WorkerFeeds& feeds) {
  auto cancellation = std::make_shared<Cancellation>();
  SyncChief chief(replicas, session, 0, cancellation);
  RunOptions options;
  options.cancellation = cancellation;
  for (int w = 0; w < replicas.options().workers; ++w) {
    (void)replicas.step_of(w);  // throws before anything runs
  }
  RunWorkers(
      replicas.options().workers, *cancellation,
      [&](int worker) { Work(replicas, session, worker, feeds, options); },
      [&] {
        chief.Start();
        for (int64_t i = 0; i < steps; ++i) chief.Step();
        chief.Finish();
      });
  return chief.stats();
}

}  // namespace sluice::distributed
