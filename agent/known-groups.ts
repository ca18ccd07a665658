/**
 * The pools as they were read last. The autoscaler asks every ten seconds for ever, and each question to the API costs: pools in which nothing moves are
 * read every two minutes, others every half a minute, and before a change what is known is at most one round old.
 */
import type { AgentGroup } from '#contracts/agent.ts';
import type { AgentApi } from './agent-api.ts';
import { targetSize } from './group-answers.ts';

/** How old, in milliseconds, what is known may be. */
export const oldest = { resting: 120_000, moving: 30_000, change: 10_000 } as const;

export class KnownGroups {
  readonly #api: Pick<AgentApi, 'groups'>;
  readonly #clock: () => number;
  #known: { readonly groups: readonly AgentGroup[]; readonly at: number } | undefined;

  /** `clock`: in milliseconds, from any beginning; never backwards. */
  constructor(api: Pick<AgentApi, 'groups'>, clock = (): number => performance.now()) {
    this.#api = api;
    this.#clock = clock;
  }

  /** A new round begins: reads them again where they are too old to be used. Throws what the API answers, and keeps what was known. */
  async refresh(): Promise<void> {
    const moves = this.#known?.groups.some(isMoving) ?? true;
    await this.#noOlderThan(moves ? oldest.moving : oldest.resting);
  }

  /** As this round has them. */
  async all(): Promise<readonly AgentGroup[]> {
    return this.#known?.groups ?? this.#noOlderThan(0);
  }

  /** To decide a change with: another request may have changed a size since. */
  toChange(): Promise<readonly AgentGroup[]> {
    return this.#noOlderThan(oldest.change);
  }

  /** What a change made of one of them. */
  note(changed: AgentGroup): void {
    if (this.#known === undefined) return;
    const groups = this.#known.groups.map((one) => (one.pool === changed.pool ? changed : one));
    this.#known = { ...this.#known, groups };
  }

  async #noOlderThan(age: number): Promise<readonly AgentGroup[]> {
    const at = this.#clock();
    if (this.#known === undefined || at - this.#known.at >= age) this.#known = { groups: await this.#api.groups(), at };
    return this.#known.groups;
  }
}

/** Machines come or go, or a failure waits to be seen. */
function isMoving(group: AgentGroup): boolean {
  const { failure, nodes } = group;
  return failure !== undefined || targetSize(group) !== nodes.length || nodes.some(({ state }) => state !== 'running');
}
