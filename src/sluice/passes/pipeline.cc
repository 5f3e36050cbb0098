#include "sluice/passes/pipeline.h"

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/branch_results.h"
#include "sluice/passes/carried_values.h"
#include "sluice/passes/common_subexpressions.h"
#include "sluice/passes/dead_code.h"
#include "sluice/passes/fold_branches.h"
#include "sluice/passes/fold_loops.h"
#include "sluice/passes/hoist_invariants.h"
#include "sluice/passes/hoist_projections.h"
#include "sluice/passes/infer_shapes.h"
#include "sluice/passes/inline_calls.h"
#include "sluice/passes/kept_invariants.h"
#include "sluice/passes/known_counts.h"
#include "sluice/passes/raise_control_flow.h"
#include "sluice/passes/raw_region.h"
#include "sluice/passes/refine_lists.h"
#include "sluice/passes/simplify_arithmetic.h"
#include "sluice/passes/sink_into_branches.h"

namespace sluice {

namespace {

using Notes = std::vector<std::string>;

struct Pass {
  const char* name;
  bool for_regions;  // nothing to do in a graph without regions
  Result<bool> (*run)(Graph&, const PipelineOptions&, Notes*);
};

// clang-format off
constexpr Pass kPasses[] = {
    {"infer shapes", false, [](Graph& g, const PipelineOptions& o, Notes*) {
       return RefineShapes(g, o.in_region); }},
    {"refine lists", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return RefineLists(g, n); }},
    {"fold constants", false, [](Graph& g, const PipelineOptions& o, Notes*) {
       return FoldConstants(g, o.max_constant_bytes); }},
    {"simplify arithmetic", false, [](Graph& g, const PipelineOptions&, Notes*) {
       return SimplifyArithmetic(g); }},
    {"inline calls", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return InlineCalls(g, n); }},
    {"fold branches", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return FoldBranches(g, n); }},
    {"fold loops", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return FoldLoops(g, n); }},
    {"known counts", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return ReadKnownCounts(g, n); }},
    {"kept invariants", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return ReadKeptInvariants(g, n); }},
    {"carried values", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return DropCarriedValues(g, n); }},
    {"branch results", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return SimplifyBranchResults(g, n); }},
    {"hoist invariants", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return HoistInvariants(g, n); }},
    {"hoist projections", true, [](Graph& g, const PipelineOptions& o, Notes* n) {
       return HoistProjections(g, o.same_bits, n); }},
    {"common subexpressions", false, [](Graph& g, const PipelineOptions&, Notes*) {
       return MergeCommonSubexpressions(g); }},
    {"sink into branches", true, [](Graph& g, const PipelineOptions&, Notes* n) {
       return SinkIntoBranches(g, n); }},
    {"dead code", false, [](Graph& g, const PipelineOptions&, Notes*) {
       return RemoveDeadCode(g); }},
};
// clang-format on

constexpr Pass kRaise = {"raise control flow", false,
                         [](Graph& g, const PipelineOptions&, Notes* n) {
                           return RaiseControlFlow(g, n);
                         }};

// The kinds of control flow in a graph: most graphs are flat, and large ones
// are scanned once.
struct Content {
  bool regions = false, primitives = false;

  void Look(const Region& region) {
    for (const Node* node : region.nodes()) {
      if (node->op().flow == Flow::kNone && node->regions().empty()) continue;
      primitives = primitives || IsPrimitive(*node);
      regions = regions || !node->regions().empty();
      for (const auto& inner : node->regions()) Look(*inner);
    }
  }
};

Status RunPass(Graph& graph, const Pass& pass, const PipelineOptions& options,
               PassReport* report) {
  // A large graph takes a while: check for Ctrl-C from the first pass on.
  SL_RETURN_IF_ERROR(Interruption::Check());
  PassReport::Entry entry;
  entry.pass = pass.name;
  entry.nodes_before = graph.num_nodes();
  int64_t start = NowNanos();
  SL_ASSIGN_OR_RETURN(entry.changed, pass.run(graph, options, &entry.notes));
  entry.seconds = static_cast<double>(NowNanos() - start) * 1e-9;
  entry.nodes_after = graph.num_nodes();
  report->entries.push_back(std::move(entry));
  if (!options.verify) return OkStatus();
  return Verify(graph).WithLine(StrCat("after the pass \"", pass.name, "\""));
}

}  // namespace

Result<PassReport> RunPipeline(Graph& graph, const PipelineOptions& options) {
  PassReport report;
  Content content;
  content.Look(graph.root());
  if (options.optimize && options.raise && content.primitives) {
    SL_RETURN_IF_ERROR(RunPass(graph, kRaise, options, &report));
    content.Look(graph.root());
  }
  for (int round = 0; round < options.max_rounds; ++round) {
    bool changed = false;
    for (const Pass& pass : kPasses) {
      if (pass.for_regions && !content.regions) continue;
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
    for (const std::string& note : e.notes) StrAppend(out, "  ", note, "\n");
  }
  return out;
}

}  // namespace sluice
