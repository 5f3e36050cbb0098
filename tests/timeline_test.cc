// Timelines: what `sluice trace` writes, and the trace of a session's run, read
// back as JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "sluice/formats/json.h"
#include "tests/subprocess.h"

namespace sluice {
namespace {

constexpr char kTwoDevices[] = R"(graph g(%n: i64[], %x: f32[32,32]) -> (%y) {
  %zero = Const [value = 0 : i64[]]
  %i, %y = While(%zero, %x) [dtypes = {i64, f32}, parallel = 4] : i64[], f32[32,32] {
    cond(%i: i64[], %a: f32[32,32]) {
      %c = Less(%i, %n)
      yield %c
    }
    body(%i: i64[], %a: f32[32,32]) {
      %j = Add(%i, 1)
      %s = Sin(%a) on "/device:sim:0"
      %p = MatMul(%s, %s) on "/device:sim:1"
      %t = Tanh(%p) on "/device:sim:0"
      yield %j, %t
    }
  }
})";

struct TraceEvent {
  std::string process, thread, name, kind;
  double start = 0, end = 0;  // us
  int64_t iteration = -1, bytes = 0;
};

double Number(const Json& j) {
  return j.kind() == Json::Kind::kInt ? static_cast<double>(j.as_int())
                                      : j.as_double();
}

// The complete events of a trace, with the names of processes and threads.
// Every flow that begins must end on a device.
std::vector<TraceEvent> Events(const std::string& text) {
  Result<Json> trace = Json::Parse(text);
  EXPECT_TRUE(trace.ok()) << trace.status().message() << "\n" << text;
  std::vector<TraceEvent> events;
  if (!trace.ok()) return events;
  std::map<int64_t, std::string> processes;
  std::map<std::pair<int64_t, int64_t>, std::string> threads;
  std::set<int64_t> begun, ended;
  for (const Json& e : trace->at("traceEvents").items()) {
    std::string phase = e.at("ph").as_string();
    int64_t pid = e.at("pid").as_int();
    if (phase == "M") {
      std::string name = e.at("args").at("name").as_string();
      if (e.at("name").as_string() == "process_name") {
        processes[pid] = name;
      } else {
        threads[{pid, e.at("tid").as_int()}] = name;
      }
    } else if (phase == "s") {
      begun.insert(e.at("id").as_int());
    } else if (phase == "f") {
      ended.insert(e.at("id").as_int());
    } else if (phase == "X") {
      TraceEvent event;
      event.process = processes.at(pid);
      event.thread = threads.at({pid, e.at("tid").as_int()});
      event.name = e.at("name").as_string();
      event.kind = e.at("cat").as_string();
      event.start = Number(e.at("ts"));
      event.end = event.start + Number(e.at("dur"));
      const Json& args = e.at("args");
      event.bytes = args.at("bytes").as_int();
      if (args.find("iteration"))
        event.iteration = args.at("iteration").as_int();
      events.push_back(event);
    } else {
      ADD_FAILURE() << "phase " << phase;
    }
  }
  EXPECT_EQ(begun, ended);
  return events;
}

TEST(Timeline, ShowsDevicesStreamsIterationsAndCopies) {
  std::string graph = testing::TempDir() + "/timeline_test.sluice";
  std::string out = testing::TempDir() + "/timeline_test.json";
  std::ofstream(graph) << kTwoDevices;
  Finished run = RunCommand(SLUICE_BIN_DIR "/sluice trace " + graph +
                            " --sims 2 --set n=5 --out " + out + " 2>&1");
  ASSERT_EQ(run.code, 0) << run.out;
  EXPECT_NE(run.out.find("/device:sim:1 compute: 5 pieces of work"),
            std::string::npos)
      << run.out;
  std::stringstream text;
  text << std::ifstream(out).rdbuf();
  std::remove(graph.c_str());
  std::remove(out.c_str());

  // By device and stream, which iterations.
  std::map<std::string, std::multiset<int64_t>> found;
  std::map<std::string, std::vector<TraceEvent>> streams;
  for (const TraceEvent& e : Events(text.str())) {
    std::string where = e.process + " " + e.thread;
    streams[where].push_back(e);
    if (e.kind == "kernel") found[where + " " + e.name].insert(e.iteration);
    if (e.kind == "copy") {
      EXPECT_EQ(e.bytes, 32 * 32 * 4);
      found[where + " copy"].insert(e.iteration);
    }
  }
  const std::multiset<int64_t> kAll = {0, 1, 2, 3, 4};
  EXPECT_EQ(found["/device:sim:0 compute Sin s"], kAll);
  EXPECT_EQ(found["/device:sim:0 compute Tanh t"], kAll);
  EXPECT_EQ(found["/device:sim:1 compute MatMul p"], kAll);
  EXPECT_EQ(found["/device:sim:1 peer copy"], kAll);
  // On a stream nothing overlaps, on any clock.
  for (auto& [where, events] : streams) {
    if (where.find("sim") == std::string::npos) continue;
    std::sort(events.begin(), events.end(),
              [](const TraceEvent& a, const TraceEvent& b) {
                return a.start < b.start;
              });
    for (size_t i = 1; i < events.size(); ++i) {
      EXPECT_LE(events[i - 1].end, events[i].start + 0.01) << where;
    }
  }
}

TEST(Timeline, MistakesAreToldInTheUsersTerms) {
  std::string graph = testing::TempDir() + "/timeline_test_bad.sluice";
  std::ofstream(graph) << kTwoDevices;
  std::string line = SLUICE_BIN_DIR "/sluice trace " + graph;
  Finished number = RunCommand(line + " --set n=many 2>&1");
  EXPECT_EQ(number.code, 2);
  EXPECT_NE(number.out.find("--set wants NAME=NUMBER, got \"n=many\""),
            std::string::npos)
      << number.out;
  Finished name = RunCommand(line + " --sims 2 --set m=3 2>&1");
  EXPECT_EQ(name.code, 2);
  EXPECT_NE(name.out.find("the graph has no argument \"m\""), std::string::npos)
      << name.out;
  Finished where = RunCommand(line + " --sims 2 --out /nowhere/t.json 2>&1");
  EXPECT_EQ(where.code, 1);
  EXPECT_NE(where.out.find("cannot write /nowhere/t.json"), std::string::npos)
      << where.out;
  std::remove(graph.c_str());
}

}  // namespace
}  // namespace sluice
