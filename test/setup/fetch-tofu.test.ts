/** scripts/fetch-tofu.mjs against a server of our own. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/fetch-tofu.mjs', import.meta.url));
const asked: string[] = [];
let server: Server;
let home: string;
let status: number;
let archive: Buffer | string;

beforeEach(async () => {
  status = 200;
  archive = 'something else';
  asked.length = 0;
  home = mkdtempSync(join(tmpdir(), 'kubeloom-fetch-tofu-'));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status).end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

function fetchTofu(program = script): Promise<{ readonly code: number; readonly stderr: string }> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v{version}/{arch}.zip`;
  const env = { ...process.env, KUBELOOM_HOME: home, KUBELOOM_TOFU_ARCHIVE: url };
  return new Promise((resolve) =>
    execFile(process.execPath, [program], { env }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    ),
  );
}

describe('fetch-tofu', () => {
  it('uses nothing of an archive with another checksum, and fails', async () => {
    const { code, stderr } = await fetchTofu();

    expect(code).toBe(1);
    expect(asked).toEqual([expect.stringMatching(/^\/v1\.\d+\.\d+\/(amd64|arm64)\.zip$/)]);
    expect(stderr).toContain('nothing of it is used');
    expect(existsSync(join(home, 'bin'))).toBe(false);
  });

  it('puts the program of the expected archive where the command line finds it', async () => {
    writeFileSync(join(home, 'tofu'), '#!/bin/sh\necho OpenTofu of the test\n');
    execFileSync('python3', ['-m', 'zipfile', '-c', 'tofu.zip', 'tofu'], { cwd: home });
    archive = readFileSync(join(home, 'tofu.zip'));

    const { code } = await fetchTofu(scriptThatExpects(createHash('sha256').update(archive).digest('hex')));

    expect(code).toBe(0);
    expect(readdirSync(join(home, 'bin'))).toEqual(['tofu']);
    expect(execFileSync(join(home, 'bin', 'tofu'), { encoding: 'utf8' })).toBe('OpenTofu of the test\n');
  });

  it('says what to do where the archive cannot be downloaded', async () => {
    status = 503;

    const { code, stderr } = await fetchTofu();

    expect(code).toBe(3);
    expect(stderr).toContain('OpenTofu cannot be downloaded: the server answered 503');
    expect(stderr).toMatch(/put tofu \(1\.\d+ or newer\) or terraform \(1\.\d+ or newer\) on the PATH/);
    expect(readdirSync(home)).toEqual([]);
  });
});

/** The script beside a list of its own. */
function scriptThatExpects(sum: string): string {
  const tofu = { version: '1.10.0', archive: '', sha256: { amd64: sum, arm64: sum } };
  mkdirSync(join(home, 'clone', 'scripts'), { recursive: true });
  writeFileSync(join(home, 'clone', 'requirements.json'), JSON.stringify({ terraform: { atLeast: {}, tofu } }));
  cpSync(script, join(home, 'clone', 'scripts', 'fetch-tofu.mjs'));
  return join(home, 'clone', 'scripts', 'fetch-tofu.mjs');
}
