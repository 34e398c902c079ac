#include "spec/lang/map_text.h"

#include "gtest/gtest.h"
