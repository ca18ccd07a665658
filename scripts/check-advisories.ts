/**
 * `npm run advisories`: asks for known holes in what we use: npm about the packages of the lock file, OSV about modules of Go and packages of Python. Exits with 1
 * for one that is high, critical or of unknown severity, unless scripts/advisories/accepted.json accepts it until a day that has not passed. Where a source cannot
 * be asked, it says so and does not fail: a registry may offer none.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import rows from './advisories/accepted.json' with { type: 'json' };
import { Accepted, verdictOf } from './advisories/finding.ts';
import { readNpmAudit } from './advisories/npm-audit.ts';
import { lookUpInOsv, osvApi } from './advisories/osv.ts';
import { ansibleLists, goModules, pythonPackages } from './sbom/fetched.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const accepted = z.array(Accepted).parse(rows);
const words = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=20000'];
const { stdout } = spawnSync('npm', words, { cwd: root, encoding: 'utf8', timeout: 120_000, maxBuffer: 64 << 20 });
const others = [
  ...goModules(),
  ...['test/conformance/requirements.txt', ...ansibleLists()].flatMap((list) => pythonPackages(list)),
];
const looked = [readNpmAudit(stdout ?? ''), await lookUpInOsv(others, request)];
const { lines, failed } = verdictOf(looked, accepted, new Date().toISOString().slice(0, 10));
for (const line of lines) console.log(line);
process.exitCode = failed ? 1 : 0;

async function request(path: string, body?: unknown): Promise<unknown> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(osvApi + path, {
    ...(body === undefined ? {} : post),
    signal: AbortSignal.timeout(20_000),
  });
  if (!answer.ok) throw new Error(`${osvApi} answered ${answer.status}`);
  return answer.json();
}
