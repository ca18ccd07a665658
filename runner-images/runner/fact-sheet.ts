/** What is known of a cluster while a stage runs: starts with what earlier stages found, grows with what this one finds. */
import type { DocumentFacts } from '#domain/cluster-documents.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { Expiry } from '#domain/expiry.ts';
import type { NodeFacts } from '#domain/observed/node-facts.ts';

export class FactSheet {
  #facts: ClusterFacts;
  /** Those of all nodes; in `#facts` once someone asks. There may be a thousand, and each is noted alone. */
  readonly #nodes: Map<string, NodeFacts>;
  #noted = false;

  constructor(facts: ClusterFacts) {
    this.#facts = facts;
    this.#nodes = new Map(Object.entries(facts.nodes));
  }

  /** A value that later notes do not change. */
  get current(): ClusterFacts {
    if (this.#noted) this.#facts = { ...this.#facts, nodes: Object.fromEntries(this.#nodes) };
    this.#noted = false;
    return this.#facts;
  }

  /** Merges into what is known of a node. */
  node(name: string, found: Partial<NodeFacts>): void {
    this.#note(name, { ...this.#nodes.get(name), ...found });
  }

  /** Notes whether a node answers over SSH; of one that does not, since when. */
  answers(name: string, yes: boolean, now: Date): void {
    const { unreachableSince = now.toISOString(), ...found } = this.#nodes.get(name) ?? {};
    this.#note(name, yes ? found : { ...found, unreachableSince });
  }

  /** Removes the facts of a node that is gone or was recreated. */
  forgetNode(name: string): void {
    this.#noted = this.#nodes.delete(name) || this.#noted;
  }

  loadBalancer(name: string, endpoint: string | undefined): void {
    const { [name]: _old, ...others } = this.#facts.loadBalancers;
    this.#facts = {
      ...this.#facts,
      loadBalancers: endpoint === undefined ? others : { ...others, [name]: { endpoint } },
    };
  }

  /** Notes where it is, and what ends of it; undefined: it was removed. */
  kubeconfig(key: string | undefined, expiries: readonly Expiry[] = []): void {
    const { kubeconfigKey: _key, kubeconfigExpiries: _ends, ...rest } = this.#facts;
    const ends = expiries.length > 0 && { kubeconfigExpiries: [...expiries] };
    this.#facts = key === undefined ? rest : { ...rest, kubeconfigKey: key, ...ends };
  }

  /** Ids of new pools that could not be created; replaces what was noted before. */
  failedPools(ids: readonly string[]): void {
    const { failedPools: _old, ...rest } = this.#facts;
    this.#facts = ids.length === 0 ? rest : { ...rest, failedPools: [...ids].sort() };
  }

  /** Notes what was applied of a document; undefined: it is no longer managed. */
  documents(name: string, applied: DocumentFacts | undefined): void {
    const { documents: { [name]: _old, ...others } = {}, ...rest } = this.#facts;
    const documents = applied === undefined ? others : { ...others, [name]: applied };
    this.#facts = Object.keys(documents).length === 0 ? rest : { ...rest, documents };
  }

  /** Notes the token of the agent by its SHA-256, next to those that the agent may still have; undefined: there is no agent. */
  agent(tokenHash: string | undefined): void {
    const { agent: old, ...rest } = this.#facts;
    this.#facts =
      tokenHash === undefined ? rest : { ...rest, agent: { tokenHash, ...tokensBefore(old), pending: true } };
  }

  /** Notes that the cluster has the token. */
  agentApplied(now: Date): void {
    if (this.#facts.agent === undefined) return;
    const { pending: _applied, ...agent } = this.#facts.agent;
    this.#facts = { ...this.#facts, agent: { ...agent, appliedAt: now.toISOString() } };
  }

  /** Notes that a part of the cluster is not real. */
  simulated(part: string): void {
    if (this.#facts.simulated.includes(part)) return;
    this.#facts = { ...this.#facts, simulated: [...this.#facts.simulated, part].sort() };
  }

  #note(name: string, facts: NodeFacts): void {
    this.#nodes.set(name, facts);
    this.#noted = true;
  }
}

/** Those of the known tokens that the cluster may have. */
function tokensBefore(old: ClusterFacts['agent']): Pick<NonNullable<ClusterFacts['agent']>, 'before' | 'older'> {
  if (old === undefined) return {};
  const { tokenHash, before, older, pending, appliedAt } = old;
  // One that never reached the cluster is no one's.
  if (pending && before !== undefined) return { before, ...(older !== undefined && { older }) };
  // An older version noted only that there was another one before, whether or not the cluster had the new one.
  return { before: tokenHash, ...(appliedAt === undefined && before !== undefined && { older: before }) };
}
