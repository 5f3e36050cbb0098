// Ranks as C++ programs see them, as threads of this process: each has a group
// with its own name.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/collective/groups.h"
#include "sluice/collective/thread_links.h"
#include "sluice/fleet/data_parallel.h"
#include "sluice/fleet/init.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

namespace dist = distributed;

// Runs `rank` with its number and the name of its group.
void OnRanks(int ranks,
             const std::function<void(int, const std::string&)>& rank) {
  std::vector<std::thread> threads;
  auto links = collective::MakeThreadLinks(ranks);
  for (int r = 0; r < ranks; ++r) {
    collective::GroupOptions options;
    options.name = StrCat("rank", r);
    ThrowIfError(
        collective::AddGroup(std::make_shared<collective::ProcessGroup>(
            std::move(links[static_cast<size_t>(r)]), options)));
  }
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] { rank(r, StrCat("rank", r)); });
  }
  for (std::thread& t : threads) t.join();
  for (int r = 0; r < ranks; ++r)
    dist::destroy_process_group(StrCat("rank", r));
}

std::string Message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Fleet, CollectivesOfTensors) {
  OnRanks(2, [](int rank, const std::string& group) {
    auto r = static_cast<float>(rank);
    Tensor t = constant({1.0f + r, 2.0f});
    dist::all_reduce(t, dist::ReduceOp::kSum, {group});
    EXPECT_EQ(t.to_vector<float>(), std::vector<float>({3, 4}));
    dist::Work work = dist::all_reduce(t, dist::ReduceOp::kMax, {group, true});
    work.wait();
    work.wait();
    dist::broadcast(t, 1, {group});
    Tensor all = zeros({2, 1});
    dist::all_gather_into_tensor(all, constant({10 * r}), {group});
    EXPECT_EQ(all.to_vector<float>(), std::vector<float>({0, 10}));
    Tensor part = zeros({1});
    dist::reduce_scatter_tensor(part, all, dist::ReduceOp::kSum, {group});
    EXPECT_EQ(part.item<float>(), 20 * r);
    Tensor moved = zeros({2});
    dist::all_to_all_single(moved, constant({r, r + 10}), {group});
    EXPECT_EQ(moved.to_vector<float>(), rank == 0
                                            ? std::vector<float>({0, 1})
                                            : std::vector<float>({10, 11}));
    dist::barrier(group);
    EXPECT_EQ(dist::get_rank(group), rank);
    EXPECT_EQ(dist::get_world_size(group), 2);
    EXPECT_NE(dist::flight_record(group).find("#1 all_reduce(f32[2], sum) at "
                                              "fleet_test.cc:"),
              std::string::npos);
  });
}

TEST(Fleet, GradientsAreThoseOfTheJoinedBatch) {
  const std::vector<float> xs = {1, 2, 3, 4};
  auto loss = [](const Tensor& w, const Tensor& b, const Tensor& x) {
    Tensor y = w * x + b;
    return mean(y * y);
  };
  Tensor w1 = constant({2.0f}).requires_grad_();
  Tensor b1 = constant({1.0f}).requires_grad_();
  loss(w1, b1, constant({1.0f, 2.0f, 3.0f, 4.0f})).backward();
  OnRanks(2, [&](int rank, const std::string& group) {
    auto r = static_cast<float>(rank);
    // Values that differ from rank 0's, which apply.
    Tensor w = constant({2.0f + r}).requires_grad_();
    Tensor b = constant({1.0f + r}).requires_grad_();
    dist::DataParallelOptions options;
    options.reducer.group = group;
    options.reducer.bucket_bytes = options.reducer.first_bucket_bytes = 1;
    options.names = {"w", "b"};
    dist::DataParallel parallel({w, b}, options);
    EXPECT_EQ(w.item<float>(), 2.0f);
    Tensor x = constant({1.0f + 2 * r, 2.0f + 2 * r});
    loss(w, b, x).backward();
    EXPECT_EQ(w.grad().item<float>(), w1.grad().item<float>());
    EXPECT_EQ(b.grad().item<float>(), b1.grad().item<float>());
    // Accumulated locally, then averaged together.
    w.zero_grad();
    b.zero_grad();
    {
      dist::DataParallel::NoSync alone(parallel);
      loss(w, b, x).backward();
      EXPECT_NE(w.grad().item<float>(), w1.grad().item<float>());
    }
    loss(w, b, x).backward();
    EXPECT_EQ(w.grad().item<float>(), 2 * w1.grad().item<float>());
    dist::barrier(group);
  });
}

TEST(Fleet, WhatHasNoGroupSaysSo) {
  EXPECT_NE(Message([] { dist::all_reduce(zeros({2})); })
                .find("there is no process group \"world\"; wanted "
                      "init_process_group() before\n  at fleet_test.cc:"),
            std::string::npos);
  EXPECT_FALSE(dist::is_initialized());
  dist::destroy_process_group();  // no effect
}

TEST(Fleet, WhoWeAreComesFromTheEnvironment) {
  using cluster::Environment;
  using fleet::FindPlace;
  Environment env = {{"MASTER_ADDR", "127.0.0.1"},
                     {"MASTER_PORT", "4000"},
                     {"RANK", "1"},
                     {"WORLD_SIZE", "3"}};
  fleet::Place place = FindPlace({}, env).value();
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.addresses,
            std::vector<std::string>(
                {"127.0.0.1:4000", "127.0.0.1:4001", "127.0.0.1:4002"}));
  // torchrun itself listens at the port.
  env["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_EQ(FindPlace({}, env).value().addresses[0], "127.0.0.1:4001");
  env["SLUICE_LISTEN_FD"] = "7";
  EXPECT_EQ(FindPlace({}, env).value().listener, -1);  // for rank 0 only
  env["RANK"] = "0";
  EXPECT_EQ(FindPlace({}, env).value().listener, 7);
  env["SLUICE_LISTEN_FD"] = "x";
  EXPECT_EQ(FindPlace({}, env).status().message(),
            "SLUICE_LISTEN_FD is \"x\"; wanted a descriptor");
  env.erase("SLUICE_LISTEN_FD");
  fleet::InitOptions other;
  other.world_size = 2;
  EXPECT_EQ(FindPlace(other, env).status().message(),
            "MASTER_ADDR says rank 0 of 3, the call rank -1 of 2; wanted the "
            "same, or nothing in the call");
  // Not specified.
  EXPECT_EQ(FindPlace({}, {}).status().message().substr(0, 45),
            "nothing says which rank this process is; want");
  other.world_size = 1;
  EXPECT_EQ(FindPlace(other, {}).value().addresses.size(), 1u);
  // Given by options.
  fleet::InitOptions told;
  told.address = "127.0.0.1:99";
  told.rank = 1;
  told.world_size = 2;
  EXPECT_EQ(FindPlace(told, {}).value().rank, 1);
  told.rank = 2;
  EXPECT_EQ(FindPlace(told, {}).status().message(),
            "rank is 2 and world_size is 2; wanted both, with 0 <= rank < "
            "world_size");
  EXPECT_EQ(
      fleet::MeetOthers({.address = "10.0.0.1:5", .rank = 0, .world_size = 2})
          .status()
          .message(),
      "\"10.0.0.1:5\" is not of this machine, and connections between "
      "ranks are not encrypted; where the network is safe, set "
      "SLUICE_INSECURE_ALLOW_REMOTE=1");
}

}  // namespace
}  // namespace sluice
