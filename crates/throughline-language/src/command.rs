//! Command lines: what a shell would run, step by step.
//!
//! No shell: nothing is expanded. Quotation marks, operators, redirections, assignments and programs
//! that only start another one are taken apart, so that whoever asks which program runs with which
//! words is not told about a word of a message.

mod token;

use token::{CommandToken, tokens};

/// Longer lines are data.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// Steps of one line that are looked at.
const STEPS_MAX: usize = 64;
/// How deep one line may stand in another: `sudo bash -c "…"`.
const DEPTH_MAX: usize = 4;

/// One program that a line runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramRun {
    /// The program as it is called.
    pub program: String,
    /// What it is given, without quotation marks. A text is none of them: `-m "fix"`.
    pub words: Vec<String>,
    /// The files that its output is put into.
    pub into: Vec<String>,
}

impl ProgramRun {
    /// The program without the folder that it lies in.
    pub fn name(&self) -> &str {
        self.program.rsplit('/').next().unwrap_or(&self.program)
    }

    /// Whether it only shows or searches text.
    pub fn only_shows(&self) -> bool {
        let in_place = self.name() == "sed" && self.words.iter().any(|word| is_in_place(word));
        let line = std::iter::once(self.name()).chain(self.words.iter().map(String::as_str));
        let line: Vec<&str> = line.filter(|word| !word.contains(['|', ';', '&', '\n'])).collect();
        !in_place
            && !self.makes()
            && self.into.is_empty()
            && crate::gate::only_shows(&line.join(" "))
    }
}

impl ProgramRun {
    /// Whether it makes something with a program that else shows: `git tag v1`, `gh pr create`.
    fn makes(&self) -> bool {
        const LOOKS: &[&str] =
            &["list", "view", "status", "diff", "checks", "api", "search", "auth"];
        let told: Vec<&str> = self.words.iter().map(String::as_str).collect();
        match (self.name(), &told[..]) {
            ("git", ["tag" | "branch", rest @ ..]) => rest.iter().any(|one| !one.starts_with('-')),
            ("gh", [what, does, ..]) => !LOOKS.contains(what) && !LOOKS.contains(does),
            _ => false,
        }
    }
}

/// `-i`, `-i.bak`, `--in-place`.
fn is_in_place(word: &str) -> bool {
    word.starts_with("-i") || word.starts_with("--in-place")
}

/// The programs that a line runs, in their order. One that is started by another follows it:
/// `npx eslint .` is `npx` and `eslint`.
pub fn steps(line: &str) -> Vec<ProgramRun> {
    let mut steps = Vec::new();
    read(throughline_core::text::cut(line, LINE_BYTES_MAX), 0, &mut steps);
    steps.truncate(STEPS_MAX);
    steps
}

fn read(line: &str, depth: usize, steps: &mut Vec<ProgramRun>) {
    let mut words: Vec<(String, bool)> = Vec::new();
    let mut into = Vec::new();
    for token in tokens(line) {
        match token {
            CommandToken::Word { text, quoted } => words.push((text, quoted)),
            CommandToken::Into(file) => into.push(file),
            CommandToken::End => {
                step(std::mem::take(&mut words), std::mem::take(&mut into), depth, steps);
            }
        }
        if steps.len() >= STEPS_MAX {
            return;
        }
    }
    step(words, into, depth, steps);
}

/// Words of a shell's own that stand before a program.
const KEYWORDS: &[&str] = &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}"];
/// Programs that run what follows them and nothing else.
const WRAPPERS: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "nohup",
    "time",
    "nice",
    "ionice",
    "timeout",
    "exec",
    "command",
    "stdbuf",
    "xargs",
    "setsid",
    "caffeinate",
];
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "fish"];
/// Programs that fetch another one and run it.
const RUNNERS: &[&str] = &["npx", "bunx", "uvx", "pnpx"];
/// What a program is told in order to run another one.
const RUNS: &[&str] = &["run", "exec", "dlx", "x", "-m", "run-script"];

fn step(words: Vec<(String, bool)>, into: Vec<String>, depth: usize, steps: &mut Vec<ProgramRun>) {
    let mut rest = words.into_iter().skip_while(|(word, quoted)| {
        !quoted && (KEYWORDS.contains(&word.as_str()) || is_assignment(word))
    });
    let Some((program, _)) = rest.next() else {
        if !into.is_empty() {
            steps.push(ProgramRun { into, ..ProgramRun::default() });
        }
        return;
    };
    let rest: Vec<(String, bool)> = rest.collect();
    let name = program.rsplit('/').next().unwrap_or(&program).to_owned();
    if depth < DEPTH_MAX && WRAPPERS.contains(&name.as_str()) {
        return step(unwrapped(rest), into, depth + 1, steps);
    }
    if depth < DEPTH_MAX
        && SHELLS.contains(&name.as_str())
        && let Some(line) = handed_line(&rest)
    {
        return read(&line, depth + 1, steps);
    }
    let mut after_option = false;
    let said = rest.iter().filter(|(word, quoted)| {
        let of_option = std::mem::replace(&mut after_option, word.starts_with('-'));
        !(*quoted && (of_option || word.contains(char::is_whitespace)))
    });
    let words: Vec<String> = said.map(|(word, _)| word.clone()).collect();
    steps.push(ProgramRun { program, words, into });
    if depth < DEPTH_MAX {
        let after = if RUNNERS.contains(&name.as_str()) {
            Some(rest)
        } else {
            let runs = rest.first().is_some_and(|(word, _)| RUNS.contains(&word.as_str()));
            runs.then(|| rest[1..].to_vec())
        };
        let inner = after.map(unwrapped).unwrap_or_default();
        if inner.first().is_some_and(|(word, _)| is_name(word)) {
            step(inner, Vec::new(), depth + 1, steps);
        }
    }
}

/// What a wrapper runs: its own options, their numbers and assignments are left out.
fn unwrapped(words: Vec<(String, bool)>) -> Vec<(String, bool)> {
    let own = |word: &str| {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        word.starts_with('-') || number || is_assignment(word)
    };
    let mut takes_value = false;
    let skipped = words.iter().take_while(|(word, _)| {
        let value =
            std::mem::replace(&mut takes_value, matches!(word.as_str(), "-u" | "-g" | "-p"));
        own(word) || value
    });
    let count = skipped.count();
    words.into_iter().skip(count).collect()
}

/// The line that a shell is handed: `bash -c "…"`. Some hosts leave the quotation marks out.
fn handed_line(rest: &[(String, bool)]) -> Option<String> {
    let option =
        |word: &str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let at = rest.iter().position(|(word, _)| option(word))?;
    let (first, quoted) = rest.get(at + 1)?;
    if *quoted {
        return Some(first.clone());
    }
    let words: Vec<&str> = rest[at + 1..].iter().map(|(word, _)| word.as_str()).collect();
    Some(words.join(" "))
}

/// `NAME=value` before a command.
pub(crate) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether a word may be the name of a program or of a script.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '@'))
        && word.chars().all(|c| c.is_alphanumeric() || "._/-+@:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Vec<String> {
        let told = |step: &ProgramRun| {
            let words = step.words.join(" ");
            format!("{} {words}", step.program).trim().to_owned()
        };
        steps(line).iter().map(told).collect()
    }

    #[test]
    fn a_line_is_taken_apart_at_its_operators_and_nowhere_else() {
        assert_eq!(run("cd web && npm i; ls | head -3"), ["cd web", "npm i", "ls", "head -3"]);
        assert_eq!(run("git commit -m \"npm && yarn\""), ["git commit -m"]);
        assert_eq!(run("echo 'a;b' \"c|d\""), ["echo a;b c|d"]);
        assert_eq!(run("make build &\nmake deploy"), ["make build", "make deploy"]);
        assert_eq!(run("npm ci 2>&1 | tee out.log"), ["npm ci", "tee out.log"]);
        assert_eq!(run("npm \\\n  install"), ["npm install"]);
        assert_eq!(run("# npm install\nls"), ["ls"]);
        assert_eq!(run("echo $(npm bin)"), ["echo", "npm bin"]);
    }

    #[test]
    fn what_only_starts_another_program_is_passed_over() {
        assert_eq!(run("CI=1 sudo -u web npm install"), ["npm install"]);
        assert_eq!(run("env -i A=1 timeout 60 yarn"), ["yarn"]);
        assert_eq!(run("bash -c 'cd x && npm i'"), ["cd x", "npm i"]);
        assert_eq!(run("bash -lc npm install"), ["npm install"]);
        assert_eq!(run("npx -y eslint ."), ["npx -y eslint .", "eslint ."]);
        assert_eq!(
            run("npm run deploy -- --prod"),
            ["npm run deploy -- --prod", "deploy -- --prod"]
        );
        assert_eq!(run("if true; then npm i; fi"), ["true", "npm i", "fi"]);
    }

    #[test]
    fn what_is_written_to_a_file_is_no_command() {
        let written = steps("cat > src/a.ts <<'EOF'\nnpm install\nEOF\nls");
        assert_eq!(written[0].into, ["src/a.ts"]);
        assert!(!written[0].only_shows());
        let names: Vec<&str> = written.iter().map(ProgramRun::name).collect();
        assert_eq!(names, ["cat", "ls"]);
        assert!(steps("sed -n 1,3p a.ts")[0].only_shows());
        assert!(!steps("sed -i s/a/b/ a.ts")[0].only_shows());
        assert!(steps("git tag -l")[0].only_shows() && !steps("git tag v1.2")[0].only_shows());
        assert!(steps("gh pr view 4")[0].only_shows() && !steps("gh pr merge 4")[0].only_shows());
    }

    #[test]
    fn an_unfinished_line_ends_where_it_ends() {
        for line in ["", "   ", "\"", "echo 'a", "cat <<EOF\nnever closed", "a >", "$(", "\\"] {
            assert!(steps(line).len() <= 2, "{line:?}");
        }
    }
}
