/** `ManifestStore` in memory. */
import type { TemplatesAsked } from '#contracts/moved-templates.ts';
import type { Lease, ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { claimedNames } from '#domain/manifest/values/claimed-names.ts';
import type {
  LeaseTerm,
  ManifestRemains,
  ManifestStore,
  ManifestVersion,
  SettledWith,
  StoredGeneration,
  StoredManifests,
} from '#functions/manifest-store.ts';
import { pageOf } from './page-of.ts';

const idOf = (key: ManifestKey): string => `${key.namespace}#${key.name}`;

export class InMemoryManifests implements ManifestStore {
  readonly #records = new Map<string, ManifestRecord>();
  readonly #earlier = new Map<string, StoredGeneration>();
  readonly #names = new Map<string, ManifestKey>();

  async get(key: ManifestKey): Promise<ManifestRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key)));
  }

  async head(key: ManifestKey): Promise<ManifestHead | undefined> {
    const record = await this.get(key);
    return record && headOf(record);
  }

  /** Nothing in memory is ever unreadable. */
  async remainsOf(): Promise<ManifestRemains | undefined> {
    return undefined;
  }

  async discard(key: ManifestKey): Promise<void> {
    this.#records.delete(idOf(key));
    this.#release(key, []);
    for (const id of this.#earlier.keys()) if (id.startsWith(`${idOf(key)}#`)) this.#earlier.delete(id);
  }

  async ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, ManifestKey>> {
    return new Map(names.flatMap((name) => ownedBy(name, this.#names.get(name))));
  }

  async generations(key: ManifestKey): Promise<readonly StoredGeneration[]> {
    const stored = this.#records.get(idOf(key));
    if (!stored) return [];
    const earlier = [...this.#earlier].flatMap(([id, each]) => (id.startsWith(`${idOf(key)}#`) ? [each] : []));
    return structuredClone([generationOf(stored), ...earlier].toSorted((a, b) => b.generation - a.generation));
  }

  async setPaused(key: ManifestKey, paused: boolean): Promise<ManifestHead> {
    const { paused: _paused, ...rest } = this.#there(key);
    return headOf(this.#keep(paused ? { ...rest, paused } : rest));
  }

  async requestCancel(key: ManifestKey, runId: string, dueAt: string): Promise<ManifestHead> {
    return headOf(this.#keep({ ...this.#there(key), cancelRequested: runId, dueAt }));
  }

  async create(record: ManifestRecord): Promise<void> {
    const stored = this.#records.get(idOf(record));
    if (stored) throw conflict(stored);
    this.#claim(record);
    this.#records.set(idOf(record), structuredClone(record));
  }

  async replace(record: ManifestHead | ManifestRecord, expected: ManifestVersion): Promise<void> {
    const stored = this.#records.get(idOf(record));
    if (stored?.generation !== expected.generation || stored.attempt !== expected.attempt) throw conflict(stored);
    if (expected.checks !== undefined && expected.checks !== (stored.checks ?? 0)) throw conflict(stored);
    if ('document' in record && record.generation !== stored.generation) this.#claim(record);
    if (record.generation !== stored.generation) {
      this.#earlier.set(`${idOf(record)}#${stored.generation}`, structuredClone(generationOf(stored)));
      this.#earlier.delete(`${idOf(record)}#${stored.generation - 10}`);
    }
    const isNew = 'document' in record && record.generation !== stored.generation;
    const { document, checksum } = isNew ? record : stored;
    const { generation, attempt, status, runId, deleting, updatedAt, plan, planes, acceptedCost, remindedAt, failed } =
      record;
    const {
      retryFrom,
      debug,
      retries,
      orphans,
      dueAt,
      check,
      checks,
      stateEdit,
      origin,
      templates,
      templateSecrets,
      templatesSeen,
      behind,
      taking,
      templatesAsked,
    } = record;
    const {
      dueAt: _due,
      retryFrom: _from,
      debug: _debug,
      retries: _retries,
      orphans: _orphans,
      check: _check,
      stateEdit: _edit,
      ...same
    } = stored;
    const { origin: _origin, templates: _templates, templateSecrets: _secrets, templatesSeen: _seen, ...others } = same;
    const { behind: _behind, taking: _taking, templatesAsked: _asked, ...rest } = others;
    const { plan: _plan, planes: _planes, acceptedCost: _cost, remindedAt: _reminded, failed: _failed, ...kept } = rest;
    const change = { document, checksum, generation, attempt, status, runId, deleting, updatedAt };
    const optional = {
      ...(retryFrom !== undefined && { retryFrom }),
      ...(debug !== undefined && { debug }),
      ...(retries !== undefined && { retries }),
      ...(orphans !== undefined && { orphans }),
      ...(templates !== undefined && { templates }),
      ...(templateSecrets !== undefined && { templateSecrets }),
      ...(templatesSeen !== undefined && { templatesSeen }),
      ...(behind !== undefined && { behind }),
      ...(taking !== undefined && { taking }),
      ...(templatesAsked !== undefined && { templatesAsked }),
      ...(dueAt !== undefined && { dueAt }),
      ...(check !== undefined && { check }),
      ...(checks !== undefined && { checks }),
      ...(stateEdit !== undefined && { stateEdit }),
      ...(origin !== undefined && { origin }),
      ...(plan !== undefined && { plan }),
      ...(planes !== undefined && { planes }),
      ...(acceptedCost !== undefined && { acceptedCost }),
      ...(remindedAt !== undefined && { remindedAt }),
      ...(failed !== undefined && { failed }),
    };
    this.#keep({ ...kept, ...change, ...optional });
  }

  async askForTemplates(key: ManifestKey, templatesAsked: TemplatesAsked, dueAt?: string): Promise<void> {
    this.#keep({ ...this.#there(key), templatesAsked, ...(dueAt !== undefined && { dueAt }) });
  }

  async takeLease(
    key: ManifestKey,
    owner: string,
    term: LeaseTerm,
  ): Promise<{ lease: Lease; record: ManifestHead } | undefined> {
    const stored = this.#there(key);
    const free = stored.lease === null || stored.lease.owner === owner || stored.lease.expiresAt < term.now;
    if (!free) return undefined;
    const fence = stored.fence + 1;
    const cost = stored.lease?.cost && { cost: stored.lease.cost };
    const lease = { owner, fence, expiresAt: term.expiresAt, ...cost };
    const record = { ...stored, fence, lease, dueAt: term.dueAt };
    this.#records.set(idOf(key), record);
    return structuredClone({ lease, record: headOf(record) });
  }

  async renewLease(key: ManifestKey, fence: number, term: LeaseTerm): Promise<void> {
    const { stored, lease } = this.#held(key, fence);
    const renewed = { ...lease, expiresAt: term.expiresAt };
    this.#records.set(idOf(key), { ...stored, lease: renewed, dueAt: term.dueAt });
  }

  async begin(key: ManifestKey, fence: number, at: string): Promise<ManifestRecord> {
    const { stored, lease } = this.#held(key, fence);
    const cost = stored.acceptedCost ?? { amounts: [], notKnown: 0 };
    const status = stored.deleting ? 'Deleting' : 'Running';
    const record: ManifestRecord = { ...stored, lease: { ...lease, cost }, status, updatedAt: at };
    this.#records.set(idOf(key), record);
    return structuredClone(record);
  }

  async settle(
    key: ManifestKey,
    fence: number,
    seen: ManifestVersion,
    status: ManifestRecord['status'],
    at: string,
    { acceptedCost, served = [], ...next }: SettledWith = {},
  ): Promise<'settled' | 'newer'> {
    const { stored } = this.#held(key, fence);
    if (stored.generation !== seen.generation || stored.attempt !== seen.attempt) return 'newer';
    const { retries, failed: _failed, ...rest } = freed(stored);
    const kept = { ...rest, ...(status !== 'Done' && retries !== undefined && { retries }) };
    this.#records.set(idOf(key), { ...kept, ...(acceptedCost && { acceptedCost }), status, updatedAt: at, ...next });
    if (status === 'Done' && next.failed === undefined)
      this.#release(key, [...claimedNames(stored.document), ...served]);
    return 'settled';
  }

  async releaseLease(key: ManifestKey, owner: string): Promise<ManifestHead | undefined> {
    const stored = this.#records.get(idOf(key));
    if (stored?.lease?.owner === owner) this.#records.set(idOf(key), { ...stored, lease: null });
    return this.head(key);
  }

  async remove(key: ManifestKey, fence: number, generation: number): Promise<'settled' | 'newer'> {
    const { stored } = this.#held(key, fence);
    if (stored.generation !== generation || !stored.deleting) return 'newer';
    await this.discard(key);
    return 'settled';
  }

  async list(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests> {
    const ids = [...this.#records.keys()].sort();
    const records = ids.flatMap((id) => this.#records.get(id) ?? []);
    const wanted = records.filter((record) => namespace === undefined || record.namespace === namespace);
    return { ...pageOf(wanted, limit, next), unreadable: [] };
  }

  async listHeads(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests<ManifestHead>> {
    const page = await this.list(namespace, limit, next);
    return { ...page, items: page.items.map(headOf) };
  }

  async atWork(now: string, limit: number): Promise<number> {
    const ended = ({ status }: ManifestRecord) => status === 'Done' || status === 'Failed';
    const later = [...this.#records.values()].filter(
      (one) => !ended(one) && one.dueAt !== undefined && one.dueAt > now,
    );
    return Math.min(later.length, limit);
  }

  async due(now: string, limit: number): Promise<readonly ManifestHead[]> {
    const due = [...this.#records.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now);
    const place = ({ status, dueAt }: ManifestRecord) =>
      `${status === 'Done' || status === 'Failed' ? 'checks' : '-'} ${dueAt}`;
    return structuredClone(due.sort((a, b) => place(a).localeCompare(place(b))).slice(0, limit)).map(headOf);
  }

  /** All of them or none. */
  #claim(record: ManifestRecord): void {
    const names = record.deleting ? [] : claimedNames(record.document);
    const isOthers = (name: string) => idOf(this.#names.get(name) ?? record) !== idOf(record);
    if (names.some(isOthers)) throw new PipelineError('NameTaken', `taken: ${names.filter(isOthers).join(', ')}`);
    for (const name of names) this.#names.set(name, { namespace: record.namespace, name: record.name });
  }

  #release(key: ManifestKey, but: readonly string[]): void {
    for (const [name, owner] of this.#names)
      if (idOf(owner) === idOf(key) && !but.includes(name)) this.#names.delete(name);
  }

  #there(key: ManifestKey): ManifestRecord {
    const stored = this.#records.get(idOf(key));
    if (stored) return stored;
    throw new PipelineError('NotFound', `manifest ${idOf(key)} does not exist`);
  }

  #keep(record: ManifestRecord): ManifestRecord {
    this.#records.set(idOf(record), structuredClone(record));
    return structuredClone(record);
  }

  #held(key: ManifestKey, fence: number): { stored: ManifestRecord; lease: Lease } {
    const stored = this.#records.get(idOf(key));
    if (stored?.lease && stored.fence === fence) return { stored, lease: stored.lease };
    throw new PipelineError('LeaseLost', `the lease of ${idOf(key)} with fence ${fence} is gone`);
  }
}

export function headOf({ document: _document, ...head }: ManifestRecord): ManifestHead {
  return head;
}

const ownedBy = (name: string, owner: ManifestKey | undefined): [string, ManifestKey][] =>
  owner ? [[name, owner]] : [];

function generationOf({ generation, document, origin }: ManifestRecord): StoredGeneration {
  return { generation, document, ...(origin && { origin }) };
}

function freed({ dueAt: _due, ...record }: ManifestRecord): ManifestRecord {
  return { ...record, lease: null };
}

function conflict(stored: ManifestRecord | undefined): PipelineError {
  const details = { generation: stored?.generation ?? 0, attempt: stored?.attempt ?? 0 };
  return new PipelineError('VersionConflict', 'another generation is stored', { details });
}
