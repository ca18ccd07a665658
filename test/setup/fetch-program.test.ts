/** scripts/fetch-program.mjs against a server of our own, on a machine that has only what a test puts on its PATH. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import requirements from '../../requirements.json' with { type: 'json' };

const script = fileURLToPath(new URL('../../scripts/fetch-program.mjs', import.meta.url));
const asked: string[] = [];
let server: Server;
let home: string;
let status: number;
let content: Buffer | string;

beforeEach(async () => {
  status = 200;
  content = 'something else';
  asked.length = 0;
  home = mkdtempSync(join(tmpdir(), 'kubeloom-fetch-'));
  mkdirSync(join(home, 'path'));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

function fetchProgram(args: readonly string[], program = script) {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v{version}/{arch}`;
  const env = { PATH: join(home, 'path'), KUBELOOM_HOME: home, KUBELOOM_DOWNLOAD: url };
  return new Promise<{ readonly code: number; readonly stderr: string }>((resolve) =>
    execFile(process.execPath, [program, ...args], { env }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    ),
  );
}

function programOnPath(name: string, says: string): void {
  const file = join(home, 'path', name);
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(file, 0o755);
}

describe('fetch-program', () => {
  it('a download with another checksum fails, and nothing of it is used', async () => {
    const { code, stderr } = await fetchProgram(['tofu']);

    expect(code).toBe(1);
    expect(asked).toEqual([expect.stringMatching(/^\/v1\.\d+\.\d+\/(amd64|arm64)$/)]);
    expect(stderr).toContain('nothing of it is used');
    expect(existsSync(join(home, 'bin'))).toBe(false);
  });

  it('a program of the expected archive is put where the command line finds it', async () => {
    const unzip = execFileSync('sh', ['-c', 'command -v unzip'], { encoding: 'utf8' }).trim();
    symlinkSync(unzip, join(home, 'path', 'unzip'));
    writeFileSync(join(home, 'tofu'), '#!/bin/sh\necho OpenTofu of the test\n');
    execFileSync('python3', ['-m', 'zipfile', '-c', 'tofu.zip', 'tofu'], { cwd: home });
    content = readFileSync(join(home, 'tofu.zip'));

    const { code } = await fetchProgram(['tofu'], scriptThatExpects(content));

    expect(code).toBe(0);
    expect(readdirSync(join(home, 'bin'))).toEqual(['tofu']);
    expect(execFileSync(join(home, 'bin', 'tofu'), { encoding: 'utf8' })).toBe('OpenTofu of the test\n');
  });

  it('kubectl is downloaded when the installed one is too old', async () => {
    programOnPath('kubectl', 'Client Version: version.Info{GitVersion:"v1.20.2"}');
    content = '#!/bin/sh\necho kubectl of the test\n';

    const { code } = await fetchProgram(['kubectl'], scriptThatExpects(content));

    expect(code).toBe(0);
    expect(execFileSync(join(home, 'bin', 'kubectl'), { encoding: 'utf8' })).toBe('kubectl of the test\n');
  });

  it('a program that the machine has is not downloaded, nor tofu when there is terraform', async () => {
    programOnPath('kubectl', 'Client Version: v1.32.4');
    programOnPath('terraform', 'Terraform v1.11.4');

    expect(await fetchProgram(['kubectl'])).toEqual({ code: 0, stderr: '' });
    expect(await fetchProgram(['tofu'])).toEqual({ code: 0, stderr: '' });
    expect(await fetchProgram(['tofu', '--lacks'])).toEqual({ code: 1, stderr: '' });
    expect(asked).toEqual([]);
  });

  it('a failed download says what to do', async () => {
    status = 503;

    const { code, stderr } = await fetchProgram(['tofu']);

    expect(code).toBe(3);
    expect(stderr).toContain('tofu cannot be downloaded: the server answered 503');
    expect(stderr).toMatch(/put tofu \(1\.\d+ or newer\) or terraform \(1\.\d+ or newer\) on the PATH/);
    expect(existsSync(join(home, 'bin'))).toBe(false);
  });
});

/** The script next to a list that has the checksum of `download`. */
function scriptThatExpects(download: Buffer | string): string {
  const sum = createHash('sha256').update(download).digest('hex');
  const downloads = Object.entries(requirements.downloads).map(([name, row]) => [
    name,
    { ...row, sha256: { amd64: sum, arm64: sum } },
  ]);
  mkdirSync(join(home, 'clone', 'scripts'), { recursive: true });
  writeFileSync(join(home, 'clone', 'requirements.json'), JSON.stringify({ downloads: Object.fromEntries(downloads) }));
  cpSync(script, join(home, 'clone', 'scripts', 'fetch-program.mjs'));
  return join(home, 'clone', 'scripts', 'fetch-program.mjs');
}
