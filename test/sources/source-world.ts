/** A GitSource with a real git host and a real runner, in one process: the API and the scheduler over ports in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitReferences } from '#adapters/git-references.ts';
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import { handler } from '#functions/tasks/sync-sources.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { type Answers, answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { type Answer, apiUnderTest, type Call } from '#test/api/api-under-test.ts';
import { aManifest } from '#test/api/documents.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import type { FakeDeps } from '#test/fakes/fake-deps.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';
import { type GitServer, trust } from '#test/templates/git-server.ts';

export const sourcePath = '/v1/git-sources/team/clusters';

export interface SourceWorld {
  readonly deps: FakeDeps;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** Stores the GitSource; `spec` adds to or changes it. */
  put(spec?: object, call?: Call): Promise<Answer>;
  /** The tick of the scheduler, once. */
  step(): Promise<void>;
  /** What the runners do that were started and have not ended. */
  build(limitMs?: number): Promise<void>;
  /** Steps and builds until the GitSource waits for its next interval. */
  settle(): Promise<GitSourceRecord>;
  /** The interval passes, then the same. */
  later(): Promise<GitSourceRecord>;
  source(): Promise<GitSourceRecord>;
  /** Names of the manifests that are stored. */
  stored(): Promise<readonly string[]>;
}

/** `source`: how a commit is read. @default as a runner does */
export function sourceWorld(
  server: GitServer,
  environment: Readonly<Record<string, string>> = {},
  source: Answers['source'] = answers.source,
): SourceWorld {
  const privateHosts = [server.host];
  const templateSources = new GitReferences({ privateHosts, timeoutMs: 2_000 });
  const settings = { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: server.host, ...environment };
  const { deps, call } = apiUnderTest(settings, { templateSources });
  process.env.NODE_EXTRA_CA_CERTS = server.certificate;
  trust(server);
  const ended = new Set<string>();
  const world: SourceWorld = {
    deps,
    call,
    put: (spec = {}, more = {}) => call('PUT', sourcePath, { body: aSource({ url: server.url, ...spec }), ...more }),
    async step() {
      useDeps(boundedFunctions(deps));
      await asFunction('sync-sources', () => handler({}));
    },
    async build(limitMs) {
      for (const { id, variables } of deps.builds.started.filter((one) => !ended.has(one.id))) {
        ended.add(id);
        const { signal } = new AbortController();
        const given = {
          answers: { ...answers, source },
          templatesDirectory: '',
          ...(limitMs !== undefined && { limitMs }),
        };
        const job = variables.KUBELOOM_JOB ?? '';
        await answerQuestion(job, await boundedForQuestion(deps, job), { signal, ...given });
        deps.builds.statuses.set(id, 'ended');
      }
    },
    async settle() {
      for (let steps = 0; steps < 10; steps += 1) {
        await world.step();
        const source = await world.source();
        if (source.fetching === undefined) return source;
        await world.build();
        deps.clock.advance(21);
      }
      throw new Error('the GitSource does not come to rest');
    },
    async later() {
      deps.clock.advance(301);
      return world.settle();
    },
    async source() {
      const source = await deps.gitSources.get({ namespace: 'team', name: 'clusters' });
      if (source === undefined) throw new Error('there is no GitSource');
      return source;
    },
    async stored() {
      return (await deps.manifests.list('team', 100)).items.map(({ name }) => name);
    },
  };
  return world;
}

/** Reads a commit out of the folder of the server, where a fetch starts some thirty processes: for tests that are not about git. */
export function fromFolder(server: GitServer): Answers['source'] {
  return async ({ ref, path, known }) => {
    const commit = server.git('rev-parse', ref);
    if (commit === known) return { commit };
    const names = server.git('ls-tree', '-r', '--name-only', commit, '--', `./${path}`).split('\n').filter(Boolean);
    const folder = server.git('rev-parse', '--show-toplevel');
    const files = names.map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }));
    return { commit, files, faults: [] };
  };
}

export function aSource(spec: object) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'GitSource',
    metadata: { namespace: 'team', name: 'clusters' },
    spec: { ref: 'main', path: 'clusters', ...spec },
  };
}

/** `clusters/<name>.yaml` with one manifest each. */
export function filesOf(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, manifestText(name)]));
}

export function manifestText(name: string, options: Parameters<typeof aManifest>[0] = {}): string {
  return JSON.stringify(aManifest({ name, ...options }), null, 2);
}

/** Removes files from the branch. */
export function removeFiles(server: GitServer, ...paths: readonly string[]): string {
  server.git('rm', '-q', ...paths);
  server.git('commit', '-q', '-m', 'removed');
  return server.git('rev-parse', 'HEAD');
}

/** By name. */
export function statesOf({ status }: GitSourceRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(status.manifests.map(({ name, state }) => [name, state]));
}
