/** Users and roles from the command line: who one is, giving and taking roles, local users, what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { inOneThread } from '#test/local/one-thread.ts';
import { kubeloom as run } from './kubeloom.ts';
import { kubeloomProcess, root } from './kubeloom-process.ts';

let platform: Platform;
let home: string;
const logBefore = process.env.KUBELOOM_LOG;

/** As the owner, found by the directory alone; with a token, as whose that is. */
const kubeloom = (args: readonly string[], { token, stdin = '' }: { token?: string; stdin?: string } = {}) =>
  run(args, { stdin, environment: { KUBELOOM_HOME: home, KUBELOOM_TOKEN: token ?? '' } });

const binding = (name: string, role: string, namespace: string, subject: string): string =>
  `apiVersion: kubeloom.dev/v1\nkind: RoleBinding\nmetadata: { name: ${name} }\nspec: { role: ${role}, namespaces: [${namespace}], subjects: [${subject}] }\n`;

async function newUser(name: string, ...groups: readonly string[]): Promise<string> {
  const { stdout } = await kubeloom(['local', 'user', 'add', name, '--json', ...groups.flatMap((one) => ['-g', one])]);
  return (JSON.parse(stdout) as { token: string }).token;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-access-'));
  process.env.KUBELOOM_LOG = 'none';
  platform = await startPlatform({
    dataDir: home,
    runner: 'sim',
    apiPort: 0,
    graceMs: 100,
    product: inOneThread(),
  });
});
afterAll(async () => {
  await platform.stop();
  rmSync(home, { recursive: true, force: true });
  if (logBefore === undefined) delete process.env.KUBELOOM_LOG;
  else process.env.KUBELOOM_LOG = logBefore;
});

describe('kubeloom whoami', () => {
  it('whoami prints who the user is and what they may do', async () => {
    expect((await kubeloom(['whoami'])).stdout).toMatch(
      /^local {2}by token, from 127\.0\.0\.1\nplatform on this machine: http:.*\n.*\nadmin +all\n$/,
    );
    const { stdout } = await kubeloom(['whoami', '--json'], { token: await newUser('stranger') });
    expect(JSON.parse(stdout)).toEqual({
      name: 'local:stranger',
      kind: 'token',
      from: '127.0.0.1',
      ownApprovals: 'refused',
      grants: [],
    });
  });

  it('whoami exits with 8 and a sentence when the token is not accepted', async () => {
    const { code, stdout, stderr } = await kubeloom(['whoami'], { token: 'klu_made-up' });
    expect([code, stdout, stderr]).toEqual([8, '', expect.stringContaining('access denied')]);
    expect(stderr).not.toContain('klu_made-up');
  });
});

describe('roles', () => {
  it('roles are granted with apply, listed, and removed', async () => {
    const token = await newUser('ann', 'shop', 'dev');
    const minimal = join(root, 'examples/sim-minimal.yaml');
    const refused = await kubeloom(['apply', '-f', minimal], { token });
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining('local:ann lacks the role viewer')]);

    const stdin = `${binding('shop', 'operator', 'default', 'claim: { name: groups, value: shop }')}---\n${binding('look', 'viewer', '"*"', 'user: "local:ann"')}`;
    const applied = await kubeloom(['apply', '-f', '-'], { stdin });
    expect([applied.code, applied.stdout]).toEqual([0, 'RoleBinding shop stored\nRoleBinding look stored\n']);
    expect((await kubeloom(['apply', '-f', minimal, '--wait'], { token })).code).toBe(0);
    expect((await kubeloom(['events', 'sim-minimal'], { token })).stdout).toContain(
      'created by local:ann from 127.0.0.1',
    );

    const list = await kubeloom(['roles', 'list']);
    expect(list.stdout).toMatch(/look +viewer +all +user:local:ann\nshop +operator +default +claim:groups=shop\n$/);
    expect((await kubeloom(['roles', 'describe', 'shop'])).stdout).toBe(
      'shop  operator in default\n  claim:groups=shop\n',
    );
    expect(JSON.parse((await kubeloom(['roles', 'list', '--json'])).stdout)).toHaveLength(2);

    expect((await kubeloom(['roles', 'delete', 'shop'], { token })).code).toBe(8);
    expect((await kubeloom(['roles', 'delete', 'shop'])).stdout).toBe('RoleBinding shop deleted\n');
    expect((await kubeloom(['pause', 'sim-minimal'], { token })).code).toBe(8);
    for (const verb of ['delete', 'describe']) {
      const missing = await kubeloom(['roles', verb, 'shop']);
      expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('there is no RoleBinding "shop"')]);
    }
  });

  it('validate and apply refuse roles with faults, each fault at its place', async () => {
    const stdin = binding('odd', 'owner', 'default', 'user: ann');
    const judged = await kubeloom(['validate', '-f', '-'], { stdin });
    expect([judged.code, judged.stdout]).toEqual([
      3,
      expect.stringMatching(/RoleBinding odd {2}1 fault\n {2}fault {2}-:\d+:\d+ {2}role\n/),
    ]);
    const applied = await kubeloom(['apply', '-f', '-', '--json'], { stdin });
    expect(applied.code).toBe(3);
    expect(JSON.parse(applied.stdout)).toMatchObject({
      documents: [{ kind: 'RoleBinding', namespace: '*', name: 'odd', error: { code: 'InvalidManifest' } }],
    });
  });

  it('roles do not prevent a manifest in the same files from being validated and planned', async () => {
    const file = join(home, 'both.yaml');
    const minimal = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
    writeFileSync(file, `${binding('one', 'viewer', 'default', 'user: ann')}---\n${minimal}`);
    expect((await kubeloom(['validate', '-f', file])).code).toBe(0);
    const plan = await kubeloom(['plan', '-f', file]);
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('default/sim-minimal')]);
    expect((await kubeloomProcess(['simulate', file])).code).toBe(0);
  });

  it('the API validates roles together with other documents', async () => {
    const text = `${binding('one', 'viewer', 'a', 'user: ann')}---\n${binding('one', 'viewer', 'b', 'user: bob')}`;
    const answer = await fetch(`${platform.apiUrl}/v1/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/yaml' },
      body: text,
    });
    expect(await answer.json()).toMatchObject({
      valid: false,
      documents: [
        { kind: 'RoleBinding', namespace: null, name: 'one', faults: [] },
        {
          kind: 'RoleBinding',
          faults: [{ path: 'metadata.name', reason: expect.stringContaining('is in these documents twice') }],
        },
      ],
    });
  });
});

describe('kubeloom changes', () => {
  it('changes shows who changed the Secrets of a namespace and, to admins, the roles', async () => {
    const token = await newUser('ops', 'ops');
    await kubeloom(['apply', '-f', '-'], {
      stdin: binding('ops', 'operator', 'vault', 'claim: { name: groups, value: ops }'),
    });
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: { name: hetzner, namespace: vault }\nstringData: { credentials: s3cret }\n';
    expect((await kubeloom(['apply', '-f', '-'], { token, stdin: secret })).code).toBe(0);
    const own = await kubeloom(['changes', '-n', 'vault'], { token });
    expect(own.stdout).toMatch(/^\S+Z {2}Secret hetzner stored by local:ops from 127\.0\.0\.1\n$/);
    const all = await kubeloom(['changes', '--json']);
    const messages = all.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { message: string }).message);
    expect(messages.at(-1)).toBe('RoleBinding ops stored by local from 127.0.0.1');
    const refused = await kubeloom(['changes'], { token });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([8, '', expect.stringContaining('only an admin')]);
    expect((await kubeloom(['changes', '-n', 'empty'])).stdout).toBe(
      'no changes of Secrets and templates in namespace "empty"\n',
    );
  });
});

describe('kubeloom local user', () => {
  it('local user prints the token once, alone, and never again', async () => {
    const { code, stdout, stderr } = await kubeloom(['local', 'user', 'add', 'bob', '--group', 'a', 'b']);
    const token = stdout.trim();
    expect([code, token]).toEqual([0, expect.stringMatching(/^klu_[\w-]{43}$/)]);
    expect(stderr).toContain('user: local:bob');
    const list = await kubeloom(['local', 'user', 'list']);
    expect(list.stdout).toMatch(/bob +local:bob +a, b +(just now|\d+ s ago)/);
    expect([list.stdout, (await kubeloom(['local', 'user', 'list', '--json'])).stdout].join()).not.toContain(
      token.slice(4),
    );
    expect((await kubeloom(['local', 'user', 'remove', 'bob'])).code).toBe(0);
    expect((await kubeloom(['whoami'], { token })).code).toBe(8);
  });

  it.each([
    [['add', 'local'], 2, 'is the owner'],
    [['add', 'No Name'], 2, 'is not a valid user name'],
    [['remove', 'stranger-here'], 4, 'there is no user "stranger-here"'],
  ])('local user %j exits with %i and a sentence', async (args, expected, sentence) => {
    const { code, stdout, stderr } = await kubeloom(['local', 'user', ...args]);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(sentence)]);
  });

  it.each([
    [['--oidc-issuer', 'http://issuer.example', '--oidc-audience', 'a'], 'write an https URL'],
    [['--oidc-issuer', 'https://issuer.example'], 'needs --oidc-audience'],
  ])('a platform with the issuer %j does not start', async (args, sentence) => {
    const { code, stderr } = await kubeloom(['local', 'up', '--port', '0', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
