/** `BudgetStore` on DynamoDB: one small item for each budget, which is part of the transaction of whatever is accepted within it. */
import { BudgetRecord } from '#contracts/budgets.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { type BudgetShare, bears } from '#domain/prices/budget-share.ts';
import type { AcceptedManifest, BudgetStore, RollOutShare } from '../budget-store.ts';
import { attributeNames } from './dynamo-expressions.ts';
import type { DynamoManifests } from './dynamo-manifests.ts';
import { DynamoRollOuts } from './dynamo-roll-outs.ts';
import { type DynamoTable, type Item, TableStore, type Write } from './dynamo-table.ts';
import { parseStoredJson, readRecord } from './stored-record.ts';
import { budgetItem } from './table-keys.ts';

/** Its meters are attributes that are named by their currency. */
const isCurrency = (name: string): boolean => /^[A-Z]{3}$/.test(name);

export class DynamoBudgets extends TableStore implements BudgetStore {
  readonly #manifests: DynamoManifests;
  readonly #rollOuts: DynamoRollOuts;

  constructor(table: DynamoTable, manifests: DynamoManifests) {
    super(table);
    this.#manifests = manifests;
    this.#rollOuts = new DynamoRollOuts(table);
  }

  async get(of: string): Promise<BudgetRecord> {
    const { version = 0, rollOuts = '[]', format, ...item }: Item = (await this.table.get(budgetItem(of))) ?? {};
    const what = `the budget of ${of}`;
    const accepted = Object.fromEntries(Object.entries(item).filter(([name]) => isCurrency(name)));
    return readRecord(
      BudgetRecord,
      { of, accepted, version, rollOuts: parseStoredJson(rollOuts, what) },
      { what, format },
    );
  }

  acceptManifest(shares: readonly BudgetShare[], { manifest, expected }: AcceptedManifest): Promise<void> {
    const together = shares.map((share) => taking(share));
    return this.#unlessMoved(shares, () =>
      expected ? this.#manifests.replace(manifest, expected, together) : this.#manifests.create(manifest, together),
    );
  }

  acceptRollOut(shares: readonly RollOutShare[], rollOut: RollOutRecord): Promise<void> {
    const together = shares.map((share) => taking(share, share.next));
    return this.#unlessMoved(shares, () => this.#rollOuts.put(rollOut, together));
  }

  /** A transaction does not say whose condition did not hold. */
  async #unlessMoved(shares: readonly (BudgetShare | RollOutShare)[], store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (cause) {
      if (isPipelineError(cause, 'VersionConflict')) await this.#refuseMoved(shares, cause);
      throw cause;
    }
  }

  async #refuseMoved(shares: readonly (BudgetShare | RollOutShare)[], cause: PipelineError): Promise<void> {
    for (const share of shares) {
      const { accepted, version } = await this.get(share.of);
      if (bears(accepted, share) && (!('next' in share) || share.next.version === version + 1)) continue;
      const scope = share.of === '*' ? 'the installation' : `namespace ${share.of}`;
      const message = `others were accepted within the budget of ${scope} at the same moment; nothing was changed; retry`;
      throw new PipelineError('BudgetMoved', message, { cause });
    }
  }
}

function taking({ of, takes }: BudgetShare, next?: RollOutShare['next']): Write {
  const adds = Object.fromEntries(takes.map(({ currency, hundredths }) => [currency, hundredths]));
  const set = next && { rollOuts: JSON.stringify(next.rollOuts), version: next.version };
  const changes = [
    ...(takes.length > 0 ? [`ADD ${takes.map(({ currency }) => `#${currency} :${currency}`).join(', ')}`] : []),
    ...(set ? ['SET #rollOuts = :rollOuts, #version = :version'] : []),
  ];
  const bounded = takes.filter(({ meterAtMost }) => meterAtMost !== undefined);
  const holds = [
    ...bounded.map(({ currency }) => `(attribute_not_exists(#${currency}) OR #${currency} <= :most${currency})`),
    ...(next ? [next.version === 1 ? 'attribute_not_exists(#version)' : '#version = :before'] : []),
  ];
  const values = {
    ...Object.fromEntries(bounded.map(({ currency, meterAtMost }) => [`:most${currency}`, meterAtMost])),
    ...(next && next.version > 1 && { ':before': next.version - 1 }),
  };
  return {
    update: budgetItem(of),
    change: { expression: changes.join(' '), values: attributeNames({ ...adds, ...set }) },
    condition: { expression: holds.join(' AND '), values },
  };
}
