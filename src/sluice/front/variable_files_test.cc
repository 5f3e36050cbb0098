#include "sluice/base/temp_folder_test_util.h"
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

class VariableFiles : public testing::Test {
 protected:
  VariableFiles() {
    GraphScope building(graph_);
    w_ = variable(constant({1.f, 2.f}), "w");
    NameScope inner("net");
    b_ = variable(constant({3.f}), "b");
  }
  Floats W(Session& s) { return Elements<float>(s.run(w_)); }
  Floats B(Session& s) { return Elements<float>(s.run(b_)); }
  // A session in which both are tens.
  void Fill(Session& session) {
    Operation w, b;
    {
      GraphScope building(graph_);
      w = w_.assign(constant({10.f, 10.f}));
      b = b_.assign(constant({10.f}));
    }
    session.run(w);
    session.run(b);
  }

  TempFolder folder_;
  std::string path_ = folder_ / "v.safetensors";
  Graph graph_;
  Variable w_, b_;
};

TEST_F(VariableFiles, SavedAndRestoredInAnotherSession) {
  Operation save = save_variables(graph_, path_);
  Operation restore = restore_variables(graph_, path_);
  {
    Session session(graph_);
    session.run(initialize_variables(graph_));
    session.run(save);
    EXPECT_EQ(W(session), (Floats{1, 2})) << "saving does not restore";
  }
  StateDict file = io::load_safetensors(path_);
  EXPECT_EQ(file.at("w").to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(file.at("net/b").to_vector<float>(), (Floats{3}));
  Session session(graph_);
  session.run(restore);
  EXPECT_EQ(W(session), (Floats{1, 2}));
  EXPECT_EQ(B(session), (Floats{3}));
}

TEST_F(VariableFiles, ThePathMayBeFed) {
  Tensor path;
  {
    GraphScope building(graph_);
    path = placeholder(string, PartialShape::Scalar(), "path");
  }
  Operation save = save_variables(graph_, path);
  Operation restore = restore_variables(graph_, path);
  Session session(graph_);
  session.run(initialize_variables(graph_));
  session.run(save, {{path, folder_ / "one"}});
  Fill(session);
  session.run(save, {{path, folder_ / "two"}});
  session.run(restore, {{path, folder_ / "one"}});
  EXPECT_EQ(W(session), (Floats{1, 2}));
  session.run(restore, {{path, folder_ / "two"}});
  EXPECT_EQ(W(session), (Floats{10, 10}));
}

TEST_F(VariableFiles, PartOfThemUnderOtherNames) {
  io::save_safetensors(
      path_, {{"bias", constant({7.f})}, {"something", constant(1.f)}});
  Operation restore = restore_variables(
      graph_, path_, {.only = {"net/b"}, .rename = {{"net/b", "bias"}}});
  Session session(graph_);
  session.run(initialize_variables(graph_));
  session.run(restore);
  EXPECT_EQ(W(session), (Floats{1, 2}));
  EXPECT_EQ(B(session), (Floats{7}));
  Operation save = save_variables(graph_, path_, {.only = {"w"}});
  session.run(save);
  EXPECT_EQ(io::load_safetensors(path_).size(), 1u);
}

TEST_F(VariableFiles, AFileThatDoesNotFitChangesNothing) {
  Operation restore = restore_variables(graph_, path_);
  Session session(graph_);
  session.run(initialize_variables(graph_));
  auto expect = [&](std::string_view message) {
    std::string error = ErrorOf([&] { session.run(restore); });
    Contains(error, message);
    Contains(error, "variable_files_test.cc:");
    EXPECT_EQ(W(session), (Floats{1, 2}));
    EXPECT_EQ(B(session), (Floats{3}));
  };
  expect("No such file");
  io::save_safetensors(path_, {{"w", constant({5.f, 5.f})}});
  expect("has no tensor \"net/b\"");
  io::save_safetensors(
      path_, {{"w", constant({5.f, 5.f})}, {"net/b", constant({1.f, 2.f})}});
  expect("is f32[2]; wanted f32[1]");
}

TEST_F(VariableFiles, NamesThatAreNone) {
  Contains(ErrorOf([&] { save_variables(graph_, path_, {.only = {"v"}}); }),
           "has no variable \"v\"; it has w, net/b");
  Contains(ErrorOf([&] {
             restore_variables(graph_, path_, {.rename = {{"v", "w"}}});
           }),
           "has no variable \"v\"");
}

}  // namespace
}  // namespace sluice
