#include "sluice/report/metrics_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "sluice/report/metrics_text.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

using Names = std::vector<std::string>;

TEST(MetricsLog, CsvHasOneLinePerStep) {
  TestFolder folder;
  MetricsLog log(folder / "run/metrics.csv");
  log.write(1, {{"loss", 0.5}, {"rate", 0.01}});
  log.write(2, {{"rate", 1e-3}, {"loss", 0.25}});
  // There before the log goes.
  EXPECT_EQ(FileText(folder / "run/metrics.csv"),
            "step,loss,rate\n"
            "1,0.5,0.01\n"
            "2,0.25,0.001\n");
}

TEST(MetricsLog, CsvColumnsMayAppearLater) {
  TestFolder folder;
  MetricsLog log(folder / "m.csv");
  log.write(1, {});
  log.write(2, {{"loss", 3}});
  log.write(3, {{"loss", 2}, {"a,\"b\"", 1}, {"c", 5}});
  log.write(4, {{"c", 6}});
  EXPECT_EQ(FileText(log.path()),
            "step,loss,\"a,\"\"b\"\"\",c\n"
            "1,,,\n"
            "2,3,,\n"
            "3,2,1,5\n"
            "4,,,6\n");
  EXPECT_EQ(folder.files(), Names{"m.csv"});
}

TEST(MetricsLog, NumbersReadBackAsTheyWere) {
  TestFolder folder;
  MetricsLog log(folder / "m.csv");
  double values[] = {1.0 / 3, 1e300, 5e-324, -0.1f, 123456789012345678.0};
  for (double v : values) log.write(0, {{"x", v}});
  std::string text = FileText(log.path());
  std::vector<std::string_view> records = CsvRecords(text);
  ASSERT_EQ(records.size(), 6u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(std::strtod(CsvFields(records[i + 1])[1].c_str(), nullptr),
              values[i]);
  }
}

TEST(MetricsLog, NumbersThatAreNotFinite) {
  TestFolder folder;
  MetricsLog csv(folder / "m.csv"), json(folder / "m.jsonl");
  for (MetricsLog* log : {&csv, &json}) {
    log->write(1, {{"a", -std::nan("")}, {"b", INFINITY}, {"c", -INFINITY}});
  }
  EXPECT_EQ(FileText(csv.path()), "step,a,b,c\n1,nan,inf,-inf\n");
  EXPECT_EQ(FileText(json.path()),
            "{\"step\": 1, \"a\": \"NaN\", \"b\": \"Infinity\", \"c\": "
            "\"-Infinity\"}\n");
}

TEST(MetricsLog, JsonHasOneObjectPerLine) {
  TestFolder folder;
  MetricsLog log(folder / "m.jsonl");
  log.write(-1, {});
  log.write(7, {{"a \"name\"\n", 0.5}, {"bad\xff", 2}, {"b", 1}, {"b", 3}});
  EXPECT_EQ(
      FileText(log.path()),
      "{\"step\": -1}\n"
      "{\"step\": 7, \"a \\\"name\\\"\\u000a\": 0.5, \"bad\xef\xbf\xbd\": "
      "2, \"b\": 3}\n");
}

TEST(MetricsLog, ResumeDropsLaterLines) {
  TestFolder folder;
  for (const char* name : {"m.csv", "m.jsonl"}) {
    std::string path = folder / name;
    {
      MetricsLog log(path);
      for (int64_t i = 1; i <= 5; ++i) {
        log.write(i * 10, {{"loss", 1.0 / static_cast<double>(i)}});
      }
    }
    {
      MetricsLog log(path, {.resume_step = 30});
      log.write(31, {{"loss", 9}, {"new", 1}});
    }
    std::string text = FileText(path);
    EXPECT_EQ(text.find("40"), std::string::npos);
    Contains(text, "31");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
              path.ends_with("csv") ? 5 : 4);
    if (path.ends_with("csv")) Contains(text, "\n10,1,\n");
  }
  EXPECT_EQ(folder.files(), (Names{"m.csv", "m.jsonl"}));
}

TEST(MetricsLog, ResumeAfterAKillDropsTheLineThatWasCut) {
  TestFolder folder;
  WriteText(folder / "m.csv", "step,loss\r\n1,2\r\n2,1\r\n3,0.");
  {
    MetricsLog log(folder / "m.csv", {.resume_step = 100});
    log.write(3, {{"loss", 0.5}});
    log.write(4, {{"more", 7}});
  }
  EXPECT_EQ(FileText(folder / "m.csv"),
            "step,loss,more\n1,2,\n2,1,\n3,0.5,\n4,,7\n");
  WriteText(folder / "m.jsonl", "{\"step\": 1}\n{\"step\": 2, \"lo");
  {
    MetricsLog log(folder / "m.jsonl", {.resume_step = 100});
    log.write(2, {});
  }
  EXPECT_EQ(FileText(folder / "m.jsonl"), "{\"step\": 1}\n{\"step\": 2}\n");
}

TEST(MetricsLog, ResumeOfNothingBeginsAnew) {
  TestFolder folder;
  MetricsLog log(folder / "m.csv", {.resume_step = 5});
  log.write(6, {{"loss", 1}});
  EXPECT_EQ(FileText(log.path()), "step,loss\n6,1\n");
}

TEST(MetricsLog, ResumeRefusesFilesOfOthersAndLeavesThemAlone) {
  TestFolder folder;
  WriteText(folder / "m.csv", "name,age\nann,7\n");
  Contains(
      ErrorText([&] { MetricsLog log(folder / "m.csv", {.resume_step = 1}); }),
      "it is no file of metrics; wanted a header step");
  EXPECT_EQ(FileText(folder / "m.csv"), "name,age\nann,7\n");
  WriteText(folder / "m.json", "{\"a\": 1}\n");
  Contains(
      ErrorText([&] { MetricsLog log(folder / "m.json", {.resume_step = 1}); }),
      "wanted lines like");
  EXPECT_EQ(FileText(folder / "m.json"), "{\"a\": 1}\n");
}

TEST(MetricsLog, AFileOfAnEarlierRunIsKept) {
  TestFolder folder;
  for (int run = 0; run < 3; ++run) {
    MetricsLog log(folder / "m.csv");
    log.write(run, {});
  }
  EXPECT_EQ(folder.files(), (Names{"m.csv", "m.csv.1", "m.csv.2"}));
  EXPECT_EQ(FileText(folder / "m.csv.1"), "step\n0\n");
  EXPECT_EQ(FileText(folder / "m.csv"), "step\n2\n");
}

TEST(MetricsLog, SaysWhyAFileCannotBeMade) {
  TestFolder folder;
  WriteText(folder / "file", "x");
  std::string error = ErrorText([&] { MetricsLog log(folder / "file/m.csv"); });
  Contains(error, folder / "file");
  Contains(error, "Not a directory");
  std::filesystem::create_directory(folder / "m.csv");
  Contains(ErrorText([&] { MetricsLog log(folder / "m.csv"); }),
           "it is a directory");
  Contains(ErrorText([&] { MetricsLog log(""); }), "wanted a file's name");
}

TEST(MetricsLog, RefusesNamesThatAreTaken) {
  TestFolder folder;
  MetricsLog log(folder / "m.csv");
  EXPECT_EQ(ErrorText([&] { log.write(1, {{"step", 2}}); }),
            "[MetricsLog] a metric is named \"step\"; wanted another name");
  EXPECT_NE(ErrorText([&] { log.write(1, {{"", 2}}); }), "");
}

TEST(MetricsLog, AFullDiskIsReportedOnceAndStopsNobody) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  TestFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "m.jsonl");
  std::vector<std::string> messages;
  MetricsLogOptions options;
  options.on_error = [&](const std::string& m) { messages.push_back(m); };
  MetricsLog log(folder / "m.jsonl", options);
  for (int i = 0; i < 5; ++i) log.write(i, {{"loss", 1}});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "metrics are not written: cannot write \"" +
                             (folder / "m.jsonl") +
                             "\": No space left on device");
}

TEST(MetricsLog, AColumnThatCannotBeAddedDoesNotBreakTheOthers) {
  TestFolder folder;
  std::vector<std::string> messages;
  MetricsLogOptions options;
  options.on_error = [&](const std::string& m) { messages.push_back(m); };
  MetricsLog log(folder / "m.csv", options);
  log.write(1, {{"loss", 1}});
  // In the way of the file that would take the place of this one.
  std::filesystem::create_directories(folder / "m.csv.new/x");
  log.write(2, {{"loss", 2}, {"more", 2}});
  log.write(3, {{"loss", 3}});
  EXPECT_EQ(messages.size(), 1u);
  EXPECT_EQ(FileText(log.path()), "step,loss\n1,1\n3,3\n");
  std::filesystem::remove_all(folder / "m.csv.new");
  log.write(4, {{"loss", 4}, {"more", 5}});
  EXPECT_EQ(FileText(log.path()), "step,loss,more\n1,1,\n3,3,\n4,4,5\n");
}

TEST(MetricsLog, ThreadsWriteWholeLines) {
  TestFolder folder;
  MetricsLog log(folder / "m.csv");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 50; ++i) {
        log.write(i, {{"t" + std::to_string(t), i}});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::string text = FileText(log.path());
  std::vector<std::string_view> records = CsvRecords(text);
  ASSERT_EQ(records.size(), 201u);
  for (std::string_view record : records) {
    EXPECT_EQ(CsvFields(record).size(), 5u);
  }
}

}  // namespace
}  // namespace sluice::report
