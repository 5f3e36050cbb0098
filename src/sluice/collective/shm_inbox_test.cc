#include "sluice/collective/shm_inbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sluice/base/strings.h"

namespace sluice::collective {
namespace {

bool IsThere(const std::string& name) {
  int fd = shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

TEST(ShmInbox, WhatAKilledProcessLeftGoesWithTheNextOne) {
  const std::string word = StrCat("test-", getpid());
  int told[2];
  ASSERT_EQ(pipe2(told, O_CLOEXEC), 0);
  pid_t child = fork();
  if (child == 0) {
    bool made = ShmInbox::Create(ShmInbox::Name(getpid(), word), 2).ok();
    (void)!write(told[1], made ? "y" : "n", 1);
    _exit(0);  // as if killed: the name is not removed
  }
  char answer = 0;
  ASSERT_EQ(read(told[0], &answer, 1), 1);
  close(told[0]);
  close(told[1]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  if (answer != 'y') GTEST_SKIP() << "no shared memory here";
  const std::string left = ShmInbox::Name(child, word);
  const std::string own = ShmInbox::Name(getpid(), word);
  EXPECT_TRUE(IsThere(left));
  auto inbox = ShmInbox::Create(own, 2);
  EXPECT_TRUE(inbox.ok()) << inbox.status().ToString();
  EXPECT_FALSE(IsThere(left));
  // Objects of running processes stay.
  EXPECT_TRUE(ShmInbox::Create(StrCat(own, "-2"), 2).ok());
  EXPECT_TRUE(IsThere(own));
  ShmInbox::Unlink(own);
  ShmInbox::Unlink(StrCat(own, "-2"));
  EXPECT_FALSE(IsThere(own));
}

}  // namespace
}  // namespace sluice::collective
