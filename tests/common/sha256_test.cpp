#include "common/io/sha256.hpp"

#include <string>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

TEST_CASE("sha256: the vectors of NIST", "[common]") {
    // FIPS 180-4 examples and the vectors SHA256ShortMsg.
    const auto plain_abc = [] {
        std::string block = "abc\x80" + std::string(60, '\0');
        block[63] = 24;
        Sha256State state{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                          0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
        add_sha256_blocks(state, reinterpret_cast<const unsigned char*>(block.data()), 1);
        return state;
    };
    CHECK(plain_abc() == Sha256State{0xBA7816BF, 0x8F01CFEA, 0x414140DE, 0x5DAE2223, 0xB00361A3,
                                     0x96177A9C, 0xB410FF61, 0xF20015AD});
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    CHECK(sha256("\xd3") == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
    CHECK(sha256(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("Sha256: parts of any length give the sum of the whole", "[common]") {
    std::string bytes;
    for (int i = 0; i < 1000; ++i)
        bytes += static_cast<char>(static_cast<unsigned char>(i * 7 % 251));
    std::string all;
    for (std::size_t length = 0; length <= 130; ++length) {
        Sha256 sum;
        for (std::size_t i = 0; i < length; ++i)
            sum.add(bytes.substr(i, 1));
        const std::string digits = sum.digits();
        CHECK(digits == sha256(bytes.substr(0, length)));
        all += digits;
    }
    // The sum of all 131 sums, by Python's hashlib: around 56 and 64 the end takes another block.
    CHECK(sha256(all) == "f1b39f094118c771a5557b72d8cacb0d2af6abc9d93ae45e2331e6cd18344e1c");
    for (const std::size_t part : {1U, 63U, 64U, 65U, 200U}) {
        Sha256 sum;
        for (std::size_t at = 0; at < bytes.size(); at += part)
            sum.add(std::string_view{bytes}.substr(at, part));
        CHECK(sum.digits() == sha256(bytes));
    }
}

TEST_CASE("add_sha256_blocks_fast: the state of plain C++ or none", "[common]") {
    Random random{256};
    std::vector<unsigned char> bytes(64 * 50);
    for (unsigned char& byte : bytes)
        byte = static_cast<unsigned char>(random.below(256));
    Sha256State plain{1, 2, 3, 4, 5, 6, 7, 8};
    Sha256State fast = plain;
    add_sha256_blocks(plain, bytes.data(), 50);
    if (add_sha256_blocks_fast(fast, bytes.data(), 50)) {
        CHECK(fast == plain);
    } else {
        CHECK(fast == Sha256State{1, 2, 3, 4, 5, 6, 7, 8});
    }
    CHECK(plain != Sha256State{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("sha256_of_file: the sum of its bytes", "[common]") {
    const std::string path = (test::scratch_folder("sha256") / "f").string();
    const std::string bytes((std::size_t{1} << 20) + 17, 'x');
    for (const std::string& content : {std::string{}, std::string{"abc"}, bytes}) {
        write_file(path, content);
        CHECK(sha256_of_file(path) == sha256(content));
    }
    CHECK_THROWS_AS(sha256_of_file(path + "-missing"), IoError);
}
