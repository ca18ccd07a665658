/** `BudgetStore` in memory. */
import { BudgetRecord } from '#contracts/budgets.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import { type BudgetShare, bears } from '#domain/prices/budget-share.ts';
import type { AcceptedManifest, BudgetStore, RollOutShare } from '#functions/budget-store.ts';
import type { ManifestStore } from '#functions/manifest-store.ts';
import type { RollOutStore } from '#functions/ports.ts';

type Share = BudgetShare | RollOutShare;

export class InMemoryBudgets implements BudgetStore {
  readonly #records = new Map<string, BudgetRecord>();
  readonly #manifests: Pick<ManifestStore, 'create' | 'replace'>;
  readonly #rollOuts: Pick<RollOutStore, 'put'>;
  /** One after the other: what is checked is what is written. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(manifests: Pick<ManifestStore, 'create' | 'replace'>, rollOuts: Pick<RollOutStore, 'put'>) {
    this.#manifests = manifests;
    this.#rollOuts = rollOuts;
  }

  async get(of: string): Promise<BudgetRecord> {
    return structuredClone(this.#records.get(of) ?? { of, accepted: {}, version: 0, rollOuts: [] });
  }

  acceptManifest(shares: readonly BudgetShare[], { manifest, expected }: AcceptedManifest): Promise<void> {
    return this.#accept(shares, () =>
      expected ? this.#manifests.replace(manifest, expected) : this.#manifests.create(manifest),
    );
  }

  acceptRollOut(shares: readonly RollOutShare[], rollOut: RollOutRecord): Promise<void> {
    return this.#accept(shares, () => this.#rollOuts.put(rollOut));
  }

  #accept(shares: readonly Share[], store: () => Promise<void>): Promise<void> {
    const accepting = this.#last.then(async () => {
      const taken = await Promise.all(shares.map((share) => this.#taken(share)));
      await store();
      for (const record of taken) this.#records.set(record.of, record);
    });
    this.#last = accepting.catch(() => undefined);
    return accepting;
  }

  async #taken(share: Share): Promise<BudgetRecord> {
    const stored = await this.get(share.of);
    const next = 'next' in share ? share.next : undefined;
    const isNext = next === undefined || next.version === stored.version + 1;
    if (!isNext || !bears(stored.accepted, share))
      throw new PipelineError('BudgetMoved', `more was accepted within the budget of ${share.of}`);
    const accepted = { ...stored.accepted };
    for (const { currency, hundredths } of share.takes) accepted[currency] = (accepted[currency] ?? 0) + hundredths;
    return structuredClone(BudgetRecord.parse({ ...stored, accepted, ...next }));
  }
}
