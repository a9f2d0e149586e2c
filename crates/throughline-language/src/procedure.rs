//! Procedures: a name, when it is done, what it needs, its steps and what to watch out for, read from the words of
//! a memory.
//!
//! The words are what is kept; the parts follow from them whenever somebody looks. Whoever gives the parts gets them
//! back: [`read`] undoes [`Procedure::write`].

/// How something is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Procedure {
    /// What is done: "deploy".
    pub name: String,
    /// When it is done, if somebody said so.
    pub trigger: Option<String>,
    /// What must be there first.
    pub prerequisites: Vec<String>,
    /// What to do, in order.
    pub steps: Vec<String>,
    /// What to watch out for.
    pub warnings: Vec<String>,
}

/// Fewer steps are no procedure.
const STEPS_MIN: usize = 2;
/// More bytes are a document.
const BYTES_MAX: usize = 16_384;

const WHEN: &str = "When";
const NEEDS: &str = "Needs";
const WARNING: &str = "Warning";

impl Procedure {
    /// The parts as somebody lists them: lines that begin with "Needs:", "Warning:" or "When:" are no steps.
    pub fn of_parts(name: &str, lines: &[String]) -> Self {
        let mut procedure = Self { name: head(name).0, ..Self::default() };
        procedure.trigger = head(name).1;
        for line in lines {
            match marked(line) {
                Some((WHEN, said)) => procedure.trigger = Some(said.to_owned()),
                Some((NEEDS, said)) => procedure.prerequisites.push(said.to_owned()),
                Some((_, said)) => procedure.warnings.push(said.to_owned()),
                None => procedure.steps.push(tidy(line)),
            }
        }
        procedure.steps.retain(|step| !step.is_empty());
        procedure
    }

    /// The procedure in words, a line for each part.
    pub fn write(&self) -> String {
        let mut lines = vec![format!("{}:", self.name)];
        lines.extend(self.trigger.iter().map(|said| format!("{WHEN}: {said}")));
        lines.extend(self.prerequisites.iter().map(|said| format!("{NEEDS}: {said}")));
        lines.extend(self.steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)));
        lines.extend(self.warnings.iter().map(|said| format!("{WARNING}: {said}")));
        lines.join("\n")
    }

    /// The same on one line, steps with their numbers.
    pub fn in_one_line(&self) -> String {
        let mut parts = vec![format!("{}:", self.name)];
        parts.extend(self.trigger.iter().map(|said| format!("(when {said})")));
        parts.extend(self.prerequisites.iter().map(|said| format!("(needs {said})")));
        parts.extend(self.steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)));
        parts.extend(self.warnings.iter().map(|said| format!("(warning: {said})")));
        parts.join(" ")
    }
}

/// The procedure that a text tells, if it tells one: a name or a purpose, and two steps at least.
pub fn read(text: &str) -> Option<Procedure> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let mut procedure = Procedure::default();
    let mut body = Vec::new();
    for sentence in sentences(text.trim()) {
        match marked(sentence).or_else(|| aside(sentence)) {
            Some((WHEN, said)) => procedure.trigger = Some(said.to_owned()),
            Some((NEEDS, said)) => procedure.prerequisites.push(said.to_owned()),
            Some((_, said)) => procedure.warnings.push(said.to_owned()),
            None => body.push(sentence),
        }
    }
    let body = body.join("\n");
    let (begins, steps) = numbered(&body).or_else(|| sequence(&body)).or_else(|| listed(&body))?;
    let (name, trigger) = head(begins);
    procedure.trigger = procedure.trigger.or(trigger);
    procedure.name = if name.is_empty() { procedure.trigger.clone()? } else { name };
    procedure.steps = steps;
    (procedure.steps.len() >= STEPS_MIN).then_some(procedure)
}

/// Lines, and the sentences of a line. A number with its full stop opens a step and ends nothing.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut start = 0;
        for (at, _) in line.match_indices(". ") {
            let before = &line[start..at];
            let numbers = before.rsplit(' ').next().unwrap_or(before);
            let is_number = !numbers.is_empty() && numbers.chars().all(|c| c.is_ascii_digit());
            let goes_on = line[at + 2..].chars().next().is_some_and(char::is_lowercase);
            if !is_number && !goes_on {
                found.push(line[start..=at].trim());
                start = at + 2;
            }
        }
        found.push(line[start..].trim());
    }
    found.retain(|one| !one.is_empty());
    found
}

/// A line that says what sort of part it is.
fn marked(line: &str) -> Option<(&'static str, &str)> {
    let (mark, said) = line.trim().split_once(':')?;
    let part = match mark.trim().to_lowercase().as_str() {
        "when" | "trigger" => WHEN,
        "needs" | "need" | "requires" | "prerequisite" | "prerequisites" | "before" => NEEDS,
        "warning" | "warnings" | "caution" | "careful" | "watch out" => WARNING,
        _ => return None,
    };
    let said = said.trim();
    (!said.is_empty()).then_some((part, said))
}

/// A sentence that is no step: what is needed, and what must not be done.
fn aside(sentence: &str) -> Option<(&'static str, &str)> {
    let said = sentence.trim().trim_end_matches('.');
    let small = said.to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| small.starts_with(word));
    if begins(&[
        "never ",
        "don't ",
        "don’t ",
        "do not ",
        "careful",
        "be careful",
        "watch out",
        "beware",
    ]) {
        return Some((WARNING, said));
    }
    if begins(&[
        "you need ",
        "it needs ",
        "this needs ",
        "it requires ",
        "requires ",
        "make sure ",
        "needs ",
    ]) {
        return Some((NEEDS, said));
    }
    None
}

/// Steps with numbers before them, in lines or in a row.
fn numbered(body: &str) -> Option<(&str, Vec<String>)> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut wanted = 1;
    let mut from = 0;
    while let Some((at, end)) = number_at(body, from, wanted) {
        starts.push((at, end));
        (from, wanted) = (end, wanted + 1);
    }
    let (first, _) = *starts.first()?;
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([body.len()]);
    let steps: Vec<String> =
        starts.iter().zip(ends).map(|((_, from), to)| tidy(&body[*from..to])).collect();
    (starts.len() >= STEPS_MIN && steps.iter().all(|one| !one.is_empty()))
        .then(|| (body[..first].trim(), steps))
}

/// Where `wanted` stands as the number of a step: "2.", "2)" or "(2)".
fn number_at(body: &str, from: usize, wanted: usize) -> Option<(usize, usize)> {
    let digits = wanted.to_string();
    body[from..].match_indices(&digits).map(|(at, _)| from + at).find_map(|at| {
        let before = body[..at].chars().next_back();
        let opens = before == Some('(');
        let after = body[at + digits.len()..].chars().next();
        let closed = after.is_some_and(|c| matches!(c, '.' | ')')) || opens && after == Some(')');
        let end = at + digits.len() + 1;
        let spaced = body.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        let apart = before.is_none_or(|c| c.is_whitespace() || c == '(');
        (closed && spaced && apart).then(|| (at - usize::from(opens), end))
    })
}

/// What goes between two steps that are told one after the other.
const THEN: &[&str] = &[
    ", and then ",
    "; and then ",
    ", then ",
    "; then ",
    ". Then ",
    ".\nThen ",
    "\nThen ",
    " and then ",
    ", finally ",
    "; finally ",
    ". Finally ",
    ".\nFinally ",
    "\nFinally ",
    ", finally, ",
    ". Finally, ",
    "\nFinally, ",
    ", after that ",
    ". After that ",
    "\nAfter that ",
    "\nAfter that, ",
    ". Next ",
    "\nNext ",
    "\nNext, ",
    ", next ",
    " then ",
];

/// Steps told with "first … then …".
fn sequence(body: &str) -> Option<(&str, Vec<String>)> {
    let small = body.to_lowercase();
    // Lower-casing may move letters; then nothing is cut.
    if small.len() != body.len() {
        return None;
    }
    let (begins, rest) = match small.find("first ").filter(|at| is_apart(&small, *at)) {
        Some(at) => (&body[..at], body[at + "first ".len()..].trim_start_matches([',', ' '])),
        None => {
            let colon = body.find(": ")?;
            (&body[..=colon], &body[colon + 2..])
        }
    };
    let mut steps = vec![rest.to_owned()];
    for mark in THEN {
        steps = steps.iter().flat_map(|step| step.split(mark)).map(str::to_owned).collect();
    }
    let steps: Vec<String> = steps.iter().map(|step| tidy(step)).collect();
    (steps.len() >= STEPS_MIN && steps.iter().all(|step| !step.is_empty()))
        .then_some((begins.trim(), steps))
}

fn is_apart(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric())
}

/// Three steps or more with commas or lines between them, behind a colon.
fn listed(body: &str) -> Option<(&str, Vec<String>)> {
    const LISTED_MIN: usize = 3;
    let colon = body.find(':')?;
    let (begins, rest) = (&body[..=colon], body[colon + 1..].trim());
    let mark = if rest.contains('\n') {
        "\n"
    } else if rest.contains(';') {
        ";"
    } else {
        ", "
    };
    let steps: Vec<String> = rest.split(mark).map(tidy).filter(|step| !step.is_empty()).collect();
    (steps.len() >= LISTED_MIN).then_some((begins.trim(), steps))
}

/// What the beginning of a procedure says: what is done, and when.
fn head(begins: &str) -> (String, Option<String>) {
    let begins = begins.trim().trim_end_matches([':', ',', '.']).trim();
    let small = begins.to_lowercase();
    if small.len() == begins.len() {
        for word in ["whenever ", "when ", "if ", "before ", "after "] {
            if small.starts_with(word) {
                let said = begins.split_once(',').map_or(begins, |(said, _)| said);
                let trigger =
                    if matches!(word, "before " | "after ") { said } else { &said[word.len()..] };
                let rest = begins[said.len()..].trim_start_matches([',', ' ']);
                return (name_of(rest), Some(trigger.trim().to_owned()));
            }
        }
    }
    (name_of(begins), None)
}

/// A name without the words that only introduce it.
fn name_of(begins: &str) -> String {
    let mut name = begins.trim();
    for lead in [
        "to ",
        "how to ",
        "here is how to ",
        "here's how to ",
        "steps to ",
        "steps for ",
        "procedure for ",
    ] {
        if name.is_char_boundary(lead.len().min(name.len()))
            && name.len() > lead.len()
            && name[..lead.len()].eq_ignore_ascii_case(lead)
        {
            name = &name[lead.len()..];
            break;
        }
    }
    for end in [" works like this", " is done like this", " goes like this"] {
        name = name.strip_suffix(end).unwrap_or(name);
    }
    name.trim().to_owned()
}

/// A step without the signs around it.
fn tidy(step: &str) -> String {
    let words: Vec<&str> = step.split_whitespace().collect();
    let step = words.join(" ");
    let step = step.trim_start_matches(['-', '*', '•', ' ']);
    step.trim_end_matches(['.', ',', ';', ' ']).to_owned()
}

/// Whether a person tells how something is always done here, by the words that open it: "Deploying works like
/// this: …", "Here is how we release: …". What is only to be done now does not begin so.
pub fn is_told(text: &str) -> bool {
    let begins = text.split([':', '\n']).next().unwrap_or_default().trim().to_lowercase();
    let opens = [
        "here is how we ",
        "here's how we ",
        "this is how we ",
        "how we ",
        "steps to ",
        "the steps to ",
        "steps for ",
        "our process for ",
        "our procedure for ",
        "runbook for ",
        "the procedure for ",
        "procedure for ",
        "procedure to ",
    ];
    let ends = [
        " works like this",
        " is done like this",
        " goes like this",
        " works as follows",
        " is done as follows",
    ];
    let told = opens.iter().any(|one| begins.starts_with(one))
        || ends.iter().any(|one| begins.ends_with(one));
    told && text.contains(':') && read(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<String> {
        read(text).unwrap_or_else(|| panic!("no procedure: {text}")).steps
    }

    #[test]
    fn first_and_then_are_steps() {
        let text =
            "To deploy: first run make build, then make push, then kubectl rollout restart web.";
        let told = read(text).unwrap();
        assert_eq!(told.name, "deploy");
        assert_eq!(told.steps, ["run make build", "make push", "kubectl rollout restart web"]);
        assert_eq!(
            told.in_one_line(),
            "deploy: 1. run make build 2. make push 3. kubectl rollout restart web"
        );
    }

    #[test]
    fn numbers_in_a_row_or_in_lines_are_steps() {
        let row = "Deploying works like this: 1. run make build 2. run make push 3. tell Dana";
        assert_eq!(steps(row), ["run make build", "run make push", "tell Dana"]);
        assert_eq!(read(row).unwrap().name, "Deploying");
        assert!(is_told(row));
        let lines =
            "Steps to rotate the key:\n1) make one\n2) put it in the vault\n3) restart v1.2 pods";
        assert_eq!(steps(lines), ["make one", "put it in the vault", "restart v1.2 pods"]);
    }

    #[test]
    fn what_is_needed_and_what_to_watch_out_for_are_no_steps() {
        let told = read(
            "When you release, first tag the commit, then push it. You need the hardware key. \
             Never release on a Friday.",
        )
        .unwrap();
        assert_eq!(told.trigger.as_deref(), Some("you release"));
        assert_eq!(told.steps, ["tag the commit", "push it"]);
        assert_eq!(told.prerequisites, ["You need the hardware key"]);
        assert_eq!(told.warnings, ["Never release on a Friday"]);
    }

    #[test]
    fn commas_behind_a_colon_are_steps_from_three_on() {
        let told = "To flash a unit: hold the left key, plug in the cable, run `west flash`.";
        assert_eq!(steps(told), ["hold the left key", "plug in the cable", "run `west flash`"]);
        assert_eq!(read("Staging: Postgres 16, Redis 7"), None);
    }

    #[test]
    fn a_plain_claim_is_no_procedure() {
        for text in [
            "We use Postgres 16.",
            "First of all, thanks",
            "Version 1.2 came before 2.0",
            "If it rains, we stay in",
            "",
            ":",
            "1. only one",
        ] {
            assert_eq!(read(text), None, "{text}");
            assert!(!is_told(text), "{text}");
        }
    }

    #[test]
    fn an_order_for_now_is_not_told_as_a_procedure() {
        assert!(!is_told("To fix this: first read src/a.rs, then change b, then run the tests"));
        assert!(is_told("Here is how we release: tag it, push it, tell Dana"));
    }
}
