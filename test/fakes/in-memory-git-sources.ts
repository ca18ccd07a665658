/** `GitSourceStore` in memory. */
import { type GitSourceKey, GitSourceRecord } from '#contracts/git-sources.ts';
import { PipelineError } from '#domain/errors.ts';
import type { GitSourceStore } from '#functions/ports.ts';

const idOf = ({ namespace, name }: GitSourceKey): string => `${namespace}#${name}`;

export class InMemoryGitSources implements GitSourceStore {
  readonly #records = new Map<string, GitSourceRecord>();

  async get(key: GitSourceKey): Promise<GitSourceRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key)));
  }

  async list(namespace?: string): Promise<readonly GitSourceRecord[]> {
    const ids = [...this.#records.keys()].filter((id) => namespace === undefined || id.startsWith(`${namespace}#`));
    return structuredClone(ids.sort().flatMap((id) => this.#records.get(id) ?? []));
  }

  async put(record: GitSourceRecord): Promise<void> {
    const stored = this.#records.get(idOf(record))?.version ?? 0;
    if (stored !== record.version - 1) {
      throw new PipelineError('VersionConflict', `${record.name} is version ${stored}`);
    }
    this.#records.set(idOf(record), structuredClone(GitSourceRecord.parse(record)));
  }

  async remove(key: GitSourceKey): Promise<void> {
    this.#records.delete(idOf(key));
  }

  async due(now: string, limit: number): Promise<readonly GitSourceRecord[]> {
    const all = [...this.#records.values()].filter(({ dueAt }) => dueAt <= now);
    return structuredClone(all.sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1)).slice(0, limit));
  }
}
