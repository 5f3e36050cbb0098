// The small parts: status, strings, cancellation, timer.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>

#include "sluice/base/cancellation.h"
#include "sluice/base/checked_math.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/timer.h"

namespace sluice {
namespace {

TEST(Status, CarriesCodeMessageAndLines) {
  EXPECT_TRUE(OkStatus().ok());
  Status s = InvalidArgument("[Add] wrong").WithLine("at a.cc:3");
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_EQ(s.message(), "[Add] wrong\n  at a.cc:3");
  EXPECT_EQ(s.ToString(), "InvalidArgument: [Add] wrong\n  at a.cc:3");
  EXPECT_TRUE(OkStatus().WithLine("x").ok());
}

Result<int> Half(int v) {
  if (v % 2) return InvalidArgument(StrCat(v, " is odd"));
  return v / 2;
}
Result<int> Quarter(int v) {
  SL_ASSIGN_OR_RETURN(int h, Half(v));
  return Half(h);
}

TEST(Result, PassesErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_THROW(ValueOrThrow(Quarter(6)), Error);
  EXPECT_EQ(ValueOrThrow(Quarter(4)), 1);
}

TEST(Strings, NumbersReadBackExactly) {
  EXPECT_EQ(StrCat("a", 1, true, 0.5, 'c'), "a1true0.5c");
  EXPECT_EQ(StrCat(0.1), "0.1");
  EXPECT_EQ(std::stod(StrCat(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(EscapeString("a\"b\\\n\x01"), "a\\\"b\\\\\\n\\x01");
  EXPECT_EQ(JsonQuote("a\"\n"), "\"a\\\"\\u000a\"");
}

TEST(CheckedMath, SeesOverflow) {
  int64_t out = 7;
  EXPECT_FALSE(CheckedMul(int64_t{1} << 40, int64_t{1} << 40, &out));
  EXPECT_FALSE(CheckedAdd(INT64_MAX, 1, &out));
  EXPECT_EQ(out, 7);
  EXPECT_TRUE(CheckedMul(3, 4, &out));
  EXPECT_EQ(out, 12);
}

TEST(Cancellation, FirstCauseWinsAndCallbacksRunOnce) {
  Cancellation c;
  int called = 0;
  Cancellation::Token token, gone;
  ASSERT_TRUE(c.Register(&token, [&] { ++called; }));
  ASSERT_TRUE(c.Register(&gone, [&] { called += 100; }));
  EXPECT_TRUE(c.Deregister(gone));
  EXPECT_TRUE(c.Cancel(Aborted("first")));
  EXPECT_FALSE(c.Cancel(Aborted("second")));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(c.status().message(), "first");
  EXPECT_FALSE(c.Register(&token, [&] { ++called; }));
  EXPECT_FALSE(c.Deregister(token));
}

TEST(Timer, CallsWhatIsDueAndCanBeCalledOff) {
  std::atomic<int> calls{0};
  Timer timer;
  auto never = timer.After(int64_t{3600} * 1'000'000'000, [&] { calls = 100; });
  timer.After(2'000'000, [&] { ++calls; });
  timer.After(1'000'000, [&] { ++calls; });
  while (calls.load() < 2) std::this_thread::yield();
  EXPECT_TRUE(timer.Cancel(never));
  EXPECT_FALSE(timer.Cancel(never));
  EXPECT_EQ(calls.load(), 2);
}

// Each of the callbacks waits until all of them run.
TEST(Timer, ASlowCallbackDelaysNoOther) {
  constexpr int kSlow = 5;
  std::atomic<int> here{0};
  Timer timer;
  for (int i = 0; i < kSlow; ++i) {
    timer.After(1000, [&] {
      ++here;
      while (here.load() < kSlow) std::this_thread::yield();
    });
  }
  while (here.load() < kSlow) std::this_thread::yield();
  // Threads that are no longer needed end.
  while (timer.threads() > 2) std::this_thread::yield();
}

TEST(Timer, CancelWaitsForTheCallbackThatRuns) {
  std::atomic<bool> began{false}, let_go{false}, done{false};
  Timer timer;
  auto id = timer.After(0, [&] {
    began = true;
    while (!let_go) std::this_thread::yield();
    done = true;
  });
  while (!began) std::this_thread::yield();
  std::thread other([&] { let_go = true; });
  EXPECT_FALSE(timer.Cancel(id));
  EXPECT_TRUE(done.load());
  other.join();
}

// A callback may cancel itself, and may throw.
TEST(Timer, CallbacksDoAsTheyLike) {
  std::atomic<int> calls{0};
  Timer timer;
  std::atomic<Timer::Id> id{0};
  id = timer.After(1'000'000, [&] {
    while (id == 0) std::this_thread::yield();
    EXPECT_FALSE(timer.Cancel(id));
    ++calls;
    throw std::bad_alloc();
  });
  timer.After(2'000'000, [&] { ++calls; });
  while (calls.load() < 2) std::this_thread::yield();
}

}  // namespace
}  // namespace sluice
