// Judges what the conformance suite found: RESULTS [--table]. A check that failed because the suite's own fixture is not there
// (a tool, prompt or resource that only its example server has), or that asks for a capability which our server does not offer,
// is named so. Any other failure is ours.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, table] = process.argv.slice(2);

/** Fixtures that the suite does not name when they are missing. */
const UNNAMED = {
  'input-required-result-multi-round': 'tool test_input_required_result_multi_round',
  'input-required-result-tampered-state': 'tool test_input_required_result_tampered_state',
};
/** Capabilities that a server may have and ours does not offer. */
const OPTIONAL = [
  [/^tasks-/, /./, 'extension tasks'],
  [/^(logging-set-level|tools-call-with-logging)$/, /logging\/setLevel/, 'capability logging'],
  [/^resources-(un)?subscribe$/, /resources\/subscribe/, 'capability resources.subscribe'],
];
const MISSING = [
  [/unknown tool "([^"]+)"/, 'tool'],
  [/diagnostic tool '([^']+)'/, 'tool'],
  [/Tool '([^']+)' not found/, 'tool'],
  [/unknown prompt "([^"]+)"/, 'prompt'],
  [/there is no resource (test:\/\/\S+)/, 'resource'],
  [/no tool with (x-mcp-header) annotations/, 'tool with'],
];

/** What a check that failed would have needed; null if nothing excuses it. */
function needs(scenario, check) {
  const said = check.errorMessage ?? '';
  const optional = OPTIONAL.find(([where, why]) => where.test(scenario) && why.test(said));
  if (optional) return optional[2];
  for (const [pattern, what] of MISSING) {
    const found = pattern.exec(said);
    if (found) return `${what} ${found[1]}`;
  }
  return /Prerequisite failed|Expected InputRequiredResult/.test(said) ? (UNNAMED[scenario] ?? null) : null;
}

const rows = [];
const ours = [];
for (const name of readdirSync(folder).sort()) {
  const file = join(folder, name, 'checks.json');
  if (!existsSync(file)) continue;
  const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
  const checks = JSON.parse(readFileSync(file, 'utf8'));
  const wanted = new Set();
  let passed = 0;
  for (const check of checks) {
    if (check.status === 'SUCCESS') passed += 1;
    if (check.status !== 'FAILURE') continue;
    const need = needs(scenario, check);
    if (need) wanted.add(need);
    else ours.push(`${scenario}: ${check.id}: ${check.errorMessage}`);
  }
  rows.push({ scenario, passed, wanted: [...wanted] });
}
const whole = rows.filter((one) => one.wanted.length === 0 && !ours.some((fault) => fault.startsWith(`${one.scenario}:`)));
if (table) {
  for (const { scenario, passed, wanted } of rows) console.log(`| ${scenario} | ${passed} | ${wanted.map((one) => `\`${one}\``).join(', ')} |`);
}
const checks = rows.reduce((sum, one) => sum + one.passed, 0);
console.log(`${whole.length} of ${rows.length} scenarios pass whole, ${checks} checks; ${rows.length - whole.length} need what only the suite's example server has, ${ours.length} failures are ours`);
for (const fault of ours) console.log(`FAIL  ${fault}`);
// An empty folder is no success.
process.exit(0 < whole.length && ours.length === 0 ? 0 : 1);
