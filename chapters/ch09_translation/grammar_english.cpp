// English: adjectives before the noun, pronouns after the verb, do for negations and questions.
#include <array>

#include "ch09_translation/grammar_clause.hpp"

namespace bert {

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

// A place in tables of he, she, it, they.
std::size_t third_form(const Agreement& agreement) {
    if (agreement.number == Number::plural) return 3;
    if ((agreement.kind & Kind::person) == 0) return 2;
    return agreement.gender == Gender::feminine ? 1 : 0;
}

std::string subject_pronoun(const Agreement& agreement) {
    if (agreement.person == 3) return std::array{"he", "she", "it", "they"}[third_form(agreement)];
    if (agreement.person == 2) return "you";
    return agreement.number == Number::plural ? "we" : "i";
}

std::string object_pronoun(const Agreement& agreement) {
    if (agreement.person == 3) return std::array{"him", "her", "it", "them"}[third_form(agreement)];
    if (agreement.person == 2) return "you";
    return agreement.number == Number::plural ? "us" : "me";
}

std::string possessive(const Agreement& owner) {
    if (owner.person == 3) return std::array{"his", "her", "its", "their"}[third_form(owner)];
    if (owner.person == 2) return "your";
    return owner.number == Number::plural ? "our" : "my";
}

std::string article(const std::string& next) {
    constexpr std::string_view vowels = "aeiou";
    return vowels.find(next.front()) == std::string_view::npos ? "a" : "an";
}

// `any`: in negations and questions, where an assertion has "some".
Words noun_phrase(const NounPhrase& phrase, bool any = false) {
    Words words;
    const bool plural = phrase.number == Number::plural;
    if (phrase.before != nullptr) words.emplace_back(phrase.before->english);
    if (phrase.after != nullptr) {
        // "a tired old man", but "a small black dog": colours stand next to the noun.
        words.emplace(phrase.after->gradable ? words.begin() : words.end(), phrase.after->english);
    }
    words.emplace_back(phrase.noun->english[plural ? 1 : 0]);
    std::string determiner = "the";
    if (phrase.determiner == Determiner::demonstrative) determiner = plural ? "these" : "this";
    if (phrase.determiner == Determiner::possessive) determiner = possessive(phrase.owner);
    if (phrase.determiner == Determiner::indefinite) {
        determiner = !plural ? article(words.front()) : any ? "any" : "some";
    }
    words.insert(words.begin(), determiner);
    return words;
}

Words subject_words(const Subject& subject) {
    if (subject.phrases.empty()) return {subject_pronoun(subject.pronoun)};
    Words words = noun_phrase(subject.phrases.front());
    if (subject.phrases.size() > 1) {
        words.emplace_back("and");
        append(words, noun_phrase(subject.phrases.back()));
    }
    return words;
}

bool is_third_singular(const Agreement& agreement) {
    return agreement.person == 3 && agreement.number == Number::singular;
}

// The word that changes places with the subject in a question and takes "not".
std::string operator_word(const Clause& clause, const Agreement& agreement) {
    if (clause.verb == nullptr || clause.auxiliary == Auxiliary::going) {
        return std::array{"am", "are", "is", "are", "are", "are"}[verb_form(agreement)];
    }
    if (clause.auxiliary == Auxiliary::can) return "can";
    return is_third_singular(agreement) ? "does" : "do";
}

// What stands after operator and "not". Without an operator the verb itself has the third person.
Words verb_words(const Clause& clause, bool third) {
    Words words;
    if (clause.frequency == Frequency::often) words.emplace_back("often");
    if (clause.frequency == Frequency::always) words.emplace_back("always");
    if (clause.verb == nullptr) return words;
    const bool infinitive =
        clause.auxiliary == Auxiliary::want || clause.auxiliary == Auxiliary::going;
    if (clause.auxiliary == Auxiliary::want) words.emplace_back(third ? "wants" : "want");
    if (clause.auxiliary == Auxiliary::going) words.emplace_back("going");
    if (infinitive) words.emplace_back("to");
    words.emplace_back(third && !infinitive ? clause.verb->third : clause.verb->english);
    if (!clause.verb->preposition.empty()) words.emplace_back(clause.verb->preposition);
    return words;
}

Words complements(const Clause& clause, const Agreement& agreement) {
    Words words;
    const bool any = clause.negative || clause.question;
    const bool person = (agreement.kind & Kind::person) != 0;
    if (clause.very) words.emplace_back("very");
    if (clause.adjective != nullptr) {
        words.emplace_back(person ? clause.adjective->person_is : clause.adjective->english);
    }
    if (clause.profession != nullptr) {
        const bool plural = agreement.number == Number::plural;
        const std::string name{clause.profession->english[plural ? 1 : 0]};
        if (!plural) words.push_back(article(name));
        words.push_back(name);
    }
    if (clause.pronoun) words.push_back(object_pronoun(*clause.pronoun));
    if (clause.object) append(words, noun_phrase(*clause.object, any));
    if (clause.recipient) {
        words.emplace_back("to");
        append(words, noun_phrase(*clause.recipient));
    }
    if (clause.here) words.emplace_back("here");
    return words;
}

Words place_words(const Clause& clause) {
    if (!clause.place) return {};
    Words words;
    switch (clause.preposition) {
        case Preposition::in:
            words = {"in"};
            break;
        case Preposition::behind:
            words = {"behind"};
            break;
        case Preposition::in_front_of:
            words = {"in", "front", "of"};
            break;
        case Preposition::with:
            words = {"with"};
            break;
        case Preposition::none:
            break;
    }
    append(words, noun_phrase(*clause.place));
    return words;
}

}  // namespace

// Statement: subject operator [not] verb ..   Question: operator subject [not] verb .. ?
std::string english(const Clause& clause) {
    const Agreement agreement = agreement_of(clause.subject);
    const std::string first = operator_word(clause, agreement);
    const bool do_support = first == "do" || first == "does";
    const bool plain = do_support && !clause.negative && !clause.question;
    Words words = subject_words(clause.subject);
    if (clause.question) {
        words.insert(words.begin(), first);
    } else if (!plain) {
        words.push_back(first);
    }
    if (clause.negative && words.back() == "can") {
        words.back() = "cannot";
    } else if (clause.negative) {
        words.emplace_back("not");
    }
    append(words, verb_words(clause, plain && is_third_singular(agreement)));
    append(words, complements(clause, agreement));
    append(words, place_words(clause));
    if (clause.question) words.emplace_back("?");
    return join(words);
}

}  // namespace bert
