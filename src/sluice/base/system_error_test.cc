#include "sluice/base/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace sluice {
namespace {

// EMFILE was reported as ENOSPC, and ENOSPC as a lack of memory.
TEST(SystemError, NumberIsFoundInTheMessageAgain) {
  for (int number : {ENOENT, EACCES, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG, EIO,
                     ENOTDIR, EISDIR, EROFS, ENOMEM, EINVAL, ELOOP}) {
    Status status = SystemError("write", "a \"b\": c", number);
    EXPECT_EQ(SystemErrorNumber(status.message()), number) << status.message();
    status = status.WithLine("at model.py:3");
    EXPECT_EQ(SystemErrorNumber(status.message()), number);
    Status wrapped = Status(
        status.code(), "the checkpoint was not saved: " + status.message());
    EXPECT_EQ(SystemErrorNumber(wrapped.message()), number);
  }
}

TEST(SystemError, OtherMessagesHaveNone) {
  EXPECT_EQ(SystemErrorNumber(""), 0);
  EXPECT_EQ(SystemErrorNumber("[Mul] is a leaf and cannot be written"), 0);
  EXPECT_EQ(SystemErrorNumber("cannot read \"x\": it is damaged"), 0);
  EXPECT_EQ(SystemErrorNumber("cannot read \"x\": it is a directory"), EISDIR);
  EXPECT_EQ(SystemErrorNumber("No such file or directory"), 0);
}

}  // namespace
}  // namespace sluice
