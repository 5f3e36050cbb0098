#include "sluice/base/caught.h"

#include <gtest/gtest.h>

#include <new>
#include <system_error>

#include "sluice/base/error.h"

namespace sluice {
namespace {

template <class E>
Status Thrown(const E& e) {
  return Guarded([&]() -> Status { throw e; });
}

TEST(Caught, ExceptionsBecomeErrors) {
  EXPECT_EQ(Thrown(std::bad_alloc()).code(), Code::kResourceExhausted);
  EXPECT_EQ(Thrown(std::system_error(std::make_error_code(
                       std::errc::resource_unavailable_try_again)))
                .code(),
            Code::kResourceExhausted);
  EXPECT_EQ(Thrown(Error(NotFound("x"))).ToString(), NotFound("x").ToString());
  EXPECT_EQ(Thrown(std::runtime_error("y")).message(), "y");
  EXPECT_EQ(Thrown(7).code(), Code::kInternal);
  EXPECT_TRUE(Guarded([] { return OkStatus(); }).ok());
  EXPECT_EQ(*Guarded([] { return Result<int>(3); }), 3);
}

// It used to end the process.
TEST(Caught, ABrokenInvariantIsAnError) {
  Status status = Guarded([]() -> Status {
    SL_CHECK(1 + 1 == 3);
    return OkStatus();
  });
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_NE(status.message().find("caught_test.cc"), std::string::npos);
  EXPECT_NE(status.message().find("1 + 1 == 3"), std::string::npos);
}

}  // namespace
}  // namespace sluice
