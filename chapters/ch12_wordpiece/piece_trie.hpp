// A vocabulary as a tree of bytes, which finds the longest token in one walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bert {

/// Strings with numbers. A node is the start of one or more of them; it leads to another node by
/// the byte that follows. All edges lie in one hash table, so that a step takes a constant time.
class PieceTrie {
  public:
    using Node = std::uint32_t;
    static constexpr Node root = 0;

    struct Match {
        std::int32_t value;
        std::size_t length;  // in bytes; 0: nothing fits
    };

    PieceTrie();
    /// Gives a string a value; the last one counts. Throws std::length_error above 2^27 nodes.
    void insert(std::string_view text, std::int32_t value);
    /// The node of a string; root when no inserted string starts like this.
    Node node_of(std::string_view text) const;
    /// The longest inserted string that is `begun` (the string of a node) and a start of `rest`,
    /// with the length of the part in `rest`.
    Match longest(std::string_view rest, Node begun = root) const;

  private:
    Node child(Node node, unsigned char byte) const;
    Node add_child(Node node, unsigned char byte);
    void grow();

    std::vector<std::uint64_t> edges_;    // parent, byte, child; 0: free
    std::vector<std::int32_t> value_of_;  // of each node; -1: none
    unsigned shift_ = 0;                  // of a hash to an index into edges_
};

}  // namespace bert
