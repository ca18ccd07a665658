/** What speaks against an upgrade is reported before it, all at once. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { oldestRelease, upgradeFindings } from '#cli/upgrade-check.ts';

const to = { version: '0.3.0', providerTypes: ['hetzner', 'aws'] };
const manifest = (name: string, status: 'Done' | 'Running' | 'Unreadable') => ({ namespace: 'team', name, status });
const statesOf = (given: Partial<Parameters<typeof upgradeFindings>[0]> = {}) =>
  Object.fromEntries(
    upgradeFindings({ from: { ...to, version: '0.2.1' }, to, manifests: [manifest('shop', 'Done')], ...given }).map(
      ({ about, state }) => [about, state],
    ),
  );
const fine = { versions: 'ok', 'provider types': 'ok', records: 'ok', runs: 'ok' };

it('an upgrade to a newer release of an installation at rest meets nothing', () => {
  expect(statesOf()).toEqual(fine);
});

it.each([
  ['a release from which no recordings exist', '0.0.9', 'wrong'],
  ['a release that is newer than this one', '0.10.0', 'wrong'],
  ['the same release', '0.3.0', 'note'],
])('%s is reported', (_, version, versions) => {
  expect(statesOf({ from: { ...to, version } })).toEqual({ ...fine, versions });
});

it('a provider type that the installation has and this release does not speaks against it, with its name', () => {
  const from = { version: '0.2.1', providerTypes: ['hetzner', 'oldcloud'] };
  expect(statesOf({ from })).toEqual({ ...fine, 'provider types': 'wrong' });
  const found = upgradeFindings({ from, to, manifests: [] }).map((finding) => finding.found);
  expect(found).toContain('this release has no oldcloud');
});

it('runs at work are named and continue; records that are not understood speak against it', () => {
  const manifests = [manifest('shop', 'Running'), manifest('late', 'Unreadable')];
  expect(statesOf({ manifests })).toEqual({ ...fine, runs: 'note', records: 'wrong' });
  const found = upgradeFindings({ from: to, to, manifests }).map((finding) => finding.found);
  expect(found).toEqual(
    expect.arrayContaining([expect.stringMatching(/^at work: team\/shop\./), 'not understood: team/late']),
  );
});

it('a quota that this release needs is named with how to raise it, and one of 0 speaks against the upgrade', () => {
  const quota = (state: 'warning' | 'wrong', found: string) =>
    ({ name: 'builds at once (ARM Lambda/2GB)', state, found, fix: 'aws service-quotas request' }) as const;
  const about = (quotas: Parameters<typeof upgradeFindings>[0]['quotas']) =>
    upgradeFindings({ from: to, to, manifests: [], ...(quotas && { quotas }) }).slice(4);
  expect(about(undefined)).toEqual([]);
  expect(about([])).toEqual([{ state: 'ok', about: 'quotas', found: 'this release needs none that is new' }]);
  expect(about([quota('wrong', '0: no stage can run in this account')])).toEqual([
    {
      state: 'wrong',
      about: 'builds at once (ARM Lambda/2GB)',
      fix: 'aws service-quotas request',
      found: '0: no stage can run in this account',
    },
  ]);
  expect(about([quota('warning', '1: stages wait for each other')])).toMatchObject([{ state: 'note' }]);
});

it('the oldest release that can be upgraded is the oldest one with recordings', () => {
  expect(readdirSync(new URL('../upgrade/recorded/', import.meta.url)).sort()[0]).toBe(oldestRelease);
});
