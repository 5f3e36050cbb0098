// ResolveCluster: the cluster that a process was started in, and its task, from
// the environment variables of common launchers: TF_CONFIG, Slurm, Open MPI,
// Kubernetes JobSet, MASTER_ADDR with RANK and WORLD_SIZE. The first of these
// that is set applies.
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

// Nothing if none of the variables is set. Errors: incomplete settings, with
// the variable, its value and the expected form.
Result<std::optional<ResolvedCluster>> ResolveCluster(const Environment& env);

// The variables of this process.
Environment ProcessEnvironment();

// Slurm's host list syntax: "n[1-3,07],m4" gives n1 n2 n3 n07 m4. Error:
// invalid syntax, or more than a million hosts.
Result<std::vector<std::string>> ExpandHosts(const std::string& list);

}  // namespace sluice::cluster
