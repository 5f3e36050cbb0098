#include "sluice/base/thread_owned.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sluice {
namespace {

std::atomic<int> living{0};
std::atomic<bool> found_when_gone{true};

struct Counted {
  Counted() { ++living; }
  ~Counted() { --living; }
  int value = 0;
};

// Created after Counted, and so destroyed before it.
struct Later {
  ~Later() { found_when_gone = ThreadOwned<Later>::Find() != nullptr; }
};

TEST(ThreadOwned, IsOneForEachThreadAndGoesWithIt) {
  ThreadOwned<Counted>::Get().value = 7;
  int before = living;
  std::thread([] {
    EXPECT_EQ(ThreadOwned<Counted>::Get().value, 0);
    ThreadOwned<Counted>::Get().value = 8;
    EXPECT_EQ(ThreadOwned<Counted>::Find()->value, 8);
    ThreadOwned<Later>::Get();
  }).join();
  EXPECT_EQ(living, before);
  EXPECT_FALSE(found_when_gone);
  EXPECT_EQ(ThreadOwned<Counted>::Get().value, 7);
}

std::atomic<bool> had_one{true};
std::atomic<Counted*> kept{nullptr};

// Destroyed after the object that it asks for.
struct Asker {
  ~Asker() {
    had_one = ThreadOwned<Counted>::Find() != nullptr;
    kept = &ThreadOwned<Counted>::Get();
  }
};

TEST(ThreadOwned, IsNotFoundWhenItIsGone) {
  int before = living;
  std::thread([] {
    ThreadOwned<Asker>::Get();
    ThreadOwned<Counted>::Get();
  }).join();
  EXPECT_FALSE(had_one);
  // Get after the thread's end returns an object that stays.
  EXPECT_EQ(living, before + 1);
  delete kept.load();
}

}  // namespace
}  // namespace sluice
