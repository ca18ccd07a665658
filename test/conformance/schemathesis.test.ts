/** schemathesis, a fuzzer by others, with docs/openapi.json against the local platform: no 5xx, no undocumented answer. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { down, up } from '#local/supervisor.ts';
import { conformancePython } from './moto-server.ts';

const document = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
/** Examples of each operation and phase. */
const examples = process.env.CONFORMANCE_EXAMPLES ?? (process.env.KUBELOOM_CONFORMANCE === 'short' ? '5' : '40');
/** `unsupported_method` and the like are the gateway's, which answers for routes, not for operations. */
const checks = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

it('schemathesis finds no 5xx and no answer that the OpenAPI document does not have', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-schemathesis-'));
  onTestFinished(async () => {
    await down(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const { apiUrl, token } = await up({ dataDir, apiPort: 0, runner: 'sim' });
  const { code, output } = await run(
    [
      ...['run', document, '--url', apiUrl, '--checks', checks],
      ...['--max-examples', examples, '--seed', '1', '--workers', '1'],
      // The speed of this machine is not tested.
      ...['--suppress-health-check', 'too_slow', '--request-timeout', '60'],
    ],
    // Not on the command line, where others could read it.
    { headers: { Authorization: `Bearer ${token}` }, directory: dataDir },
  );
  expect(code, output.slice(-6000)).toBe(0);
  const log = await readFile(join(dataDir, 'platform.log'), 'utf8');
  expect(log).not.toMatch(/"level":"error"/);
}, 600_000);

async function run(
  args: readonly string[],
  { headers, directory }: { readonly headers: Readonly<Record<string, string>>; readonly directory: string },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const lines = Object.entries(headers).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await writeFile(join(directory, 'schemathesis.toml'), `[headers]\n${lines.join('\n')}\n`, { mode: 0o600 });
  const child = spawn(join(dirname(conformancePython()), 'schemathesis'), args, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, output };
}
