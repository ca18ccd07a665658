/** What is stored of manifests: a small head with lease, status and generation, and the documents of generations apart from it. */
import type { TemplatesAsked } from '#contracts/moved-templates.ts';
import type { Lease, ManifestHead, ManifestKey, ManifestRecord, Origin } from '#contracts/records.ts';
import type { Page } from './page.ts';

/** How long a lease is good for; at `dueAt`, before it expires, the scheduler checks whether its holder still runs. */
export interface LeaseTerm {
  readonly now: string;
  readonly dueAt: string;
  readonly expiresAt: string;
}

/** A run that ended without a report is found after this time. */
const checkAfterSeconds = 300;

/** From `now` for so many seconds; it is due before half of it is over. */
export function leaseTerm(now: Date, seconds: number): LeaseTerm {
  const after = (passed: number): string => new Date(now.getTime() + passed * 1000).toISOString();
  return { now: now.toISOString(), dueAt: after(Math.min(checkAfterSeconds, seconds / 2)), expiresAt: after(seconds) };
}

/** A generation of a manifest with its document. */
export interface StoredGeneration {
  readonly generation: number;
  readonly document: unknown;
  /** Absent when an older release stored it. */
  readonly origin?: Origin;
}

/** What is left of a manifest whose record cannot be read. */
export interface ManifestRemains extends ManifestKey {
  /** Why it cannot be read, a sentence. */
  readonly reason: string;
  /** With what could be read of it; the document is null, the status Failed. */
  readonly record: ManifestRecord;
  /** Whether `replace` makes it a complete record again. */
  readonly replaceable: boolean;
}

/** `unreadable` are those of this page that cannot be read: they do not hide the others. */
export interface StoredManifests<Stored extends ManifestHead = ManifestRecord> extends Page<Stored> {
  readonly unreadable: readonly ManifestRemains[];
}

/** Version of the stored manifest that a writer read. */
export interface ManifestVersion {
  readonly generation: number;
  readonly attempt: number;
  /** How many checks and edits there were. @default any number */
  readonly checks?: number;
}

/** What settling sets, too. */
export type SettledWith = Pick<ManifestHead, 'dueAt' | 'failed' | 'acceptedCost' | 'templatesAsked'> & {
  /** DNS names that its load balancers have, whether its document says so or not: they stay claimed. */
  readonly served?: readonly string[];
};

export interface ManifestStore {
  /** With the document of that generation. Throws `Unreadable`, as every method that answers a record or a head. */
  get(key: ManifestKey): Promise<ManifestRecord | undefined>;
  /** Without the document, which is most of it. */
  head(key: ManifestKey): Promise<ManifestHead | undefined>;
  /** What is known of a manifest that cannot be read; undefined when it does not exist or can be read. */
  remainsOf(key: ManifestKey): Promise<ManifestRemains | undefined>;
  /** Removes it, its documents and its claims by the key alone, whatever they hold; no error when it does not exist. */
  discard(key: ManifestKey): Promise<void>;
  /** The newest generation and those of the ten before it that are kept, newest first; empty without the manifest. */
  generations(key: ManifestKey): Promise<readonly StoredGeneration[]>;
  /** Which manifests have these DNS names (in their normal form); those that no one claimed are left out. */
  ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, ManifestKey>>;
  /** Creates the first generation, and claims its DNS names. Throws `VersionConflict` when the manifest exists, `NameTaken` when another has a name. */
  create(record: ManifestRecord): Promise<void>;
  /**
   * A new generation comes with its document; for the same one document and checksum stay as they are, whatever the record has.
   * Replaces origin, generation, attempt, status, runId, deleting, templates, templateSecrets, templatesSeen, behind, taking,
   * templatesAsked, retryFrom, debug, plan, retries, failed, orphans, check, stateEdit, remindedAt and dueAt; leaves the lease, `paused` and `cancelRequested` alone.
   * A new document claims its DNS names, unless it is deleting; earlier names stay claimed until it is settled as `Done`, as they are still served.
   * Throws `VersionConflict` (details: the stored generation and attempt) unless both, and `checks` if it is named, are still `expected`,
   * and `NameTaken` as `create`.
   */
  replace(record: ManifestHead | ManifestRecord, expected: ManifestVersion): Promise<void>;
  /** Pauses or resumes it. Returns what is stored. Throws `NotFound`. */
  setPaused(key: ManifestKey, paused: boolean): Promise<ManifestHead>;
  /** Notes that a run has to stop, and makes the manifest due at `dueAt`. Returns what is stored. Throws `NotFound`. */
  requestCancel(key: ManifestKey, runId: string, dueAt: string): Promise<ManifestHead>;
  /** Notes that its templates have to be compared with their references, and makes it due at `dueAt`, if that is given. Throws `NotFound`. */
  askForTemplates(key: ManifestKey, asked: TemplatesAsked, dueAt?: string): Promise<void>;
  /**
   * Takes the lease when it is free, expired or already the owner's; the fence grows by one.
   * Writes `dueAt`. Returns undefined when another holds it. Throws `NotFound` without manifest.
   */
  takeLease(
    key: ManifestKey,
    owner: string,
    term: LeaseTerm,
  ): Promise<{ lease: Lease; record: ManifestHead } | undefined>;
  /** Prolongs the lease and `dueAt`. Throws `LeaseLost` when the fence is no longer the holder's. */
  renewLease(key: ManifestKey, fence: number, term: LeaseTerm): Promise<void>;
  /** Marks it as being worked on (`Running`, or `Deleting` when it is) and returns the stored record. Throws `LeaseLost`. */
  begin(key: ManifestKey, fence: number, at: string): Promise<ManifestRecord>;
  /**
   * Sets the final status, frees the lease and sets `dueAt` and `failed` or clears them, only if generation and attempt are still those that were worked on.
   * `Done` clears `retries` and releases names that the document no longer has. `acceptedCost` and `templatesAsked` stay when they are not given. Returns 'newer' (and keeps the lease) when they are not. Throws `LeaseLost`.
   */
  settle(
    key: ManifestKey,
    fence: number,
    seen: ManifestVersion,
    status: ManifestRecord['status'],
    at: string,
    also?: SettledWith,
  ): Promise<'settled' | 'newer'>;
  /** Frees the lease of an owner that is gone; does nothing when another holds it. Leaves `dueAt`. Returns what is stored. */
  releaseLease(key: ManifestKey, owner: string): Promise<ManifestHead | undefined>;
  /** Removes a manifest that is deleting, and releases its names, only if generation is unchanged. Returns 'newer' when it is not. Throws `LeaseLost`. */
  remove(key: ManifestKey, fence: number, generation: number): Promise<'settled' | 'newer'>;
  list(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests>;
  /** The same without documents: a thirtieth of what is read. One whose document cannot be read is among them. */
  listHeads(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests<ManifestHead>>;
  /**
   * Manifests whose `dueAt` is not after `now`, oldest first; last of all those that are done or failed. One that cannot be
   * read is reported and left out, or thrown when there is no callback.
   */
  due(now: string, limit: number, report?: (unreadable: Error) => void): Promise<readonly ManifestHead[]>;
  /** How many manifests are at work, their next look only after `now`; at most `limit`. It may be some seconds old. */
  atWork(now: string, limit: number): Promise<number>;
}
