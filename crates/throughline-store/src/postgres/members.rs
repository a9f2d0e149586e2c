//! Who may see a space, as the server keeps it.

use throughline_core::SpaceId;
use tokio_postgres::types::Type;

use super::PgStore;
use super::lease::Wire;
use super::rows::PgTables;
use crate::member::{Member, MemberList, MemberStanding};
use crate::{Error, Result};

impl<L: Wire> PgTables<L> {
    /// Members of a space, as far as whoever asks may know them: an owner sees all, others themselves.
    pub(super) fn members_of(&self, space: SpaceId) -> Result<Vec<Member>> {
        let sql = "SELECT role, standing FROM member WHERE space = $1 ORDER BY role";
        let rows = self.link.query(sql, &[(&self.wall(space), Type::INT8)])?;
        let member = |row: &tokio_postgres::Row| {
            let standing = MemberStanding::named(row.get(1))?;
            Some(Member { role: row.get(0), standing })
        };
        Ok(rows.iter().filter_map(member).collect())
    }
}

impl MemberList for PgStore {
    fn members(&self, space: SpaceId) -> Result<Vec<Member>> {
        let (lease, _) = self.begun("BEGIN")?;
        PgTables::new(&*lease).members_of(space)
    }

    fn put_member(&self, space: SpaceId, member: &Member) -> Result<()> {
        if space == SpaceId::GLOBAL || member.standing == MemberStanding::Own {
            return Err(self.denied("what holds everywhere for you is yours alone"));
        }
        let (lease, _) = self.begun("BEGIN")?;
        let wall = PgTables::new(&*lease).wall(space);
        let known = lease.query(
            "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)",
            &[(&member.role, Type::TEXT)],
        )?;
        if !known[0].get::<_, bool>(0) {
            return Err(self.denied(&format!("it has no role {:?}", member.role)));
        }
        lease.query(
            "INSERT INTO member (space, role, standing) VALUES ($1, $2, $3)
             ON CONFLICT (space, role) DO UPDATE SET standing = excluded.standing",
            &[
                (&wall, Type::INT8),
                (&member.role, Type::TEXT),
                (&member.standing.as_str(), Type::TEXT),
            ],
        )?;
        lease.simple("COMMIT")?;
        lease.give_back();
        Ok(())
    }

    fn remove_member(&self, space: SpaceId, role: &str) -> Result<bool> {
        let (lease, _) = self.begun("BEGIN")?;
        let wall = PgTables::new(&*lease).wall(space);
        let gone = lease.query(
            "DELETE FROM member WHERE space = $1 AND role = $2 RETURNING role",
            &[(&wall, Type::INT8), (&role, Type::TEXT)],
        )?;
        lease.simple("COMMIT")?;
        lease.give_back();
        Ok(!gone.is_empty())
    }
}

impl PgStore {
    fn denied(&self, why: &str) -> Error {
        Error::Denied { server: self.name().to_owned(), why: why.to_owned() }
    }
}
