/** scripts/fetch-tofu.mjs against a server of our own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

beforeEach(async () => {
  status = 200;
  asked.length = 0;
  home = mkdtempSync(join(tmpdir(), 'kubeloom-fetch-tofu-'));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status).end('something else');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

function fetchTofu(): Promise<{ readonly code: number; readonly stderr: string }> {
  const { port } = server.address() as AddressInfo;
  const archive = `http://127.0.0.1:${port}/v{version}/{arch}.zip`;
  const env = { ...process.env, KUBELOOM_HOME: home, KUBELOOM_TOFU_ARCHIVE: archive };
  return new Promise((resolve) =>
    execFile(process.execPath, [script], { env }, (error, _, stderr) =>
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

  it('says what to do where the archive cannot be downloaded', async () => {
    status = 503;

    const { code, stderr } = await fetchTofu();

    expect(code).toBe(3);
    expect(stderr).toContain('OpenTofu cannot be downloaded: the server answered 503');
    expect(stderr).toMatch(/put tofu \(1\.\d+ or newer\) or terraform \(1\.\d+ or newer\) on the PATH/);
    expect(readdirSync(home)).toEqual([]);
  });
});
