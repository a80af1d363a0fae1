#include "ch15_pretraining/corpus.hpp"

namespace bert {

TokenCorpus::TokenCorpus(const std::string& folder)
    : ids_(folder), sentence_ends_(folder), document_ends_(folder) {}

void TokenCorpus::add_sentence(std::span<const TokenId> tokens) {
    if (tokens.empty()) return;
    ids_.add(tokens);
    sentence_ends_.add(ids_.size());
}

void TokenCorpus::end_document() {
    if (ended_ == sentence_ends_.size()) return;
    ended_ = sentence_ends_.size();
    document_ends_.add(ended_);
}

void TokenCorpus::seal() {
    end_document();
    mapped_ids_ = ids_.map();
    mapped_sentences_ = sentence_ends_.map();
    mapped_documents_ = document_ends_.map();
}

SentenceRange TokenCorpus::document(std::size_t number) const {
    return {number == 0 ? 0 : mapped_documents_[number - 1], mapped_documents_[number]};
}

std::span<const TokenId> TokenCorpus::sentence(std::uint64_t number) const {
    const std::uint64_t begin = number == 0 ? 0 : mapped_sentences_[number - 1];
    return mapped_ids_.subspan(begin, mapped_sentences_[number] - begin);
}

void TokenCorpus::release() const {
    ids_.release();
    sentence_ends_.release();
    document_ends_.release();
}

}  // namespace bert
