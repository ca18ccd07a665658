/** What those who watch a manifest ask for again and again. */
import { describe, expect, it } from 'vitest';
import type { Live } from '#contracts/live.ts';
import type { NewEvent } from '#contracts/records.ts';
import { apiUnderTest } from './api-under-test.ts';
import { key, manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aRun, runId } from './records.ts';

const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`;
const event = (second: number): NewEvent => ({
  at: at(second),
  runId,
  level: 'info',
  kind: 'PlanMade',
  message: `event ${second}`,
});

async function watched() {
  const api = apiUnderTest();
  await api.deps.manifests.create(aRecord());
  await api.deps.runs.put(aRun());
  await api.deps.clusters.put(aClusterRecord({}));
  await api.deps.events.append(key, [event(1), event(2)]);
  const live = (since?: unknown, tag?: string) =>
    api.call('GET', `${manifestPath}/live${since === undefined ? '' : `?since=${encodeURIComponent(String(since))}`}`, {
      ...(tag !== undefined && { headers: { 'if-none-match': tag } }),
    });
  const messages = (answer: { readonly json: Readonly<Record<string, unknown>> }) =>
    (answer.json.events as readonly { readonly message: string }[]).map(({ message }) => message);
  return { ...api, live, messages };
}

describe('GET …/live', () => {
  it('the manifest as GET shows it and its events are in one answer, the next one has only new events', async () => {
    const { call, deps, live, messages } = await watched();
    const first = await live();
    expect(first.json.manifest).toEqual((await call('GET', manifestPath)).json);
    expect(messages(first)).toEqual(['event 1', 'event 2']);
    await deps.events.append(key, [event(3)]);
    expect(messages(await live(first.json.next))).toEqual(['event 3']);
  });

  it('the answer is an empty 304 while nothing changes, and a new one after an event or any progress', async () => {
    const { deps, live, messages } = await watched();
    const { next } = (await live()).json;
    const tag = (await live(next)).headers.etag ?? '';
    expect(await live(next, tag)).toMatchObject({ status: 304, text: '', headers: { etag: tag } });
    await deps.events.append(key, [event(3)]);
    const newer = await live(next, tag);
    expect(messages(newer)).toEqual(['event 3']);
    const [record = aClusterRecord({})] = await deps.clusters.list(key);
    await deps.clusters.put({ ...record, version: record.version + 1, status: 'NeedsAttention' });
    const changed = await live(next, newer.headers.etag);
    expect(changed).toMatchObject({ status: 200, json: { manifest: { clusters: [{ status: 'NeedsAttention' }] } } });
  });

  it('parts that the caller has are left out, until they change', async () => {
    const { call, deps } = await watched();
    const asked = async (have = '') =>
      (await call('GET', `${manifestPath}/live${have === '' ? '' : `?have=${have}`}`)).json as Live;
    const first = await asked();
    const [cluster = ''] = Object.keys(first.parts.nodes);
    const have = `${first.parts.document},${first.parts.nodes[cluster]}`;
    const second = await asked(have);
    expect(second.manifest).not.toHaveProperty('document');
    expect(second.manifest.clusters[0]).not.toHaveProperty('nodes');
    expect(second.parts).toEqual(first.parts);
    const next = { ...aRecord(), generation: 2, document: { kind: 'InputManifest' }, checksum: 'other' };
    await deps.manifests.replace(next, { generation: 1, attempt: 1 });
    const third = await asked(have);
    expect(third.manifest.document).toEqual({ kind: 'InputManifest' });
    expect(third.parts.document).not.toBe(first.parts.document);
    expect(third.manifest.clusters[0]).not.toHaveProperty('nodes');
  });

  it('a manifest that does not exist is a 404', async () => {
    expect((await apiUnderTest().call('GET', `${manifestPath}/live`)).json).toMatchObject({ code: 'NotFound' });
  });
});
