//! Members: the people who share a space on a server.

/// Standing: what a person may do in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Sees everything, changes nothing.
    Reader,
    /// Sees and writes.
    Member,
    /// Also decides who else does.
    Owner,
    /// The one person whose own space it is.
    Own,
}

impl Standing {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Member => "member",
            Self::Owner => "owner",
            Self::Own => "self",
        }
    }

    /// The standing with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Reader, Self::Member, Self::Owner, Self::Own]
            .into_iter()
            .find(|one| one.as_str() == name)
    }
}

/// Member of a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The person, by their database role.
    pub role: String,
    /// What they may do.
    pub standing: Standing,
}
