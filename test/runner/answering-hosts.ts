/** The cluster of test/rendering/states.ts on hosts that all answer over SSH: one listener on the loopback. */
import { createServer } from 'node:net';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';

export interface AnsweringHosts {
  /** Nothing listens on port 1: a node with it is dead. */
  readonly dead: { readonly publicAddress: string; readonly sshPort: number };
  readonly facts: ClusterFacts;
  state(change?: Partial<ClusterState>): ClusterState;
  close(): Promise<void>;
}

export async function answeringHosts(): Promise<AnsweringHosts> {
  const server = createServer((socket) => socket.end('SSH-2.0-test\r\n'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const sshPort = typeof address === 'object' && address !== null ? address.port : 0;
  const at = { publicAddress: '127.0.0.1', sshPort };
  const known = { ...twoProviderFacts.nodes, 'basement-01': {}, 'control-aaaaaaa-03': {} };
  const nodes = Object.fromEntries(Object.entries(known).map(([name, node]) => [name, { ...node, ...at }]));
  return {
    dead: { ...at, sshPort: 1 },
    facts: { ...twoProviderFacts, nodes },
    state(change = {}) {
      const state = twoProviderState(change);
      const pools = state.pools.map((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) =>
          node.static === undefined ? node : { ...node, static: { ...node.static, endpoint: '127.0.0.1' } },
        ),
      }));
      return { ...state, pools };
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
