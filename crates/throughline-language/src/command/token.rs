//! The words and operators of a command line.

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandToken {
    /// A word without its quotation marks.
    Word { text: String, quoted: bool },
    /// The file that output is put into.
    Into(String),
    /// One step ends here.
    End,
}

/// What the next word is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    Into,
    /// Where input comes from, or what is handed in.
    From,
    /// How a text that is handed in ends.
    Ends,
}

/// The parts of a line, in their order.
pub(super) fn tokens(line: &str) -> Vec<CommandToken> {
    let mut reader = TokenScanner {
        rest: line,
        word: String::new(),
        begun: false,
        quoted: false,
        next: Next::Word,
        ends: Vec::new(),
        tokens: Vec::new(),
    };
    while reader.read() {}
    reader.end_word();
    reader.tokens
}

struct TokenScanner<'a> {
    rest: &'a str,
    word: String,
    begun: bool,
    quoted: bool,
    next: Next,
    /// How the texts end that follow this line.
    ends: Vec<String>,
    tokens: Vec<CommandToken>,
}

impl TokenScanner<'_> {
    /// Reads on; `false` at the end.
    fn read(&mut self) -> bool {
        let Some(c) = self.rest.chars().next() else { return false };
        self.rest = &self.rest[c.len_utf8()..];
        match c {
            '\\' => self.escaped(),
            '\'' | '"' => self.quotation(c),
            '\n' => self.end_line(),
            '#' if !self.begun => self.rest = self.rest.trim_start_matches(|c| c != '\n'),
            '$' if self.rest.starts_with('(') => {}
            ';' | '|' | '(' | ')' | '`' => self.end_step(),
            '&' if self.rest.starts_with('>') => self.end_word(),
            '&' => self.end_step(),
            '>' => self.output(),
            '<' => self.input(),
            c if c.is_whitespace() => self.end_word(),
            c => self.push_char(c),
        }
        true
    }

    fn push_char(&mut self, c: char) {
        self.begun = true;
        self.word.push(c);
    }

    fn escaped(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        self.rest = &self.rest[c.len_utf8()..];
        if c != '\n' {
            self.push_char(c);
        }
    }

    fn quotation(&mut self, mark: char) {
        (self.begun, self.quoted) = (true, true);
        let mut escaped = false;
        for (at, c) in self.rest.char_indices() {
            if escaped {
                escaped = false;
            } else if c == mark {
                self.rest = &self.rest[at + c.len_utf8()..];
                return;
            } else if c == '\\' && mark == '"' {
                escaped = true;
                continue;
            }
            self.word.push(c);
        }
        self.rest = "";
    }

    /// `>`, `>>`, `2>&1`.
    fn output(&mut self) {
        if self.word.chars().all(|c| c.is_ascii_digit()) {
            self.word.clear();
            self.begun = false;
        }
        self.end_word();
        self.rest = self.rest.trim_start_matches(['>', '|']);
        if let Some(rest) = self.rest.strip_prefix('&') {
            self.rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
        } else {
            self.next = Next::Into;
        }
    }

    /// `<`, `<<EOF`, `<<<`.
    fn input(&mut self) {
        self.end_word();
        if let Some(rest) = self.rest.strip_prefix("<<") {
            (self.rest, self.next) = (rest, Next::From);
        } else if let Some(rest) = self.rest.strip_prefix('<') {
            self.rest = rest.strip_prefix('-').unwrap_or(rest);
            self.next = Next::Ends;
        } else if !self.rest.starts_with('(') {
            self.next = Next::From;
        }
    }

    fn end_word(&mut self) {
        if !self.begun {
            return;
        }
        let text = std::mem::take(&mut self.word);
        let quoted = std::mem::take(&mut self.quoted);
        self.begun = false;
        match std::mem::replace(&mut self.next, Next::Word) {
            Next::Word => self.tokens.push(CommandToken::Word { text, quoted }),
            Next::Into => self.tokens.push(CommandToken::Into(text)),
            Next::From => {}
            Next::Ends => self.ends.push(text),
        }
    }

    fn end_step(&mut self) {
        self.end_word();
        self.next = Next::Word;
        self.tokens.push(CommandToken::End);
    }

    fn end_line(&mut self) {
        self.end_step();
        for end in std::mem::take(&mut self.ends) {
            let mut left = self.rest;
            while !left.is_empty() {
                let (line, after) = left.split_once('\n').unwrap_or((left, ""));
                left = after;
                if line.trim() == end {
                    break;
                }
            }
            self.rest = left;
        }
    }
}
