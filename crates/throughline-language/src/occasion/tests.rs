//! Rules in the words of people, held against what is about to be done.

use super::*;
use throughline_core::event::ToolCall;

fn runs(line: &str) -> Doing {
    let call = ToolCall { tool: "Bash".into(), command: Some(line.into()), ..ToolCall::default() };
    Doing::by_call(&call, Some("/home/dev/webshop"))
}

fn edits(file: &str) -> Doing {
    let files = vec![format!("/home/dev/webshop/{file}")];
    let call = ToolCall { tool: "Edit".into(), files, writes: true, ..ToolCall::default() };
    Doing::by_call(&call, Some("/home/dev/webshop"))
}

fn told(kind: Kind, rule: &str, doing: &Doing) -> bool {
    fit(kind, rule, doing).is_some()
}

/// A rule, what is about to be done (`edit FILE` or a command line), and whether the rule is said.
type Pair = (&'static str, &'static str, bool);

const PAIRS: &[Pair] = &[
    // Programs.
    ("we use pnpm here, never npm or yarn", "npm install", true),
    ("we use pnpm here, never npm or yarn", "cd web && npm i left-pad", true),
    ("we use pnpm here, never npm or yarn", "yarn add zod", true),
    ("we use pnpm here, never npm or yarn", "pnpm install", false),
    ("we use pnpm here, never npm or yarn", "ls pnpm-lock.yaml", false),
    ("we use pnpm here, never npm or yarn", "cat npm-debug.log", false),
    ("we use pnpm here, never npm or yarn", "git commit -m 'drop npm and yarn'", false),
    ("we use pnpm here, never npm or yarn", "echo npm install", false),
    ("we use pnpm here, never npm or yarn", "which npm", false),
    ("we use pnpm here, never npm or yarn", "rm -rf node_modules", false),
    ("Please don't run npm in this repo, it's pnpm all the way", "sudo npm ci", true),
    ("Please don't run npm in this repo, it's pnpm all the way", "pnpm -r build", false),
    ("pip is off limits, everything goes through uv", "python -m pip install requests", true),
    ("pip is off limits, everything goes through uv", "uv sync", false),
    ("went with uv instead of pip for everything python", "pip install httpx", true),
    ("went with uv instead of pip for everything python", "uv add httpx", false),
    ("psql against prod goes through the bastion only", "psql -h prod-db -c 'select 1'", true),
    ("use rg for searching, not grep", "grep -rn TODO src", true),
    ("use rg for searching, not grep", "rg TODO src", false),
    ("docker needs the corporate proxy set or pulls hang", "docker pull redis:7", true),
    ("the team likes short functions and no globals", "npm install", false),
    // What programs are told to do.
    ("deploys only Tue and Thu", "./deploy.sh prod", true),
    ("deploys only Tue and Thu", "make deploy", true),
    ("deploys only Tue and Thu", "npm run deploy", true),
    ("deploys only Tue and Thu", "fly deploy --remote-only", true),
    ("deploys only Tue and Thu", "make test", false),
    ("deploys only Tue and Thu", "cat deploy.sh", false),
    ("deploys only Tue and Thu", "pytest tests/test_deploy.py", false),
    ("we only deploy on Tuesdays and Thursdays", "scripts/deploy-web.sh", true),
    ("nobody pushes to main directly, everything goes through a PR", "git push origin main", true),
    ("never push to main", "git push origin main", true),
    ("never push to main", "git pull --rebase", false),
    ("never git push --force", "git push -f origin feature", true),
    ("never git push --force", "git push --force", true),
    ("never git push --force", "git push origin feature", false),
    ("never git push --force", "git status", false),
    ("no force-pushes please, other people build on these branches", "git push", false),
    ("never force-push", "git push --force origin x", true),
    ("no force pushes, ever", "git push -f", true),
    ("no force pushes, ever", "git push", false),
    ("never npm install, always npm ci", "npm install", true),
    ("never npm install, always npm ci", "npm ci", false),
    ("when you deploy, never skip the smoke tests", "make deploy", true),
    ("Friday deploys are forbidden", "make deploy", true),
    ("we dont deploy fridays ever", "make deploy", true),
    ("nothing gets merged without a QA sign-off", "git merge feature", true),
    ("terraform apply only happens from the pipeline, not even I run it", "terraform apply", true),
    ("commit messages in English please", "git commit -am 'x y'", true),
    ("the hack in src/cart/total.ts:40 stays until May", "edit src/cart/total.ts", true),
    ("please never delete a patient, only set inactive", "kubectl delete pod web-1", false),
    ("commits have to be signed", "git commit -m x", true),
    ("don't use moment, date-fns is enough", "npm i moment@2", true),
    ("don't use moment, date-fns is enough", "npm i date-fns", false),
    ("npm/yarn are not allowed here", "yarn", true),
    ("`make seed` drops the database, ask first", "make seed", true),
    ("`make seed` drops the database, ask first", "make lint", false),
    ("never commit .env", "git add .env", true),
    ("we run everything in docker, never on the host", "docker compose up", false),
    ("always rebase, never merge", "git merge main", true),
    ("always rebase, never merge", "git rebase main", false),
    ("run the linter before every commit", "git commit -m wip", true),
    ("run the linter before every commit", "git log --oneline", false),
    ("don't skip hooks with --no-verify", "git commit --no-verify -m x", true),
    ("don't skip hooks with --no-verify", "git commit -m x", false),
    ("cargo test always with --locked", "cargo test", true),
    ("cargo test always with --locked", "cargo test --locked", false),
    ("cargo test always with --locked", "cargo build", false),
    ("ask me before you run terraform apply", "terraform apply -auto-approve", true),
    ("ask me before you run terraform apply", "terraform plan", false),
    ("ask me before you run terraform apply", "kubectl apply -f web.yaml", false),
    ("publishing to crates.io is Ana's job", "cargo publish", true),
    ("migrations run at night, never during office hours", "bin/rails db:migrate", true),
    ("migrations run at night, never during office hours", "npm run db:migrate", true),
    (
        "kubectl delete wiped staging once because the context was wrong",
        "kubectl delete ns web",
        true,
    ),
    ("kubectl delete wiped staging once because the context was wrong", "kubectl get pods", false),
    ("lodash is not welcome in the frontend", "pnpm add lodash", true),
    ("ask me before touching prod", "kubectl --context prod scale deploy/web", true),
    // The same word in another meaning.
    ("push notifications go through Firebase", "git push", false),
    ("the checkout page must not use iframes", "git checkout -b fix", false),
    ("coupons apply only once per order", "terraform apply", false),
    ("we publish events to Kafka with a key", "npm publish", false),
    ("make sure that every query is parameterised", "make build", false),
    ("go easy on abstractions", "go build ./...", false),
    ("release notes are written in English", "make release", false),
    ("add a changelog entry when you add a feature", "git add .", false),
    // Places.
    ("ping Maria before touching src/billing", "edit src/billing/invoice.ts", true),
    ("ping Maria before touching `src/billing/`", "edit src/billing/tax/eu.ts", true),
    ("ping Maria before touching src/billing", "edit src/billing-old/invoice.ts", false),
    ("ping Maria before touching src/billing", "edit src/catalog/item.ts", false),
    ("ping Maria before touching src/billing", "edit docs/billing/readme.md", false),
    ("ping Maria before touching src/billing", "rm src/billing/old.ts", true),
    ("ping Maria before touching src/billing", "cat src/billing/invoice.ts", false),
    ("ping Maria before touching src/billing", "echo x > src/billing/a.ts", true),
    ("anything in the vendor folder is off limits", "edit vendor/acme/lib.go", true),
    ("anything in the vendor folder is off limits", "edit src/vendors.go", false),
    ("never edit migrations by hand", "edit db/migrations/0007_add.sql", true),
    ("never edit migrations by hand", "edit db/seeds.sql", false),
    ("*.generated.ts is written by codegen, don't edit it", "edit src/api.generated.ts", true),
    ("*.generated.ts is written by codegen, don't edit it", "edit src/api.ts", false),
    ("SQL in src/**/*.sql is reviewed by the DBAs", "edit src/db/q/orders.sql", true),
    ("SQL in src/**/*.sql is reviewed by the DBAs", "edit tools/q/orders.sql", false),
    ("schema.rb is generated, change a migration instead", "edit db/schema.rb", true),
    ("no println in src", "edit src/main.rs", false),
];

/// The same of several kinds.
const OF_KINDS: &[(Kind, &str, &str, bool)] = &[
    (
        Kind::Principle,
        "composer is banned on the server, run it locally and commit vendor",
        "composer update",
        true,
    ),
    (Kind::Principle, "Bun only. If you catch yourself typing node, stop.", "node server.js", true),
    (
        Kind::Preference,
        "I'd rather you didn't run prettier on the whole repo, only on files you changed",
        "npx prettier --write .",
        true,
    ),
    (
        Kind::Principle,
        "flyway clean is forbidden everywhere except localhost",
        "flyway clean",
        true,
    ),
    (
        Kind::Principle,
        "flyway clean is forbidden everywhere except localhost",
        "flyway migrate",
        false,
    ),
    (Kind::Principle, "db:reset nukes the shared dev database, don't", "bin/rails db:reset", true),
    (
        Kind::Negative,
        "eslint --fix broke the generated files last month",
        "npx eslint --fix src",
        true,
    ),
    (Kind::Negative, "eslint --fix broke the generated files last month", "npx eslint src", false),
    (
        Kind::Principle,
        "releases go out of the release branch, tagged and signed",
        "make release",
        true,
    ),
    (Kind::Principle, "no releases in December, the shop is frozen", "./release.sh 2.1", true),
    (
        Kind::Principle,
        "every PR needs the ticket number in its title",
        "gh pr create --title 'x y'",
        true,
    ),
    (Kind::Principle, "the Terraform state bucket is eu-central-1", "terraform init", false),
    (Kind::Fact, "our CI runs npm ci and then npm test", "npm test", false),
    (Kind::Fact, "staging deploys happen automatically on merge", "make deploy", false),
    (
        Kind::Principle,
        "proto files belong to the platform team, open a ticket before you edit them",
        "edit api/v1/user.proto",
        false,
    ),
    (
        Kind::Principle,
        "anything under packages/design-system needs a designer's approval",
        "edit packages/design-system/src/Button.tsx",
        true,
    ),
    (
        Kind::Principle,
        "anything under packages/design-system needs a designer's approval",
        "edit packages/web/src/Button.tsx",
        false,
    ),
    (
        Kind::Principle,
        "CODEOWNERS is maintained by a bot, hands off",
        "edit .github/CODEOWNERS",
        true,
    ),
    (Kind::Principle, "docs/adr is append-only", "edit docs/adr/0004-queue.md", true),
    (Kind::Principle, "docs/adr is append-only", "edit docs/adding.md", false),
    (
        Kind::Preference,
        "please keep Dockerfile and compose files free of secrets",
        "edit Dockerfile",
        true,
    ),
    (Kind::Principle, "tests must not talk to the network", "pytest -q", false),
    (
        Kind::Principle,
        "Kafka topics are created by Terraform, never by the app",
        "npm run build",
        false,
    ),
    (
        Kind::Principle,
        "never rebase a branch that somebody else has checked out",
        "git rebase -i main",
        true,
    ),
    (Kind::Principle, "squash before merging", "git merge --squash feature", true),
    (Kind::Principle, "we tag from main only, format vYYYY.MM.DD", "git tag v2026.03.02", true),
    (Kind::Preference, "use conventional commits", "git commit -m 'feat: x y'", true),
    (Kind::Principle, "log in JSON, never plain text", "git log -3", false),
    (Kind::Principle, "build artefacts never go into git", "cargo build", false),
    (Kind::Principle, "start every service with a health check", "npm start", false),
    (Kind::Principle, "helm upgrades need --atomic", "helm upgrade web ./chart", true),
    (Kind::Principle, "helm upgrades need --atomic", "helm upgrade web ./chart --atomic", false),
    (Kind::Principle, "Only Jonas restarts the printer spooler", "systemctl restart cups", false),
    (Kind::Principle, "don't kill the dev server on port 3000", "kill -9 4242", false),
    (
        Kind::Principle,
        "when you touch the payment code, run the contract tests",
        "edit src/payment/charge.go",
        true,
    ),
    (
        Kind::Principle,
        "never touch the payment provider's sandbox on Mondays",
        "edit src/cart/cart.go",
        false,
    ),
    (Kind::Decision, "we decided against Yarn because of the PnP mess", "yarn install", true),
    (Kind::Decision, "we dropped Jest for Vitest", "npx jest", true),
    (
        Kind::Principle,
        "conda is not to be used on the cluster, micromamba is installed",
        "conda env create -f env.yml",
        true,
    ),
    (
        Kind::Principle,
        "conda is not to be used on the cluster, micromamba is installed",
        "micromamba create -f env.yml",
        false,
    ),
    (Kind::Principle, "gradle wrapper only, don't call the system gradle", "gradle assemble", true),
    (Kind::Principle, "hands off the Makefile unless you ask Petr", "edit Makefile", true),
    (
        Kind::Principle,
        "ansible runs need --check first, every time",
        "ansible-playbook site.yml",
        false,
    ),
    (Kind::Principle, "never run rake db:drop on the shared box", "bundle exec rake db:drop", true),
    (Kind::Preference, "i prefer httpie over curl in examples", "curl -s localhost:3000", false),
    (Kind::Principle, "no direct pushes to develop", "git push origin develop", true),
    (Kind::Principle, "no direct pushes to develop", "git push origin feature/a", false),
    (
        Kind::Principle,
        "you must bump the chart version before helm package",
        "helm package chart",
        true,
    ),
    (
        Kind::Principle,
        "everything in config/prod needs two reviewers",
        "edit config/prod/app.yml",
        true,
    ),
    (
        Kind::Principle,
        "everything in config/prod needs two reviewers",
        "edit config/dev/app.yml",
        false,
    ),
    (Kind::Principle, "snapshots get updated only with my OK, so no jest -u", "npx jest -u", true),
    (Kind::Principle, "snapshots get updated only with my OK, so no jest -u", "npx jest", false),
    (Kind::Principle, "never delete rows from orders, set archived_at", "rm -rf build", false),
    (
        Kind::Principle,
        "docker system prune is not allowed on the build host",
        "docker system prune -af",
        true,
    ),
    (Kind::Principle, "docker system prune is not allowed on the build host", "docker ps", false),
    (Kind::Principle, "mvn install must be run with -DskipITs on laptops", "mvn install", true),
    (Kind::Principle, "The styleguide says tabs, not spaces", "npm run lint", false),
    (Kind::Principle, "stash nothing, commit wip instead", "git stash", true),
    (Kind::Principle, "stash nothing, commit wip instead", "git commit -m wip", false),
    (
        Kind::Principle,
        "cherry-picks to release branches need a ticket",
        "git cherry-pick abc123",
        true,
    ),
    (
        Kind::Negative,
        "poetry update hung for an hour because of the private index",
        "poetry update",
        true,
    ),
    (
        Kind::Negative,
        "poetry update hung for an hour because of the private index",
        "poetry install",
        false,
    ),
    (
        Kind::Principle,
        "migrations/ is frozen until the audit is over",
        "edit db/migrations/003.sql",
        true,
    ),
    (
        Kind::Principle,
        "generated/ and dist/ are build output, never edit there",
        "edit packages/a/dist/index.js",
        true,
    ),
    (Kind::Principle, "the api returns ISO dates only", "edit src/api/dates.ts", false),
    (Kind::Principle, "no new dependencies without asking", "npm install dayjs", false),
    (
        Kind::Principle,
        "don't start the worker on the same machine as the web process",
        "npm start",
        false,
    ),
    (Kind::Preference, "talk to me before you drop a table", "psql -c 'drop table x'", false),
    (
        Kind::Principle,
        "seeding the demo tenant is done by support, never from here",
        "npm run seed",
        true,
    ),
    (
        Kind::Principle,
        "vault writes go through the CLI wrapper ./bin/v",
        "vault write secret/a b=c",
        true,
    ),
    (Kind::Fact, "the nightly job runs pg_dump, nobody else should", "pg_dump shop > a.sql", true),
    (Kind::Principle, "never store money as float", "git stash", false),
    (Kind::Principle, "lint must be green before you merge", "git merge feature", true),
    (
        Kind::Principle,
        "Never ever edit CHANGELOG.md manually, release-please does that",
        "edit CHANGELOG.md",
        true,
    ),
    (Kind::Principle, "format with black, line length 100", "black src", true),
    (Kind::Principle, "publish dates are in UTC", "npm publish", false),
    (Kind::Principle, "for Go code run gofumpt instead of gofmt", "gofmt -w .", true),
    (Kind::Principle, "for Go code run gofumpt instead of gofmt", "gofumpt -w .", false),
];
/// What is about to be done, as the table writes it.
fn doing(what: &str) -> Doing {
    what.strip_prefix("edit ").map_or_else(|| runs(what), edits)
}

#[test]
fn rules_in_the_words_of_people_are_said_before_what_they_are_about_and_nothing_else() {
    let mut wrong = Vec::new();
    let (mut hits, mut said, mut wanted) = (0, 0, 0);
    let rules = PAIRS.iter().map(|(rule, what, due)| (Kind::Principle, *rule, *what, *due));
    for (kind, rule, what, due) in rules.chain(OF_KINDS.iter().copied()) {
        let is_said = told(kind, rule, &doing(what));
        (said, wanted) = (said + usize::from(is_said), wanted + usize::from(due));
        hits += usize::from(is_said && due);
        if is_said != due {
            let how = if is_said { "said in vain" } else { "missed" };
            wrong.push(format!("{how}: {rule:?} before `{what}`"));
        }
    }
    // Seven rows are beyond what forms tell, among them "we dropped Jest for Vitest".
    assert!(
        said - hits <= 2 && wanted - hits <= 5,
        "precision {hits} of {said}, recall {hits} of {wanted}\n{}",
        wrong.join("\n")
    );
}

#[test]
fn what_only_states_how_things_are_is_said_where_it_forbids_and_not_elsewhere() {
    for (kind, rule, what, due) in [
        (Kind::Fact, "we use pnpm here, never npm or yarn", "npm install", true),
        (Kind::Fact, "deploys only Tue and Thu, finance closes the books", "make deploy", true),
        (Kind::Fact, "deploys take twenty minutes", "make deploy", false),
        (Kind::Fact, "npm packages are published by CI", "npm install", false),
        (Kind::Fact, "the billing code lives in src/billing", "edit src/billing/a.ts", false),
        (Kind::Fact, ".generated.ts files are never edited by hand", "edit a.generated.ts", true),
        (Kind::Decision, "we went with uv instead of pip", "pip install x", true),
        (Kind::Decision, "we deploy with kamal to the new cluster", "kamal deploy", false),
        (Kind::Event, "npm never worked on the old runner", "npm install", false),
    ] {
        assert_eq!(told(kind, rule, &doing(what)), due, "{kind:?} {rule:?} before `{what}`");
    }
}

#[test]
fn a_prompt_speaks_of_the_files_and_commands_that_it_names() {
    let rule = "ping Maria before touching src/billing";
    let asks = |text: &str| told(Kind::Principle, rule, &Doing::by_prompt(text));
    assert!(asks("the rounding in src/billing/invoice.ts is off by one"));
    assert!(asks("have a look at `src/billing`"));
    assert!(!asks("the rounding in src/billing-old/invoice.ts is off by one"));
    assert!(!asks("what is next?"));
    assert!(asks("change how billing rounds VAT"));
    assert!(!asks("add a test for the cart"));
    let deploys = "one more thing: deploys only Tue and Thu, finance closes the books on Friday";
    let asks = |text: &str| told(Kind::Fact, deploys, &Doing::by_prompt(text));
    assert!(asks("ok let's ship it, deploy to prod") && asks("can you deploy the web app?"));
    assert!(!asks("what does the deploy script do?") && !asks("ship it when it deployed"));
    let npm = "we use pnpm here, never npm or yarn";
    assert!(told(Kind::Fact, npm, &Doing::by_prompt("install the charts library with npm")));
    assert!(!told(Kind::Fact, npm, &Doing::by_prompt("install the charts library with pnpm")));
    let writes = "never write to the gateway from a script";
    assert!(!told(Kind::Principle, writes, &Doing::by_prompt("write a test for the cart")));
    assert!(!told(Kind::Principle, "views, as always", &Doing::by_prompt("what is `as const`?")));
    assert!(told(Kind::Fact, npm, &Doing::by_prompt("please run `npm install` in web")));
}

#[test]
fn a_tool_of_a_server_is_known_by_its_words() {
    let of =
        |tool: &str| Doing::by_call(&ToolCall { tool: tool.into(), ..ToolCall::default() }, None);
    let rule = "ask me before you create Linear issues";
    assert!(told(Kind::Preference, rule, &of("mcp__linear__create_issue")));
    assert!(!told(Kind::Preference, rule, &of("mcp__github__create_issue")));
    assert!(told(Kind::Preference, "never use WebSearch for this", &of("WebSearch")));
    assert!(!told(Kind::Preference, "never write to disk", &of("Write")));
}

#[test]
fn a_rule_is_brought_up_by_the_code_that_it_forbids_and_by_no_other_word() {
    for (rule, code) in [
        ("Don't use println! in the library, it breaks the JSON output", &["println!"][..]),
        ("never call `unwrap()` outside tests, use expect() instead", &["unwrap("]),
        ("no dbg! or println!, use tracing::debug", &["dbg!", "println!"]),
        ("`regex::Regex::new` is not allowed in loops", &["regex::Regex::new"]),
        ("never use print() in services", &["print("]),
        // Said loudly, asked for, or not code at all.
        ("Don't use println!", &[]),
        ("Never deploy on Fridays! it always ends badly", &[]),
        ("use println! for the examples", &[]),
        ("never run npm (or yarn)", &[]),
        ("never edit src/gen.rs by hand", &[]),
    ] {
        assert_eq!(forbidden_code(Kind::Preference, rule), code, "{rule}");
    }
    assert!(forbidden_code(Kind::Fact, "println! is not buffered").is_empty(), "no rule");
}
