#include "common/io/settings.hpp"

#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("require_settings: every setting that differs is named with both values", "[common]") {
    const Settings found{{"width", "8"}, {"heads", "2"}, {"seed", "9"}};
    CHECK_NOTHROW(require_settings("c.npz", found, found));
    CHECK_NOTHROW(
        require_settings("c.npz", found, {{"seed", "9"}, {"width", "8"}, {"heads", "2"}}));
    CHECK_THROWS_AS(require_settings("c.npz", found, {{"width", "8"}, {"heads", "2"}}), FileError);
    CHECK_THROWS_WITH(
        require_settings("c.npz", found, {{"width", "16"}, {"heads", "2"}, {"seed", "10"}}),
        "c.npz: settings: the training was started with others (found seed 9, width 8, expected "
        "seed 10, width 16)");
}
