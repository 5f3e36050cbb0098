#include "sluice/passes/pipeline.h"

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/common_subexpressions.h"
#include "sluice/passes/dead_code.h"
#include "sluice/passes/infer_shapes.h"
#include "sluice/passes/simplify_arithmetic.h"

namespace sluice {

namespace {

struct Pass {
  const char* name;
  Result<bool> (*run)(Graph&, const PipelineOptions&);
};

// clang-format off
constexpr Pass kPasses[] = {
    {"infer shapes", [](Graph& g, const PipelineOptions&) {
       return RefineShapes(g); }},
    {"fold constants", [](Graph& g, const PipelineOptions& o) {
       return FoldConstants(g, o.max_constant_bytes); }},
    {"simplify arithmetic", [](Graph& g, const PipelineOptions&) {
       return SimplifyArithmetic(g); }},
    {"common subexpressions", [](Graph& g, const PipelineOptions&) {
       return MergeCommonSubexpressions(g); }},
    {"dead code", [](Graph& g, const PipelineOptions&) {
       return RemoveDeadCode(g); }},
};
// clang-format on

Status RunPass(Graph& graph, const Pass& pass, const PipelineOptions& options,
               PassReport* report) {
  PassReport::Entry entry;
  entry.pass = pass.name;
  entry.nodes_before = graph.num_nodes();
  int64_t start = NowNanos();
  SL_ASSIGN_OR_RETURN(entry.changed, pass.run(graph, options));
  entry.seconds = static_cast<double>(NowNanos() - start) * 1e-9;
  entry.nodes_after = graph.num_nodes();
  report->entries.push_back(std::move(entry));
  if (!options.verify) return OkStatus();
  return Verify(graph).WithLine(StrCat("after the pass \"", pass.name, "\""));
}

}  // namespace

Result<PassReport> RunPipeline(Graph& graph, const PipelineOptions& options) {
  PassReport report;
  for (int round = 0; round < options.max_rounds; ++round) {
    bool changed = false;
    for (const Pass& pass : kPasses) {
      SL_RETURN_IF_ERROR(RunPass(graph, pass, options, &report));
      if (!options.optimize) return report;
      changed = changed || report.entries.back().changed;
    }
    if (!changed) break;
  }
  return report;
}

std::string PassReport::ToString() const {
  std::string out;
  for (const Entry& e : entries) {
    StrAppend(out, e.pass, ": ", e.changed ? "changed" : "no change", ", ",
              e.nodes_before, " -> ", e.nodes_after, " nodes, ",
              static_cast<int64_t>(e.seconds * 1e6), " us\n");
  }
  return out;
}

}  // namespace sluice
