//! Where files cannot be opened below an open folder, none is read: better no word than a wrong one.

use std::marker::PhantomData;
use std::path::Path;

use super::{Found, Obstacle};
use crate::content::Content;
use crate::{Deadline, World};

pub(crate) struct Ground<'w>(PhantomData<&'w World>);

impl<'w> Ground<'w> {
    pub(crate) fn open(_world: &'w World) -> Result<Self, Obstacle> {
        Err(Obstacle::Unreadable)
    }

    pub(crate) fn find(&mut self, _path: &Path) -> Result<Found, Obstacle> {
        Err(Obstacle::Unreadable)
    }

    pub(crate) fn read(&mut self, _found: &Found, _end: Deadline) -> Result<Content, Obstacle> {
        Err(Obstacle::Unreadable)
    }

    pub(crate) fn root(&self) -> &Path {
        Path::new("")
    }
}
