//! Many things at once.

use throughline_core::watermark::Reading;
use throughline_watch::Binding;

use crate::{Project, file, flag, lines, settle};

#[test]
fn each_file_is_opened_once_however_much_hangs_on_it() {
    let project = Project::new();
    let world = project.world();
    for at in 0..20 {
        project.write(&format!("src/{}/{at}.toml", at % 4), format!("a = {at}\nb = 2\nc = 3\n"));
    }
    let stamp_all = || {
        let mut all = Vec::new();
        for at in 0..20 {
            let path = format!("src/{}/{at}.toml", at % 4);
            all.push(project.stamp(&file(&path)));
            for line in 1..=3 {
                all.push(project.stamp(&lines(&path, line, line)));
            }
            all.push(project.stamp(&flag(&format!("{path}#a"))));
        }
        all
    };
    let fresh = stamp_all();
    let bindings: Vec<Binding<'_>> = fresh
        .iter()
        .map(|stamped| Binding { referent: &stamped.referent, stamp: &stamped.stamp })
        .collect();
    let looks = world.look(&bindings);
    assert!(looks.iter().all(|look| look.reading == Reading::Unchanged));
    assert_eq!(world.files_opened(), 20, "written a moment ago, so all are read");

    settle();
    let settled = stamp_all();
    let bindings: Vec<Binding<'_>> = settled
        .iter()
        .map(|stamped| Binding { referent: &stamped.referent, stamp: &stamped.stamp })
        .collect();
    let looks = world.look(&bindings);
    assert!(looks.iter().all(|look| look.reading == Reading::Unchanged));
    assert_eq!(world.files_opened(), 20, "none is read again");

    project.write("src/3/7.toml", "a = 7\nb = 2\nchanged\n");
    let looks = world.look(&bindings);
    assert_eq!(world.files_opened(), 21, "only the one that was written to");
    let readings: Vec<Reading> = looks[35..40].iter().map(|look| look.reading).collect();
    assert_eq!(
        readings,
        [
            Reading::Moved,
            Reading::FileChanged,
            Reading::FileChanged,
            Reading::Moved,
            Reading::Unknown
        ]
    );
    assert!(looks[40..].iter().all(|look| look.reading == Reading::Unchanged));
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let project = Project::new();
    project.write("z.txt", "one");
    project.write("a.txt", "one");
    project.write("a.toml", "key = 1");
    let stamped = [file("z.txt"), flag("a.toml#key"), file("a.txt")].map(|one| project.stamp(&one));
    project.remove("z.txt");
    project.write("a.toml", "key = 2");
    let bindings = stamped
        .each_ref()
        .map(|stamped| Binding { referent: &stamped.referent, stamp: &stamped.stamp });
    let readings: Vec<Reading> =
        project.world().look(&bindings).iter().map(|look| look.reading).collect();
    assert_eq!(readings, [Reading::Missing, Reading::Moved, Reading::Unchanged]);
    assert!(project.world().look(&[]).is_empty());
}
