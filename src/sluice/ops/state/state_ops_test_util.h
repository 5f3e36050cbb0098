// For tests of state ops without a session: a home for resources, and calls
// that may wait.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/op/registry.h"
#include "sluice/op/resource.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/state/state_test_util.h"

namespace sluice {

// One asynchronous launch. Its context is destroyed in Done(), as an executor
// may do, so that AddressSanitizer detects a kernel that accesses it
// afterwards.
class AsyncCall {
 public:
  AsyncCall(const OpRecord& op, Attrs attrs, std::vector<Array> inputs,
            const StepContext& step) {
    auto launch = std::make_unique<Launch>();
    launch->inputs = std::move(inputs);
    std::vector<DType> dtypes;
    for (const Array& in : launch->inputs) dtypes.push_back(in.dtype());
    Result<ResolvedCall> call = ResolveCall(op, attrs, dtypes);
    if (!call.ok()) {
      answer_.reply()(call.status(), {});
      return;
    }
    launch->attrs = std::move(call->attrs);
    launch->outputs.resize(call->out_dtypes.size());
    Launch& l = *launch;
    auto* context = new Context(op, l.attrs, l.node, step, l.inputs, l.outputs);
    context->launch = std::move(launch);
    context->answer = answer_;
    op.kernel(DeviceKind::kCpu).launch_async(*context);
  }
  const Answer* operator->() const { return &answer_; }

 private:
  struct Launch {
    Attrs attrs;
    NodeInfo node;
    std::vector<Array> inputs, outputs;
  };
  struct Context final : AsyncContext {
    using AsyncContext::AsyncContext;
    void Done(Status status) override {
      Reply reply = answer.reply();
      std::vector<Array> outputs = std::move(launch->outputs);
      delete this;
      reply(std::move(status), std::move(outputs));
    }
    std::unique_ptr<Launch> launch;
    Answer answer;
  };
  Answer answer_;
};

class StateOps : public ::testing::Test {
 protected:
  StateOps() {
    step_.resources = &resources_;
    step_.cancellation = &cancellation_;
  }

  static const OpRecord& Op(const char* name) {
    const OpRecord* op = FindOp(name);
    SL_CHECK(op != nullptr);
    return *op;
  }
  // Runs to the end; an op that would wait forever hangs.
  Result<std::vector<Array>> Run(const char* op, std::vector<Array> in,
                                 Attrs attrs = {}, const char* node = "") {
    NodeInfo info;
    info.name = node;
    return RunOp(Op(op), attrs, in, &step_, &info);
  }
  Status RunStatus(const char* op, std::vector<Array> in, Attrs attrs = {},
                   const char* node = "") {
    return Run(op, std::move(in), std::move(attrs), node).status();
  }
  // The handle created by a node with the name `node`.
  Array Handle(const char* op, Attrs attrs, const char* node) {
    auto out = Run(op, {}, std::move(attrs), node);
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return out.ok() ? (*out)[0] : Array();
  }
  AsyncCall Start(const char* op, std::vector<Array> in, Attrs attrs = {}) {
    return AsyncCall(Op(op), std::move(attrs), std::move(in), step_);
  }
  // The shape function's result for output i: "[2,?]", or its error.
  static std::string ShapeOf(const char* op, std::vector<DType> dtypes,
                             std::vector<PartialShape> shapes, Attrs attrs,
                             std::vector<const Array*> values = {},
                             size_t i = 0) {
    Result<ResolvedCall> call = ResolveCall(Op(op), attrs, dtypes);
    if (!call.ok()) return call.status().message();
    auto out = InferShapes(Op(op), call->attrs, dtypes, shapes, values,
                           call->out_dtypes);
    return out.ok() ? (*out)[i].ToString() : out.status().message();
  }

  ResourceManager resources_;
  Cancellation cancellation_;
  StepContext step_;
};

}  // namespace sluice
