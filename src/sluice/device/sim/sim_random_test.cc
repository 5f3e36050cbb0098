// Random programs over several streams of two devices, whose order is kept by
// stream_order and the allocators: they compute what the host computes step by
// step, whatever the interleaving, and the race checker finds nothing. With one
// wait left out it finds something exactly when there is something: a model
// that keeps for each piece of work the set of all that come before it says so.

#include <gtest/gtest.h>

#include <set>

#include "sluice/base/random.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/device/stream_order.h"

namespace sluice {
namespace {

// The model: each piece of work by its number of issue.
struct Model {
  struct Touch {
    ByteRange range;
    bool write;
  };
  std::vector<std::vector<Touch>> touches;
  std::vector<std::set<int>> before;
  std::set<int> host_saw;

  static bool Conflict(const std::vector<Touch>& a,
                       const std::vector<Touch>& b) {
    for (const Touch& x : a) {
      for (const Touch& y : b) {
        if ((x.write || y.write) && x.range.Overlaps(y.range)) return true;
      }
    }
    return false;
  }
  bool HasRace() const {
    for (size_t i = 0; i < touches.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!before[i].contains(static_cast<int>(j)) &&
            Conflict(touches[i], touches[j])) {
          return true;
        }
      }
    }
    return false;
  }
};

class ModelEvent final : public Event {
 public:
  ModelEvent(Model& model, EventRef inner, std::set<int> before)
      : model_(model), inner_(std::move(inner)), before_(std::move(before)) {}
  bool Reached() override {
    bool reached = inner_->Reached();
    if (reached) model_.host_saw.insert(before_.begin(), before_.end());
    return reached;
  }
  const EventRef& inner() const { return inner_; }
  const std::set<int>& before() const { return before_; }

 private:
  Model& model_;
  const EventRef inner_;
  const std::set<int> before_;
};

// A stream that tells the model, and drops one wait of all.
class ModelStream final : public Stream {
 public:
  ModelStream(SimStream& inner, Model& model, int& waits_till_drop)
      : inner_(inner), model_(model), waits_till_drop_(waits_till_drop) {}
  Device& device() override { return inner_.device(); }
  const std::string& name() const override { return inner_.name(); }
  EventRef Record() override {
    return std::make_shared<ModelEvent>(model_, inner_.Record(), before_);
  }
  void WaitFor(const EventRef& event) override {
    if (waits_till_drop_-- == 0) return;
    auto& model_event = static_cast<ModelEvent&>(*event);
    before_.insert(model_event.before().begin(), model_event.before().end());
    inner_.WaitFor(model_event.inner());
  }
  void Run(SimWork work) {
    before_.insert(model_.host_saw.begin(), model_.host_saw.end());
    model_.before.push_back(before_);
    before_.insert(static_cast<int>(model_.touches.size()));
    std::vector<Model::Touch> touches;
    for (const ByteRange& range : work.reads) touches.push_back({range, false});
    for (const ByteRange& range : work.writes) touches.push_back({range, true});
    model_.touches.push_back(std::move(touches));
    inner_.Run(std::move(work));
  }
  void Copy(const Place&, const Place&, int64_t) override {}
  void Then(void (*)(void*), void*) override {}
  Status Synchronize() override { return inner_.Synchronize(); }

 private:
  SimStream& inner_;
  Model& model_;
  int& waits_till_drop_;
  std::set<int> before_;
};

struct Outcome {
  std::vector<int64_t> values;  // of all that was computed, in order of issue
  std::vector<int64_t> wanted;
  size_t violations = 0;
  bool race = false;
  int waits = 0;
};

constexpr int kDevices = 2;
constexpr int64_t kLength = 40;

struct Value {
  Array array;
  int64_t wanted = 0;
};

// `drop`: which wait is left out; -1: none.
Outcome RunProgram(uint64_t program, uint64_t order, int drop) {
  SimWorld world;
  world.SetChecking(true);
  world.SetRandomOrder(order);
  Model model;
  int waits_till_drop = drop;
  std::vector<SimDevice*> devices;
  std::vector<std::unique_ptr<ModelStream>> streams;
  for (int d = 0; d < kDevices; ++d) {
    // Room for a handful of arrays: memory changes hands all the time.
    devices.push_back(*world.AddDevice({.memory_bytes = 8 * kLength * 8}));
    for (int u = 0; u < kNumStreamUses; ++u) {
      streams.push_back(std::make_unique<ModelStream>(
          devices.back()->stream(static_cast<StreamUse>(u)), model,
          waits_till_drop));
    }
  }
  Outcome outcome;
  outcome.values.resize(60);
  std::vector<Value> live;
  for (uint64_t i = 0; i < outcome.values.size(); ++i) {
    RandomBlock r = RandomBits({program, 7}, i);
    size_t at = r[0] % streams.size();
    ModelStream& stream = *streams[at];
    SimDevice& device = *devices[at / kNumStreamUses];
    if (live.size() > 5 || (r[1] % 4 == 0 && !live.empty())) {
      live.erase(live.begin() + r[1] / 4 % live.size());
    }
    // out = 3 * a + 5 * b + i, over one that is there or into fresh memory.
    std::vector<Value> in;
    for (uint32_t k = 0; k < r[2] % 3 && !live.empty(); ++k) {
      in.push_back(live[(r[2] >> (4 + 4 * k)) % live.size()]);
    }
    bool over = r[3] % 3 == 0 && !live.empty();
    size_t target = over ? r[3] / 3 % live.size() : live.size();
    if (!over) {
      Result<Array> made =
          Array::Make(DType::kI64, {kLength}, device.allocator().For(stream));
      if (!made.ok()) continue;
      live.push_back({*made, 0});
    }
    Value& out = live[target];
    SimWork work;
    work.label = "step";
    work.label += std::to_string(i);
    for (const Value& v : in) {
      BeforeRead(stream, v.array);
      work.reads.push_back(RangeOf(v.array));
    }
    BeforeWrite(stream, out.array);
    work.writes.push_back(RangeOf(out.array));
    // Arrays of two devices cannot both be open: the bytes are looked up here.
    auto bytes = [&](const Array& a) {
      auto& memory = static_cast<SimMemory&>(*a.memory());
      return static_cast<int64_t*>(memory.Bytes(a.address()));
    };
    std::vector<const int64_t*> from;
    int64_t wanted = static_cast<int64_t>(i), factor = 3;
    for (const Value& v : in) {
      from.push_back(bytes(v.array));
      wanted += factor * v.wanted % 1000003;
      factor += 2;
    }
    work.run = [from, to = bytes(out.array), i, &outcome] {
      int64_t result[kLength];
      for (int64_t e = 0; e < kLength; ++e) {
        result[e] = static_cast<int64_t>(i);
        int64_t times = 3;
        for (const int64_t* x : from) {
          result[e] += times * x[e] % 1000003;
          times += 2;
        }
      }
      std::copy(result, result + kLength, to);
      outcome.values[i] = result[kLength - 1];
    };
    stream.Run(std::move(work));
    for (const Value& v : in) AfterRead(stream, v.array);
    AfterWrite(stream, out.array, r[0] >> 31);
    out.wanted = wanted;
    outcome.wanted.resize(outcome.values.size());
    outcome.wanted[i] = wanted;
    for (uint32_t k = 0; k < r[1] >> 29; ++k) world.RunOne();
  }
  world.RunAll();
  live.clear();
  for (SimDevice* device : devices) {
    EXPECT_EQ(device->allocator().stats().bytes_in_use, 0);
  }
  outcome.violations = world.TakeViolations().size();
  outcome.race = model.HasRace();
  outcome.waits = drop - waits_till_drop;
  return outcome;
}

TEST(SimRandom, ProgramsInStreamOrderAreRightAndClean) {
  for (uint64_t program = 0; program < 60; ++program) {
    for (uint64_t order = 0; order < 3; ++order) {
      Outcome outcome = RunProgram(program, order, -1);
      EXPECT_FALSE(outcome.race) << program;
      EXPECT_EQ(outcome.violations, 0u) << program;
      EXPECT_EQ(outcome.values, outcome.wanted) << program << " " << order;
    }
  }
}

TEST(SimRandom, AWaitLeftOutIsFoundWhenItMatters) {
  int raced = 0, harmless = 0;
  for (uint64_t program = 0; program < 30; ++program) {
    int waits = RunProgram(program, 1, -1).waits;
    for (int k = 0; k < 12; ++k) {
      auto drop = static_cast<int>(
          RandomBits({program, 9}, static_cast<uint64_t>(k))[0] %
          static_cast<uint32_t>(waits));
      Outcome outcome = RunProgram(program, 1, drop);
      EXPECT_EQ(outcome.violations > 0, outcome.race) << program << " " << drop;
      ++(outcome.race ? raced : harmless);
    }
  }
  // Both happen, or this tests nothing.
  EXPECT_GT(raced, 30);
  EXPECT_GT(harmless, 10);
}

}  // namespace
}  // namespace sluice
