"""Texts the quantised model is compared on: our own words, of every kind it will meet."""

CHAT = """
Can you look at why the nightly job failed again?
I prefer tabs over spaces in this repository.
Please never push straight to the main branch.
We talked about this last Thursday, remember?
ok
yes
no
thanks, that works
Hm, that is not what I meant.
Could you rename it to something shorter?
My name is Ilse and I work on the billing team.
I live in Ghent, so my mornings start an hour before yours.
Let us keep the tests quick: under ten seconds in all.
Why is the second request so much slower than the first?
The customer wants the export as a spreadsheet by Friday.
Undo the last change, it broke the login page.
Explain it as if I had never seen a database.
I am allergic to long meetings, send me a summary instead.
She moved from the platform group to security in March.
Don't use mocks of our own code; use the real thing with an in-memory database.
What did we decide about the retry policy?
Who owns the deployment scripts now that Marek has left?
The dog is called Pepper and barks whenever the doorbell rings.
I'd rather have one slow, correct answer than five quick guesses.
Stop adding comments that repeat the code.
It rained all weekend, so we finished the puzzle with two thousand pieces.
From now on answer in German, please.
How many seats does the new office have?
Our stand-up is at half past nine, Brussels time.
The build is green on my machine but red in CI.
Is the coffee machine on the third floor fixed?
Next sprint we drop support for the old mobile client.
My daughter starts school in September, so I will be away that week.
Let me think about it over lunch.
This is the fourth time the certificate has expired unnoticed.
You may run any command that only reads.
Ask before you delete something.
The invoice was paid twice by mistake.
Her favourite editor is the one she wrote herself.
We should write that down somewhere.
"""

DECISIONS = """
We keep sessions in Postgres because Redis lost them twice.
Decision: one binary, no daemon, no background threads.
All timestamps are stored in UTC and shown in the reader's zone.
We chose SQLite over a server because the data never leaves the laptop.
Feature flags live in the repository, not in a service.
Staging runs Postgres 16 since the first of February.
Staging runs Postgres 14.
The API answers in JSON only; XML was dropped in version 3.
Errors are values; panics are for broken promises of our own.
Every migration must be reversible or come with a backup.
Logs are kept for thirty days and then removed for good.
Secrets are never written to memory, not even redacted ones.
The public interface is frozen until the summer release.
We pay for one region only, and accept an hour of downtime a year.
The front end is three files without a build step.
Pull requests need one review, two if they touch money.
Rate limits are per key, not per address.
We measure first and optimise afterwards.
The queue is bounded; when it is full the oldest entry goes.
Passwords are hashed with a memory-hard function.
A release is cut every other Tuesday at noon.
Ids are time-ordered so that inserts stay at the end of the index.
The parser accepts more than the printer writes.
We removed the cache: it saved four milliseconds and cost two outages.
Tests may be slow only if they are few.
The maximum upload is 25 MB, checked at the edge.
Backups are restored once a month to prove that they can be.
Colours follow the terminal theme instead of our own palette.
The model runs locally; no text is sent to a third party.
Dependencies need a sentence that says what they buy.
"""

ERRORS = """
error[E0502]: cannot borrow `store` as mutable because it is also borrowed as immutable
thread 'main' panicked at src/engine.rs:214:9: index out of bounds: the len is 3 but the index is 7
TypeError: undefined is not a function (evaluating 'queue.flush()')
Segmentation fault (core dumped)
FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute
java.lang.NullPointerException at com.acme.billing.Invoice.total(Invoice.java:88)
ModuleNotFoundError: No module named 'orders.tax'
fatal: refusing to merge unrelated histories
HTTP 429 Too Many Requests, retry after 17 seconds
curl: (60) SSL certificate problem: certificate has expired
ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction
npm ERR! code ERESOLVE could not resolve the dependency tree
Permission denied (publickey).
Out of memory: killed process 4121 (indexer)
exit status 137
database is locked
assertion `left == right` failed: the ledger must balance
WARN slow query: 4312 ms for 12 rows
Error: ENOSPC: no space left on device, write
undefined reference to `tl_embed_open'
The process cannot access the file because it is being used by another process.
cannot find type `Timestamp` in this scope
expected `;`, found `}`
ImportError: attempted relative import with no known parent package
Connection refused (os error 111)
panic: runtime error: invalid memory address or nil pointer dereference
context deadline exceeded
checksum mismatch: wanted 9f2c, got 01ab
"""

CODE = """
crates/engine/src/recall.rs
/var/log/nginx/access.log
C:\\Users\\ilse\\Documents\\report_final_v2.docx
src/components/OrderTable.tsx:42:17
getUserById
parse_utc_offset
MAX_RETRY_COUNT
kebab-case-name
XMLHttpRequest
__init__
fn strength(idle_days: f64, half_life: f64) -> f64 { 0.5_f64.powf(idle_days / half_life) }
SELECT id, total FROM invoices WHERE paid_at IS NULL ORDER BY due_at LIMIT 20;
for i in range(10): print(i ** 2)
git rebase --interactive HEAD~3
docker compose up -d --build web worker
const total = items.reduce((sum, item) => sum + item.price * item.count, 0);
kubectl -n staging rollout restart deployment/api
impl Drop for Lease { fn drop(&mut self) { self.pool.give_back(self.id); } }
if (a == b && c != d || !e) { return x ? y : z; }
#include <stdint.h>
let Some(first) = words.next() else { return Vec::new() };
{"id": 17, "name": "oat milk", "tags": ["drink", "vegan"], "price": 2.35}
<a href="/orders/17" class="link">Order 17</a>
apiVersion: v1
0x7fff5fbff8c0
3f2504e0-4f89-11d3-9a0c-0305e82c3301
v1.12.0-rc.3+build.5
user@example.org
https://example.org/docs/search?q=memory&page=2#results
^[a-z0-9_]+(\\.[a-z0-9_]+)*$
#[derive(Debug, Clone, PartialEq)]
export PATH="$HOME/bin:$PATH"
sudo systemctl restart postgresql@16-main
a[i] += b[j] * c[k];
std::collections::HashMap<String, Vec<u8>>
@property
$$invoice->lines()
TODO(ilse): remove once all clients send the header
npm run build && npm test -- --watch=false
s/colour/color/g
"""

NUMBERS = """
0
42
3.14159
1,000,000
-17 °C
2026-03-14T09:26:53Z
14/03/2026
12:45
€ 19,99
$4.50 per seat and month
50 %
1e-9
10.0.0.1
+32 470 12 34 56
version 2.10 is newer than 2.9
1234567890123456789012345678901234567890
007
a1b2c3d4
½ cup of flour
x² + y² = z²
"""

LANGUAGES = """
Wir behalten die Sitzungen in Postgres, weil Redis sie zweimal verloren hat.
Die Prüfung läuft über Nacht; größere Änderungen gehören ins Wochenende.
Le café est à côté de la gare, près de l'église Saint-Étienne.
Où est passée la sauvegarde d'hier soir ?
Mañana cambiamos la contraseña del servidor de pruebas.
¿Quién decidió quitar la caché?
L'applicazione si blocca quando l'elenco è vuoto.
A reunião foi adiada para terça-feira às dez.
We gaan de oude sleutels vrijdag intrekken.
Zażółć gęślą jaźń i zapisz kopię na dysku.
Příliš žluťoučký kůň čekal u brány.
Dağıtım İstanbul saatiyle gece yarısı başlıyor.
IĞDIR ve ığdır aynı şehir mi?
Þetta er einföld prófun á íslensku.
Tänään sataa, joten jäämme kotiin.
Az adatbázis újraindítása öt percig tart.
Мы храним сессии в базе данных.
Сервер перезапускается каждую ночь в три часа.
Η βάση δεδομένων κλειδώθηκε χθες το βράδυ.
ΣΟΦΟΣ και σοφος
השרת נופל בכל לילה
الخادم يتوقف كل ليلة
سِجِلّ الأخطاء
सर्वर हर रात रुक जाता है
เซิร์ฟเวอร์หยุดทุกคืน
Máy chủ khởi động lại mỗi đêm.
我们把会话保存在数据库里。
服务器每天晚上三点重启
データベースは毎晩バックアップされます。
サーバーが落ちた
ｆｕｌｌｗｉｄｔｈ　ｌｅｔｔｅｒｓ
서버가 매일 밤 다시 시작됩니다.
한국어와 English 섞기
数据库 runs Postgres 16 吗?
㐀㐁 𠀀 豈
გამარჯობა მსოფლიო
Բարեւ աշխարհ
naïve façade coöperate résumé
Ærø, Øresund, Łódź, Straße, ﬁne ligature
ǅ ǈ ǋ
"""

SYMBOLS = """
🙂
🙂🙃🙂
👩‍💻 wrote the parser 🎉
🇧🇪 and 🇫🇷
👍🏽
it works ✅ but slowly 🐢
→ ← ↑ ↓ ⇒
“curly” ‘quotes’ — and dashes – everywhere…
«guillemets» „low quotes“
!!!
???
...
-
---
*** bold *** _underlined_ ~~gone~~
# Heading
- [ ] open task
- [x] done task
> quoted line
| a | b |
∀x ∈ ℝ: x² ≥ 0
α β γ δ
©2026 Acme® Widgets™
½ ¼ ¾ № ℃ ㎏
(╯°□°)╯︵ ┻━┻
¡hola! ¿qué?
a‍b
a­b soft hyphen
zero​width
tag󠁧󠁢 characters
é é
a̐éö̲
ẛ̣ ẛ̣
[CLS] [SEP] [MASK] [UNK] [PAD]
##ing ##ed
don't can't won't it's
rock'n'roll
e.g. i.e. etc.
C++ C# F# .NET
AT&T R&D
"""

SINGLE = """
a
I
the
memory
remember
forgetting
antidisestablishmentarianism
pneumonoultramicroscopicsilicovolcanoconiosis
throughline
embeddings
tokenizer
Kubernetes
PostgreSQL
qwertyuiop
zzzzzzzzzz
xkcdqvw
UPPERCASE
MiXeDcAsE
été
ß
"""

PARAGRAPHS = [
    "We had an outage on Tuesday. The connection pool was exhausted because a report opened one "
    "connection per row. We limited the report to one connection, added a bound to the pool, and "
    "wrote a test that opens a thousand rows. Nobody lost data, but checkout was down for nineteen "
    "minutes and support answered forty calls.",
    "When you write a commit message, say why the change is needed, not what it does; the "
    "difference shows what it does. Keep the first line under seventy characters. Mention the "
    "person who found the fault, if there is one.",
    "The garden needs water every evening in July. Tomatoes first, then the beans along the fence, "
    "and the herbs only when the soil is dry. The neighbour has a key and the hose is behind the "
    "shed, next to the ladder.",
    "fn main() {\n    let words = read_words();\n    for word in words {\n        println!(\"{word}\");\n    }\n}\n",
    "line one\nline two\r\nline three\ttabbed\n\n\nline four after a gap",
    "   leading and trailing space   ",
    "trace:\n  0: engine::recall\n             at ./src/recall.rs:81\n  1: engine::run\n             at ./src/run.rs:12\n",
    "# Notes\n\n* the index is rebuilt at night\n* it takes eleven minutes\n* nobody reads while it runs\n",
    "Ilse: did the migration finish?\nMarek: yes, but the count is off by one.\nIlse: in which table?\n"
    "Marek: invoices. I think the test row is still there.\nIlse: remove it and run the check again.",
    "name,amount,currency\nrent,850.00,EUR\npower,61.20,EUR\nphone,15.00,EUR\n",
]

CONTROLS = ["", " ", "\n\n\t", "\u0000", "a\u0000b", "bell\u0007 rings", "\ufeffmark at the start", "re\ufffdplaced",
            "no\u00a0break", "line\u2028separator", "vertical\u000btab", "next\u0085line", "private \ue000 use"]

SENTENCES = [
    "The release goes out on Tuesday if the checks are green.",
    "A slow query in the report holds the lock for too long.",
    "Marek prefers small changes with a reason in the message.",
    "Backups run at night and are tested once a month.",
    "The parser reads one line at a time and keeps nothing.",
    "Nobody knows why the old server still answers.",
    "Prices are stored in cents, without a decimal point.",
]


def long_text(sentences):
    return " ".join(SENTENCES[at % len(SENTENCES)] for at in range(sentences))


LONG = [
    *(long_text(count) for count in (4, 8, 12, 16, 20, 21, 22, 23, 24, 30, 45, 90, 400)),
    "word " * 252 + "end",
    "word " * 253 + "end",
    "word " * 254 + "end",
    "word " * 250 + "pneumonoultramicroscopicsilicovolcanoconiosis and more",
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "ab" * 400 + " short",
    "wait ... " * 100,
    "数据" * 200,
    "snake_case_name " * 120,
    "\n".join(f"{number:04} GET /orders/{number * 7} 200 {number % 90} ms" for number in range(40)),
    " " * 5000 + "far away",
]


def texts():
    listed = [CHAT, DECISIONS, ERRORS, CODE, NUMBERS, LANGUAGES, SYMBOLS, SINGLE]
    lines = [line for part in listed for line in part.strip("\n").split("\n")]
    return [*lines, *PARAGRAPHS, *CONTROLS, *LONG]
