// The makers of all tasks, one per file of this folder.
#pragma once

#include "examples/models/task.h"

namespace sluice::models {

using MadeTask = std::unique_ptr<Task>;

MadeTask make_mlp(const TaskOptions& options);
MadeTask make_lenet(const TaskOptions& options);
MadeTask make_alexnet(const TaskOptions& options);
MadeTask make_overfeat(const TaskOptions& options);
MadeTask make_vgg_a(const TaskOptions& options);
MadeTask make_googlenet(const TaskOptions& options);
MadeTask make_resnet50(const TaskOptions& options);
MadeTask make_mobilenet_v2(const TaskOptions& options);
MadeTask make_ncf(const TaskOptions& options);
MadeTask make_word2vec(const TaskOptions& options);
MadeTask make_transformer(const TaskOptions& options);

}  // namespace sluice::models
