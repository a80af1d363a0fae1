// French: adjectives that agree, pronouns before the verb, ne .. pas around it, and words that
// lose their vowel before another.
#include <algorithm>
#include <array>
#include <map>

#include "ch09_translation/grammar_clause.hpp"

namespace bert {

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

constexpr std::array<std::string_view, 6> be = {"suis", "es", "est", "sommes", "êtes", "sont"};
constexpr std::array<std::string_view, 6> want = {"veux",    "veux",   "veut",
                                                  "voulons", "voulez", "veulent"};
constexpr std::array<std::string_view, 6> can = {"peux",    "peux",   "peut",
                                                 "pouvons", "pouvez", "peuvent"};
constexpr std::array<std::string_view, 6> go = {"vais", "vas", "va", "allons", "allez", "vont"};

std::string subject_pronoun(const Agreement& agreement) {
    constexpr std::array<std::string_view, 6> masculine = {"je", "tu", "il", "nous", "vous", "ils"};
    const std::size_t form = verb_form(agreement);
    if (agreement.gender == Gender::feminine && form == 2) return "elle";
    if (agreement.gender == Gender::feminine && form == 5) return "elles";
    return std::string{masculine[form]};
}

std::string object_pronoun(const Agreement& agreement) {
    constexpr std::array<std::string_view, 6> masculine = {"me", "te", "le", "nous", "vous", "les"};
    const std::size_t form = verb_form(agreement);
    return form == 2 && agreement.gender == Gender::feminine ? "la" : std::string{masculine[form]};
}

// Rows: je, tu, il, nous, vous, ils. Columns: masculine, feminine, plural thing owned.
std::string possessive(const Agreement& owner, std::size_t column) {
    constexpr std::array<std::array<std::string_view, 3>, 6> table = {{{"mon", "ma", "mes"},
                                                                       {"ton", "ta", "tes"},
                                                                       {"son", "sa", "ses"},
                                                                       {"notre", "notre", "nos"},
                                                                       {"votre", "votre", "vos"},
                                                                       {"leur", "leur", "leurs"}}};
    return std::string{table[verb_form(owner)][column]};
}

std::string determiner(const NounPhrase& phrase, bool negated_object) {
    const bool plural = phrase.number == Number::plural;
    const std::size_t column = plural ? 2 : phrase.noun->gender == Gender::feminine ? 1 : 0;
    switch (phrase.determiner) {
        case Determiner::definite:
            return std::array{"le", "la", "les"}[column];
        case Determiner::demonstrative:
            return std::array{"ce", "cette", "ces"}[column];
        case Determiner::possessive:
            return possessive(phrase.owner, column);
        case Determiner::indefinite:
            break;
    }
    // "pas de chien", and "de petits chiens" where "des chiens" has no adjective first.
    if (negated_object || (plural && phrase.before != nullptr)) return "de";
    return std::array{"un", "une", "des"}[column];
}

Words noun_phrase(const NounPhrase& phrase, bool negated_object = false) {
    const Agreement agreement{3, phrase.number, phrase.noun->gender, phrase.noun->kind};
    const std::size_t form = adjective_form(agreement);
    const std::string noun{phrase.noun->french[static_cast<std::size_t>(phrase.number)]};
    Words words{determiner(phrase, negated_object)};
    if (phrase.before != nullptr) {
        const bool short_form = form == 0 && starts_with_vowel(noun);
        words.emplace_back(short_form ? phrase.before->before_vowel : phrase.before->french[form]);
    }
    words.push_back(noun);
    if (phrase.after != nullptr) words.emplace_back(phrase.after->french[form]);
    return words;
}

Words subject_words(const Subject& subject) {
    if (subject.phrases.empty()) return {subject_pronoun(subject.pronoun)};
    Words words = noun_phrase(subject.phrases.front());
    if (subject.phrases.size() > 1) {
        words.emplace_back("et");
        append(words, noun_phrase(subject.phrases.back()));
    }
    return words;
}

std::string finite_verb(const Clause& clause, std::size_t form) {
    if (clause.verb == nullptr) return std::string{be[form]};
    switch (clause.auxiliary) {
        case Auxiliary::want:
            return std::string{want[form]};
        case Auxiliary::can:
            return std::string{can[form]};
        case Auxiliary::going:
            return std::string{go[form]};
        case Auxiliary::none:
            break;
    }
    return std::string{clause.verb->present[form]};
}

// [ne] [pronoun] verb [pas] [souvent] [pronoun infinitive]
Words verb_group(const Clause& clause) {
    const bool infinitive = clause.verb != nullptr && clause.auxiliary != Auxiliary::none;
    Words words;
    if (clause.negative) words.emplace_back("ne");
    if (clause.pronoun && !infinitive) words.push_back(object_pronoun(*clause.pronoun));
    words.push_back(finite_verb(clause, verb_form(agreement_of(clause.subject))));
    if (clause.negative) words.emplace_back("pas");
    if (clause.frequency == Frequency::often) words.emplace_back("souvent");
    if (clause.frequency == Frequency::always) words.emplace_back("toujours");
    if (clause.pronoun && infinitive) words.push_back(object_pronoun(*clause.pronoun));
    if (infinitive) words.emplace_back(clause.verb->infinitive);
    return words;
}

Words complements(const Clause& clause) {
    constexpr std::array prepositions = {"", "dans", "derrière", "devant", "avec"};
    const std::size_t form = adjective_form(agreement_of(clause.subject));
    Words words;
    if (clause.very) words.emplace_back("très");
    if (clause.adjective != nullptr) words.emplace_back(clause.adjective->french[form]);
    if (clause.profession != nullptr) words.emplace_back(clause.profession->french[form]);
    if (clause.object) append(words, noun_phrase(*clause.object, clause.negative));
    if (clause.recipient) {
        words.emplace_back("à");
        append(words, noun_phrase(*clause.recipient));
    }
    if (clause.here) words.emplace_back("ici");
    if (clause.place) {
        words.emplace_back(prepositions[static_cast<std::size_t>(clause.preposition)]);
        append(words, noun_phrase(*clause.place));
    }
    return words;
}

// "le ami" becomes "l' ami" and "ma amie" becomes "mon amie"; what is still "le" or "les" after the
// word for "to" becomes "au" or "aux" with it.
Words contract(const Words& words) {
    static const std::map<std::string, std::string> short_forms = {
        {"je", "j'"}, {"me", "m'"},  {"te", "t'"},  {"le", "l'"},  {"la", "l'"},  {"ne", "n'"},
        {"de", "d'"}, {"ce", "cet"}, {"ma", "mon"}, {"ta", "ton"}, {"sa", "son"}, {"que", "qu'"}};
    Words result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto found = short_forms.find(words[i]);
        const bool vowel_follows = i + 1 < words.size() && starts_with_vowel(words[i + 1]);
        std::string word = found != short_forms.end() && vowel_follows ? found->second : words[i];
        const bool after_to = !result.empty() && result.back() == "à";
        if (after_to && word == "le") {
            result.back() = "au";
        } else if (after_to && word == "les") {
            result.back() = "aux";
        } else {
            result.push_back(word);
        }
    }
    return result;
}

}  // namespace

bool starts_with_vowel(std::string_view word) {
    constexpr std::array<std::string_view, 10> starts = {"a", "e", "i", "o", "u",
                                                         "h", "é", "ê", "è", "œ"};
    return std::any_of(starts.begin(), starts.end(),
                       [word](std::string_view start) { return word.starts_with(start); });
}

std::string french(const Clause& clause) {
    Words words;
    if (clause.question) words = {"est-ce", "que"};
    append(words, subject_words(clause.subject));
    append(words, verb_group(clause));
    append(words, complements(clause));
    if (clause.question) words.emplace_back("?");
    return join(contract(words));
}

}  // namespace bert
