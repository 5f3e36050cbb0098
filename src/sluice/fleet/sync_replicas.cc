#include "sluice/fleet/sync_replicas.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/fleet/in_task.h"
#include "sluice/front/autograd.h"
#include "sluice/front/beside.h"
#include "sluice/graph/node.h"

namespace sluice::distributed {

SyncReplicas::SyncReplicas(SyncOptions options)
    : options_(std::move(options)),
      samples_(static_cast<size_t>(std::max(options_.workers, 0))),
      steps_(samples_.size()) {
  if (options_.workers < 1 || options_.backups < 0 ||
      options_.backups >= options_.workers) {
    throw Error(
        InvalidArgument(StrCat("synchronous training by ", options_.workers,
                               " workers, ", options_.backups,
                               " of them for backup; wanted 1 worker or "
                               "more, and fewer for backup than there are")));
  }
}

void SyncReplicas::Refuse(const std::string& message, Where where) const {
  throw Error(InvalidArgument(StrCat(options_.name, ": ", message))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

void SyncReplicas::CheckWorker(int worker, Where where) const {
  if (worker >= 0 && worker < options_.workers) return;
  Refuse(StrCat("there is no worker ", worker, "; wanted 0 to ",
                options_.workers - 1),
         where);
}

std::string SyncReplicas::Named(std::string_view part) const {
  return StrCat(options_.name, "/", part);
}

Queue SyncReplicas::TokensOf(int worker, Where where) const {
  InTask there(options_.task);
  return fifo_queue(-1, {DType::kI64}, {Shape()},
                    {.shared_name = Named(StrCat("tokens_", worker))}, where);
}

Queue SyncReplicas::SlotOf(const Place& place, int worker, Where where) const {
  InTask there(place.device);
  std::vector<PartialSizes> shapes(place.shapes.begin(), place.shapes.end());
  // Capacity one: a worker delivers nothing more until it has been answered.
  return fifo_queue(1, place.dtypes, shapes,
                    {.shared_name = Named(StrCat(
                         "gradients_", &place - places_.data(), "_", worker))},
                    where);
}

Queue SyncReplicas::PendingOf(const Samples& samples, int worker,
                              Where where) const {
  Beside there(samples.input.handle());
  std::vector<DType> dtypes;
  for (const Tensor& t : samples.values) dtypes.push_back(t.dtype());
  // Capacity two: a dropped worker gets its next token before its samples have
  // returned to a queue that may be full.
  return fifo_queue(2, dtypes, {},
                    {.shared_name = Named(StrCat("samples_", worker))}, where);
}

Tensor SyncReplicas::begin(int worker, Where where) {
  CheckWorker(worker, where);
  return TokensOf(worker, where).dequeue(where)[0];
}

std::vector<Gradient> SyncReplicas::gradients(
    const Tensor& loss, const std::vector<Variable>& variables, Where where) {
  std::vector<Tensor> values =
      sluice::gradients({loss}, variables, GradOptions{}, where);
  std::vector<Gradient> all;
  for (size_t i = 0; i < values.size(); ++i) {
    all.push_back({values[i], variables[i]});
  }
  return all;
}

SyncReplicas::WorkerStep SyncReplicas::worker(
    int worker, const std::function<std::vector<Gradient>()>& compute,
    Where where) {
  Tensor token = begin(worker, where);
  ControlScope after({token.operation()});
  return hand_in(worker, token, compute(), {}, where);
}

void SyncReplicas::Learn(const std::vector<Gradient>& gradients, Where where) {
  if (gradients.empty()) Refuse("no gradients", where);
  bool first = trained_.empty();
  if (!first && gradients.size() != trained_.size()) {
    Refuse(StrCat(gradients.size(), " gradients; wanted ", trained_.size(),
                  ", as of the first worker"),
           where);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    const auto& [value, variable] = gradients[i];
    if (!value.defined() || !variable.symbolic()) {
      Refuse(StrCat("gradient ", i,
                    " holds nothing, or is of a variable that "
                    "is part of no graph"),
             where);
    }
    if (value.dtype() != variable.dtype() ||
        !value.shape().CompatibleWith(variable.shape()) ||
        !variable.shape().fully_known()) {
      Refuse(StrCat("the gradient of variable \"", variable.name(), "\" is ",
                    TypeText(value.dtype(), value.shape()), "; wanted ",
                    TypeText(variable.dtype(), variable.shape()),
                    ", with all sizes known"),
             where);
    }
    if (!first) {
      const Trained& own = trained_[i];
      if (own.variable.name() == variable.name() &&
          own.sparse == value.is_sparse()) {
        continue;
      }
      Refuse(StrCat("gradient ", i, " is of variable \"", variable.name(),
                    value.is_sparse() ? "\", sparse" : "\"", "; wanted \"",
                    own.variable.name(), own.sparse ? "\", sparse" : "\"",
                    ", as of the first worker"),
             where);
    }
    trained_.push_back({variable, value.is_sparse()});
    const std::string& device = variable.handle().value().node->device();
    Place* place = nullptr;
    for (Place& p : places_) {
      if (p.device == device) place = &p;
    }
    if (!place) place = &places_.emplace_back(Place{device, {}, {}, {}});
    place->members.push_back(i);
    PartialShape shape = variable.shape();
    if (value.is_sparse()) {
      place->dtypes.push_back(value.indices().dtype());
      place->shapes.push_back(PartialShape({kUnknownDim}));
      shape.set_dim(0, kUnknownDim);
    }
    place->dtypes.push_back(variable.dtype());
    place->shapes.push_back(shape);
  }
}

void SyncReplicas::MakeQueues(Where where) {
  if (arrivals_.handle().defined()) return;
  InTask there(options_.task);
  arrivals_ = fifo_queue(-1, {DType::kI64, DType::kI64}, {Shape(), Shape()},
                         {.shared_name = Named("arrivals")}, where);
  step_ = variable(int64_t{0}, Named("step"), {}, where);
}

SyncReplicas::WorkerStep SyncReplicas::hand_in(
    int worker, const Tensor& token, const std::vector<Gradient>& gradients,
    const Samples& samples, Where where) {
  CheckWorker(worker, where);
  Learn(gradients, where);
  MakeQueues(where);
  std::vector<Operation> handed;
  for (const Place& place : places_) {
    InTask there(place.device);
    std::vector<Operand> parts;
    for (size_t i : place.members) {
      const Tensor& value = gradients[i].value;
      if (trained_[i].sparse) parts.emplace_back(value.indices());
      parts.emplace_back(trained_[i].sparse ? value.values() : value);
    }
    handed.push_back(SlotOf(place, worker, where).enqueue(parts, where));
  }
  if (!samples.values.empty()) {
    samples_[static_cast<size_t>(worker)] = samples;
    handed.push_back(
        PendingOf(samples, worker, where).enqueue(samples.values, where));
  }
  // Only now, so that an arrival means a complete gradient.
  ControlScope after(handed);
  InTask there(options_.task);
  WorkerStep& step = steps_[static_cast<size_t>(worker)];
  step = {token, arrivals_.enqueue({int64_t{worker}, token}, where)};
  return step;
}

const SyncReplicas::WorkerStep& SyncReplicas::step_of(int worker) const {
  CheckWorker(worker, Where::current());
  const WorkerStep& step = steps_[static_cast<size_t>(worker)];
  if (!step.done) {
    throw Error(FailedPrecondition(
        StrCat(options_.name, ": the step of worker ", worker,
               " is no part of this graph; wanted worker(), or hand_in()")));
  }
  return step;
}

const SyncReplicas::Chief& SyncReplicas::chief() const {
  if (!chief_.update) {
    throw Error(FailedPrecondition(
        StrCat(options_.name, ": there is no update; wanted set_update()")));
  }
  return chief_;
}

}  // namespace sluice::distributed
