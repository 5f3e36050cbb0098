#include "sluice/report/event_writer.h"

#include <gtest/gtest.h>
#include <sluice/sluice.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include "sluice/formats/protobuf_writer.h"
#include "sluice/formats/record_format.h"
#include "sluice/report/event_file.h"
#include "sluice/report/proto_reader_test_util.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// All events of a file; lengths and checksums are compared on the way.
std::vector<ProtoMessage> Events(const std::string& path) {
  std::vector<ProtoMessage> events;
  auto file = InputFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status().message();
  if (!file.ok()) return events;
  RecordFormat format{.kind = RecordFormat::Kind::kRecords};
  std::string record;
  for (;;) {
    Result<bool> more = format.Next(**file, &record);
    EXPECT_TRUE(more.ok()) << more.status().message();
    if (!more.ok() || !*more) return events;
    events.emplace_back(record);
  }
}

// The one Summary.Value of an event.
ProtoMessage ValueOf(const ProtoMessage& event) {
  return event.message(5).message(1);
}

EventWriterOptions At(double seconds) {
  return {.clock = [seconds] { return seconds; }};
}

// What `fill` writes, but for the first event of the file.
std::vector<ProtoMessage> Written(
    const std::function<void(EventWriter&)>& fill) {
  TestFolder folder;
  std::string path;
  {
    EventWriter events(folder.path(), At(1000));
    path = events.path();
    fill(events);
  }
  std::vector<ProtoMessage> all = Events(path);
  if (!all.empty()) all.erase(all.begin());
  return all;
}

TEST(EventWriter, AFileBeginsWithItsVersion) {
  TestFolder folder;
  std::string path;
  {
    EventWriter events(folder / "runs/first", At(1700000000.25));
    path = events.path();
  }
  Contains(path, "/runs/first/events.out.tfevents.1700000000.");
  std::vector<ProtoMessage> events = Events(path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].bytes(3), "brain.Event:2");
  EXPECT_EQ(events[0].real(1), 1700000000.25);
}

TEST(EventWriter, WritersOfOneSecondHaveTheirOwnFiles) {
  TestFolder folder;
  EventWriter a(folder.path(), At(5)), b(folder.path(), At(5));
  EXPECT_NE(a.path(), b.path());
  EXPECT_EQ(folder.files().size(), 2u);
}

TEST(EventWriter, Scalars) {
  auto events = Written([](EventWriter& w) {
    w.scalar("loss", 0.5, 7);
    w.scalar("rate", constant(2.0), int64_t{1} << 40);
    w.scalars({{"a", 1}, {"b", 2}}, 3);
    w.scalars({}, 4);
  });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].integer(2), 7);
  EXPECT_EQ(events[0].real(1), 1000);
  EXPECT_EQ(ValueOf(events[0]).bytes(1), "loss");
  EXPECT_EQ(ValueOf(events[0]).real32(2), 0.5f);
  EXPECT_EQ(events[1].integer(2), int64_t{1} << 40);
  EXPECT_EQ(ValueOf(events[1]).real32(2), 2.0f);
  std::vector<std::string> both = events[2].message(5).all(1);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(ProtoMessage(both[1]).bytes(1), "b");
  EXPECT_EQ(ProtoMessage(both[1]).real32(2), 2.0f);
}

TEST(EventWriter, ScalarsThatAreNotFiniteStayWhatTheyAre) {
  auto events = Written([](EventWriter& w) {
    w.scalar("x", std::nan(""), 1);
    w.scalar("x", -kInf, 2);
    w.scalar("x", 1e300, -3);
  });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(std::isnan(ValueOf(events[0]).real32(2)));
  EXPECT_EQ(ValueOf(events[1]).real32(2), -kInf);
  EXPECT_EQ(ValueOf(events[2]).real32(2), kInf);
  EXPECT_EQ(events[2].integer(2), -3);
}

TEST(EventWriter, Histograms) {
  auto events = Written([](EventWriter& w) {
    w.histogram("w", constant({-1.f, 0.f, 0.f, 3.f}), 5);
    w.histogram("flat", constant({2, 2}), 5);
    w.histogram("none", zeros({0, 3}), 5);
    w.histogram("bad", constant({1., std::nan(""), kInf}), 5);
  });
  ASSERT_EQ(events.size(), 4u);
  ProtoMessage h = ValueOf(events[0]).message(5);
  EXPECT_EQ(h.real(1), -1);
  EXPECT_EQ(h.real(2), 3);
  EXPECT_EQ(h.real(3), 4);
  EXPECT_EQ(h.real(4), 2);
  EXPECT_EQ(h.real(5), 10);
  std::vector<double> limits = h.packed_doubles(6),
                      counts = h.packed_doubles(7);
  ASSERT_EQ(limits.size(), 64u);
  ASSERT_EQ(counts.size(), 64u);
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[16], 2);
  EXPECT_EQ(limits[15], 0);
  EXPECT_EQ(counts[63], 1);
  EXPECT_EQ(limits[63], 3);

  ProtoMessage flat = ValueOf(events[1]).message(5);
  EXPECT_EQ(flat.packed_doubles(6), std::vector<double>{2});
  EXPECT_EQ(flat.packed_doubles(7), std::vector<double>{2});
  ProtoMessage none = ValueOf(events[2]).message(5);
  EXPECT_EQ(none.real(3), 0);
  EXPECT_TRUE(none.packed_doubles(7).empty());
  ProtoMessage bad = ValueOf(events[3]).message(5);
  EXPECT_EQ(bad.real(3), 1);
  EXPECT_EQ(bad.real(2), 1);
}

TEST(EventWriter, HistogramOfTheLargestNumbers) {
  double most = std::numeric_limits<double>::max();
  auto events = Written([&](EventWriter& w) {
    w.histogram("w", constant({-most, 0., most}), 1);
  });
  ASSERT_EQ(events.size(), 1u);
  ProtoMessage h = ValueOf(events[0]).message(5);
  std::vector<double> limits = h.packed_doubles(6),
                      counts = h.packed_doubles(7);
  ASSERT_EQ(counts.size(), 64u);
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[32], 1);
  EXPECT_EQ(counts[63], 1);
  for (size_t i = 1; i < limits.size(); ++i)
    EXPECT_LT(limits[i - 1], limits[i]);
}

TEST(EventWriter, Images) {
  auto events = Written([](EventWriter& w) {
    w.image("hwc", zeros({4, 5, 3}), 1);
    w.image("chw", zeros({1, 6, 7}, u8), 1);
    w.image("grey", ones({2, 9}), 1);
    w.image("batch", zeros({5, 3, 8, 8}), 1);
  });
  ASSERT_EQ(events.size(), 4u);
  auto size = [&](size_t i) {
    ProtoMessage image = ValueOf(events[i]).message(4);
    EXPECT_EQ(image.bytes(4).substr(1, 3), "PNG");
    return std::vector<int64_t>{image.integer(1), image.integer(2),
                                image.integer(3)};
  };
  EXPECT_EQ(size(0), (std::vector<int64_t>{4, 5, 3}));
  EXPECT_EQ(size(1), (std::vector<int64_t>{6, 7, 1}));
  EXPECT_EQ(size(2), (std::vector<int64_t>{2, 9, 1}));
  EXPECT_EQ(size(3), (std::vector<int64_t>{16, 24, 3}));
}

TEST(Picture, PixelsOfEveryLayoutAndType) {
  // [2,2,1] as channels last, [1,2,2] as channels first: the same picture.
  Array hwc = Array::Of<float>({2, 2, 1}, {0.f, 1.f, 0.5f, std::nanf("")});
  Array chw = Array::Of<float>({1, 2, 2}, {-3.f, 7.f, 0.5f, 0.f});
  std::string wanted("\x00\xff\x80\x00", 4);
  EXPECT_EQ(Picture::Of(hwc, ImageLayout::kAuto)->bytes, wanted);
  EXPECT_EQ(Picture::Of(chw, ImageLayout::kAuto)->bytes, wanted);
  // Two channels first, so that they are interleaved.
  Array two = Array::Of<uint8_t>({2, 1, 2}, {'a', 'b', 'A', 'B'});
  EXPECT_EQ(Picture::Of(two, ImageLayout::kCHW)->bytes, "aAbB");
  // A batch of three: two a row, the last place black.
  Array batch =
      Array::Of<uint8_t>({3, 1, 2, 1}, {'a', 'b', 'c', 'd', 'e', 'f'});
  Result<Picture> grid = Picture::Of(batch, ImageLayout::kAuto);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->width, 4);
  EXPECT_EQ(grid->height, 2);
  EXPECT_EQ(grid->bytes, std::string("abcdef\0\0", 8));
  Array flags = Array::Of<bool>({1, 2}, {true, false});
  EXPECT_EQ(Picture::Of(flags, ImageLayout::kAuto)->bytes,
            std::string("\xff\0", 2));
}

TEST(EventWriter, Texts) {
  auto events = Written(
      [](EventWriter& w) { w.text("notes", "**bold** \xff and on", 2); });
  ASSERT_EQ(events.size(), 1u);
  ProtoMessage value = ValueOf(events[0]);
  EXPECT_EQ(value.bytes(1), "notes");
  EXPECT_EQ(value.message(8).integer(1), 7);
  EXPECT_EQ(value.message(8).bytes(2), "");  // a scalar
  EXPECT_EQ(value.message(8).bytes(8), "**bold** \xef\xbf\xbd and on");
  EXPECT_EQ(value.message(9).message(1).bytes(1), "text");
}

TEST(EventWriter, TagsAreMadeFitForReaders) {
  std::string very_long(100000, 'x');
  auto events = Written([&](EventWriter& w) {
    w.scalar("b\xc0\x80 ad \xc3\xa4", 1, 1);
    w.scalar(very_long + "1", 1, 1);
    w.scalar(very_long + "2", 1, 1);
  });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(ValueOf(events[0]).bytes(1),
            "b\xef\xbf\xbd\xef\xbf\xbd ad \xc3\xa4");
  std::string one = ValueOf(events[1]).bytes(1);
  std::string two = ValueOf(events[2]).bytes(1);
  EXPECT_LT(one.size(), 600u);
  EXPECT_NE(one, two);
}

TEST(EventWriter, RefusesWhatCannotBeShown) {
  TestFolder folder;
  EventWriter w(folder.path(), At(1));
  EXPECT_EQ(ErrorText([&] { w.scalar("", 1, 1); }),
            "[EventWriter] the tag is empty; wanted a name");
  EXPECT_EQ(ErrorText([&] { w.scalar("x", zeros({2}), 1); }),
            "[EventWriter::scalar] \"x\": the tensor is f32[2]; wanted one "
            "real number");
  EXPECT_EQ(ErrorText([&] { w.image("x", zeros({0, 4}), 1); }),
            "[EventWriter::image] \"x\": a picture of f32[0,4]; wanted at "
            "least one pixel of 1 to 4 channels");
  Contains(ErrorText([&] { w.image("x", zeros({7, 5, 6}), 1); }),
           "f32[7,5,6] with channels first");
  Contains(ErrorText([&] { w.image("x", zeros({4}), 1); }), "wanted [h,w]");
  Contains(ErrorText([&] { w.image("x", zeros({2, 2}, i32), 1); }),
           "wanted u8, bool or floating point");
  Contains(ErrorText([&] { w.histogram("x", constant("text"), 1); }),
           "a histogram of string[]; wanted real numbers");
  Graph graph;
  Tensor part;
  {
    GraphScope building(graph);
    part = placeholder(f32, {2}, "part");
  }
  EXPECT_NE(ErrorText([&] { w.histogram("x", part, 1); }), "");
}

TEST(EventWriter, SaysWhyAFolderCannotBeMade) {
  TestFolder folder;
  WriteText(folder / "file", "x");
  std::string error = ErrorText([&] { EventWriter w(folder / "file/run"); });
  Contains(error, "cannot make the folder \"" + (folder / "file/run"));
  Contains(error, "Not a directory");
  Contains(ErrorText([&] { EventWriter w(folder / "file"); }),
           "cannot make the folder");
  Contains(ErrorText([&] { EventWriter w(""); }), "wanted a folder's name");
}

TEST(EventWriter, EventsReachTheFileAfterAWhile) {
  TestFolder folder;
  double now = 100;
  EventWriter w(folder.path(),
                {.flush_seconds = 5, .clock = [&] { return now; }});
  w.scalar("a", 1, 1);
  EXPECT_EQ(Events(w.path()).size(), 0u);
  now = 104;
  w.scalar("a", 1, 2);
  EXPECT_EQ(Events(w.path()).size(), 0u);
  now = 105;
  w.scalar("a", 1, 3);
  EXPECT_EQ(Events(w.path()).size(), 4u);
  w.scalar("a", 1, 4);
  EXPECT_EQ(Events(w.path()).size(), 4u);
  w.flush();
  EXPECT_EQ(Events(w.path()).size(), 5u);
  now = 50;  // the clock was set back
  w.scalar("a", 1, 5);
  EXPECT_EQ(Events(w.path()).size(), 6u);
}

TEST(EventWriter, AResumedRunTellsWhatToForget) {
  TestFolder folder;
  EventWriter w(folder.path(), {.resume_step = 100});
  w.flush();
  std::vector<ProtoMessage> events = Events(w.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].integer(2), 101);
  EXPECT_EQ(events[1].message(7).integer(1), 1);
}

TEST(EventWriter, ThreadsWriteWholeEvents) {
  auto events = Written([](EventWriter& w) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&w, t] {
        for (int i = 0; i < 200; ++i) {
          w.scalar("t" + std::to_string(t), i, i);
          if (i % 50 == 0) w.flush();
        }
      });
    }
    for (std::thread& t : threads) t.join();
  });
  ASSERT_EQ(events.size(), 800u);
  std::map<std::string, int> next;
  for (const ProtoMessage& event : events) {
    EXPECT_EQ(event.integer(2), next[ValueOf(event).bytes(1)]++);
  }
}

// While it lives, no file of this process may grow.
class NoRoom {
 public:
  NoRoom() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_;
};

TEST(EventWriter, AFullDiskIsReportedOnceAndStopsNobody) {
  TestFolder folder;
  std::vector<std::string> messages;
  std::string path;
  {
    NoRoom full;
    EventWriterOptions options = At(1);
    options.flush_seconds = 0;
    options.on_error = [&](const std::string& m) { messages.push_back(m); };
    EventWriter w(folder.path(), options);
    path = w.path();
    for (int i = 0; i < 10; ++i) w.scalar("loss", 1, i);
    w.flush();
  }
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "events are not written: cannot write \"" + path +
                             "\": File too large");
}

TEST(EventFile, WhatCannotBeWrittenIsBounded) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  auto file = EventFile::Open("/dev/full", /*most_waiting=*/1000);
  ASSERT_TRUE(file.ok());
  for (int i = 0; i < 20; ++i) (*file)->Append(std::string(84, 'x'));
  EXPECT_FALSE((*file)->Flush().ok());
  EXPECT_EQ((*file)->waiting_bytes(), 1000);
  EXPECT_EQ((*file)->dropped(), 10);
}

TEST(EventFile, ALinkInItsPlaceIsNotFollowed) {
  TestFolder folder;
  std::string target = folder / "target", path = folder / "events";
  std::filesystem::create_symlink(target, path);
  EXPECT_FALSE(EventFile::Open(path).ok());
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST(EventFile, ManyRecordsAndLargeOnesStayInOrder) {
  TestFolder folder;
  std::string path = folder / "events";
  {
    auto file = EventFile::Open(path);
    ASSERT_TRUE(file.ok());
    for (int i = 0; i < 3000; ++i) {
      (*file)->Append(
          ProtoWriter()
              .Int(2, i)
              .Bytes(3, std::string(i % 1000 == 500 ? 200000 : 30, 'x'))
              .bytes());
    }
    EXPECT_TRUE((*file)->Flush().ok());
    EXPECT_EQ((*file)->waiting_bytes(), 0);
  }
  std::vector<ProtoMessage> events = Events(path);
  ASSERT_EQ(events.size(), 3000u);
  for (int i = 0; i < 3000; ++i) {
    EXPECT_EQ(events[static_cast<size_t>(i)].integer(2), i);
  }
}

TEST(EventWriter, WritesSettingsForTheirTab) {
  auto events = Written([](EventWriter& w) {
    w.hparams({{"lr", 0.5}, {"name", "a"}, {"decay", true}}, {"loss"});
    EXPECT_THROW(w.hparams({{"", 1.0}}, {}), Error);
  });
  ASSERT_EQ(events.size(), 1u);
  ProtoMessage first = ValueOf(events[0]);
  EXPECT_EQ(first.bytes(1), "_hparams_/experiment");
  ProtoMessage plugin = first.message(9).message(1);
  EXPECT_EQ(plugin.bytes(1), "hparams");
  ProtoMessage experiment = plugin.message(2).message(2);
  EXPECT_EQ(experiment.message(4).bytes(1), "lr");
  EXPECT_EQ(experiment.message(5).message(1).bytes(2), "loss");
}

}  // namespace
}  // namespace sluice::report
