// ResolveCluster: the cluster a process was started in, and which task it is,
// as the programs that start processes tell it by the environment: TF_CONFIG,
// Slurm, Open MPI, Kubernetes JobSet, MASTER_ADDR with RANK and WORLD_SIZE. The
// first of these that says anything counts.
//
// A pure function of the variables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/cluster/cluster_spec.h"

namespace sluice::cluster {

using Environment = std::map<std::string, std::string>;

struct ResolvedCluster {
  ClusterSpec spec;
  std::string job;
  int task = 0;
  std::string from;  // "Slurm"
  bool operator==(const ResolvedCluster&) const = default;
};

// Nothing when no variable says anything. Errors: what is there is not whole,
// with the variable, what it says and what was wanted.
Result<std::optional<ResolvedCluster>> ResolveCluster(const Environment& env);

// The variables of this process.
Environment ProcessEnvironment();

// "n[1-3,07],m4" as Slurm writes lists of hosts: n1 n2 n3 n07 m4. Error: not
// such a list, or more than a million.
Result<std::vector<std::string>> ExpandHosts(const std::string& list);

}  // namespace sluice::cluster
