/** Accounts of the machine that makes hosts: what they keep, what a wrong password stops, and to whom a site belongs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { HostWorkshop, helperPath, isRoot, type Outcome } from './host-workshop.ts';

const east = { KUBELOOM_HOST_ACCOUNT: 'account-east', KUBELOOM_HOST_PASSWORD: 'first-word-of-east' };
const west = { KUBELOOM_HOST_ACCOUNT: 'account-west', KUBELOOM_HOST_PASSWORD: 'only-word-of-west' };
const guessed = { ...east, KUBELOOM_HOST_PASSWORD: 'a-wild-guess' };
const refused = 7;

describe.runIf(isRoot)('accounts', () => {
  const workshop = new HostWorkshop();
  const site = workshop.site('rack');
  const up = ['up', ...site, '--host', 'a-01', '--id', 'id-1', '--region', 'north'];
  const setPassword = (of: typeof east) =>
    workshop.run(['account', 'set', of.KUBELOOM_HOST_ACCOUNT], `${of.KUBELOOM_HOST_PASSWORD}\n`);
  const outcomeOf = ({ code, stderr }: Outcome) => [code, stderr.trim().split('\n').at(-1)];

  beforeAll(async () => {
    await workshop.must(['base-build']);
  });
  afterAll(() => workshop.close());

  test('an installation without accounts needs no credentials', async () => {
    expect((await workshop.run(['site-up', ...workshop.site('open')])).code).toBe(0);
    expect((await workshop.run(['gc', '--all'])).code).toBe(0);
  });

  test('passwords are kept as salted hashes that only root can read', async () => {
    expect((await setPassword(east)).code).toBe(0);
    expect((await setPassword({ ...west, KUBELOOM_HOST_PASSWORD: east.KUBELOOM_HOST_PASSWORD })).code).toBe(0);
    const directory = join(workshop.stateDirectory, 'accounts');
    const kept = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(new Set(kept).size).toBe(2);
    for (const text of kept) expect(text).toMatch(/^\$6\$[0-9a-f]{16}\$[./0-9A-Za-z]{86}\n$/);
    expect((await setPassword(west)).code).toBe(0);
    expect(await workshop.must(['account', 'list'])).toBe('account-east\naccount-west\n');
  });

  test('a weak password is refused without being shown', async () => {
    const outcome = await workshop.run(['account', 'set', 'account-east'], 'short\n');
    expect(outcomeOf(outcome)).toEqual([
      2,
      expect.stringContaining('kubeloom-host: account account-east: a password has 8 to'),
    ]);
    expect(outcome.stderr).not.toContain('short');
  });

  test.each([
    ['no credentials', {}, 'none were given'],
    ['a wrong password', guessed, 'wrong password'],
    ['an account that does not exist', { ...east, KUBELOOM_HOST_ACCOUNT: 'account-south' }, 'no such account'],
    ['a path instead of an account', { ...east, KUBELOOM_HOST_ACCOUNT: '../accounts/account-east' }, 'no such account'],
  ])('a host is refused with %s before anything is created', async (_, given, cause) => {
    for (const command of [['site-up', ...site], up]) {
      const outcome = await workshop.run(command, '', given);
      expect(outcomeOf(outcome)).toEqual([
        refused,
        expect.stringMatching(`the credentials of rack are refused: .*${cause}`),
      ]);
    }
    expect((await workshop.run(['reconcile', ...site], '{}', given)).code).toBe(refused);
    expect(workshop.leftovers()).toEqual([join(workshop.stateDirectory, 'accounts')]);
  });

  test('a provider check tries the account and creates nothing', async () => {
    vi.stubEnv('KUBELOOM_HOSTS_DIR', workshop.stateDirectory);
    vi.stubEnv('KUBELOOM_HOST_HELPER', helperPath);
    const checked = (of: typeof east) => {
      const fields = { account: of.KUBELOOM_HOST_ACCOUNT, password: of.KUBELOOM_HOST_PASSWORD };
      return checkLogin('local', { fields, permissions: [], regions: [], bases: {} });
    };
    expect(await checked(east)).toMatchObject([{ name: 'account-east', ok: true }]);
    const [finding] = await checked(guessed);
    expect(finding).toMatchObject({ about: 'identity', name: 'account-east', ok: false });
    expect(finding?.message).toBe('the credentials of the account are refused: wrong password: correct the Secret');
    vi.unstubAllEnvs();
    expect(await workshop.status()).toEqual([]);
  });

  test('a host is created with the right password, which no process of the host has', async () => {
    await workshop.must(['site-up', ...site, '--region', 'north'], '', east);
    await workshop.must(up, '', east);
    const { pid, state } = await workshop.host('a-01');
    expect(state).toBe('running');
    expect(processesWith(east.KUBELOOM_HOST_PASSWORD)).toEqual([]);
    expect(await workshop.ssh('a-01', 'tr "\\0" "\\n" </proc/1/environ')).not.toContain('KUBELOOM_HOST');
    // The search finds what there is to find.
    expect(processesWith(`--machine=${workshop.prefix}`, 'cmdline')).not.toEqual([]);
    expect(pid).not.toBeNull();
  });

  test('hosts are closed to others, even to those with an account of their own', async () => {
    const others = [
      ['down', ...site, '--host', 'a-01'],
      ['gc', ...site],
      ['site-down', ...site, '--region', 'north'],
    ];
    for (const command of others) {
      expect(outcomeOf(await workshop.run(command, '', west))).toEqual([
        refused,
        expect.stringContaining('another account'),
      ]);
      expect((await workshop.run(command, '', guessed)).code).toBe(refused);
      expect((await workshop.run(command)).code).toBe(refused);
    }
    expect((await workshop.host('a-01')).state).toBe('running');
  });

  test('an old password is refused after a change, and running hosts stay as they are', async () => {
    const before = await workshop.ssh('a-01', 'cat /proc/sys/kernel/random/boot_id');
    const rotated = { ...east, KUBELOOM_HOST_PASSWORD: 'second-word-of-east' };
    await setPassword(rotated);
    expect((await workshop.run(up, '', east)).code).toBe(refused);
    await workshop.must(up, '', rotated);
    const answer = await workshop.must(['reconcile', ...site], '{"a-01":"id-1"}', rotated);
    expect(JSON.parse(answer)).toEqual({ replace: [], removed: [] });
    expect(await workshop.ssh('a-01', 'cat /proc/sys/kernel/random/boot_id')).toBe(before);
    await workshop.must(['gc', ...site], '', rotated);
    expect(await workshop.status()).toEqual([]);
  });

  test('gc of a site that was never created needs no account', async () => {
    expect((await workshop.run(['gc', ...workshop.site('never')], '', guessed)).code).toBe(0);
  });
});

/** Processes that have the text in their environment or on their command line. */
function processesWith(text: string, file: 'environ' | 'cmdline' = 'environ'): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}
