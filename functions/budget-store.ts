/** Budgets: what is accepted is stored together with what it takes of them, so that no two count on the same rest. */
import type { BudgetRecord } from '#contracts/budgets.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import type { BudgetShare } from '#domain/prices/budget-share.ts';
import type { ManifestVersion } from './manifest-store.ts';

/** A manifest that is new, or replaces the `expected` version. */
export interface AcceptedManifest {
  readonly manifest: ManifestRecord;
  readonly expected?: ManifestVersion;
}

/** What a roll-out takes of a budget, and the list that names it, as the next version. */
export interface RollOutShare extends BudgetShare {
  readonly next: Pick<BudgetRecord, 'rollOuts' | 'version'>;
}

export interface BudgetStore {
  /** Nothing accepted, version 0 and no roll-outs if nothing is stored. */
  get(of: string): Promise<BudgetRecord>;
  /** Stores all of it or nothing. Throws `BudgetMoved` when more than a share bears was accepted meanwhile; else as `create` and `replace` of manifests. */
  acceptManifest(shares: readonly BudgetShare[], accepted: AcceptedManifest): Promise<void>;
  /** The same with `put` of roll-outs. Throws `BudgetMoved` also when a list is not one version older. */
  acceptRollOut(shares: readonly RollOutShare[], rollOut: RollOutRecord): Promise<void>;
}
