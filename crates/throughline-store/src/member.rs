//! Members: the people who share a space on a server.

use throughline_core::SpaceId;

use crate::Result;

/// Member standing: what a person may do in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberStanding {
    /// Sees everything, changes nothing.
    Reader,
    /// Sees and writes.
    Member,
    /// Also decides who else does.
    Owner,
    /// The one person whose own space it is.
    Own,
}

impl MemberStanding {
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
    pub standing: MemberStanding,
}

/// Member list: who shares the spaces of a server, and what each may do.
pub trait MemberList {
    /// Members of a space, as far as whoever asks may know them: an owner sees all, others themselves.
    fn members(&self, space: SpaceId) -> Result<Vec<Member>>;

    /// Lets a person into a space, or changes what they may do there.
    fn put_member(&self, space: SpaceId, member: &Member) -> Result<()>;

    /// Takes a person out of a space. Whether they were in it, as far as whoever asks may know.
    fn remove_member(&self, space: SpaceId, role: &str) -> Result<bool>;
}
