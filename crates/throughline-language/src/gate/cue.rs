//! Cues: what in a speaker's own words is worth a probe. Tables, and what takes a cue back.
//!
//! A false alarm costs one probe and changes no memory; a miss is made good by the next batch or
//! the dead man's switch. The tables lean accordingly, except for corrections: those are guarded.

use std::sync::LazyLock;

use super::phrase::{PhraseWords, Phrases};
use throughline_core::Speaker;

use super::{Signal, Strength};
use crate::probe;
use crate::speech::{Guard, Sentence};

/// What one sentence says that is worth a probe. `next` is the sentence after it.
pub(super) fn signals_of(
    speaker: Speaker,
    sentence: Sentence<'_>,
    next: Option<Sentence<'_>>,
) -> Vec<(Signal, Strength)> {
    let words = PhraseWords::of(sentence.text);
    if words.len() == 0 {
        return Vec::new();
    }
    let tables: &[CueTable] = match speaker {
        Speaker::User => &*USER,
        Speaker::Assistant => &*ASSISTANT,
        Speaker::Tool => &[],
    };
    let taken_back = || next.is_some_and(|next| RESOLVES.met(&PhraseWords::of(next.text)));
    let changes = speaker == Speaker::User
        && sentence.guard.is_none()
        && probe::is_change(sentence.text)
        && !taken_back();
    let changed = changes.then_some((Signal::Correction, Strength::High));
    tables
        .iter()
        .filter_map(|table| Some((table.signal, table.fires(&words, sentence.guard)?)))
        .filter(|(signal, _)| *signal != Signal::Correction || !taken_back())
        .chain(changed)
        .collect()
}

/// Whether an assistant claims that what was run went well.
pub(super) fn claims_success(sentence: Sentence<'_>) -> bool {
    sentence.guard.is_none() && SUCCESS.met(&PhraseWords::of(sentence.text))
}

struct CueTable {
    signal: Signal,
    strength: Strength,
    cues: Phrases,
    /// Said in the same sentence, these void the cues.
    unless: Phrases,
    /// Cues that a question may hold too.
    blunt: Phrases,
}

impl CueTable {
    /// How strongly it fires. What asks for assent is said, but not yet settled.
    fn fires(&self, words: &PhraseWords, guard: Option<Guard>) -> Option<Strength> {
        let at = self.cues.place(words)?;
        let strength = match guard {
            None => self.strength,
            Some(Guard::Question) if self.blunt.met(words) => self.strength,
            Some(Guard::Question) if words.seeks_assent() => Strength::Medium,
            // "Wait, that's wrong" takes back somebody else's words, "scratch that" puts others
            // in their place.
            Some(Guard::SelfResolving) if ANEW.met(words) && !RESOLVES.met(words) => self.strength,
            Some(Guard::Hypothetical)
                if self.signal == Signal::Preference && CONDITIONAL.met(words) =>
            {
                self.strength
            }
            Some(_) => return None,
        };
        (!self.unless.met(words) && !foreign(words, at)).then_some(strength)
    }
}

/// Whether the words are only spoken of, or somebody else's: seen from what comes before them.
fn foreign(words: &PhraseWords, at: usize) -> bool {
    REPORTED.place(words).is_some_and(|reported| reported <= at)
}

fn phrases(tables: &[&'static [&'static str]]) -> Phrases {
    Phrases::read(&tables.concat())
}

static USER: LazyLock<[CueTable; 5]> = LazyLock::new(|| {
    use Signal::{Commitment, Correction, Decision, Preference};
    use Strength::{High, Medium};
    let table = |signal, strength, cues: &[_], unless: &[_], blunt: &[_]| CueTable {
        signal,
        strength,
        cues: Phrases::read(cues),
        unless: Phrases::read(unless),
        blunt: Phrases::read(blunt),
    };
    [
        CueTable {
            signal: Correction,
            strength: High,
            cues: phrases(&[REFUSALS, CORRECTIONS, FAILURES, UNDOINGS]),
            unless: phrases(&[POLITE, CONTENT]),
            blunt: phrases(&[BLUNT]),
        },
        table(Decision, High, DECISIONS, UNDECIDED, &[]),
        table(Preference, High, PREFERENCES, NO_PREFERENCE, &[]),
        table(Decision, Medium, ASSENT, &[], &[]),
        table(Commitment, Medium, COMMITMENTS, NO_COMMITMENT, &[]),
    ]
});

static ASSISTANT: LazyLock<[CueTable; 3]> = LazyLock::new(|| {
    let table = |signal, cues| CueTable {
        signal,
        strength: Strength::Medium,
        cues: Phrases::read(cues),
        unless: Phrases::read(&[]),
        blunt: Phrases::read(&[]),
    };
    [
        table(Signal::Correction, CONCESSIONS),
        table(Signal::Decision, CHOICES),
        table(Signal::Commitment, PROMISES),
    ]
});

static REPORTED: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(REPORTS));
static RESOLVES: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(RESOLVINGS));
static CONDITIONAL: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::read(&["if|when|whenever|before|after|once|unless|anytime"]));
static ANEW: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(STARTS_ANEW));
static SUCCESS: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(SUCCESSES));

const REFUSALS: &[&str] = &[
    "^no|nope|nah , *",
    "^no|nope|nah i|its|thats|that|this|it|dont|you|we|the|use|not|still|man|wrong|actually|wait|no",
    "~no|nope not|wrong|stop|dont",
    "^not that|this|those|these|there|like|what|the",
    "^wait , no|not|thats|that|why|you|i|we|dont|this|isnt|actually|shouldnt|what|the|its|it",
    "^wait no|thats|that|why|you|i|dont|this|actually|what",
    "^hold on",
    "^stop $",
    "^stop , *",
    "~stop *ing",
    "^actually , no|its|it|the|we|i|use|not|dont|thats|that|lets|make|put|my|this|you|our|keep|change|leave|go|do|there|in",
    "^actually no|its|it|the|we|i|use|not|dont|thats|that|lets|make|put|my|this|you|our|keep|change|leave|go|do|there",
    "~actually its|use|no|not|dont|make|lets",
    "^correction",
];

const CORRECTIONS: &[&str] = &[
    "thats|thatis|its not|wrong|incorrect right|correct|true|what|how|it|good|ok|okay|the|a|why|where|enough",
    "thats|its wrong|incorrect|backwards|false|outdated",
    "that|this|it is|was|looks|seems wrong|incorrect|backwards|outdated|bad|lame|broken",
    "that|this|it isnt|wasnt|doesnt|didnt right|correct|true|what|how|it|good|lovely|enough|work|help|exist",
    "that|this|it is|was not right|correct|true|what|how|it|good|enough",
    "thats simply|just|still|completely|totally not|wrong|incorrect",
    "isnt|wasnt|not what i|we|you",
    "isnt|not good|great|right|correct|lovely|nice|ideal|pretty|enough $",
    "i suggested|proposed|requested",
    "but .. i|we got|get|see|still",
    "is|are|was|were simply|just|all|completely|totally wrong|bad|incorrect",
    "the wrong file|one|place|branch|way|version|name|path|function|directory|dir|folder|repo|table|column|line|approach|thing|port|type|order|test|number|value|date|database|environment",
    "youre|your|you wrong|mistaken|losing|overcomplicating|confusing|dumb",
    "you are|were|have wrong|mistaken|overcomplicating|confusing|losing|misunderstood|dumb|confused",
    "you lost me|the",
    "you got .. wrong",
    "you misunderstood|misread|forgot|missed|broke|ignored|skipped|duplicated|misinterpreted|overlooked|confused|mixed|hallucinated",
    "you just|still duplicated|broke|removed|deleted|ignored|forgot|did|havent|missed",
    "you didnt|havent|werent|shouldnt|should have|not|supposed|read|follow|run|update|add|fix|do|listen|even",
    "i said|meant|told|asked no|not|that|to|you|for|the|it|a|we|in|at|on|only",
    "i never|didnt said|asked|say|ask|mean|meant|want|wanted|tell",
    "as|like i said|told|already",
    "i said|meant * , not",
    "i already told|said|did|fixed|answered",
    "should|shouldve have been",
    "shouldve|should been",
    "should be .. not|instead",
    "should not|shouldnt be",
    "should just|really|only be",
    "it|that|this|these|those|they should|ought be|have|use|say|go|live|return|not",
    "is|was|are|were supposed|meant to",
    "its supposed|meant to",
    "its|it|is .. , not",
    "instead of what",
    "not .. but rather",
    "i|we was|were wrong",
    "i misspoke",
    "my mistake",
    "not|isnt|arent anymore",
    "any longer",
    "^wrong",
    "come on man",
    "what the hell|heck",
    "wtf|wth",
    "makes|make no sense",
    "doesnt|dont make sense",
    "too much|broad|many|complicated|long|verbose|slow",
    "doesnt|dont|didnt seem so|right|to|like",
];

const FAILURES: &[&str] = &[
    "still doesnt|dont|fails|failing|broken|get|getting|wrong|see|seeing|the|not|crashes|hangs|shows|missing|happens|happening|have",
    "didnt|doesnt|dont|not|isnt|wont|wouldnt work|working|compile|build|help|run|start|pass|load|render",
    "did|does|do|is not work|working|help|include|show|compile",
    "no worky|effect|difference|change",
    "thats|its|is|got broken|worse",
    "that|this|it|now broke|fails|failed|crashes|hangs",
    "same error|problem|issue|result|failure|thing again|still|as",
    "the tests|test|build are|is|still failing|broken|red",
    "same error|problem|issue|failure",
];

const UNDOINGS: &[&str] = &[
    "~revert|undo it|that|this|them|your|the|those|these",
    "~roll|change|put|move|switch|bring it|that|this|them|back back",
    "~take .. out",
    "get rid of",
    "~redo it|that|this|the",
    "~try again",
];

const POLITE: &[&str] = &[
    "no|nope|nah thanks|thank|thx|problem|problems|worries|need|rush|hurry|idea|doubt|way|one|matter|more|questions|issues|issue|concerns|kidding|big|biggie|sweat|comment|preference|further|other|additional|clue|reason|wonder|objection|objections|errors|warnings|changes|pressure|luck",
    "no im|we|i|were good|fine|think|ok|okay|done",
    "no|nope|nah go|please|keep|just ahead|proceed|continue|going",
    "no|nope thats|that all|will|it",
    "no|nope nothing|none|not|all else|yet|needed|really|good",
];

const CONTENT: &[&str] = &[
    "its|thats|all|this|everything|it|that fine|ok|okay|good|great|perfect|alright|correct|right|cool|nice|awesome",
    "~it|that|this|everything works",
    "its|it|that|this|looks|is|was|seems|all just|is|looks|was|actually|totally|still|really|pretty|good fine|ok|okay|great|perfect|alright|works|good|nice|helpful|clever|neat|interesting|impressive|cool",
    "never mind",
    "nevermind",
    "ignore that|me",
    "you|youre|your right|correct",
    "you are|were right|correct",
    "i see now|what|it|why|how",
    "no , wait .. fine|ok|okay|right|works|good",
    "works now|fine|great|well|perfectly|as",
    "not bad|sure|yet",
];

const BLUNT: &[&str] = &[
    "^no|nope , *",
    "^no man|no|that|its|you|i",
    "what the hell|heck",
    "wtf|wth",
    "you just|still duplicated|broke|removed|deleted|ignored|forgot",
    "still get|getting|see|seeing|fails|failing|broken",
    "youre|your wrong",
    "you are|were wrong|losing",
];

const DECISIONS: &[&str] = &[
    "on second thought|thoughts",
    "changed my mind",
    "scratch|strike that , *",
    "lets go|stick|use|keep|switch|move|drop|try|skip|not|call|name|settle|start|put|make|do|change|have|stay|leave|ship|merge|rename|replace|remove|avoid|take|adopt|defer|target",
    "lets just|also|instead|actually|rather go|stick|use|keep|switch|move|drop|try|skip|not|call|do|make|change|have|leave",
    "~go with",
    "going|gonna with|use|go",
    "i|we|ive|weve decided|chose|picked|settled|agreed|opted|concluded|selected",
    "i|we have|finally|just|already decided|chose|chosen|picked|settled|agreed|opted",
    "the|our|my decision|verdict|choice|plan|approach|strategy is|was|will",
    "~decision ,",
    "~decided|agreed",
    "well|we|ill go|be|stick with|using|to",
    "well use|ship|support|drop|deprecate|target|keep|stay",
    "we will use|go|ship|support|drop|deprecate|target|keep|stay|move|switch",
    "were|are|is going to",
    "weve|ive|we|i have|just|already|finally switched|moved|migrated|renamed|replaced|dropped|upgraded|deprecated|adopted|pinned|merged|standardised|standardized",
    "weve|ive switched|moved|migrated|renamed|replaced|dropped|upgraded|deprecated|adopted|pinned|merged|standardised|standardized",
    "i|we switched|moved|migrated|renamed|replaced|dropped|upgraded|deprecated|adopted",
    "we now use|run|have|deploy|store",
    "we use|run|deploy|store|host|support|target",
    "is now|moving|going to|called|named|in|on|deprecated|owned",
    "im|i going|choose|pick|vote|approve with|for|option|the|it|this|that",
    "~option|approach|variant|alternative|plan *",
    "~pick|choose|take|do option|approach|number|both|all|dev|main",
    "lgtm , *",
    "for * drop|keep|use|we|i|do|take|the|go",
    "~drop|keep|use|take|choose both|head|dev|main|ours|theirs|all",
    "~drop|keep|use|choose the|it|them|your|a|an|as|plain|only|just",
    "final answer|decision|call",
    "from today|tomorrow|monday",
    "is fine , *",
    "good enough",
    "~approved",
    "will be called|named|hosted|deployed|written|stored|released",
    "make|making it|that|this the default",
    "instead of",
    "rather than",
    "in favor|favour of",
];

const UNDECIDED: &[&str] = &[
    "lets look|see|talk|discuss|consider|explore|think|review|address",
    "lets go over|through|back",
    "havent|not|hasnt|yet decided|agreed|settled|chosen",
    "need|needs|have|want|how|who to decide|choose|pick",
    "who|what|why|when|how we|i|they|was|did|you decided|chose|picked|decide|agreed",
    "i want you to",
    "i want to understand|know|see",
];

const ASSENT: &[&str] = &[
    "^proceed|approved|continue $",
    "^yes|yep|yup|yeah|sure|ok|okay|y , *",
    "^do|implement|apply it|that|this|both|them|all",
    "^go ahead|forth|for",
    "^both|all|neither|none $",
    "^yes|yep|yup|agreed|exactly|correct $",
    "^agreed|agree on|with",
    "^sounds|looks good|great",
    "^make that|it|those|these change|changes|so",
    "^a|b|c|d|1|2|3|4|5 $",
];

const PREFERENCES: &[&str] = &[
    "~always|never *",
    "you|we|i|should|must|to|please|just|ill always|never",
    "we|i|you should|must|do|want|to always|never",
    "prefer|preferred|preferably",
    "my|our preference|convention|style|rule|policy|standard|practice|habit|guideline",
    "the|a preference|convention|rule|guideline|preferred is|approach|way",
    "from now|here on",
    "going forward",
    "from this point",
    "in the|all future",
    "next time",
    "every time",
    "use .. instead",
    "please use|dont|do|keep|make|stop|avoid|remember|write|put|only|always|never|run|ensure",
    "~dont *",
    "~do not|only *",
    "and|but|so|just|also|then dont *",
    "~never|avoid|ensure",
    "avoid|avoiding the|any|using",
    "~make|be sure|certain",
    "make sure",
    "~remember|recall to|that|this|we|the|i|,",
    "remember|remind that|to|me",
    "keep in mind",
    "bear in mind",
    "keep it|them|things|this simple|short|dry|small|minimal|concise|consistent|clean|brief",
    "be sure|concise|brief|careful|consistent|explicit",
    "i like|love|hate|dislike|prefer|want|need|expect|require|insist",
    "i dont|do|really|usually|also|only|still like|want|need|prefer|not|expect|care",
    "we dont|do|also|really|only|never|always|all want|need|like|prefer|not|use|care",
    "we want|need|require|expect|care|prefer|cant|shouldnt|should|must",
    "is|are not a goal|needed|wanted|allowed|acceptable|ok",
    "isnt|arent allowed|acceptable|needed|ok|wanted",
    "no more *",
    "no need to|for",
    "dont|neednt need|want|bother",
    "~only|just use|show|do|change|touch|run|write|include|edit",
    "stick to|with",
    "by default",
    "as a rule",
    "has|have|needs|need to be|stay|remain",
    "must|should|shall be|use|not|have|always|never|go|return|match|follow|live|start|end|get|stay|just|also|only",
    "~follow|prefer|write the|our|my|them|those|your|existing|tabs|spaces|british|american|plain|only|short",
    "whenever you",
    "when you|youre .. use|run|always|never|dont|make",
    "without asking|permission|my",
    "ask me|before first|before|you",
    "call|address me",
    "thats|is what|the .. for|preferred",
    "better that|to|if",
    "is the responsibility",
];

const NO_PREFERENCE: &[&str] = &[
    "if we|i|you|it always|never",
    "dont worry|know|think|understand|see|remember|get|mind|care|have|believe|recall|forget",
    "dont we|you|i|they|have",
    "^i want to understand|know|see",
];

const COMMITMENTS: &[&str] = &[
    "ill|i|im|we|well will|going|gonna|promise|shall|do|be|have|need|send|check|test|write|finish|handle|take|get|look|come|fix|add|merge|deploy|review|update|let|try|make|run|push|release *",
    "~ill *",
    "we|i|you should|must|need|have .. later|tomorrow|next|soon|before|by|after",
    "todo|fixme|deadline|due",
    "remind me",
    "follow up",
    "following up",
    "later|tomorrow|tonight|afterwards|someday|eventually",
    "next week|month|sprint|release|session|monday|friday|step|phase|quarter",
    "by|before|until|on monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|eod|january|february|march|april|june|july|august|september|october|november|december|end|next",
    "before|after|once we|the|this|that release|launch|merge|ship|demo|is|pr",
    "i owe",
    "i promise|promised|committed|commit",
    "on my list|plate|todo",
    "come|get|circle back to",
    "not forget to",
    "theyre|next up",
];

const NO_COMMITMENT: &[&str] = &[
    "see you|ya|u later|tomorrow|next",
    "talk later|tomorrow",
    "sooner or later",
    "due to",
    "later|earlier than|versions|version|on|in",
    "i need|have to understand|know|see",
];

const CONCESSIONS: &[&str] = &[
    "youre|your absolutely|completely|totally|quite|right right|correct",
    "youre right|correct",
    "you are|were right|correct|absolutely",
    "i was wrong|mistaken|confused|incorrect",
    "my mistake|bad|apologies",
    "i apologize|apologise|misread|misunderstood|missed|overlooked|misinterpreted",
    "good catch",
    "i stand corrected",
    "correct|revise|retract my earlier",
    "that was wrong|incorrect|my",
    "ive been fumbling|overcomplicating",
];

const CHOICES: &[&str] = &[
    "i|ive|we|weve chose|chosen|decided|picked|opted|settled|selected",
    "i went with",
    "root cause",
    "turns out",
    "the actual|real|underlying problem|issue|cause|reason|bug|culprit",
    "the problem|issue|bug|cause|culprit|fix|reason is|was",
    "trade-off|tradeoff",
    "i recommend",
    "my recommendation",
];

const PROMISES: &[&str] = &[
    "ill|i .. later|tomorrow|afterwards|once|next",
    "follow-up|follow-ups|todo|todos|deferred",
    "follow up",
    "left|still|remains to do|implement|fix|address|be",
    "out of scope",
    "not yet implemented|done|covered|tested|supported",
    "remaining work|items|steps|tasks",
    "next steps|session|phase",
    "in a separate|later|future|follow",
    "i wont|will not",
    "for now",
];

const STARTS_ANEW: &[&str] = &[
    "^wait you|thats|that|no|why|the|this|i|dont|its|it|we",
    "scratch|strike that",
    "on second thought|thoughts",
    "no , wait , *",
];

const RESOLVINGS: &[&str] = &[
    "never mind",
    "nevermind",
    "my bad|mistake|fault",
    "ignore that|me",
    "forget it|that|what",
    "^oh , i|its|no|it|that",
    "i see now",
    "its|thats|it|that fine|ok|okay",
    "it|that is|was fine|ok|correct|right",
    "i|im misread|was wrong|misunderstood|looking",
    "youre|you right|correct|were",
    "found it",
    "works now",
];

const REPORTS: &[&str] = &[
    "for example|instance",
    "the word|words|phrase|string|text|sentence|message|label|button",
    "^translate|summarise|summarize|rephrase|explain|print|say|type|grep|search|define|echo|log|reply",
];

const SUCCESSES: &[&str] = &[
    "all|every .. tests|test|checks|suites .. pass|passed|passing|passes|green|succeed|succeeded",
    "all|everything pass|passes|passed|passing|green|clean|compiles|builds",
    "tests|test|suite|build|lint|linter|linting|checks pass|passes|passed|passing|green|clean|succeeds|succeeded|compiles|builds",
    "tests|test|suite|build|linter|checks now|all|is|are|still pass|passes|passed|passing|green|clean|works|compiles",
    "compiles|builds|passes cleanly|successfully|clean|fine|now|without",
    "zero|no errors|failures|warnings|issues",
];
