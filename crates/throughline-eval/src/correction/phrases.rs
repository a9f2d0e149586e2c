//! How developers say it: first in general, then what scenarios are made of.
//!
//! Each line names the classes of topic it fits, then the words. `{Cn}` and `{Co}` are the claim with
//! the new and the old value, `{N}` and `{O}` the values, `{np}` what has the value, `{area}` where
//! it is used, `{who}` somebody else. A star says that the agent has just stated the old value.

/// A phrasing and where it fits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phrase {
    pub(crate) classes: &'static str,
    pub(crate) words: &'static str,
    /// It leans on what the agent just said.
    pub(crate) answers: bool,
    /// Whether the new value is said at all.
    pub(crate) says_new: bool,
    /// It says what it is about, by itself.
    pub(crate) names_subject: bool,
}

/// The phrasings of a table.
pub(crate) fn read(table: &'static str) -> Vec<Phrase> {
    let lines = table.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (classes, words) = line.split_once('|').unwrap_or(("", line));
            let subject = ["{Cn}", "{Co}", "{np}", "{area}"];
            Phrase {
                classes: classes.trim_start_matches('*'),
                words,
                answers: classes.starts_with('*'),
                says_new: words.contains("{N}") || words.contains("{Cn}"),
                names_subject: subject.iter().any(|part| words.contains(part)),
            }
        })
        .collect()
}

pub(crate) const ESTABLISH: &str = "
TPRXA|{Co}.
TPRXA|just so you know, {Co}.
TPRXA|for context: {Co}.
TPRXA|{Co}. can you add a health check while you are at it?
TPRXA|some background before we start. {Co}. The rest is in the readme.
TPRXA|remember that {Co}.
TPRXA|fyi {Co}
TPRXA|note: {Co}.
TPRXA|by the way, {Co}.
TPRXA|keep in mind that {Co}.
TPRXA|hi! {Co}. let's look at the failing test first
TPRXA|one thing you should know: {Co}.
TPRXA|{Co}, please remember that.
";

pub(crate) const ESTABLISH_DECISION: &str = "
T|we decided to use {O} {area}.
T|decision: we use {O} {area}.
T|we settled on {O} {area} because the team knows it well.
T|we decided to use {O} {area} because it was the cheapest option.
T|after some discussion we decided to go with {O} {area}.
T|we agreed to use {O} {area}.
T|we chose {O} {area}, mostly because it is simple.
T|let's go with {O} {area}.
T|we're going with {O} {area}. please set it up.
T|the team has decided: {O} {area}.
T|ok decided, {Co}.
T|we decided that {Co}.
";

pub(crate) const DIRECT: &str = "
TPRXA|no, {Cn}, not {O}.
*TPRXA|no, it's {N}, not {O}.
TPRXA|actually {Cn}, not {O}
*TPRXA|that's wrong. {Cn}.
TPRXA|correction: {Cn}, not {O}.
TPRXA|you have that wrong, {Cn}, not {O}. can you fix the config accordingly?
TPRXA|sorry, I misspoke earlier: {Cn}, not {O}.
TPRXA|hm wait, {np} is {N}, not {O}
TPRXA|I told you something wrong the other day. {np} is {N}, it was never {O}.
TPRXA|please look at the retry logic. also, {np} isn't {O}, it's {N}. then run the tests
TP|nope, {N} {area}, not {O}
TPRXA|{np} is {N}, I mixed that up with {O}.
TPRXA|my mistake, {np} is {N} and not {O}.
TPRXA|I was wrong about {np}: it's {N}, not {O}.
TPRXA|small correction, {Cn} (not {O}).
TPRXA|{Cn}. I know I said {O} but that was wrong.
*TPRXA|not {O}, {N}.
*TPRXA|no no, {N}. where did you get {O} from?
*TPRXA|that's not right, it should be {N} instead of {O}
TPRXA|I need to correct something: {np} is not {O} but {N}.
TPRXA|{np} is actually {N} rather than {O}.
";

pub(crate) const UPDATE: &str = "
T|we switched from {O} to {N} {area}.
T|we've moved from {O} to {N} {area} last week, please take that into account
TPRXA|{np} is {N} now.
TPRXA|{np} changed from {O} to {N}.
TPRXA|as of today {Cn}.
TPRXA|since monday {Cn} instead of {O}.
T|heads up, we migrated from {O} to {N} {area} over the weekend.
T|we replaced {O} with {N} {area}, use that from now on
TPRXA|quick update: {np} is now {N}, it used to be {O}.
TPRXA|{np} was {O}, now it's {N}.
XA|we changed {np} from {O} to {N}.
A|I bumped {np} from {O} to {N}, please adapt the tests
A|{np} went from {O} to {N} yesterday.
RXA|{np} has been changed to {N}, it used to be {O}. can you update the docs?
R|{N} took over from {O} as {np}.
R|{O} left, {np} is {N} now.
R|{O} handed over to {N}, so {np} is {N} from now on.
R|{N} is {np} now, no longer {O}.
P|I switched from {O} to {N} {area}.
P|I changed my mind: {Cn} now, not {O}.
P|these days {Cn}, no longer {O}
P|I've moved from {O} to {N} {area}
TP|from now on {N} {area} instead of {O}, please
T|we decided to replace {O} with {N} {area}.
T|new decision: {N} {area} instead of {O}.
T|we dropped {O} and use {N} {area} now.
T|the migration is done: {Cn} now, {O} is gone
";

pub(crate) const GONE: &str = "
T|we no longer use {O} {area}.
T|we don't use {O} {area} anymore.
T|we stopped using {O} {area} last month.
T|we got rid of {O} {area}.
T|we dropped {O} {area}
TPRXA|{np} is no longer {O}.
TPRXA|{np} isn't {O} anymore.
TPRXA|it's no longer true that {Co}.
T|we no longer use {O} {area}, it's {N} now.
TPRXA|{np} is no longer {O} but {N}.
TPRXA|{np} is not {O} any more, we use {N} there now
T|we moved away from {O} {area}.
T|{O} is history {area}, nobody uses it anymore
R|{O} is no longer {np}.
R|{O} isn't {np} any more, {N} is.
P|I no longer want {O} {area}.
P|I don't like {O} {area} anymore, use {N}
T|we're not using {O} {area} any longer, {N} took its place
";

pub(crate) const REVERT: &str = "
T|we went back to {O} {area}.
T|we're back on {O} {area}.
T|we reverted to {O} {area}.
T|we switched back from {N} to {O} {area}.
TPRXA|{np} is {O} again.
T|we rolled back to {O} {area}, {N} was too slow
T|{N} didn't work out, {Co} again.
TPRXA|{np} is back to {O}.
T|we returned to {O} {area} because {N} kept crashing.
A|{np} was set back to {O}.
TPRXA|we undid that change: {np} is {O} again, not {N}.
R|{O} is back as {np}.
R|{O} is {np} again.
P|I went back to {O} {area}.
P|I'm back to {O} {area}, {N} was not for me
P|I changed my mind again: {Co} after all, not {N}.
XA|we changed {np} back to {O}
T|we moved back from {N} to {O} {area} yesterday
";

pub(crate) const SCOPED: &str = "
TPRXA|in this project {Cn}, not {O}.
TPRXA|for this repo only: {np} is {N}, not {O}.
TPRXA|{np} is {N} in this project, not {O}.
T|only in this repo we switched from {O} to {N} {area}.
TPRXA|here {np} is {N} now, no longer {O}. the other repo stays as it is
TPRXA|in this repository {np} is {N}, not {O}
T|we replaced {O} with {N} {area}, but just in this project
TPRXA|this project is different: {Cn}, not {O}.
TPRXA|just for this project: {np} changed from {O} to {N}.
TP|in this codebase it's {N} {area}, not {O}
TPRXA|no, in this repo {np} is {N}, not {O}.
TPRXA|over here {Cn} now instead of {O}.
T|this service moved from {O} to {N} {area}, the others did not
";

pub(crate) const QUOTED: &str = "
TPRXA|the old readme says \"{Cn}, not {O}\". can you find out who wrote that?
TPRXA|the ticket says: \"{np} is {N} now\". is the ticket stale?
TPRXA|explain this commit message to me: \"{np} changed from {O} to {N}\"
TPRXA|> no, {Cn}, not {O}\\n\\nwhat does this comment refer to?
T|the line \"we no longer use {O} {area}\" in the changelog has a typo, please fix it
TPRXA|translate this to German: \"{Cn}, not {O}.\"
TPRXA|the fixture contains the string `{Cn}`, leave it as it is
TPRXA|somebody left the review comment \"actually {np} is {N}, not {O}\". write a polite answer
T|add a test that posts the message 'we switched from {O} to {N} {area}' and expects a 200
TPRXA|what did the author mean by “{np} isn't {O}, it's {N}”?
TPRXA|rename the headline \"{Cn}\" in the slides, it is too long
TPRXA|the mock server answers with:\\n```\\n{Cn}, not {O}\\n```\\nwhy does the parser choke on it?
TPRXA|grep for 'correction: {Cn}' in the mail archive
TPRXA|put this into the example dialog: User: \"no, {Cn}, not {O}.\"
";

pub(crate) const HYPOTHETICAL: &str = "
TPRXA|what if {Cn}?
T|what would it take to switch from {O} to {N} {area}?
T|if we moved from {O} to {N} {area}, what would break?
TPRXA|suppose {np} is {N} and not {O}. what would change?
T|should we switch from {O} to {N} {area}?
T|could we replace {O} with {N} {area} some day?
TPRXA|imagine {Cn}, not {O}. how would the config look?
T|I'm thinking about switching from {O} to {N} {area}, nothing is decided yet
TPRXA|let's say {np} was {N} instead of {O}, would the tests still pass?
T|maybe we should move to {N} {area} at some point, what do you think?
TPRXA|hypothetically, if {np} changed from {O} to {N}, which files would be affected?
TPRXA|would it be a problem if {np} was {N} and not {O}?
T|we might switch from {O} to {N} {area} next year, but that is open
TPRXA|assuming {Cn}, not {O}, draft the migration plan
P|would you still format it like this if I switched from {O} to {N} {area}?
R|who would have to be told if {N} took over from {O} as {np}?
";

pub(crate) const THIRD_PARTY: &str = "
T|{who} switched from {O} to {N} {area}.
TPRXA|at {who} {np} is {N} now, not {O}.
T|I read that {who} replaced {O} with {N} {area}. interesting
T|{who} no longer uses {O} {area}, they told me at a meetup
TPRXA|over at {who}, {np} changed from {O} to {N}.
TPRXA|{who} told me that with them {np} is {N}, not {O}.
T|according to their blog {who} moved from {O} to {N} {area}
TPRXA|funny, for {who} {np} is {N} rather than {O}.
T|did you know that {who} dropped {O} and uses {N} {area} now?
TPRXA|in the setup of {who} {np} is no longer {O} but {N}.
P|a colleague from {who} went from {O} to {N} {area}, each to their own
T|{who} went back to {N} {area} after a year with {O}
TPRXA|{who} has it differently: {np} is {N}, not {O}. we keep ours
T|the people at {who} don't use {O} {area} anymore, they have {N}
";

/// Who is not us.
pub(crate) const OTHERS: [&str; 8] = [
    "Acme",
    "our competitor",
    "my friend's startup",
    "Shopify",
    "my last company",
    "the Brightline team",
    "Globex",
    "my brother's agency",
];

/// What a tool printed: the command, then its output.
pub(crate) const TOOL_OUTPUT: &str = "
TPRXA|cat notes/old.md|No, {Cn}, not {O}.
TPRXA|git log --oneline -3|4be1c0d {np} changed from {O} to {N}\\n91ff3a2 fix typo\\n0c2d111 add tests
T|cat CHANGELOG.md|## 2.4.0\\n- We switched from {O} to {N} {area}.\\n- Fixes
TPRXA|gh issue view 18|alice: actually {np} is {N}, not {O}\\nbob: thanks
TPRXA|grep -rn TODO src|src/app.ts:14: // TODO: {np} is no longer {O} but {N}
TPRXA|curl -s https://wiki.example.org/page|{Cn}. It used to be {O}.
T|cat docs/adr/007.md|Decision: we replaced {O} with {N} {area}.
TPRXA|tail -5 chat-export.txt|user: correction: {Cn}, not {O}
TPRXA|cat README.md|# Setup\\n{Cn}.\\n
TPRXA|git show HEAD --stat|Author: bot\\n\\n    {np} is {N} now\\n\\n 1 file changed
TPRXA|cat mail.txt|From: carol\\nSubject: news\\n\\nFrom now on {Cn}, not {O}.
TPRXA|python show.py|remember: {Cn}, not {O}
";

pub(crate) const SELF_RESOLVING: &str = "
TPRXA|{np} is {N} now... wait no, that's the other project, it's still {O} here
TPRXA|no, {Cn}, not {O}. sorry, ignore that, {O} is right.
T|we switched from {O} to {N} {area}. hm no, scratch that, we didn't
TPRXA|is {np} {N}? no, it's {O}, never mind
TPRXA|I thought {np} was {N}, but I just checked and it is {O}.
TPRXA|actually {np} is {N}, not {O}. oh wait, I looked at the wrong file. {O} is correct
T|we were going to move from {O} to {N} {area} but that got cancelled
TPRXA|{np} is {N}. no sorry, {O}, as you had it
TPRXA|at first I wanted to tell you that {np} is {N}, but {O} is still correct
T|we almost replaced {O} with {N} {area}, in the end we kept {O}
TPRXA|correction: {np} is {N}. correction of the correction: it stays {O}.
TPRXA|for a moment I believed {np} had changed to {N}. it has not, still {O}
T|the plan to switch from {O} to {N} {area} is off, we stay with {O}
";

/// What the agent says by itself at the end of a turn.
pub(crate) const RETELLING: &str = "
TPRXA|Understood. As noted, {Co}, so I left the config alone.
TPRXA|I see that {np} is {N} now, not {O}, so I updated the example.
TPRXA|Done. Actually {Cn}, not {O}, so the test had to change.
TPRXA|From what I remember {Co}. I kept that.
T|It looks like we switched from {O} to {N} {area}, so I removed the old file.
TPRXA|Correction: {Cn}, not {O}. I fixed the comment.
TPRXA|According to memory, {Co}. Nothing else to do here.
TPRXA|I changed {np} from {O} to {N} in the draft.
TPRXA|Since {Co}, the existing setup works as it is.
T|We no longer use {O} {area}, as far as I can see in the code.
TPRXA|Great, {Cn} from now on. Let me know if you want the tests to run.
TPRXA|Just to confirm what I know: {Co}.
";

/// Before and after what matters, so that it stands in the middle of something.
pub(crate) const OPENINGS: [&str; 14] = [
    "hey, ",
    "ok so ",
    "btw ",
    "oh and ",
    "thanks, that works. ",
    "looks good so far. ",
    "hmm, ",
    "right, ",
    "before I forget: ",
    "one more thing, ",
    "the tests pass now, nice. ",
    "quick note: ",
    "Good morning! ",
    "I just came out of a meeting. ",
];

pub(crate) const REQUESTS: [&str; 14] = [
    " can you go on with the refactoring?",
    " please continue with the cart then",
    " and add a unit test for the empty list.",
    " Then have a look at the flaky login test.",
    " also clean up the imports please",
    " what's next on the list?",
    " Please rerun the linter after that.",
    " the rest of your plan is fine, go ahead",
    " Write a short summary when you are done.",
    " after that, split the big function in two.",
    " could you also check the error messages?",
    " let me know if anything is unclear",
    " Don't touch the generated files.",
    " and keep the diff small",
];

/// Turns that have nothing to do with it.
pub(crate) const SMALL_TALK: [&str; 10] = [
    "Rename the variable total to sum in cart.rs.",
    "why does the login test fail?",
    "add a docstring to parse_header",
    "Please run the linter again.",
    "split this function, it is too long",
    "can you make the error message friendlier?",
    "what does this regex match?",
    "write a test for the empty list",
    "remove the dead code in utils",
    "go on",
];
