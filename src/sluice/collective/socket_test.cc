#include "sluice/collective/socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"

namespace sluice::collective {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(Socket, AWaitEndsWhenTheThreadIsInterrupted) {
  int port = 0;
  Result<Socket> listener = Listen("127.0.0.1", 0, &port);
  ASSERT_TRUE(listener.ok()) << listener.status().ToString();
  Interruption interruption;
  interruption.Request();
  Interruption* before = Interruption::SetCurrent(&interruption);
  Status accepted = Accept(*listener, NowNanos() + 60 * kSecond).status();
  Result<Socket> other = Listen("127.0.0.1", 0, &port);
  *other = Socket();  // nobody listens there now
  Status connected =
      Connect("127.0.0.1", port, NowNanos() + 60 * kSecond).status();
  Interruption::SetCurrent(before);
  EXPECT_EQ(accepted.code(), Code::kCancelled) << accepted.ToString();
  EXPECT_EQ(connected.code(), Code::kCancelled) << connected.ToString();
}

TEST(Socket, TheEndOfTheOtherSideIsSeenWhenAllIsRead) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  Socket here(pair[0]);
  EXPECT_FALSE(here.Ended());
  {
    Socket there(pair[1]);
    EXPECT_TRUE(there.Send("x", 1, NowNanos() + 60 * kSecond).ok());
  }
  EXPECT_FALSE(here.Ended());
  char byte = 0;
  EXPECT_TRUE(here.Receive(&byte, 1, NowNanos() + 60 * kSecond).ok());
  EXPECT_EQ(byte, 'x');
  EXPECT_TRUE(here.Ended());
}

}  // namespace
}  // namespace sluice::collective
