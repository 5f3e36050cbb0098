#include "sluice/nn/summary.h"

#include <cmath>
#include <ostream>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/nn/flops.h"
#include "sluice/nn/module_walk.h"
#include "sluice/trace/capture.h"

namespace sluice::nn {

namespace {

// Gives every node that is made to the module called innermost then.
class Recorder : public CallFrame::Observer {
 public:
  Recorder(Graph& graph, Summary& summary, Module& root)
      : graph_(graph), summary_(summary) {
    std::unordered_map<const EagerValue*, bool> seen;
    for (const auto& [path, module] : root.named_modules()) {
      ModuleSummary row{path, module->type_name(), module->describe(), {}};
      for (const auto& entry : ModuleWalk::Parameters(*module)) {
        if (!seen.emplace(entry.tensor.eager().get(), true).second) continue;
        int64_t count = entry.tensor.num_elements();
        row.parameters += count;
        if (entry.tensor.requires_grad()) row.trainable += count;
      }
      rows_[module] = summary_.rows.size();
      summary_.rows.push_back(std::move(row));
    }
    outer_ = std::exchange(CallFrame::CurrentObserver(), this);
  }
  ~Recorder() override { CallFrame::CurrentObserver() = outer_; }

  void Begin(const Module& module) override {
    Account();
    open_.push_back(&module);
    if (ModuleSummary* row = RowOf(&module)) ++row->calls;
  }
  void Result(const Module& module, const Tensor& result) override {
    if (ModuleSummary* row = RowOf(&module)) {
      row->shape = result.shape().ToString();
    }
  }
  void End(const Module&) override {
    Account();
    open_.pop_back();
  }
  // What was made since the last time.
  void Account() {
    const auto& nodes = graph_.root().nodes();
    for (; next_ < nodes.size(); ++next_) {
      double work = NodeFlops(*nodes[next_]);
      if (work == 0) continue;
      summary_.flops += work;
      ModuleSummary* row = open_.empty() ? nullptr : RowOf(open_.back());
      if (row) row->flops += work;
    }
  }

 private:
  ModuleSummary* RowOf(const Module* module) {
    auto found = rows_.find(module);
    return found == rows_.end() ? nullptr : &summary_.rows[found->second];
  }

  Graph& graph_;
  Summary& summary_;
  std::unordered_map<const Module*, size_t> rows_;
  std::vector<const Module*> open_;
  size_t next_ = 0;
  Observer* outer_;
};

}  // namespace

Summary summary(Module& module, const std::vector<Sizes>& inputs,
                const std::function<void(const std::vector<Tensor>&)>& run,
                const SummaryOptions& options) {
  Summary made;
  // What the model writes is written in the graph only, and thrown away.
  auto kept = std::make_shared<Graph>("summary");
  Graph& graph = *kept;
  {
    GraphScope building(graph);
    Capture capture(kept);
    std::vector<Tensor> fed;
    for (const Sizes& shape : inputs) {
      MutexLock lock(graph.mu());
      Value arg = ValueOrThrow(
          graph.AddArg(graph.root(), StrCat("input_", fed.size()),
                       {options.dtype, PartialShape(shape.shape())}));
      fed.push_back(Tensor(graph, arg));
    }
    Recorder recorder(graph, made, module);
    run(fed);
    recorder.Account();
  }
  for (const ModuleSummary& row : made.rows) {
    made.parameters += row.parameters;
    made.trainable += row.trainable;
  }
  for (const Tensor& b : module.buffers()) made.buffers += b.num_elements();
  return made;
}

Summary summary(Module& module, const std::vector<Sizes>& inputs,
                const SummaryOptions& options) {
  if (inputs.size() != 1) {
    throw Error(InvalidArgument(
        StrCat("summary: ", inputs.size(),
               " inputs; wanted one, or a function that calls the model")));
  }
  return summary(
      module, inputs, [&](const std::vector<Tensor>& in) { module(in[0]); },
      options);
}

std::ostream& operator<<(std::ostream& out, const Summary& summary) {
  return out << summary.ToString();
}

}  // namespace sluice::nn
