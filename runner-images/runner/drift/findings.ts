/** What one part of a check found. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem, NodeObservation } from '#domain/drift.ts';
import type { Expiry } from '#domain/expiry.ts';
import { printableText } from '#domain/observed/printable-text.ts';

export interface Findings {
  readonly items: readonly DriftItem[];
  /** What could not be checked and why, a sentence each. */
  readonly unchecked: readonly string[];
  /** What it cannot see as long as no person changes something, a sentence each. @default nothing */
  readonly notes?: readonly string[];
  /** What it found out about nodes; of two parts, what one knows completes what the other does. @default nothing */
  readonly health?: readonly NodeObservation[];
  /** What ends first: `keptExpiries`. @default nothing */
  readonly expiries?: readonly Expiry[];
  /** Those of the nodes found `gone` of which only what joins their machines to something is missing. @default none */
  readonly partly?: ReadonlySet<string>;
  /** Nodes that answered over SSH, or that a peer reached. @default no one tried */
  readonly alive?: ReadonlySet<string>;
}

/** Where a node is, in the words of an item. */
export function findingPlace(state: ClusterState, name: string): DriftItem['where'] {
  const pool = allNodes(state).find(({ node }) => node.name === name)?.pool;
  if (pool === undefined) return { node: name };
  return {
    node: name,
    pool: pool.name,
    ...(pool.source.kind === 'dynamic' && { provider: pool.source.provider.name }),
  };
}

/** A sentence that fits into an item, also with words of machines and clusters in it. */
export function sentence(text: string): string {
  const printable = printableText(text, 2000);
  return printable.length <= 500 ? printable : `${printable.slice(0, 499)}…`;
}
