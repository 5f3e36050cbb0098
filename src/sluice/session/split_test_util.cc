#include "sluice/session/split_test_util.h"

#include <algorithm>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/traverse.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/pipeline.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step.h"

namespace sluice {

// ---- Tasks ----

RandomTasks::RandomTasks(const Graph& graph, int tasks, uint32_t seed) {
  Visit(graph.root(), nullptr);
  std::mt19937 random(seed);
  std::unordered_map<const Node*, int> of_group;
  std::vector<const Node*> nodes;
  for (const auto& [node, parent] : parent_) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  for (const Node* node : nodes) {
    auto [it, fresh] = of_group.emplace(Find(node), 0);
    if (fresh) it->second = static_cast<int>(random() % uint32_t(tasks));
    tasks_[node] = it->second;
  }
}

SplitOptions RandomTasks::options() const {
  SplitOptions options;
  options.device_of = [tasks = tasks_](const Node& node) {
    return StrCat("/job:t/task:", tasks.at(&node), "/device:cpu:0");
  };
  return options;
}

const Node* RandomTasks::Find(const Node* node) {
  auto it = parent_.emplace(node, node).first;
  while (it->second != it->first) it = parent_.find(it->second);
  return it->first;
}

void RandomTasks::Join(const Node* a, const Node* b) {
  const Node *x = Find(a), *y = Find(b);
  if (x != y) parent_[x] = y;
}

void RandomTasks::Visit(const Region& region, const Node* function) {
  bool raw = HasPrimitives(region);
  for (const Node* node : region.nodes()) {
    Find(node);
    if (function) Join(node, function);
    if (raw) Join(node, region.nodes()[0]);
    for (const Value& v : node->inputs()) {
      bool handle = v.dtype() == DType::kResource && !v.node->is_args();
      if (handle && (node->op().flow != Flow::kCall || function)) {
        Join(node, v.node);
      }
    }
    bool is_function = node->op().flow == Flow::kFunction;
    for (const auto& inner : node->regions()) {
      Visit(*inner, function ? function : is_function ? node : nullptr);
    }
  }
}

// ---- Messages ----

void ShuffledMailboxes::Send(const MessageKey& key, Array value,
                             SentCallback done) {
  ++messages_;
  held_.push_back({key, std::move(value), done});
}

void ShuffledMailboxes::Receive(const MessageKey& key, ReceivedCallback done) {
  boxes_.Receive(key, done);
}

void ShuffledMailboxes::Abort(const Status& why) {
  boxes_.Abort(why);
  while (DeliverOne()) {
  }
}

bool ShuffledMailboxes::DeliverOne() {
  if (held_.empty()) return false;
  std::swap(held_[random_() % held_.size()], held_.back());
  Held message = std::move(held_.back());
  held_.pop_back();
  boxes_.Send(message.key, std::move(message.value), message.done);
  return true;
}

// ---- Runs ----

namespace {

struct Running {
  TaskPiece piece;
  ResourceManager resources;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Step> step;
  Cancellation::Token token = 0;
  bool quiet = false;
  Status status;
};

Status Prepare(Running& r, const SplitRun& run) {
  SL_RETURN_IF_ERROR(Verify(*r.piece.graph));
  if (run.optimize) {
    PipelineOptions options;
    options.verify = true;
    SL_RETURN_IF_ERROR(RunPipeline(*r.piece.graph, options).status());
  }
  PlanOptions options;
  options.executor = run.executor;
  options.resources = &r.resources;
  SL_ASSIGN_OR_RETURN(r.plan, Plan::Build(std::move(r.piece.graph), options));
  r.step = std::make_unique<Step>(*r.plan);
  return OkStatus();
}

void Start(Running& r, Rendezvous& rendezvous, const std::vector<Array>& args) {
  StepRequest request;
  request.resources = &r.resources;
  request.step_id = 1;
  request.rendezvous = &rendezvous;
  r.step->Begin(request);
  r.step->cancellation()->Register(
      &r.token,
      [&rendezvous, step = r.step.get()] { rendezvous.Abort(step->error()); });
  for (size_t i = 0; i < r.piece.args.size(); ++i) {
    r.step->Feed(static_cast<int>(i),
                 args[static_cast<size_t>(r.piece.args[i])]);
  }
}

void End(Running& r) {
  r.step->cancellation()->Deregister(r.token);
  r.status = r.step->Finish();
}

// All on one thread, in a random order.
Status RunTogether(std::vector<std::unique_ptr<Running>>& all,
                   ShuffledMailboxes& boxes) {
  size_t left = all.size();
  while (left > 0) {
    bool moved = false;
    size_t first = boxes.Random() % all.size();
    for (size_t k = 0; k < all.size(); ++k) {
      Running& r = *all[(first + k) % all.size()];
      if (r.quiet) continue;
      Step::Ran ran = r.step->RunReady();
      moved = moved || ran != Step::Ran::kNothing;
      if (ran != Step::Ran::kAll) continue;
      r.quiet = true;
      --left;
    }
    if (boxes.Random() % 2 == 0 || !moved) moved = boxes.DeliverOne() || moved;
    if (moved || left == 0) continue;
    std::string text = "nothing can go on:";
    for (auto& r : all) {
      if (r->quiet) continue;
      StrAppend(text, "\n", r->piece.task, ":\n", r->step->WhyWaiting(),
                PrintGraph(r->plan->graph()));
    }
    boxes.Abort(Internal(text));
    for (auto& r : all) {
      if (!r->quiet) r->step->RunUntilQuiet();
    }
    return Internal(text);
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Array>> RunPieces(std::vector<TaskPiece> pieces,
                                     const std::vector<Array>& args,
                                     size_t num_results, const SplitRun& run) {
  std::vector<std::unique_ptr<Running>> all;
  for (TaskPiece& piece : pieces) {
    all.push_back(std::make_unique<Running>());
    all.back()->piece = std::move(piece);
    SL_RETURN_IF_ERROR(Prepare(*all.back(), run));
  }
  ShuffledMailboxes shuffled(run.seed, run.mailboxes);
  Mailboxes direct(run.mailboxes);
  Rendezvous* rendezvous = &direct;
  if (!run.threads) rendezvous = &shuffled;
  for (auto& r : all) Start(*r, *rendezvous, args);
  Status stuck;
  if (run.threads) {
    std::vector<std::thread> threads;
    for (auto& r : all) {
      threads.emplace_back([&r] { r->step->RunUntilQuiet(); });
    }
    for (std::thread& thread : threads) thread.join();
  } else {
    stuck = RunTogether(all, shuffled);
  }
  Mailboxes& boxes = run.threads ? direct : shuffled.boxes();
  for (auto& r : all) End(*r);
  SL_RETURN_IF_ERROR(stuck);
  SL_RETURN_IF_ERROR(boxes.error());
  if (run.messages) *run.messages = shuffled.messages();
  if (boxes.waiting_messages() || boxes.waiting_calls()) {
    return Internal(StrCat(boxes.waiting_messages(), " messages and ",
                           boxes.waiting_calls(), " calls are left over"));
  }
  std::vector<Array> results(num_results);
  for (auto& r : all) {
    SL_RETURN_IF_ERROR(r->status);
    if (r->step->blocks_in_use() != 0) return Internal("blocks are left over");
    for (size_t i = 0; i < r->piece.results.size(); ++i) {
      Array& value = r->step->results()[i];
      if (!value) return r->step->MissingResult(i);
      results[static_cast<size_t>(r->piece.results[i])] = value;
    }
  }
  return results;
}

}  // namespace sluice
