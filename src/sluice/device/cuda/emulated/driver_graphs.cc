// Graphs of the emulated GPU: work in the order it was recorded in, with loops
// and branches in it that ask a number which kernels set.
#include <memory>
#include <vector>

#include "sluice/device/cuda/emulated/driver_parts.h"
#include "sluice/device/cuda/emulated/forever.h"

namespace sluice::emulated {

namespace {

struct Graph {
  Queue::Recording work;
  Queue::Recording at_launch;  // numbers set to what they begin with
};
Graph& Of(CUgraph graph) { return *reinterpret_cast<Graph*>(graph); }
CUgraph HandleOf(Graph* graph) { return reinterpret_cast<CUgraph>(graph); }
// Work is recorded into a graph's list, the first thing in it.
Graph* GraphOf(Queue::Recording* work) {
  return reinterpret_cast<Graph*>(work);
}
static_assert(std::is_standard_layout_v<Graph>);

// The number a condition is, as cudaGraphSetConditional of a kernel knows it.
unsigned* NumberOf(CUgraphConditionalHandle handle) {
  return reinterpret_cast<unsigned*>(handle);
}

void Run(const Graph& graph) {
  for (const Queue::Work& work : graph.work) work();
}

CUresult StreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (QueueOf(stream).recording()) return CUDA_ERROR_ILLEGAL_STATE;
  QueueOf(stream).RecordTo(&(new Graph)->work);
  return CUDA_SUCCESS;
}
// Work is in the order of its recording whatever it depends on.
CUresult StreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                   const CUgraphNode*, const CUgraphEdgeData*,
                                   size_t, CUstreamCaptureMode) {
  if (QueueOf(stream).recording()) return CUDA_ERROR_ILLEGAL_STATE;
  QueueOf(stream).RecordTo(&Of(graph).work);
  return CUDA_SUCCESS;
}
CUresult StreamEndCapture(CUstream stream, CUgraph* graph) {
  if (!QueueOf(stream).recording()) return CUDA_ERROR_ILLEGAL_STATE;
  *graph = HandleOf(GraphOf(QueueOf(stream).StopRecording()));
  return CUDA_SUCCESS;
}
CUresult StreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status,
                              cuuint64_t* id, CUgraph* graph,
                              const CUgraphNode** nodes,
                              const CUgraphEdgeData** edges, size_t* count) {
  Queue::Recording* recording = QueueOf(stream).recording();
  *status = recording ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                      : CU_STREAM_CAPTURE_STATUS_NONE;
  if (id) *id = reinterpret_cast<cuuint64_t>(recording);
  if (graph) *graph = HandleOf(GraphOf(recording));
  if (nodes) *nodes = nullptr;
  if (edges) *edges = nullptr;
  if (count) *count = 0;
  return CUDA_SUCCESS;
}
CUresult StreamUpdateCaptureDependencies(CUstream stream, CUgraphNode*,
                                         const CUgraphEdgeData*, size_t,
                                         unsigned) {
  return QueueOf(stream).recording() ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult GraphConditionalHandleCreate(CUgraphConditionalHandle* handle,
                                      CUgraph graph, CUcontext, unsigned first,
                                      unsigned flags) {
  unsigned* number = Forever(new unsigned(first));
  if (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) {
    Of(graph).at_launch.push_back([=] { *number = first; });
  }
  *handle = reinterpret_cast<CUgraphConditionalHandle>(number);
  return CUDA_SUCCESS;
}
CUresult GraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode*,
                      const CUgraphEdgeData*, size_t,
                      CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  auto& wanted = params->conditional;
  bool loop = wanted.type == CU_GRAPH_COND_TYPE_WHILE;
  bool choice = wanted.type == CU_GRAPH_COND_TYPE_SWITCH;
  size_t most = loop ? 1 : choice ? ~size_t{0} : 2;
  if (wanted.size < 1 || wanted.size > most) return CUDA_ERROR_INVALID_VALUE;
  // Whoever fills the bodies in does so after this: they stay as they are.
  std::vector<Graph*> bodies;
  auto* handles = Forever(new std::vector<CUgraph>);
  for (unsigned i = 0; i < wanted.size; ++i) {
    bodies.push_back(Forever(new Graph));
    handles->push_back(HandleOf(bodies.back()));
  }
  wanted.phGraph_out = handles->data();
  *node = reinterpret_cast<CUgraphNode>(handles);
  unsigned* number = NumberOf(wanted.handle);
  Of(graph).work.push_back([=] {
    if (loop) {
      while (*number && Failure::Get().Result() == CUDA_SUCCESS) {
        Run(*bodies[0]);
      }
      return;
    }
    size_t chosen = choice ? *number : *number ? 0 : 1;
    if (chosen < bodies.size()) Run(*bodies[chosen]);
  });
  return CUDA_SUCCESS;
}

CUresult GraphInstantiate(CUgraphExec* exec, CUgraph graph,
                          unsigned long long) {
  *exec = reinterpret_cast<CUgraphExec>(new Graph(Of(graph)));
  return CUDA_SUCCESS;
}
CUresult GraphLaunch(CUgraphExec exec, CUstream stream) {
  auto& graph = *reinterpret_cast<Graph*>(exec);
  for (const Queue::Recording* part : {&graph.at_launch, &graph.work}) {
    for (const Queue::Work& work : *part) {
      if (CUresult broken = AddWork(stream, work)) return broken;
    }
  }
  return CUDA_SUCCESS;
}
CUresult GraphDestroy(CUgraph graph) {
  delete &Of(graph);
  return CUDA_SUCCESS;
}
CUresult GraphExecDestroy(CUgraphExec exec) {
  delete reinterpret_cast<Graph*>(exec);
  return CUDA_SUCCESS;
}

}  // namespace

void FillGraphs(CudaDriver& driver) {
  driver.cuStreamBeginCapture = StreamBeginCapture;
  driver.cuStreamBeginCaptureToGraph = StreamBeginCaptureToGraph;
  driver.cuStreamEndCapture = StreamEndCapture;
  driver.cuStreamGetCaptureInfo = StreamGetCaptureInfo;
  driver.cuStreamUpdateCaptureDependencies = StreamUpdateCaptureDependencies;
  driver.cuGraphConditionalHandleCreate = GraphConditionalHandleCreate;
  driver.cuGraphAddNode = GraphAddNode;
  driver.cuGraphInstantiate = GraphInstantiate;
  driver.cuGraphLaunch = GraphLaunch;
  driver.cuGraphDestroy = GraphDestroy;
  driver.cuGraphExecDestroy = GraphExecDestroy;
}

}  // namespace sluice::emulated
