#include "sluice/base/gate.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace sluice {
namespace {

TEST(Gate, NobodyEntersWhenItIsClosed) {
  Gate gate;
  {
    Gate::Inside first(gate);
    Gate::Inside again(gate);
    EXPECT_TRUE(first);
    EXPECT_TRUE(again);
  }
  gate.Close();
  EXPECT_FALSE(Gate::Inside(gate));
  gate.Close();
}

TEST(Gate, WhoeverIsInsideIsWaitedFor) {
  for (int round = 0; round < 200; ++round) {
    auto gate = std::make_shared<Gate>();
    auto object = std::make_unique<std::atomic<int>>(0);
    std::atomic<bool> over = false;
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&over, gate, raw = object.get()] {
        while (!over.load()) {
          if (Gate::Inside inside(*gate); inside) raw->fetch_add(1);
        }
      });
    }
    while (object->load() == 0) std::this_thread::yield();
    gate->Close();
    object = nullptr;  // a sanitizer would detect late access
    over = true;
    for (std::thread& t : callers) t.join();
  }
}

}  // namespace
}  // namespace sluice
