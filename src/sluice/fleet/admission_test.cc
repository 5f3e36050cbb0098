#include "sluice/fleet/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "sluice/fleet/backup_choice.h"

namespace sluice::distributed {
namespace {

using Verdict = Admission::Verdict;

TEST(Admission, TheFirstOfAStepAreInWhoeverTheyAre) {
  Admission a(3, 2, 7);
  EXPECT_EQ(a.Release(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(*a.Arrive(2, 7), Verdict::kAdmitted);
  EXPECT_FALSE(a.complete());
  EXPECT_EQ(*a.Arrive(0, 7), Verdict::kAdmitted);
  EXPECT_TRUE(a.complete());
  EXPECT_EQ(*a.Arrive(1, 7), Verdict::kLate);
  EXPECT_EQ(a.Advance(), (std::vector<int>{0, 2})) << "by number";
  EXPECT_EQ(a.step(), 8);
  EXPECT_EQ(a.dropped(), (std::vector<int64_t>{0, 1, 0}));
}

TEST(Admission, WhoComesAfterTheStepIsDroppedAndJoinsTheNext) {
  Admission a(2, 1);
  (void)a.Release();
  EXPECT_EQ(*a.Arrive(1, 0), Verdict::kAdmitted);
  EXPECT_EQ(a.Advance(), std::vector<int>{1});
  EXPECT_EQ(a.Release(), std::vector<int>{1}) << "0 still computes step 0";
  EXPECT_EQ(a.Outstanding(), (std::vector<int>{0, 1}));
  EXPECT_EQ(*a.Arrive(0, 0), Verdict::kLate);
  EXPECT_EQ(a.Release(), std::vector<int>{0});
  EXPECT_EQ(*a.Arrive(0, 1), Verdict::kAdmitted);
  EXPECT_EQ(a.Release(), std::vector<int>{})
      << "who is in has no second token for the step";
}

TEST(Admission, ATicketIsUsedOnce) {
  Admission a(2, 2);
  (void)a.Release();
  EXPECT_TRUE(a.Arrive(0, 0).ok());
  EXPECT_EQ(a.Arrive(0, 0).status().message(),
            "worker 0 hands in a gradient of step 0; wanted none, for it has "
            "no token");
  EXPECT_EQ(a.Arrive(1, 3).status().message(),
            "worker 1 hands in a gradient of step 3; wanted one of step 0");
  EXPECT_FALSE(a.Arrive(2, 0).ok());
}

// Workers arrive in random order, and every step uses exactly m gradients, all
// of that step, one per worker; the others are counted.
TEST(Admission, PropertyOfRandomArrivals) {
  std::mt19937 random(20);
  for (int run = 0; run < 200; ++run) {
    int n = 1 + static_cast<int>(random() % 8);
    int m = 1 + static_cast<int>(random() % static_cast<unsigned>(n));
    Admission a(n, m);
    std::vector<std::pair<int, int64_t>> computing;
    int64_t handed = 0, admitted = 0;
    std::set<int> in;
    auto release = [&] {
      for (int w : a.Release()) computing.emplace_back(w, a.step());
    };
    release();
    for (int64_t step = 0; step < 50;) {
      ASSERT_FALSE(computing.empty());
      size_t k = random() % computing.size();
      auto [worker, its] = computing[k];
      computing.erase(computing.begin() + static_cast<int64_t>(k));
      auto verdict = a.Arrive(worker, its);
      ASSERT_TRUE(verdict.ok());
      ++handed;
      if (*verdict == Verdict::kAdmitted) {
        ASSERT_EQ(its, step) << "no stale gradient";
        ASSERT_TRUE(in.insert(worker).second);
      }
      // Immediately, or after some more have arrived late.
      if (a.complete() && (random() % 2 || computing.empty())) {
        std::vector<int> members = a.Advance();
        ASSERT_EQ(members, std::vector<int>(in.begin(), in.end()));
        ASSERT_EQ(members.size(), static_cast<size_t>(m));
        admitted += m;
        in.clear();
        ++step;
      }
      release();
    }
    int64_t dropped = 0;
    for (int64_t d : a.dropped()) dropped += d;
    EXPECT_EQ(handed, admitted + static_cast<int64_t>(in.size()) + dropped);
  }
}

TEST(BackupChoice, WaitsForAllWhereAllAreAlike) {
  BackupChoice choice(5, 3, 8);
  EXPECT_EQ(choice.Choose(4), 4) << "nothing is known yet";
  for (int step = 0; step < 10; ++step) {
    for (int w = 0; w < 5; ++w) choice.Arrived(w, step, 1.0 + 0.01 * w);
  }
  EXPECT_EQ(choice.Choose(4), 5);
}

TEST(BackupChoice, DoesNotWaitForOneThatIsSlow) {
  BackupChoice choice(5, 3, 8);
  for (int step = 0; step < 10; ++step) {
    for (int w = 0; w < 4; ++w) choice.Arrived(w, step, 1.0);
  }
  choice.Arrived(4, 5, 5.0);  // at a fifth of the speed
  EXPECT_EQ(choice.Choose(5), 4);
  // Now it is as fast as the others.
  for (int step = 10; step < 20; ++step) {
    for (int w = 0; w < 5; ++w) choice.Arrived(w, step, 1.0);
  }
  EXPECT_EQ(choice.Choose(4), 5);
}

TEST(BackupChoice, NeverBelowTheLeast) {
  BackupChoice choice(4, 3, 2);
  for (int step = 0; step < 4; ++step) {
    for (int w = 0; w < 4; ++w) choice.Arrived(w, step, w == 0 ? 0.01 : 9.0);
  }
  EXPECT_GE(choice.Choose(4), 3);
}

}  // namespace
}  // namespace sluice::distributed
