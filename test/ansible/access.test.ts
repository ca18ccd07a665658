/** The script that lets the key of a person in, with an `authorized_keys` of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { templates } from './playbook.ts';

let directory: string;
let keys: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-access-'));
  keys = join(directory, 'authorized_keys');
  writeFileSync(keys, 'ssh-ed25519 AAAApool kubeloom-workers\n', { mode: 0o600 });
});
afterEach(() => rmSync(directory, { recursive: true }));

function allowKey(key: string, until: string, zone = 'UTC'): string {
  const file = (name: string) => readFileSync(join(templates, 'files', name), 'utf8');
  const script = file('access.sh').replace('/root/.ssh/authorized_keys', keys);
  const seconds = String(Date.parse(until) / 1000);
  const env = { PATH: process.env.PATH, TZ: zone, KUBELOOM_ACCESS_KEY: key, KUBELOOM_ACCESS_UNTIL: seconds };
  const result = spawnSync('bash', [], { input: `${file('common.sh')}\n${script}`, encoding: 'utf8', env });
  expect(result).toMatchObject({ status: 0, stderr: '' });
  return result.stdout;
}
const lines = () => readFileSync(keys, 'utf8').trimEnd().split('\n');
const pool = 'ssh-ed25519 AAAApool kubeloom-workers';

describe('access of people', () => {
  test('an SSH key is accepted until its time, in the time zone of the machine, and the key of the pool stays', () => {
    allowKey('ssh-ed25519 AAAAann', '2126-07-01T12:30:00Z', 'Europe/Bratislava');
    expect(lines()).toEqual([pool, 'expiry-time="21260701143000" ssh-ed25519 AAAAann kubeloom-access']);
    expect(statSync(keys).mode & 0o777).toBe(0o600);
  });

  test('access with the same key again gets a new end time, and the key of another person stays', () => {
    allowKey('ssh-ed25519 AAAAann', '2126-07-01T12:30:00Z');
    allowKey('ssh-ed25519 AAAAeve', '2126-07-01T13:30:00Z');
    allowKey('ssh-ed25519 AAAAann', '2126-07-01T14:30:00Z');
    expect(lines()).toEqual([
      pool,
      'expiry-time="21260701133000" ssh-ed25519 AAAAeve kubeloom-access',
      'expiry-time="21260701143000" ssh-ed25519 AAAAann kubeloom-access',
    ]);
    expect(allowKey('ssh-ed25519 AAAAann', '2126-07-01T14:30:00Z')).toBe('');
  });

  test('keys whose time is over go with the next visit', () => {
    allowKey('ssh-ed25519 AAAAeve', '2020-01-01T00:00:00Z');
    allowKey('ssh-ed25519 AAAAann', '2126-07-01T12:30:00Z');
    expect(lines()).toEqual([pool, 'expiry-time="21260701123000" ssh-ed25519 AAAAann kubeloom-access']);
  });
});
