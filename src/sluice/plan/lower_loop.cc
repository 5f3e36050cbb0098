// Loops. Part of the lowering.
//
// Each carried value: Enter -> Merge -> Switch -> body -> NextIteration, and
// out through the Switch's other side. A written resource is carried too, as an
// empty token: accesses in one iteration happen before the token continues, and
// writes in the next one wait for the token.
#include <set>

#include "sluice/base/strings.h"
#include "sluice/graph/check_order.h"
#include "sluice/plan/lowering.h"

namespace sluice {

struct Lowering::Loop {
  Node* node = nullptr;
  Context *frame = nullptr, *body = nullptr;
  std::vector<Node*> merges;  // of the carried values
  std::vector<Node*> all;     // those, then counter and tokens
  Node* counter = nullptr;    // the Merge that counts iterations, if there is a
                              // maximum
  struct Token {
    std::string resource;
    bool write = false;
    Node* merge = nullptr;
    Node* gate = nullptr;  // reads wait for it if nothing is written
    Value held;            // the token after the condition
  };
  std::vector<Token> tokens;
  Value pred;  // of the LoopCond
};

namespace {

// Whether a condition may be evaluated once more than necessary: nothing in it
// fails or has an effect.
bool Harmless(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (!node->op().pure() || !node->regions().empty()) return false;
    if (!node->op().elementwise() &&
        !ConstantValue({const_cast<Node*>(node), 0}))
      return false;
  }
  return true;
}

}  // namespace

Result<Node*> Lowering::Carry(Context& ctx, Loop& loop, const Value& init) {
  SL_ASSIGN_OR_RETURN(Value v, Live(ctx, init));
  Attrs attrs;
  attrs.set("frame", loop.frame->frame);
  attrs.set("parallel", loop.frame->parallel);
  SL_ASSIGN_OR_RETURN(Node * enter,
                      Add(*loop.frame, "Enter", {v}, attrs, loop.node));
  Value e = enter->output(0);
  SL_ASSIGN_OR_RETURN(Node * merge,
                      Add(*loop.frame, "Merge", {e, e}, {}, loop.node));
  loop.all.push_back(merge);
  if (!loop.frame->beat) loop.frame->beat = merge;
  return merge;
}

Status Lowering::LowerLoop(Context& ctx, Node& node) {
  Loop loop;
  loop.node = &node;
  Context& frame = contexts_.emplace_back();
  loop.frame = &frame;
  frame.kind = Context::kFrame;
  frame.parent = &ctx;
  frame.region = ctx.region;
  tracks_.emplace_back(new Tracks);
  frame.tracks = tracks_.back().get();
  frame.parallel = node.attrs().get<int64_t>("parallel");
  int repeat = frame_names_[node.name()]++;
  frame.frame = repeat ? StrCat(node.name(), "#", repeat) : node.name();
  out_.frames[frame.frame] = {&node, ctx.calls};
  SL_RETURN_IF_ERROR(EnterLoop(ctx, loop));
  SL_RETURN_IF_ERROR(EnterTokens(ctx, loop));
  SL_RETURN_IF_ERROR(LowerCond(loop));
  return LowerBody(ctx, loop);
}

Status Lowering::EnterLoop(Context& ctx, Loop& loop) {
  const Node& node = *loop.node;
  const Region& cond = *node.regions()[0];
  for (int i = 0; i < node.num_inputs(); ++i) {
    SL_ASSIGN_OR_RETURN(Value init, Lookup(ctx, node.input(i)));
    SL_ASSIGN_OR_RETURN(Node * merge, Carry(ctx, loop, init));
    graph_.SetOutputShape(*merge, 0, cond.arg(i).shape());
    loop.frame->values[cond.arg(i)] = merge->output(0);
    loop.merges.push_back(merge);
  }
  if (node.attrs().get<int64_t>("maximum") >= 0) {
    SL_ASSIGN_OR_RETURN(Value zero, Constant(Array::Scalar<int64_t>(0)));
    SL_ASSIGN_OR_RETURN(loop.counter, Carry(ctx, loop, zero));
  }
  return OkStatus();
}

Status Lowering::EnterTokens(Context& ctx, Loop& loop) {
  for (const ResourceUse& use : OrderedUses(*loop.node)) {
    if (!WrittenAnywhere(use.resource)) continue;
    Loop::Token token;
    token.resource = use.resource;
    token.write = use.write;
    SL_ASSIGN_OR_RETURN(Value init, True());
    SL_ASSIGN_OR_RETURN(init, Live(ctx, init));
    const Track& before = (*ctx.tracks)[use.resource];
    bool waits = before.writer || (use.write && !before.readers.empty());
    if (waits) {
      SL_ASSIGN_OR_RETURN(Node * pass, Pass(ctx, init));
      if (before.writer) Order(*before.writer, *pass, use.resource);
      if (use.write) {
        for (Node* r : before.readers) Order(*r, *pass, use.resource);
      }
      init = pass->output(0);
    }
    SL_ASSIGN_OR_RETURN(token.merge, Carry(ctx, loop, init));
    Track& inside = (*loop.frame->tracks)[use.resource];
    if (use.write) {
      inside.writer = token.merge;
    } else if (waits) {
      Attrs attrs;
      attrs.set("frame", loop.frame->frame);
      attrs.set("constant", true);
      attrs.set("parallel", loop.frame->parallel);
      SL_ASSIGN_OR_RETURN(inside.writer,
                          Add(*loop.frame, "Enter", {init}, attrs, loop.node));
      token.gate = inside.writer;
    }
    loop.tokens.push_back(std::move(token));
  }
  if (!loop.frame->beat) {
    // There are no carried values: carry a dummy.
    SL_ASSIGN_OR_RETURN(Value go, True());
    SL_RETURN_IF_ERROR(Carry(ctx, loop, go).status());
  }
  return OkStatus();
}

Status Lowering::LowerCond(Loop& loop) {
  Context& frame = *loop.frame;
  const Region& cond = *loop.node->regions()[0];
  Value pred;
  if (!loop.counter) {
    SL_RETURN_IF_ERROR(LowerRegion(frame, cond));
    SL_ASSIGN_OR_RETURN(pred, LiveInput(frame, cond.results()[0]));
  } else {
    SL_ASSIGN_OR_RETURN(Value maximum,
                        Constant(Array::Scalar<int64_t>(
                            loop.node->attrs().get<int64_t>("maximum"))));
    SL_ASSIGN_OR_RETURN(
        Node * below,
        Add(frame, "Less", {loop.counter->output(0), maximum}, {}, loop.node));
    Value more = below->output(0);
    if (Harmless(cond)) {
      SL_RETURN_IF_ERROR(LowerRegion(frame, cond));
      SL_ASSIGN_OR_RETURN(pred, LiveInput(frame, cond.results()[0]));
      SL_ASSIGN_OR_RETURN(
          Node * both, Add(frame, "LogicalAnd", {more, pred}, {}, loop.node));
      pred = both->output(0);
    } else {
      Context& branch = contexts_.emplace_back();
      branch.kind = Context::kBranch;
      branch.parent = &frame;
      branch.region = frame.region;
      branch.tracks = frame.tracks;
      branch.calls = frame.calls;
      branch.pred = more;
      SL_RETURN_IF_ERROR(LowerRegion(branch, cond));
      SL_ASSIGN_OR_RETURN(Value yes, LiveInput(branch, cond.results()[0]));
      SL_ASSIGN_OR_RETURN(Value no, SwitchSide(frame, more, more, false));
      SL_ASSIGN_OR_RETURN(Node * merge,
                          Add(frame, "Merge", {yes, no}, {}, loop.node));
      pred = merge->output(0);
    }
  }
  SL_ASSIGN_OR_RETURN(Node * loop_cond,
                      Add(frame, "LoopCond", {pred}, {}, loop.node));
  loop.pred = loop_cond->output(0);
  return OkStatus();
}

Status Lowering::LowerBody(Context& ctx, Loop& loop) {
  Context& frame = *loop.frame;
  const Region& body = *loop.node->regions()[1];
  Context& inside = contexts_.emplace_back();
  loop.body = &inside;
  inside.kind = Context::kBody;
  inside.parent = &frame;
  inside.region = frame.region;
  inside.tracks = frame.tracks;
  inside.pred = loop.pred;
  for (size_t i = 0; i < loop.merges.size(); ++i) {
    SL_ASSIGN_OR_RETURN(
        inside.values[body.arg(static_cast<int>(i))],
        SwitchSide(frame, loop.merges[i]->output(0), loop.pred, true));
  }
  SL_RETURN_IF_ERROR(HoldTokens(loop));
  SL_RETURN_IF_ERROR(LowerRegion(inside, body));
  SL_RETURN_IF_ERROR(LeaveLoop(ctx, loop));
  SL_RETURN_IF_ERROR(CountIteration(loop));
  SL_RETURN_IF_ERROR(PassTokens(ctx, loop));
  // Values without a new value are carried unchanged.
  std::set<Node*> done(loop.merges.begin(), loop.merges.end());
  if (loop.counter) done.insert(loop.counter);
  for (Loop::Token& token : loop.tokens) done.insert(token.merge);
  for (Node* merge : loop.all) {
    if (done.count(merge)) continue;
    SL_ASSIGN_OR_RETURN(Value go,
                        SwitchSide(frame, merge->output(0), loop.pred, true));
    SL_RETURN_IF_ERROR(GoRound(loop, merge, go));
  }
  return OkStatus();
}

Status Lowering::GoRound(Loop& loop, Node* merge, const Value& next) {
  SL_ASSIGN_OR_RETURN(Node * n,
                      Add(*loop.body, "NextIteration", {next}, {}, loop.node));
  graph_.SetInput(*merge, 1, n->output(0));
  return OkStatus();
}

// Orders all nodes of the condition before their tokens.
Status Lowering::HoldTokens(Loop& loop) {
  Context& frame = *loop.frame;
  for (Loop::Token& token : loop.tokens) {
    token.held = token.merge->output(0);
    const Track& track = (*frame.tracks)[token.resource];
    bool touched = !track.readers.empty() ||
                   (track.writer && track.writer != token.merge &&
                    track.writer != token.gate);
    if (!touched) continue;
    SL_ASSIGN_OR_RETURN(Node * pass, Pass(frame, token.held));
    if (track.writer) Order(*track.writer, *pass, token.resource);
    for (Node* r : track.readers) Order(*r, *pass, token.resource);
    token.held = pass->output(0);
  }
  return OkStatus();
}

// Leads the body's results to the next iteration, and out when the loop ends.
Status Lowering::LeaveLoop(Context& ctx, Loop& loop) {
  Node& node = *loop.node;
  const Region& body = *node.regions()[1];
  for (size_t i = 0; i < loop.merges.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Value next, LiveInput(*loop.body, body.results()[i]));
    SL_RETURN_IF_ERROR(GoRound(loop, loop.merges[i], next));
    SL_ASSIGN_OR_RETURN(
        Value last,
        SwitchSide(*loop.frame, loop.merges[i]->output(0), loop.pred, false));
    SL_ASSIGN_OR_RETURN(Node * exit,
                        Add(*loop.frame, "Exit", {last}, {}, &node));
    // It represents the loop for later code, so it belongs outside.
    made_.back().second = ctx.tracks;
    ctx.values[node.output(static_cast<int>(i))] = exit->output(0);
  }
  return OkStatus();
}

Status Lowering::CountIteration(Loop& loop) {
  if (!loop.counter) return OkStatus();
  SL_ASSIGN_OR_RETURN(
      Value count,
      SwitchSide(*loop.frame, loop.counter->output(0), loop.pred, true));
  SL_ASSIGN_OR_RETURN(Value one, Constant(Array::Scalar<int64_t>(1)));
  SL_ASSIGN_OR_RETURN(Node * next,
                      Add(*loop.body, "Add", {count, one}, {}, loop.node));
  return GoRound(loop, loop.counter, next->output(0));
}

// Orders each token after all uses of its resource in an iteration. Outside,
// its Exit represents the loop's use of the resource.
Status Lowering::PassTokens(Context& ctx, Loop& loop) {
  Context& frame = *loop.frame;
  for (Loop::Token& token : loop.tokens) {
    SL_ASSIGN_OR_RETURN(Value stay,
                        SwitchSide(frame, token.held, loop.pred, true));
    SL_ASSIGN_OR_RETURN(Node * pass, Pass(*loop.body, stay));
    const Track& track = (*frame.tracks)[token.resource];
    if (track.writer && track.writer != token.merge &&
        track.writer != token.gate) {
      Order(*track.writer, *pass, token.resource);
    }
    for (Node* r : track.readers) Order(*r, *pass, token.resource);
    SL_RETURN_IF_ERROR(GoRound(loop, token.merge, pass->output(0)));
    SL_ASSIGN_OR_RETURN(Value last,
                        SwitchSide(frame, token.held, loop.pred, false));
    SL_ASSIGN_OR_RETURN(Node * exit, Add(frame, "Exit", {last}, {}, loop.node));
    made_.back().second = ctx.tracks;
    // The token waited for earlier accesses when it entered.
    Track& outside = (*ctx.tracks)[token.resource];
    if (token.write) {
      outside.writer = exit;
      outside.readers.clear();
    } else {
      outside.readers.push_back(exit);
    }
  }
  return OkStatus();
}

}  // namespace sluice
