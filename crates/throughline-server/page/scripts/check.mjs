// Builds the page again and compares: the committed files must be what the sources make, byte for byte.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const page = join(import.meta.dirname, '..');
const fresh = mkdtempSync(join(tmpdir(), 'throughline-dist-'));
const list = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile())
  .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
  .sort();

try {
  const run = (name, ...args) => execFileSync(join(page, 'node_modules/.bin', name), args, { cwd: page, stdio: 'inherit' });
  run('tsc', '--noEmit');
  run('vite', 'build', '--logLevel', 'warn', '--outDir', fresh, '--emptyOutDir');
  const [wanted, found] = [list(fresh), list(join(page, 'dist'))];
  const differing = [...new Set([...wanted, ...found])].filter(
    (name) => !wanted.includes(name) || !found.includes(name) || !readFileSync(join(fresh, name)).equals(readFileSync(join(page, 'dist', name))),
  );
  if (0 < differing.length) {
    console.error(`dist/ is not what the sources make: ${differing.join(', ')}\nrun \`npm run build\` in ${page} and commit the result`);
    process.exitCode = 1;
  } else console.log(`dist/ is what the sources make (${found.length} files)`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
