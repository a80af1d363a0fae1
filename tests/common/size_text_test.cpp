#include "common/text/size_text.hpp"

#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("size_text: amounts near one another look different", "[common]") {
    CHECK(size_text(95.42e6) == "95.42 MB");
    CHECK(size_text(95.36e6) == "95.36 MB");
    CHECK(size_text(3.5e9) == "3.5 GB");
    CHECK(size_text(1234.5e9) == "1234 GB");
    CHECK(size_text(0) == "0 MB");
}
