/** `RollOutStore` in memory. */
import { RollOutClaims, type RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { RollOutStore } from '#functions/ports.ts';

const idOf = ({ namespace, id }: RollOutKey): string => `${namespace}#${id}`;

export class InMemoryRollOuts implements RollOutStore {
  readonly #records = new Map<string, RollOutRecord>();
  readonly #claims = new Map<string, RollOutClaims>();

  async get(key: RollOutKey): Promise<RollOutRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key)));
  }

  async list(namespace: string, limit: number): Promise<readonly RollOutRecord[]> {
    const ids = [...this.#records.keys()].filter((id) => id.startsWith(`${namespace}#`)).sort();
    return structuredClone(ids.toReversed().flatMap((id) => this.#records.get(id) ?? [])).slice(0, limit);
  }

  async put(record: RollOutRecord): Promise<void> {
    refuseOld(this.#records.get(idOf(record)), record);
    this.#records.set(idOf(record), structuredClone(RollOutRecord.parse(record)));
  }

  async quiet(before: string, limit: number): Promise<readonly RollOutRecord[]> {
    const running = [...this.#records.values()].filter(({ status }) => status === 'Running');
    const quiet = running.filter(({ updatedAt }) => updatedAt <= before);
    const oldest = quiet.toSorted((one, other) => one.updatedAt.localeCompare(other.updatedAt));
    return structuredClone(oldest.slice(0, limit));
  }

  async halted(limit: number): Promise<readonly RollOutRecord[]> {
    const halted = [...this.#records.values()].filter(({ status }) => status === 'Halted');
    const newest = halted.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));
    return structuredClone(newest.slice(0, limit));
  }

  async claims(namespace: string): Promise<RollOutClaims> {
    return structuredClone(this.#claims.get(namespace) ?? { namespace, version: 0, claims: [] });
  }

  async putClaims(claims: RollOutClaims): Promise<void> {
    refuseOld(this.#claims.get(claims.namespace), claims);
    this.#claims.set(claims.namespace, structuredClone(RollOutClaims.parse(claims)));
  }
}

function refuseOld(stored: { readonly version: number } | undefined, next: { readonly version: number }): void {
  if ((stored?.version ?? 0) === next.version - 1) return;
  throw new PipelineError('VersionConflict', `version ${stored?.version} is stored`);
}
