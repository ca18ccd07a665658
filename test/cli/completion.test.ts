/** Completion as a shell does it: bash with our script, and the program that it calls. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import { kubeloom } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

const run = promisify(execFile);
let home: string;
let api: Server;
let environment: Readonly<Record<string, string>>;

const manifest = (namespace: string, name: string, cluster: string): ManifestSummary => ({
  namespace,
  name,
  status: 'Done',
  generation: 1,
  attempt: 1,
  paused: false,
  deleting: false,
  runId: `${name}-ab12c-g1-a1`,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  progress: null,
  clusters: [{ cluster: `${cluster}-abcdefg`, name: cluster, status: 'Converged', nodes: 3 }],
});

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-completion-'));
  symlinkSync(join(root, 'cli/kubeloom.mjs'), join(home, 'kubeloom'));
  api = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items: [manifest('default', 'shop', 'web'), manifest('team', 'blog', 'news')] }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  environment = { KUBELOOM_API_URL: url, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, KUBELOOM_COMPLETION_MS: '60000' };
});
afterAll(() => {
  api.close();
  rmSync(home, { recursive: true, force: true });
});

/** What bash would offer after `line`, by our own script. */
async function offered(line: string): Promise<string[]> {
  const ask = `source <(kubeloom completion bash)
    COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _kubeloom; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, ...environment, PATH: `${home}:${process.env.PATH}` };
  return (await run('bash', ['-c', ask], { env })).stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it.each([
    ['kubeloom des', ['describe']],
    ['kubeloom describe ', ['shop', 'team/blog']],
    ['kubeloom apply -f ', []],
  ])('completion in bash offers what fits after "%s"', async (line, words) => {
    expect((await offered(line)).toSorted()).toEqual(words.toSorted());
  });
});

describe('completion', () => {
  it.each([
    ['kubeloom context ', ['add', 'use', 'list', 'remove']],
    ['kubeloom apply --wa', ['--wait']],
    ['kubeloom retry shop --from k', ['kubernetes']],
    ['kubeloom delete --wait te', ['team/blog']],
    ['kubeloom kubeconfig n', ['news']],
    ['kubeloom context use ', ['local']],
  ])('completion offers what fits after "%s"', async (line, words) => {
    const { stdout } = await kubeloom(['__complete', ...line.split(' ').slice(1)], { environment });
    expect(stdout.trim().split('\n').toSorted()).toEqual(words.toSorted());
  });

  it('completion offers nothing and prints nothing when no API answers', async () => {
    const nowhere = { ...environment, KUBELOOM_API_URL: 'http://127.0.0.1:9' };
    expect(await kubeloom(['__complete', 'describe', ''], { environment: nowhere })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it.each(['bash', 'zsh', 'fish'])('the completion script can be read by %s, where it is installed', async (shell) => {
    const { code, stdout } = await kubeloom(['completion', shell]);
    expect({ code, text: stdout }).toMatchObject({ code: 0, text: expect.stringContaining('__complete') });
    const { error, status } = spawnSync(shell, ['-n'], { input: stdout });
    expect(error === undefined ? status : 0).toBe(0);
  });
});
