#include "sluice/report/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sluice/sluice.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "sluice/formats/utf8.h"
#include "sluice/report/number.h"
#include "sluice/report/progress_line.h"
#include "sluice/report/rate.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

using Answer = ProgressOptions::Answer;

// A file in memory that can be read while it is written.
class Output {
 public:
  Output() : file_(open_memstream(&bytes_, &size_)) {}
  ~Output() {
    std::fclose(file_);
    free(bytes_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return std::string(bytes_, size_);
  }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  std::FILE* file_;
};

struct FakeClock {
  double now = 1000;
  std::function<double()> function() {
    return [this] { return now; };
  }
};

TEST(Progress, PlainLinesEverySoManySeconds) {
  Output out;
  FakeClock clock;
  {
    Progress progress({.total = 100,
                       .label = "epoch 1/2",
                       .items_per_step = 64,
                       .unit = "images",
                       .smoothing = 0,
                       .line_seconds = 10,
                       .out = out.file(),
                       .clock = clock.function()});
    for (int i = 1; i <= 100; ++i) {
      clock.now += 0.25;
      progress.update(1.0 / i, {{"acc", i / 100.0}});
    }
  }
  EXPECT_EQ(
      out.text(),
      "epoch 1/2  1/100 (1%)  loss 1  acc 0.01  256 images/s  0:00 gone, 0:24 "
      "left\n"
      "epoch 1/2  41/100 (41%)  loss 0.02439  acc 0.41  256 images/s  0:10 "
      "gone, 0:14 left\n"
      "epoch 1/2  81/100 (81%)  loss 0.01235  acc 0.81  256 images/s  0:20 "
      "gone, 0:04 left\n"
      "epoch 1/2  100/100 (100%)  loss 0.01  acc 1  256 images/s  0:25 gone\n");
}

TEST(Progress, PlainLinesEverySoManySteps) {
  Output out;
  FakeClock clock;
  Progress progress({.total = 1000,
                     .start = 500,
                     .smoothing = 0,
                     .line_steps = 100,
                     .out = out.file(),
                     .clock = clock.function()});
  for (int i = 0; i < 250; ++i) {
    clock.now += 1;
    progress.update(2);
  }
  progress.finish();
  progress.finish();
  progress.update(3);
  EXPECT_EQ(out.text(),
            "501/1000 (50%)  loss 2  1 steps/s  0:01 gone, 8:19 left\n"
            "600/1000 (60%)  loss 2  1 steps/s  1:40 gone, 6:40 left\n"
            "700/1000 (70%)  loss 2  1 steps/s  3:20 gone, 5:00 left\n"
            "750/1000 (75%)  loss 2  1 steps/s  4:10 gone\n");
}

TEST(Progress, OneLineIsDrawnOverOnATerminal) {
  Output out;
  FakeClock clock;
  Progress progress({.total = 4,
                     .smoothing = 0,
                     .out = out.file(),
                     .terminal = Answer::kYes,
                     .color = Answer::kNo,
                     .utf8 = Answer::kNo,
                     .columns = 60,
                     .clock = clock.function()});
  clock.now += 1;
  progress.update(0.5);
  clock.now += 0.05;
  progress.update(0.25);  // too soon to be drawn
  EXPECT_EQ(
      out.text(),
      "\r 25% [===>............]  1/4  loss 0.5  1 steps/s  eta 0:03\x1b[K");
  progress.note("halved the rate");
  progress.advance(2);
  progress.finish();
  EXPECT_EQ(
      out.text(),
      "\r 25% [===>............]  1/4  loss 0.5  1 steps/s  eta 0:03\x1b[K"
      "\r\x1b[Khalved the rate\n"
      "\r 50% [=====>.......]  2/4  loss 0.25  1.9 steps/s  eta 0:01\x1b[K"
      "\r100% [==============]  4/4  loss 0.25  3.8 steps/s  in 0:01\x1b[K"
      "\n");
}

TEST(Progress, NoMoreThanTenRedrawsASecond) {
  Output out;
  FakeClock clock;
  Progress progress({.total = 100000,
                     .out = out.file(),
                     .terminal = Answer::kYes,
                     .clock = clock.function()});
  for (int i = 0; i < 10000; ++i) {
    clock.now += 0.0001;
    progress.update(1);
  }
  std::string text = out.text();
  auto redraws = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(redraws, 9);
  EXPECT_LE(redraws, 11);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
}

TEST(Progress, TheLossIsSmoothedFromTheFirst) {
  Output out;
  Progress progress({.smoothing = 0.5, .out = out.file()});
  EXPECT_TRUE(std::isnan(progress.loss()));
  progress.update(4);
  EXPECT_DOUBLE_EQ(progress.loss(), 4);
  progress.update(1);
  EXPECT_DOUBLE_EQ(progress.loss(), 2);
  progress.update(std::nan(""));
  EXPECT_TRUE(std::isnan(progress.loss()));
  progress.update(2);  // the bad one is not mixed in
  EXPECT_DOUBLE_EQ(progress.loss(), 2);
  progress.update(constant(2.f));
  EXPECT_DOUBLE_EQ(progress.loss(), 2);
  EXPECT_EQ(ErrorText([&] { progress.update(zeros({2})); }),
            "[Progress] loss: the tensor is f32[2]; wanted one real number");
}

TEST(Progress, NothingIsShownOfWorkThatNeverBegan) {
  Output out;
  {
    Progress progress({.total = 5, .out = out.file()});
  }
  EXPECT_EQ(out.text(), "");
}

TEST(Progress, ThreadsDoNotTearLines) {
  Output out;
  {
    Progress progress(
        {.total = 400, .line_steps = 1, .out = out.file(), .clock = {}});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) progress.advance();
      });
    }
    for (std::thread& t : threads) t.join();
  }
  std::string text = out.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 400);
  Contains(text, "400/400 (100%)");
}

ProgressState Sample() {
  return {.label = "epoch 2/5",
          .step = 420,
          .total = 1000,
          .loss_name = "loss",
          .loss = 0.12345,
          .metrics = {{"acc", 0.9}, {"lr", 0.001}},
          .rate = 1234,
          .unit = "images",
          .elapsed = 12,
          .remaining = 17};
}

TEST(ProgressLine, ShortensToTheWidth) {
  auto line = [](int columns) {
    return BarLine(Sample(), {.columns = columns});
  };
  EXPECT_EQ(line(120),
            "epoch 2/5   42% [============>...................]  420/1000  "
            "loss 0.1235  acc 0.9  lr 0.001  1.2k images/s  eta 0:17");
  EXPECT_EQ(
      line(91),
      "epoch 2/5   42% [=====>.........]  420/1000  loss 0.1235  acc 0.9  "
      "1.2k images/s  eta 0:17");
  EXPECT_EQ(
      line(70),
      "epoch 2/5   42% [======>...........]  420/1000  loss 0.1235  eta 0:17");
  EXPECT_EQ(line(30), " 42% [==>......]  loss 0.1235");
  EXPECT_EQ(line(12), " 42%  loss ");
  for (int columns = 1; columns < 140; ++columns) {
    EXPECT_LE(Utf8Columns(line(columns)), static_cast<size_t>(columns))
        << columns;
  }
}

TEST(ProgressLine, ColoursAndBoxes) {
  ProgressState state = Sample();
  state.label = "";
  state.metrics = {};
  state.loss = std::nan("");
  state.total = 840;
  EXPECT_EQ(BarLine(state, {.columns = 60, .color = true, .utf8 = true}),
            " 50% \x1b[32m\u2501\u2501\u2501\u2501\u2501\x1b[0m"
            "\x1b[2m\u2501\u2501\u2501\u2501\u2501\x1b[0m"
            "  420/840  \x1b[31mloss nan\x1b[0m  1.2k images/s  eta 0:17");
}

TEST(ProgressLine, WithoutATotal) {
  ProgressState state = Sample();
  state.total = 0;
  state.remaining = std::nan("");
  state.rate = 0.02;
  state.unit = "step";
  state.label = "two\nlines";
  EXPECT_EQ(BarLine(state, {.columns = 100}),
            "two lines  420 steps  loss 0.1235  acc 0.9  lr 0.001  50 s/step  "
            "0:12");
  EXPECT_EQ(PlainLine(state),
            "two lines  420 steps  loss 0.1235  acc 0.9  lr 0.001  50 s/step  "
            "0:12 gone");
}

TEST(ProgressLine, WithoutCounts) {
  ProgressState state = Sample();
  state.counts = false;
  EXPECT_EQ(
      BarLine(state, {.columns = 80}),
      "epoch 2/5   42% [======>............]  loss 0.1235  acc 0.9  lr 0.001  "
      "eta 0:17");
  EXPECT_EQ(PlainLine(state),
            "epoch 2/5  42%  loss 0.1235  acc 0.9  lr 0.001  0:12 gone, 0:17 "
            "left");
}

TEST(RecentRate, LooksAtTheLastHalfMinute) {
  RecentRate rate;
  EXPECT_TRUE(std::isnan(rate.PerSecond()));
  rate.Mark(0, 0);
  EXPECT_TRUE(std::isnan(rate.PerSecond()));
  for (int i = 1; i <= 1000; ++i) rate.Mark(i * 0.1, i);
  EXPECT_NEAR(rate.PerSecond(), 10, 1e-9);
  // Ten times slower from here.
  for (int i = 1; i <= 32; ++i) rate.Mark(100 + i, 1000 + i);
  EXPECT_NEAR(rate.PerSecond(), 1, 0.1);
}

TEST(Number, AsPeopleReadThem) {
  EXPECT_EQ(ShortNumber(0.042131), "0.04213");
  EXPECT_EQ(ShortNumber(1.5e-7), "1.5e-07");
  EXPECT_EQ(ShortNumber(-48730.6), "-48731");
  EXPECT_EQ(ShortNumber(2e9), "2e+09");
  EXPECT_EQ(ShortNumber(-std::nan("")), "nan");
  EXPECT_EQ(ShortNumber(-INFINITY), "-inf");
  EXPECT_EQ(ShortCount(950), "950");
  EXPECT_EQ(ShortCount(3.14159), "3.1");
  EXPECT_EQ(ShortCount(0.0123), "0.012");
  EXPECT_EQ(ShortCount(1234), "1.2k");
  EXPECT_EQ(ShortCount(999.7), "1.0k");
  EXPECT_EQ(ShortCount(123456), "123k");
  EXPECT_EQ(ShortCount(38.12e6), "38.1M");
  EXPECT_EQ(ShortCount(INFINITY), "inf");
  EXPECT_EQ(ClockTime(7.9), "0:07");
  EXPECT_EQ(ClockTime(725), "12:05");
  EXPECT_EQ(ClockTime(3 * 3600 + 12), "3:00:12");
  EXPECT_EQ(ClockTime(2 * 86400 + 3 * 3600), "2d 03:00:00");
  EXPECT_EQ(ClockTime(-5), "0:00");
  EXPECT_EQ(ClockTime(INFINITY), "?");
  EXPECT_EQ(ClockTime(std::nan("")), "?");
}

// A terminal whose other side this test holds.
class PseudoTerminal {
 public:
  PseudoTerminal(unsigned short columns) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
    if (slave < 0) return;
    winsize size{};
    size.ws_col = columns;
    ioctl(slave, TIOCSWINSZ, &size);
    file_ = fdopen(slave, "w");
  }
  ~PseudoTerminal() {
    if (file_) std::fclose(file_);
    if (master_ >= 0) close(master_);
  }
  std::FILE* file() { return file_; }
  // What has been written and not yet read.
  std::string Read() {
    std::fflush(file_);
    fcntl(master_, F_SETFL, O_NONBLOCK);
    char bytes[8192];
    std::string text;
    for (ssize_t n; (n = read(master_, bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<size_t>(n));
    }
    return text;
  }

 private:
  int master_ = -1;
  std::FILE* file_ = nullptr;
};

TEST(Progress, AsksARealTerminalForItsWidth) {
  PseudoTerminal terminal(42);
  if (!terminal.file()) GTEST_SKIP() << "no pseudo terminals here";
  setenv("TERM", "xterm", 1);
  setenv("NO_COLOR", "1", 1);
  setenv("LC_ALL", "C", 1);
  FakeClock clock;
  {
    Progress progress({.total = 10,
                       .smoothing = 0,
                       .out = terminal.file(),
                       .clock = clock.function()});
    clock.now += 1;
    progress.update(0.5);
    EXPECT_EQ(terminal.Read(),
              "\r 10% [........]  1/10  loss 0.5  eta 0:09\x1b[K");
    unsetenv("NO_COLOR");
  }
  // The end of a line is \r\n on a terminal.
  EXPECT_EQ(terminal.Read(),
            "\r 10% [.........]  1/10  loss 0.5  in 0:01\x1b[K\r\n");
  {
    Progress colours({.total = 10, .out = terminal.file()});
    for (int i = 0; i < 10; ++i) colours.update(0.5);
  }
  Contains(terminal.Read(), "\x1b[32m");
  setenv("TERM", "dumb", 1);
  {
    Progress plain({.total = 10, .out = terminal.file()});
    plain.update(0.5);
  }
  EXPECT_EQ(terminal.Read().find('\x1b'), std::string::npos);
  unsetenv("LC_ALL");
}

}  // namespace
}  // namespace sluice::report
