#include "sluice/graph/region_op_test_util.h"
