/** A Terraform, and objects where it keeps its states, locks and notes, that lie: the stage fails in words, or nothing of a lie is kept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { controlPool, twoProviderState } from '#test/rendering/states.ts';
import {
  calls,
  openRecordings,
  record,
  recordings,
  stateKey,
  template,
  world,
} from '#test/runner/recorded-terraform.ts';
import { aDocument } from '#test/runner/stage-world.ts';
import { sampled } from '#test/sampled.ts';
import { brokenJson, liesAbout, obeyedInJson } from './lies.ts';
import { expectOfOthers } from './outcome-of.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
beforeEach(openRecordings);
afterEach(() => world.close());

/** Each lie about an honest answer, as the text that is stored or printed. */
function liesInPlaceOf(honest: unknown, from: number) {
  const all = [
    ...liesAbout(honest, canary.file).map(({ title, value }) => ({ title, text: JSON.stringify(value) ?? '' })),
    ...Object.entries(brokenJson).map(([title, text]) => ({ title, text })),
  ];
  return sampled(all, { oneOf: 5, from });
}
const workspace = (kind: 'machines' | 'dns', name: string, destroy = false): StagePlan => ({
  stage: 'infrastructure',
  reasons: [],
  work: { workspaces: [{ kind, name, destroy }] },
});
const put = (key: string, text: string) => world.ports.artifacts.putText(key, text);

/** The failure is of the tool or the state and is retried by rule, and events and log show nothing that a terminal obeys. */
async function runStage(title: string) {
  const { ok, error } = await world.run('infrastructure');
  if (error) expectOfOthers(error, title);
  expect(JSON.stringify(await world.reported()).replaceAll('\\n', ''), title).not.toMatch(obeyedInJson);
  return { ok, error };
}

describe('the address of a load balancer', () => {
  const endpoint = async () => (await world.facts()).loadBalancers.lb?.endpoint;
  const facts = { ...noFacts, nodes: { 'edge-ccccccc-01': { publicAddress: '198.51.100.5' } } };
  const honest = { endpoint: { value: 'shop.example.com.' }, alternative_endpoints: { value: {} } };
  beforeEach(() => world.put(aDocument([workspace('dns', 'lb-ddddddd')]), facts));

  it('a load balancer has a host name, whatever Terraform prints in its place', async () => {
    record('output.out', JSON.stringify(honest));
    expect((await runStage('honest')).ok).toBe(true);
    expect(await endpoint()).toBe('shop.example.com');
    for (const { title, text } of liesInPlaceOf(honest, 1)) {
      await world.put(aDocument([workspace('dns', 'lb-ddddddd')]), facts);
      record('output.out', text);
      const { ok, error } = await runStage(title);
      expect(String(await endpoint()), title).toMatch(ok ? /^[A-Za-z0-9][A-Za-z0-9.-]*$/ : /^undefined$/);
      if (!ok) expect(error?.code, title).toBe('ToolAnswerUnreadable');
    }
  });
});

describe('what Terraform left in the bucket', () => {
  const document = aDocument([workspace('machines', 'hz-prod')], {
    target: twoProviderState({ pools: [controlPool] }),
    before: null,
  });

  it('a state that lies about its firewall is unreadable, or the firewall is set again, by addresses of ours', async () => {
    template('manifest.json', { firewall: 'cloud' });
    const honest = { version: 4, outputs: { peer_cidrs: { value: ['198.51.100.1/32'] } } };
    for (const { title, text } of [{ title: 'honest', text: JSON.stringify(honest) }, ...liesInPlaceOf(honest, 2)]) {
      await world.put(document, noFacts);
      await put(stateKey, text);
      await runStage(title);
      const root = readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8');
      const { peer_cidrs } = JSON.parse(root).module.network_fsn1;
      for (const peer of peer_cidrs ?? []) expect(peer, title).toMatch(/^198\.51\.100\.\d\/32$/);
    }
  });

  it('a lock that lies is never freed, but for one that a dead build of ours is noted for', async () => {
    const lock = { ID: 'lock-1', Operation: 'apply', Who: 'root@build-7', Created: '2026-01-01T00:00:00Z' };
    const owner = { who: 'root@build-7', waypoint: 'shop-abcde-g1-a0', build: 'terraform:7' };
    world.ports.builds.statuses.set('terraform:7', 'ended');
    const attempt = async (locked: string, noted: string, title: string) => {
      await world.put(document, noFacts);
      await put(`${stateKey}.tflock`, locked);
      await put(`${stateKey}.owner`, noted);
      record('calls', '');
      await runStage(title);
      return readFileSync(join(recordings, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('force-unlock'));
    };
    const freed = 'machines-hz-prod: force-unlock -force -no-color lock-1';
    expect(await attempt(JSON.stringify(lock), JSON.stringify(owner), 'honest')).toEqual([freed]);
    for (const { title, text } of liesInPlaceOf(lock, 3)) {
      for (const call of await attempt(text, JSON.stringify(owner), `lock: ${title}`))
        expect(call, title).toMatch(/^machines-hz-prod: force-unlock -force -no-color \w[\w-]*$/);
      expect(await attempt(text, JSON.stringify({ ...owner, who: 'ann@laptop' }), `foreign: ${title}`)).toEqual([]);
    }
    for (const { title, text } of liesInPlaceOf(owner, 4)) {
      const calls = await attempt(JSON.stringify(lock), text, `note: ${title}`);
      if (!text.includes('"who":"root@build-7"')) expect(calls, title).toEqual([]);
    }
  }, 400_000);

  it('a note that lies about destroyed machines hides none that is known', async () => {
    const removal = aDocument([workspace('machines', 'hz-prod', true)], {
      direction: 'destroy',
      before: twoProviderState(),
      target: null,
    });
    const known = { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } };
    const honest = { nodes: ['control-aaaaaaa-01'] };
    const attempt = async (text: string, title: string) => {
      await world.put(removal, known);
      await put(`runs/destroyed/${stateKey}.json`, text);
      record('calls', '');
      return { ...(await runStage(title)), terraform: calls().filter(Boolean) };
    };
    expect(await attempt(JSON.stringify(honest), 'honest')).toMatchObject({ ok: true });
    for (const { title, text } of liesInPlaceOf(honest, 0)) {
      const { ok, error, terraform } = await attempt(text, title);
      expect([ok, terraform], title).toEqual([false, []]);
      expect(['StateLost', 'ToolAnswerUnreadable'], title).toContain(error?.code);
    }
  });
});
