#include "ch12_wordpiece/piece_trie.hpp"

#include <stdexcept>
#include <utility>

namespace bert {

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 27;
constexpr unsigned child_bits = 28;
constexpr std::uint64_t child_mask = (std::uint64_t{1} << child_bits) - 1;

std::uint64_t key_of(PieceTrie::Node node, unsigned char byte) {
    return std::uint64_t{node} << 8 | byte;
}

// The fractional part of the golden ratio spreads keys that lie side by side.
std::size_t slot_of(std::uint64_t key, unsigned shift) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift);
}

}  // namespace

PieceTrie::PieceTrie() : edges_(256), value_of_(1, -1), shift_(64 - 8) {}

PieceTrie::Node PieceTrie::child(Node node, unsigned char byte) const {
    const std::uint64_t key = key_of(node, byte);
    const std::size_t mask = edges_.size() - 1;
    for (std::size_t slot = slot_of(key, shift_);; slot = (slot + 1) & mask) {
        const std::uint64_t edge = edges_[slot];
        if (edge == 0) return root;
        if (edge >> child_bits == key) return static_cast<Node>(edge & child_mask);
    }
}

PieceTrie::Node PieceTrie::add_child(Node node, unsigned char byte) {
    if (const Node known = child(node, byte); known != root) return known;
    if (value_of_.size() >= most_nodes) throw std::length_error{"vocabulary: too many bytes"};
    if (value_of_.size() * 2 > edges_.size()) grow();
    const auto added = static_cast<Node>(value_of_.size());
    value_of_.push_back(-1);
    const std::uint64_t key = key_of(node, byte);
    std::size_t slot = slot_of(key, shift_);
    while (edges_[slot] != 0)
        slot = (slot + 1) & (edges_.size() - 1);
    edges_[slot] = key << child_bits | added;
    return added;
}

void PieceTrie::grow() {
    const std::vector<std::uint64_t> old =
        std::exchange(edges_, std::vector<std::uint64_t>(edges_.size() * 2));
    --shift_;
    for (const std::uint64_t edge : old) {
        if (edge == 0) continue;
        std::size_t slot = slot_of(edge >> child_bits, shift_);
        while (edges_[slot] != 0)
            slot = (slot + 1) & (edges_.size() - 1);
        edges_[slot] = edge;
    }
}

void PieceTrie::insert(std::string_view text, std::int32_t value) {
    Node node = root;
    for (const char byte : text)
        node = add_child(node, static_cast<unsigned char>(byte));
    value_of_[node] = value;
}

PieceTrie::Node PieceTrie::node_of(std::string_view text) const {
    Node node = root;
    for (const char byte : text) {
        node = child(node, static_cast<unsigned char>(byte));
        if (node == root) return root;
    }
    return node;
}

// [longest]
PieceTrie::Match PieceTrie::longest(std::string_view rest, Node begun) const {
    Match best{-1, 0};
    Node node = begun;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        node = child(node, static_cast<unsigned char>(rest[i]));
        if (node == root) break;
        if (value_of_[node] >= 0) best = {value_of_[node], i + 1};
    }
    return best;
}
// [longest]

}  // namespace bert
