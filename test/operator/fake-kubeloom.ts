/** Kubeloom's API as the operator calls it, in memory. */
import type { ApiClient, ManifestName } from '#client/api-client.ts';
import { ProblemAnswer } from '#client/faults.ts';
import type { ManifestDescription, Problem, WireFault } from '#contracts/api-bodies.ts';
import type { TemplateUser } from '#contracts/http-documents.ts';
import type { ProposedPlanRow } from '#contracts/proposed-plans.ts';

type Used =
  | 'listManifests'
  | 'findManifest'
  | 'putManifest'
  | 'putSecret'
  | 'putTemplate'
  | 'deleteManifest'
  | 'listRuns'
  | 'listPlans'
  | 'getKubeconfig';

export class FakeKubeloom {
  readonly documents = new Map<string, unknown>();
  readonly #states = new Map<string, Pick<ManifestDescription, 'generation' | 'status' | 'deleting'>>();
  calls: string[] = [];
  /** Answers each change, and nothing else. */
  refusal: Problem | undefined;
  outage: Error | undefined;
  /** Every manifest has them. */
  clusters: ManifestDescription['clusters'] = [];
  /** Those of some manifests, by name. */
  clustersOf: Readonly<Record<string, ManifestDescription['clusters']>> = {};
  /** Manifests that are behind any reference that is stored. */
  behind: readonly TemplateUser[] = [];
  /** Answers requests for a kubeconfig. */
  withoutKubeconfigs: Problem | undefined;
  plans: ProposedPlanRow[] = [];
  onPut: (document: unknown) => void = () => {};

  problem(status: number, code: string, faults: WireFault[] = []): Problem {
    return {
      type: `urn:kubeloom:error:${code}`,
      title: code,
      status,
      detail: `${code}: no`,
      instance: 'r1',
      code,
      faults,
    };
  }

  /** Its run ends well. */
  finish(name: string): void {
    const state = this.#states.get(name);
    if (state) this.#states.set(name, { ...state, status: 'Done' });
  }

  /** Another one's change of it: the next generation, done. */
  change(name: string): void {
    const { generation = 1 } = this.#states.get(name) ?? {};
    this.#states.set(name, { generation: generation + 1, status: 'Done', deleting: false });
  }

  api(): Pick<ApiClient, Used> {
    const nameOf = ({ namespace, name }: ManifestName): string => `${namespace}/${name}`;
    const change = (call: string): void => {
      this.calls.push(call);
      if (this.refusal) throw new ProblemAnswer(this.refusal);
    };
    return {
      listManifests: async () => {
        if (this.outage) throw this.outage;
        this.calls.push('listManifests');
        return { items: [...this.documents.keys()].map((name) => ({ ...this.#describe(name), clusters: [] })) };
      },
      findManifest: async (key) =>
        this.documents.has(nameOf(key)) ? { manifest: this.#describe(nameOf(key)), etag: '"u1-g1-a1"' } : undefined,
      putManifest: async (key, document) => {
        this.onPut(document);
        change(`putManifest ${nameOf(key)}`);
        const generation = (this.#states.get(nameOf(key))?.generation ?? 0) + 1;
        this.documents.set(nameOf(key), structuredClone(document));
        this.#states.set(nameOf(key), { generation, status: 'Running', deleting: false });
        const { runId } = this.#describe(nameOf(key));
        return { ...key, generation, attempt: 1, runId, unchanged: false, paused: false, warnings: [], links: {} };
      },
      putSecret: async (key) => {
        change(`putSecret ${nameOf(key)}`);
        return { ...key, keys: [], warnings: [] };
      },
      putTemplate: async (key) => {
        change(`putTemplate ${nameOf(key)}`);
        return { ...key, behind: [...this.behind] };
      },
      deleteManifest: async (key) => {
        change(`deleteManifest ${nameOf(key)}`);
        const state = this.#states.get(nameOf(key)) ?? { generation: 1 };
        this.#states.set(nameOf(key), { ...state, status: 'Deleting', deleting: true });
        const { generation, runId } = this.#describe(nameOf(key));
        return { ...key, generation, attempt: 1, runId, unchanged: false, paused: false, warnings: [], links: {} };
      },
      listRuns: async () => ({ items: [] }),
      listPlans: async () => ({ items: this.plans }),
      getKubeconfig: async ({ cluster }) => {
        this.calls.push(`getKubeconfig ${cluster}`);
        if (this.withoutKubeconfigs) throw new ProblemAnswer(this.withoutKubeconfigs);
        return 'kind: Config';
      },
    };
  }

  #describe(path: string): ManifestDescription {
    const [namespace = '', name = ''] = path.split('/');
    const { generation, status, deleting } = this.#states.get(path) ?? {
      generation: 1,
      status: 'Running',
      deleting: false,
    };
    const runId = `${name}-u1-g${generation}-a1`;
    const lastRun = {
      namespace,
      manifest: name,
      runId,
      generation,
      attempt: 1,
      reason: 'created',
      queuedAt: '',
      clusters: {},
      ...(status === 'Done'
        ? ({ status: 'Succeeded', endedAt: '2026-01-01T00:00:00Z' } as const)
        : { status: 'Running' as const }),
    };
    return {
      namespace,
      name,
      generation,
      attempt: 1,
      status,
      deleting,
      paused: false,
      runId,
      createdAt: '',
      updatedAt: '',
      progress: null,
      clusters: this.clustersOf[path] ?? this.clusters,
      document: this.documents.get(path),
      simulated: [],
      lastRun,
      links: {},
    };
  }
}
