#include "ch09_translation/grammar_clause.hpp"

namespace bert {

Agreement agreement_of(const Subject& subject) {
    if (subject.phrases.empty()) return subject.pronoun;
    Agreement result{3, subject.phrases.front().number, Gender::feminine,
                     subject.phrases.front().noun->kind};
    if (subject.phrases.size() > 1) result.number = Number::plural;
    for (const NounPhrase& phrase : subject.phrases) {
        if (phrase.noun->gender == Gender::masculine) result.gender = Gender::masculine;
    }
    return result;
}

std::size_t verb_form(const Agreement& agreement) {
    const std::size_t first = agreement.number == Number::plural ? 3 : 0;
    return first + static_cast<std::size_t>(agreement.person - 1);
}

std::size_t adjective_form(const Agreement& agreement) {
    const std::size_t first = agreement.number == Number::plural ? 2 : 0;
    return first + (agreement.gender == Gender::feminine ? 1 : 0);
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += ' ';
        text += word;
    }
    return text;
}

}  // namespace bert
