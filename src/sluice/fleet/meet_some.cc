#include <unistd.h>

#include <algorithm>
#include <set>

#include "sluice/base/strings.h"
#include "sluice/collective/socket.h"
#include "sluice/collective/tcp_links.h"
#include "sluice/collective/thread_links.h"
#include "sluice/fleet/init.h"

namespace sluice::fleet {

namespace {

Status CheckRanks(const collective::ProcessGroup& all,
                  const std::vector<int>& ranks) {
  std::set<int> seen(ranks.begin(), ranks.end());
  if (!ranks.empty() && seen.size() == ranks.size() && *seen.begin() >= 0 &&
      *seen.rbegin() < all.size()) {
    return OkStatus();
  }
  return InvalidArgument(StrCat("ranks are [", Join(ranks, ", "),
                                "]; wanted some of 0 to ", all.size() - 1,
                                ", each once"));
}

}  // namespace

Result<std::shared_ptr<collective::ProcessGroup>> MeetSome(
    collective::ProcessGroup& all, const std::vector<int>& ranks,
    const std::string& name, double timeout_seconds) {
  SL_RETURN_IF_ERROR(CheckRanks(all, ranks));
  collective::GroupOptions group;
  group.name = name;
  group.timeout_ns =
      static_cast<int64_t>(std::clamp(timeout_seconds, 1e-3, 1e9) * 1e9);
  const std::vector<std::string>& hosts = all.options().hosts;
  if (ranks.size() > 1 && hosts.empty()) {
    return Unimplemented("ranks that are threads have one group");
  }
  const bool leads = all.rank() == ranks[0];
  auto place = std::find(ranks.begin(), ranks.end(), all.rank());
  // The first rank listens, and its address is broadcast.
  Array port = Array::Vector<int64_t>({0});
  collective::Socket listener;
  if (leads && ranks.size() > 1) {
    int chosen = 0;
    SL_ASSIGN_OR_RETURN(
        listener,
        collective::Listen(hosts[static_cast<size_t>(ranks[0])], 0, &chosen));
    port.mutable_data<int64_t>()[0] = chosen;
  }
  SL_RETURN_IF_ERROR(all.Broadcast(port, ranks[0]).Wait());
  if (place == ranks.end()) return std::shared_ptr<collective::ProcessGroup>();
  std::unique_ptr<collective::Links> links;
  if (ranks.size() == 1) {
    links = std::move(collective::MakeThreadLinks(1)[0]);
  } else {
    collective::TcpOptions tcp;
    tcp.rank = static_cast<int>(place - ranks.begin());
    for (int r : ranks) {
      group.hosts.push_back(hosts[static_cast<size_t>(r)]);
      tcp.addresses.push_back(StrCat(group.hosts.back(), ":", port.i64s()[0]));
    }
    tcp.name = name;
    // Only for the new group's collectives: ranks may arrive here at any time.
    tcp.timeout_ns = all.options().timeout_ns;
    if (leads) tcp.listener = dup(listener.fd());
    SL_ASSIGN_OR_RETURN(links, collective::MeetByTcp(tcp));
  }
  return std::make_shared<collective::ProcessGroup>(std::move(links), group);
}

}  // namespace sluice::fleet
