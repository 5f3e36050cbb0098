#include "sluice/nn/step_loop.h"

#include "sluice/front/list.h"
#include "sluice/front/sequences.h"
#include "sluice/nn/checks.h"
#include "sluice/ops.h"
#include "sluice/trace/step_types.h"

namespace sluice::nn {

namespace {

using front_internal::Code;
using front_internal::CodeResult;
using front_internal::Part;
using front_internal::StepTypes;
using Tensors = std::vector<Tensor>;
using Where = std::source_location;

// Each x with its rows put in another order.
Tensors Picked(const Tensors& xs, const Tensor& indices, Where where) {
  Tensors picked;
  for (const Tensor& x : xs) {
    picked.push_back(gather(x, indices, {}, {}, where));
  }
  return picked;
}

ValueType AnyRows(const Tensor& x) {
  PartialShape shape = x.shape();
  if (shape.rank() > 0) shape.set_dim(0, kUnknownDim);
  return {x.dtype(), shape};
}

StepTypes TypesOf(const StepLoop& loop) {
  std::vector<ValueType> args;
  Tensors around;
  for (const auto* list : {&loop.state, &loop.sequences}) {
    for (const Tensor& x : *list) {
      args.push_back(AnyRows(x));
      around.push_back(x);
    }
  }
  return front_internal::TypesOfStep({loop.what, loop.step, std::move(args),
                                      loop.state.size(), std::move(around),
                                      loop.where});
}

// What the step gives: as many as there are states, and what is kept.
CodeResult Stepped(const StepLoop& loop, const Tensors& in) {
  CodeResult out = loop.step(in);
  SL_WANT(out.tensors.size() >= loop.state.size(), loop.where, loop.what,
          ": the cell gives ", out.tensors.size(), " tensors; wanted the ",
          loop.state.size(), " of its state");
  return out;
}

// ---- Imperatively: what runs is known ----

std::vector<int64_t> ValuesOf(const Tensor& x) {
  return x.to_vector<int64_t>();
}

Tensor Joined(const Tensors& parts, Where where) {
  return parts.size() == 1 ? parts[0] : concat(parts, {}, {}, where);
}

StepLoopResult RunRowsNow(const RowSchedule& s, const StepLoop& loop) {
  const Where where = loop.where;
  std::vector<int64_t> counts = ValuesOf(s.counts);
  std::vector<int64_t> leaving = ValuesOf(s.leaving);
  size_t n = loop.state.size();
  std::vector<Tensors> left(n), kept, sequences;
  // Cut once: the gradient of that is put together once.
  for (const Tensor& x : loop.sequences) {
    sequences.push_back(split_v(x, counts, {}, {}, where));
  }
  Tensors state = loop.state;
  auto leave = [&](int64_t count) {
    if (count == 0) return;
    for (size_t i = 0; i < n; ++i) {
      int64_t stay = state[i].dim(0) - count;
      Tensors parts = split_v(state[i], {count, stay}, {}, {}, where);
      left[i].push_back(parts[0]);
      state[i] = parts[1];
    }
  };
  leave(s.without.item<int64_t>());
  for (size_t k = 0; k < counts.size(); ++k) {
    Tensors in = state;
    for (const Tensors& pieces : sequences) in.push_back(pieces[k]);
    CodeResult out = Stepped(loop, in);
    state = Part(out.tensors, 0, n);
    kept.resize(out.tensors.size() - n);
    for (size_t i = 0; i < kept.size(); ++i) {
      kept[i].push_back(out.tensors[n + i]);
    }
    leave(leaving[k]);
  }
  StepLoopResult result;
  for (size_t i = 0; i < n; ++i) {
    result.state.push_back(left[i].empty() ? state[i] : Joined(left[i], where));
  }
  for (const Tensors& rows : kept) result.kept.push_back(Joined(rows, where));
  return result;
}

// ---- In a graph ----

StepLoopResult RecordRows(const RowSchedule& s, const StepLoop& loop) {
  const Where where = loop.where;
  StepTypes types = TypesOf(loop);
  size_t n = loop.state.size();
  SL_WANT(types.carried.size() == n, where, loop.what, ": the cell gives ",
          types.carried.size(), " tensors; wanted the ", n, " of its state");
  std::vector<List> sequences, left, kept;
  for (const Tensor& x : loop.sequences) {
    sequences.push_back(List::split(x, s.counts, where));
  }
  // What leaves before the first step, then what leaves after each.
  Tensor parts = add(s.steps, int64_t{1}, {}, where);
  Tensors state;
  for (size_t i = 0; i < n; ++i) {
    Tensor gone = FirstRows(loop.state[i], s.without, where);
    left.push_back(List::sized(types.carried[i].dtype, parts,
                               types.carried[i].shape, -1, where)
                       .set(int64_t{0}, gone, where));
    state.push_back(LastRows(loop.state[i], sub(s.batch, s.without, {}, where),
                             s.batch, where));
  }
  for (const ValueType& type : types.collected) {
    kept.push_back(List::sized(type.dtype, s.steps, type.shape, -1, where));
  }
  auto body = [&](const Tensor& k, const Tensors& now, std::vector<List> gone,
                  std::vector<List> got) {
    Tensors in = now;
    for (const List& list : sequences) in.push_back(list.get(k, where));
    Tensors out = Stepped(loop, in).tensors;
    Tensor count = gather(s.counts, k, {}, {}, where);
    Tensor leaves = gather(s.leaving, k, {}, {}, where);
    Tensor goes = range(int64_t{0}, leaves, int64_t{1}, {}, where);
    Tensor stays = range(leaves, count, int64_t{1}, {}, where);
    Tensor after = add(k, int64_t{1}, {}, where);
    for (size_t i = 0; i < n; ++i) {
      gone[i] = std::move(gone[i]).set(
          after, gather(out[i], goes, {}, {}, where), where);
      out[i] = gather(out[i], stays, {}, {}, where);
    }
    for (size_t i = 0; i < got.size(); ++i) {
      got[i] = std::move(got[i]).set(k, out[n + i], where);
    }
    return std::tuple(Part(out, 0, n), std::move(gone), std::move(got));
  };
  LoopOptions options = loop.options;
  if (options.name.empty()) options.name = loop.what;
  auto [last, gone, got] =
      for_loop(s.steps, body, state, left, kept, options, where);
  StepLoopResult result;
  for (const List& list : gone) {
    result.state.push_back(list.concat(where).values);
  }
  for (const List& list : got) {
    result.kept.push_back(list.concat(where).values);
  }
  return result;
}

StepLoopResult RunRows(const RowSchedule& s, const StepLoop& given) {
  StepLoop loop = given;
  const Where where = loop.where;
  for (const Tensor& x : loop.state) {
    SL_WANT(x.rank() != 0, where, loop.what,
            ": a state is a scalar; wanted [batch, ...], for examples have "
            "different lengths");
  }
  loop.state = Picked(loop.state, s.order, where);
  if (loop.reverse) {
    loop.sequences = Picked(loop.sequences, s.mirrored, where);
  }
  Tensors all = loop.state;
  all.insert(all.end(), loop.sequences.begin(), loop.sequences.end());
  all.push_back(s.steps);
  StepLoopResult result =
      front_internal::RunsNow(all) ? RunRowsNow(s, loop) : RecordRows(s, loop);
  result.state = Picked(result.state, s.places, where);
  if (loop.reverse) result.kept = Picked(result.kept, s.mirrored, where);
  return result;
}

}  // namespace

StepLoopResult RunSteps(const RowSchedule* schedule, const StepLoop& loop) {
  if (schedule) return RunRows(*schedule, loop);
  front_internal::SequenceResult result = front_internal::RunSequence(
      {loop.what, loop.step, loop.state, loop.sequences, loop.reverse,
       front_internal::SettingsOf(loop.options), loop.where});
  return {std::move(result.carried), std::move(result.collected)};
}

}  // namespace sluice::nn
