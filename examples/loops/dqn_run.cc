// The agent in one loop of a graph, and driven from the client.
#include "examples/loops/dqn.h"

namespace sluice::loops {

namespace {

template <class T, class To>
void Append(const Array& array, std::vector<To>& to) {
  const T* elements = array.data<T>();
  to.insert(to.end(), elements, elements + array.num_elements());
}

}  // namespace

DqnRunner::DqnRunner(const DqnOptions& options) {
  GraphScope building(graph_);
  agent_ = std::make_unique<Dqn>(options);
}

void DqnRunner::Start(int threads) {
  session_ =
      std::make_unique<Session>(graph_, SessionOptions{.threads = threads});
  session_->run(initialize_variables(graph_));
  Dqn::Now first = agent_->begin();
  state_ = first.state.array();
  age_ = first.age.array();
}

DqnLoop::DqnLoop(const DqnOptions& options, int threads) : DqnRunner(options) {
  std::vector<Fetch> feeds, fetches;
  {
    GraphScope building(graph_);
    Tensor from = placeholder(i64, Shape(), "from");
    Tensor to = placeholder(i64, Shape(), "to");
    Tensor state_now = placeholder(f32, {4}, "state");
    Tensor age_now = placeholder(i64, Shape(), "age");
    auto [i, state, age, kept] = while_loop(
        [&](Tensor i, Tensor, Tensor, std::vector<List>) { return i < to; },
        [&](Tensor i, Tensor state, Tensor age, std::vector<List> kept) {
          Dqn::Outcome o = agent_->step(i, {state, age});
          kept[0] = kept[0].append(o.action);
          kept[1] = kept[1].append(o.reward);
          kept[2] = kept[2].append(o.loss);
          kept[3] = kept[3].append(o.over);
          return std::tuple(i + 1, o.next.state, o.next.age, kept);
        },
        from, state_now, age_now,
        std::vector<List>{List(i64, Shape()), List(f32, Shape()),
                          List(f32, Shape()), List(DType::kBool, Shape())},
        {.name = "agent"});
    feeds = {from, to, state_now, age_now};
    fetches = {state, age};
    for (const List& list : kept) fetches.emplace_back(list.stack());
  }
  Start(threads);
  run_ = session_->prepare(fetches, feeds);
}

DqnLog DqnLoop::run(int64_t steps) {
  DqnLog log;
  if (steps == 0) return log;
  std::vector<Array> out =
      run_({Array::Scalar(i_), Array::Scalar(i_ + steps), state_, age_});
  i_ += steps;
  state_ = out[0];
  age_ = out[1];
  Append<int64_t>(out[2], log.actions);
  Append<float>(out[3], log.rewards);
  Append<float>(out[4], log.losses);
  Append<bool>(out[5], log.over);
  return log;
}

DqnClient::DqnClient(const DqnOptions& options, bool prepared, int threads)
    : DqnRunner(options), prepared_(prepared) {
  {
    GraphScope building(graph_);
    Tensor i = placeholder(i64, Shape(), "i");
    Tensor state = placeholder(f32, {4}, "state");
    Tensor age = placeholder(i64, Shape(), "age");
    Tensor action = placeholder(i64, Shape(), "action");
    Tensor reward = placeholder(f32, Shape(), "reward");
    Tensor next = placeholder(f32, {4}, "next");
    Tensor fell = placeholder(DType::kBool, Shape(), "fell");
    act_ = {{agent_->act(i, state)}, {i, state}, {}, {}};
    Dqn::World world = agent_->move(i, {state, age}, action);
    move_ = {{world.next.state, world.next.age, world.over,
              world.outcome.reward, world.outcome.state, world.outcome.fell},
             {i, state, age, action},
             {},
             {}};
    store_ = {{},
              {i, state, action, reward, next, fell},
              {agent_->store(i, state, action, {next, reward, fell})},
              {}};
    Dqn::Learned learned = agent_->learn(i);
    learn_ = {{learned.loss}, {i}, {learned.done}, {}};
    sync_ = {{}, {}, agent_->sync(), {}};
  }
  Start(threads);
  if (!prepared_) return;
  for (Piece* piece : {&act_, &move_, &store_, &learn_, &sync_}) {
    piece->prepared =
        session_->prepare(piece->fetches, piece->feeds, piece->targets);
  }
}

std::vector<Array> DqnClient::Run(const Piece& piece,
                                  const std::vector<Array>& values) {
  if (prepared_) return piece.prepared(values);
  Feeds feeds;
  for (size_t k = 0; k < values.size(); ++k) {
    feeds.push_back({piece.feeds[k], values[k]});
  }
  return session_->run(piece.fetches, feeds, piece.targets);
}

DqnLog DqnClient::run(int64_t steps) {
  const DqnOptions& o = agent_->options();
  DqnLog log;
  for (int64_t end = i_ + steps; i_ < end; ++i_) {
    Array i = Array::Scalar(i_);
    Array action = Run(act_, {i, state_})[0];
    std::vector<Array> world = Run(move_, {i, state_, age_, action});
    Run(store_, {i, state_, action, world[3], world[4], world[5]});
    float loss = 0;
    if (i_ >= o.warm_up) loss = Run(learn_, {i})[0].data<float>()[0];
    if (i_ % o.sync_every == 0) Run(sync_, {});
    state_ = world[0];
    age_ = world[1];
    log.actions.push_back(action.data<int64_t>()[0]);
    log.rewards.push_back(world[3].data<float>()[0]);
    log.losses.push_back(loss);
    log.over.push_back(world[2].data<bool>()[0]);
  }
  return log;
}

}  // namespace sluice::loops
