/** How DynamoDB has manifests: a small head, and the document of each generation next to it; never one of each that do not belong together. */
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable, type Item, type Query } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { documentItem, type ItemKey, manifestItem } from '#adapters/table-keys.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { ManifestStore } from '#functions/manifest-store.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { InMemoryManifests } from '#test/fakes/in-memory-manifests.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { aManifest, key, minute, term } from './builders.ts';

interface World {
  readonly client: DynamoDBDocumentClient;
  /** Keys of a table that no other test has. */
  freshName(): string;
  /** With its calls recorded. */
  recorded(store: ManifestStore): ManifestStore;
}

export function manifestLayoutContract(world: () => World): void {
  describe('manifests in the table', () => {
    const open = () => {
      const { client, freshName, recorded } = world();
      const name = freshName();
      const table = new InterruptedTable(client, name);
      const store = recorded(new DynamoManifests(table, new LargeDocuments(new InMemoryArtifacts())));
      const items = async () => (await client.send(new ScanCommand({ TableName: name }))).Items ?? [];
      const put = (item: Item) => client.send(new PutCommand({ TableName: name, Item: item }));
      const remove = (one: ItemKey) => client.send(new DeleteCommand({ TableName: name, Key: { ...one } }));
      return { table, store, items, put, remove };
    };
    const documentOf = (generation: number) => ({ text: `${generation}`.padEnd(20_000, 'x') });
    const generationOf = (generation: number, change: Partial<ManifestRecord> = {}) =>
      aManifest({ generation, checksum: `c${generation}`, document: documentOf(generation), ...change });
    const belongs = ({ generation, document }: Pick<ManifestRecord, 'generation' | 'document'>) =>
      expect(document).toEqual(documentOf(generation));

    it('the document is in an item of its own, and its head stays below 1 KB', async () => {
      const { store, items } = open();
      await store.create(generationOf(1));
      await store.replace(generationOf(2), { generation: 1, attempt: 1 });
      await store.takeLease(key, 'arn:aws:states:eu-central-1:123456789012:execution:reconcile-manifest:x', term(0));
      await store.begin(key, 1, minute(1));
      const sizes = (await items()).map((item) => [item.sk, JSON.stringify(item).length] as const);
      expect(sizes.map(([sk]) => sk).sort()).toEqual(['DOCUMENT#1', 'DOCUMENT#2', 'team#shop']);
      for (const [sk, size] of sizes) expect(size < 1024).toBe(sk === 'team#shop');
    });

    it('a deleted manifest with many generations leaves no items in the table', async () => {
      const { store, items } = open();
      await store.create(generationOf(1));
      for (let generation = 2; generation <= 13; generation++)
        await store.replace(generationOf(generation, { deleting: true }), { generation: generation - 1, attempt: 1 });
      await store.takeLease(key, 'a', term(0));
      expect(await items()).toHaveLength(12);
      expect(await store.remove(key, 1, 13)).toBe('settled');
      expect(await items()).toEqual([]);
    });

    it('a name in a document of an earlier release is claimed before the first question, of two that have one the first', async () => {
      const { store, items, put, remove } = open();
      const serving = (hostname: string) => ({
        spec: { loadBalancers: { clusters: [{ dns: { dnsZone: 'example.com', hostname } }] } },
      });
      const other = { namespace: key.namespace, name: 'twin' };
      await store.create(aManifest({ document: serving('k8s') }));
      await store.create(aManifest({ ...other, document: serving('else') }));
      const [first] = (await items()).filter(({ pk }) => pk === `MANIFEST#${key.namespace}#${key.name}`);
      for (const item of await items()) {
        const { names: _names, wanted: _wanted, ...old } = item;
        if (item.pk === 'NAMES') await remove({ pk: 'NAMES', sk: String(item.sk) });
        else if (item.pk === 'MANIFESTS') await put(old);
        else await put({ ...item, document: first?.document });
      }
      expect([...(await store.ownersOf(['k8s.example.com']))]).toEqual([['k8s.example.com', key]]);
      const late = store.create(aManifest({ name: 'late', document: serving('k8s') }));
      await expect(late).rejects.toMatchObject({ name: 'NameTaken' });
      // It releases what was claimed for it.
      await store.replace(aManifest({ generation: 2, document: {} }), { generation: 1, attempt: 1 });
      const taken = await store.takeLease(key, 'run', term(0));
      await store.settle(key, taken?.lease.fence ?? 0, { generation: 2, attempt: 1 }, 'Done', minute(1));
      expect((await store.ownersOf(['k8s.example.com'])).size).toBe(0);
    });

    it('a refused generation or a refused create writes no items', async () => {
      const { store, items } = open();
      await store.create(generationOf(1));
      const before = await items();
      await expect(store.create(generationOf(1, { document: {} }))).rejects.toThrow();
      await expect(store.replace(generationOf(9), { generation: 8, attempt: 1 })).rejects.toThrow();
      expect(await items()).toEqual(before);
    });

    it('the document of a manifest that is deleted and created again while it is read is that of its head', async () => {
      const { store, table } = open();
      for (const read of [
        () => store.get(key),
        async () => (await store.list(undefined, 10)).items[0],
        () => store.begin(key, 1, minute(2)),
      ]) {
        await store.create(generationOf(1, { deleting: true, document: { text: 'before' }, checksum: 'before' }));
        await store.takeLease(key, 'a', term(0));
        table.afterNextHead = async () => {
          await store.remove(key, 1, 1);
          await store.create(generationOf(1));
          await store.takeLease(key, 'b', term(0));
        };
        const found = await read();
        expect(found).toMatchObject({ checksum: 'c1' });
        if (found) belongs(found);
        await store.discard(key);
      }
    });

    it('reading a manifest during its deletion returns nothing', async () => {
      const { store, table } = open();
      await store.create(generationOf(1));
      for (const read of [() => store.get(key), async () => (await store.list(undefined, 10)).items[0]]) {
        table.afterNextHead = () => store.discard(key);
        expect(await read()).toBeUndefined();
        await store.create(generationOf(1));
      }
    });

    it('reading a manifest during writes returns the document of exactly one generation', async () => {
      const { store, table } = open();
      await store.create(generationOf(1));
      table.afterNextHead = async () => {
        for (let generation = 2; generation <= 14; generation++)
          await store.replace(generationOf(generation), { generation: generation - 1, attempt: 1 });
      };
      const found = await store.get(key);
      expect(found?.generation).toBe(14);
      if (found) belongs(found);
    });

    it('a manifest whose document is missing cannot be read, and is healed by the next generation', async () => {
      const { store, remove } = open();
      await store.create(generationOf(1));
      await remove(documentItem(key, 1));
      await expect(store.get(key)).rejects.toMatchObject({ name: 'Unreadable' });
      expect((await store.list(undefined, 10)).unreadable).toMatchObject([{ name: 'shop', replaceable: true }]);
      expect(await store.remainsOf(key)).toMatchObject({ reason: expect.stringContaining('generation 1 is missing') });
      await store.replace(generationOf(2), { generation: 1, attempt: 1 });
      expect(await store.get(key)).toEqual(generationOf(2));
    });

    it('readers see whole generations while writers race', async () => {
      const { store, items } = open();
      await store.create(generationOf(1));
      let done = false;
      const write = async (writer: string): Promise<number> => {
        let won = 0;
        for (let turn = 0; turn < 15; turn++) {
          const { generation = 0 } = (await store.head(key)) ?? {};
          const next = generationOf(generation + 1, { runId: writer });
          won += await store.replace(next, { generation, attempt: 1 }).then(
            () => 1,
            (error: unknown) => (isPipelineError(error, 'VersionConflict') ? 0 : Promise.reject(error)),
          );
        }
        return won;
      };
      const read = async (): Promise<void> => {
        while (!done)
          for (const found of [await store.get(key), ...(await store.list(undefined, 9)).items])
            found && belongs(found);
      };
      const readers = [read(), read()];
      const won = await Promise.all(['a', 'b', 'c'].map(write));
      done = true;
      await Promise.all(readers);
      const newest = 1 + won.reduce((sum, one) => sum + one, 0);
      expect((await store.get(key))?.generation).toBe(newest);
      expect((await store.generations(key)).map(({ generation }) => generation)).toEqual(
        Array.from({ length: Math.min(11, newest) }, (_, place) => newest - place),
      );
      expect(await items()).toHaveLength(1 + Math.min(11, newest));
    });

    it('random operations leave the same manifest in DynamoDB as in memory, from an earlier release or not', async () => {
      const calls = fc.oneof(
        { weight: 3, arbitrary: fc.constant('nextGeneration' as const) },
        { weight: 3, arbitrary: fc.constant('nextAttempt' as const) },
        fc.constantFrom(
          'late',
          'takeLease',
          'renew',
          'begin',
          'settle',
          'release',
          'pause',
          'remove',
          'create',
          'discard',
        ),
      );
      const { store, items, put } = open();
      await fc.assert(
        fc.asyncProperty(fc.boolean(), fc.array(calls, { maxLength: 25 }), async (early, order) => {
          await store.discard(key);
          const model = new InMemoryManifests();
          await model.create(generationOf(1));
          if (early) await put(earlierItem(generationOf(1)));
          else await store.create(generationOf(1));
          for (const call of order) {
            const outcomes = await Promise.all([store, model].map((one) => outcomeOf(one, call)));
            expect(outcomes[0], call).toEqual(outcomes[1]);
            expect(await store.get(key)).toEqual(await model.get(key));
            expect(await store.generations(key)).toEqual(await model.generations(key));
          }
          if ((await model.get(key)) !== undefined) await store.discard(key);
          expect(await items()).toEqual([]);
        }),
        { numRuns: propertyRuns(100) },
      );
    });

    /** What a call answers, or the name of its error. */
    async function outcomeOf(store: ManifestStore, call: string): Promise<unknown> {
      const now = await store.get(key);
      const { generation = 1, attempt = 1, fence = 0, deleting = false } = now ?? {};
      const seen = { generation, attempt };
      const next = { fence, deleting: !deleting };
      const acts: Readonly<Record<string, () => Promise<unknown>>> = {
        nextGeneration: () => store.replace(generationOf(generation + 1, next), seen),
        nextAttempt: () => store.replace({ ...(now ?? generationOf(1)), attempt: attempt + 1 }, seen),
        late: () => store.replace(generationOf(generation, next), { generation: generation - 1, attempt }),
        takeLease: () => store.takeLease(key, `run-${attempt}`, term(fence)),
        renew: () => store.renewLease(key, fence, term(1)),
        begin: () => store.begin(key, fence, minute(3)),
        settle: () => store.settle(key, fence, seen, 'Done', minute(4), { dueAt: minute(90) }),
        release: () => store.releaseLease(key, `run-${attempt}`),
        pause: () => store.setPaused(key, now?.paused !== true),
        remove: () => store.remove(key, fence, generation),
        create: () => store.create(generationOf(1)),
        discard: () => store.discard(key),
      };
      return acts[call]?.().catch((error: unknown) => (error instanceof Error ? error.name : String(error)));
    }
  });
}

/** The item of a manifest as 0.1.0 wrote it: with its document. */
export function earlierItem(record: ManifestRecord): Item {
  const { lease, document, dueAt, ...plain } = record;
  return {
    ...manifestItem(record),
    ...plain,
    document: { json: JSON.stringify(document) },
    ...(dueAt !== undefined && { duePartition: 'MANIFESTS', dueAt }),
    ...(lease && { leaseOwner: lease.owner, leaseExpiresAt: lease.expiresAt }),
  };
}

/** Lets a test do something between the read of a head and that of its document. */
class InterruptedTable extends DynamoTable {
  afterNextHead: (() => Promise<void>) | undefined;

  override async get(one: ItemKey): Promise<Item | undefined> {
    const item = await super.get(one);
    if (one.pk === 'MANIFESTS') await this.#interrupt();
    return item;
  }

  override async query(query: Query): ReturnType<DynamoTable['query']> {
    const page = await super.query(query);
    if (query.partition.value === 'MANIFESTS') await this.#interrupt();
    return page;
  }

  override async update(...given: Parameters<DynamoTable['update']>): Promise<Item | undefined> {
    const item = await super.update(...given);
    if (item?.status === 'Deleting') await this.#interrupt();
    return item;
  }

  async #interrupt(): Promise<void> {
    const act = this.afterNextHead;
    this.afterNextHead = undefined;
    await act?.();
  }
}
