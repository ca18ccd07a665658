/** What every `ManifestStore` promises of documents, heads and lists, and, with `manifest-leases.contract.ts`, of leases. */
import { describe, expect, it } from 'vitest';
import type { ManifestStore } from '#functions/manifest-store.ts';
import { headOf } from '#test/fakes/in-memory-manifests.ts';
import { aManifest, key, minute, term } from './builders.ts';
import { manifestLeasesContract } from './manifest-leases.contract.ts';

export function manifestStoreContract(name: string, make: () => ManifestStore): void {
  describe(`ManifestStore: ${name}`, () => {
    it('a manifest is returned as it was created, and an unknown one is undefined', async () => {
      const store = make();
      await store.create(aManifest());
      expect(await store.get(key)).toEqual(aManifest());
      expect(await store.get({ ...key, name: 'other' })).toBeUndefined();
    });

    it('a head is returned without the document, alone and in lists', async () => {
      const store = make();
      await store.create(aManifest());
      const head = headOf(aManifest());
      expect(await store.head(key)).toEqual(head);
      expect(await store.head({ ...key, name: 'other' })).toBeUndefined();
      expect((await store.listHeads(undefined, 10)).items).toEqual([head]);
      expect((await store.list(undefined, 10)).items).toEqual([aManifest()]);
    });

    it('a generation keeps its document and checksum, even if a later attempt passes other ones', async () => {
      const store = make();
      await store.create(aManifest());
      const late = aManifest({ attempt: 2, document: { other: 1 }, checksum: 'c9' });
      await store.replace(late, { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual(aManifest({ attempt: 2 }));
      await store.replace(headOf(aManifest({ attempt: 3 })), { generation: 1, attempt: 2 });
      expect(await store.get(key)).toEqual(aManifest({ attempt: 3 }));
    });

    it('a document of more than 100 KB is stored', async () => {
      const store = make();
      const document = { text: 'é'.repeat(150_000) };
      await store.create(aManifest({ document }));
      expect((await store.get(key))?.document).toEqual(document);
    });

    it('a second create of a manifest is refused with the stored version', async () => {
      const store = make();
      await store.create(aManifest({ generation: 3, attempt: 2 }));
      const again = store.create(aManifest());
      await expect(again).rejects.toMatchObject({ name: 'VersionConflict', details: { generation: 3, attempt: 2 } });
    });

    it('one of many writers of the same generation succeeds', async () => {
      const store = make();
      await store.create(aManifest());
      const desiredById = [2, 3, 4, 5].map((n) => aManifest({ generation: 2, checksum: `c${n}` }));
      const outcomes = await Promise.allSettled(
        desiredById.map((r) => store.replace(r, { generation: 1, attempt: 1 })),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ name: 'VersionConflict', details: { generation: 2, attempt: 1 } });
    });

    it('a replacement of what does not exist is refused', async () => {
      const replaced = make().replace(aManifest({ generation: 2 }), { generation: 1, attempt: 1 });
      await expect(replaced).rejects.toMatchObject({ name: 'VersionConflict', details: { generation: 0, attempt: 0 } });
    });

    it('a replacement keeps lease, fence, uid and time of creation, and replaces all else', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'run-1', term(0));
      const next = aManifest({
        generation: 2,
        uid: 'other',
        createdAt: minute(9),
        document: { two: 2 },
        checksum: 'c2',
      });
      await store.replace(next, { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual({
        ...aManifest({ generation: 2, document: { two: 2 }, checksum: 'c2' }),
        lease: { owner: 'run-1', fence: 1, expiresAt: minute(60) },
        fence: 1,
      });
    });

    it('a replacement sets the stage of a retry and the orphans, and removes both again', async () => {
      const store = make();
      await store.create(aManifest());
      const retried = aManifest({
        attempt: 2,
        retryFrom: 'nodes',
        debug: true,
        orphans: ['a-01', 'a-02'],
        templatesSeen: { one: 'git:v2' },
        behind: { one: { to: 'git:v3', since: minute(1), failed: true } },
        taking: { templates: { one: 'git:v1' }, templateSecrets: {} },
        templatesAsked: { since: minute(2), dueAt: minute(3) },
        remindedAt: '2026-11-20T12:00:00.000Z',
        planes: { c: [{ name: 'capi.cluster-api', version: 'component@v1.11.1', values: { A: '1' } }] },
        plan: { id: 'a1', approvedBy: 'anna', kubeloom: '0.2.0', clusters: {} },
        acceptedCost: { amounts: [{ currency: 'USD', amount: 10 }], notKnown: 1 },
      });
      await store.replace(retried, { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual(retried);
      await store.replace(aManifest({ attempt: 3, orphans: 'all' }), { generation: 1, attempt: 2 });
      expect(await store.get(key)).toEqual(aManifest({ attempt: 3, orphans: 'all' }));
      await store.replace(aManifest({ attempt: 4 }), { generation: 1, attempt: 3 });
      expect(await store.get(key)).toEqual(aManifest({ attempt: 4 }));
    });

    it('a replacement sets the edit of a state and removes it again, and of two with the same number of checks one is refused', async () => {
      const store = make();
      await store.create(aManifest());
      const edited = aManifest({ check: 'reportAll', stateEdit: 'shop-1234567', checks: 1 });
      await store.replace(headOf(edited), { generation: 1, attempt: 1, checks: 0 });
      expect(await store.get(key)).toEqual(edited);
      const late = store.replace(headOf(aManifest({ checks: 1 })), { generation: 1, attempt: 1, checks: 0 });
      await expect(late).rejects.toMatchObject({ name: 'VersionConflict' });
      await store.replace(headOf(aManifest({ checks: 2 })), { generation: 1, attempt: 1, checks: 1 });
      expect(await store.get(key)).toEqual(aManifest({ checks: 2 }));
    });

    it('a pause or resume survives replacements', async () => {
      const store = make();
      await store.create(aManifest());
      expect(await store.setPaused(key, true)).toEqual(headOf(aManifest({ paused: true })));
      await store.replace(aManifest({ generation: 2 }), { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual(aManifest({ generation: 2, paused: true }));
      await store.replace(aManifest({ generation: 3, paused: true }), { generation: 2, attempt: 1 });
      expect(await store.setPaused(key, false)).toEqual(headOf(aManifest({ generation: 3 })));
      expect(await store.get(key)).toEqual(aManifest({ generation: 3 }));
      await expect(store.setPaused({ ...key, name: 'other' }, true)).rejects.toMatchObject({ name: 'NotFound' });
    });

    it('a cancel request is stored, survives a replacement, and makes the manifest due', async () => {
      const store = make();
      await store.create(aManifest());
      const noted = headOf(aManifest({ cancelRequested: 'run-1', dueAt: minute(1) }));
      expect(await store.requestCancel(key, 'run-1', minute(1))).toEqual(noted);
      expect(await store.due(minute(1), 10)).toEqual([noted]);
      await store.replace(aManifest({ generation: 2 }), { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual(aManifest({ generation: 2, cancelRequested: 'run-1' }));
      const missing = store.requestCancel({ ...key, name: 'other' }, 'run-1', minute(1));
      await expect(missing).rejects.toMatchObject({ name: 'NotFound' });
    });

    it('a question for templates is noted whatever is in progress, and makes the manifest due only if that is asked for', async () => {
      const store = make();
      await store.create(aManifest());
      await store.askForTemplates(key, { since: minute(1) });
      expect(await store.get(key)).toEqual(aManifest({ templatesAsked: { since: minute(1) } }));
      await store.askForTemplates(key, { since: minute(2), dueAt: minute(5) }, minute(3));
      const noted = aManifest({ templatesAsked: { since: minute(2), dueAt: minute(5) }, dueAt: minute(3) });
      expect(await store.due(minute(3), 10)).toEqual([headOf(noted)]);
      const missing = store.askForTemplates({ ...key, name: 'other' }, { since: minute(1) });
      await expect(missing).rejects.toMatchObject({ name: 'NotFound' });
    });

    it('the documents of the ten earlier generations, large ones too, are kept while the manifest exists', async () => {
      const store = make();
      const documentOf = (generation: number) => ({ generation, text: generation === 5 ? 'é'.repeat(150_000) : '' });
      await store.create(aManifest({ document: documentOf(1) }));
      for (let generation = 2; generation <= 13; generation++) {
        const next = aManifest({ generation, document: documentOf(generation), deleting: generation === 13 });
        await store.replace(next, { generation: generation - 1, attempt: 1 });
      }
      const kept = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
      expect(await store.generations(key)).toEqual(
        kept.map((generation) => ({ generation, document: documentOf(generation) })),
      );
      await store.takeLease(key, 'a', term(0));
      await store.remove(key, 1, 13);
      expect(await store.generations(key)).toEqual([]);
    });

    it('each generation has its recorded origin: who submitted it, when and why', async () => {
      const store = make();
      const origin = { at: minute(1), by: 'ann', reason: 'created' };
      await store.create(aManifest({ origin }));
      expect((await store.get(key))?.origin).toEqual(origin);
      await store.replace(aManifest({ generation: 2 }), { generation: 1, attempt: 1 });
      const { document } = aManifest();
      expect(await store.generations(key)).toEqual([
        { generation: 2, document },
        { generation: 1, document, origin },
      ]);
    });

    it('the document of a writer that came too late is not kept', async () => {
      const store = make();
      await store.create(aManifest({ document: { one: 1 } }));
      await store.replace(aManifest({ generation: 2, document: { two: 2 } }), { generation: 1, attempt: 1 });
      const late = store.replace(aManifest({ generation: 2, document: { late: 2 } }), { generation: 1, attempt: 1 });
      await expect(late).rejects.toMatchObject({ name: 'VersionConflict' });
      const documents = (await store.generations(key)).map(({ document }) => document);
      expect(documents).toEqual([{ two: 2 }, { one: 1 }]);
    });

    it('a manifest that is replaced without a due time is no longer due', async () => {
      const store = make();
      await store.create(aManifest());
      const { dueAt: _due, ...rest } = aManifest({ attempt: 2 });
      await store.replace(rest, { generation: 1, attempt: 1 });
      expect(await store.due(minute(99), 10)).toEqual([]);
      expect(await store.get(key)).toEqual(rest);
    });

    it('manifests are listed by name, in one namespace or all, page by page', async () => {
      const store = make();
      for (const [namespace, name] of [
        ['b', 'x'],
        ['a', 'y'],
        ['a', 'x'],
        ['a', 'z'],
      ] as const)
        await store.create(aManifest({ namespace, name }));
      for (const list of [store.list.bind(store), store.listHeads.bind(store)]) {
        const first = await list('a', 2);
        const second = await list('a', 2, first.next);
        expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['x', 'y', 'z']);
        expect(second.next).toBeUndefined();
      }
      expect((await store.list(undefined, 10)).items.map((r) => `${r.namespace}/${r.name}`)).toEqual([
        'a/x',
        'a/y',
        'a/z',
        'b/x',
      ]);
      await expect(store.list('a', 2, 'nonsense')).rejects.toMatchObject({ name: 'InvalidInput' });
    });

    it('manifests that are due for a check are listed after all others, however long they have been due', async () => {
      const store = make();
      for (const [name, at, status] of [
        ['check-1', 1, 'Done'],
        ['check-2', 2, 'Done'],
        ['started', 4, 'Pending'],
        ['leased', 3, 'Running'],
      ] as const)
        await store.create(aManifest({ name, status, dueAt: minute(at) }));
      expect((await store.due(minute(5), 3)).map(({ name }) => name)).toEqual(['leased', 'started', 'check-1']);
      expect((await store.due(minute(5), 9)).map(({ name }) => name).slice(2)).toEqual(['check-1', 'check-2']);
    });

    it('due manifests are listed oldest first, up to the given limit', async () => {
      const store = make();
      for (const [name, at] of [
        ['late', 9],
        ['first', 1],
        ['second', 2],
        ['third', 3],
      ] as const)
        await store.create(aManifest({ name, dueAt: minute(at) }));
      expect((await store.due(minute(5), 2)).map(({ name }) => name)).toEqual(['first', 'second']);
      expect((await store.due(minute(5), 9)).map(({ name }) => name)).toEqual(['first', 'second', 'third']);
    });
  });
  manifestLeasesContract(name, make);
}
