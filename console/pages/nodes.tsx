/** The topology as a list: load balancers, pools by provider and region, and their nodes. */
import { memo, type ReactNode } from 'react';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { LoadBalancerRow } from '#contracts/cluster-parts.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { roleWords } from '../model/drawn-pools.ts';
import { keyed } from '../model/keyed.ts';
import { poolsOf } from '../model/pools.ts';
import type { TabProps } from '../model/tab.ts';
import { type Mesh, meshOf } from '../model/topology.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { CheckedAt, NodeSheet } from '../parts/node-sheet.tsx';
import { Ago, Empty } from '../parts/states.tsx';
import { Sign, Status, type Tone } from '../parts/status.tsx';
import { go, hrefOf } from '../routes.ts';

/** Drawn again only when what it shows changed. */
export default memo(function NodesTab({ of, manifest, chosen }: TabProps) {
  const search = (chosen.search ?? '').toLowerCase();
  const choose = (text: string) =>
    go(hrefOf(['manifests', of.namespace, of.name, 'nodes'], { ...chosen, search: text }), { replace: true });
  const hrefOfNode = (node: string): string =>
    hrefOf(['manifests', of.namespace, of.name, 'nodes'], { search: chosen.search, node });
  if (manifest.clusters.length === 0)
    return <Empty title="No cluster exists">{manifest.deleting && <p>The manifest is being deleted.</p>}</Empty>;
  return (
    <>
      <div className="filters">
        <input
          type="search"
          aria-label="Search nodes"
          placeholder="Search nodes, pools, addresses, statuses   /"
          value={chosen.search ?? ''}
          onChange={(event) => choose(event.target.value)}
        />
        <CopyCommand command={commands.nodes(of)} />
      </div>
      {chosen.node !== undefined && (
        <NodeSheet of={of} manifest={manifest} name={chosen.node} view="nodes" search={chosen.search} />
      )}
      {manifest.clusters.map((cluster) => (
        <ClusterNodes key={cluster.cluster} {...{ cluster, search }} hrefOfNode={hrefOfNode} />
      ))}
    </>
  );
});

interface ClusterNodesProps {
  readonly cluster: ClusterDescription;
  readonly search: string;
  /** Where one is shown. */
  readonly hrefOfNode: (node: string) => string;
}

function ClusterNodes({ cluster, search, hrefOfNode }: ClusterNodesProps) {
  const pools = poolsOf(cluster.nodes, search);
  const typeOf = (provider: string): string => cluster.providers?.find(({ name }) => name === provider)?.type ?? '';
  return (
    <section aria-labelledby={`nodes-of-${cluster.name}`}>
      <h2 id={`nodes-of-${cluster.name}`} className="cluster-title">
        {cluster.name} <Status of={cluster.status} />
        {cluster.apiEndpoint !== null && <code>{cluster.apiEndpoint}</code>}
        {cluster.network !== null && <span className="dim">network {cluster.network}</span>}
        <CheckedAt drift={cluster.drift} />
      </h2>
      {cluster.loadBalancers.map((balancer) => (
        <BalancerLine key={balancer.name} balancer={balancer} hrefOfNode={hrefOfNode} />
      ))}
      <MeshLines cluster={cluster} hrefOfNode={hrefOfNode} />
      {pools.length === 0 && <p className="dim">{search === '' ? 'It has no nodes.' : 'No node matches.'}</p>}
      {pools.map(({ pool, role, provider, region, nodes, ready }) => (
        <details key={`${role} ${pool} ${provider} ${region}`} open={nodes.length <= 40} className="pool">
          <summary>
            <strong>{pool}</strong> <span className="dim">{roleWords[role]}</span>{' '}
            {[provider, typeOf(provider) === provider ? '' : typeOf(provider), region].filter(Boolean).join(' · ')}{' '}
            <Sign tone={ready === nodes.length ? 'good' : 'warn'} word={`${ready} of ${nodes.length} ready`} />
          </summary>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">Status</th>
                  <th scope="col">Server type</th>
                  <th scope="col">Address</th>
                  <th scope="col">In the mesh</th>
                  <th scope="col">Remarks</th>
                </tr>
              </thead>
              <tbody>
                {nodes.map((node) => (
                  <NodeLine key={node.name} node={node} href={hrefOfNode(node.name)} />
                ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
    </section>
  );
}

interface BalancerLineProps extends Pick<ClusterNodesProps, 'hrefOfNode'> {
  readonly balancer: LoadBalancerRow;
}

function BalancerLine({ balancer, hrefOfNode }: BalancerLineProps) {
  const { name, endpoint, dnsName, servesApi, roles: served } = balancer;
  return (
    <div className="balancer">
      <strong>{name}</strong> <code>{endpoint ?? dnsName}</code>{' '}
      {servesApi && <span className="tag">Kubernetes API</span>}
      <ul>
        {served.map(({ name: role, port, protocol, targetPort, targetPools = [], targets = [] }) => (
          <li key={role}>
            <details>
              <summary>
                {role} {port}/{protocol} → {targetPort} on {countOf(targets.length, 'node')}
                {targetPools.length > 0 && ` of ${targetPools.join(', ')}`}
              </summary>
              {targets.map((target) => (
                <a key={target} className="user" href={hrefOfNode(target)}>
                  {target}
                </a>
              ))}
            </details>
          </li>
        ))}
      </ul>
    </div>
  );
}

const meshTones: Readonly<Record<Mesh['state'], Tone>> = { sound: 'good', faulty: 'warn', unknown: 'calm' };

function MeshLines({ cluster, hrefOfNode }: Pick<ClusterNodesProps, 'cluster' | 'hrefOfNode'>) {
  const mesh = meshOf(cluster);
  if (!mesh) return null;
  return (
    <>
      <p className="mesh-line">
        <Sign tone={meshTones[mesh.state]} word={`${mesh.title}: ${mesh.found}`} />
      </p>
      {keyed(cluster.mesh?.faults ?? [], ({ node = '', message }) => `${node} ${message}`).map(
        ([key, { node, message }]) => (
          <p key={key} className="notice warn">
            <span aria-hidden="true">!</span>
            <span>
              {node !== undefined && <a href={hrefOfNode(node)}>{node}</a>} {message}
            </span>
          </p>
        ),
      )}
    </>
  );
}

interface NodeLineProps {
  readonly node: NodeRow;
  readonly href: string;
}

function NodeLine({ node, href }: NodeLineProps) {
  const { unreachableSince, unhealthySince, notReplaced, health } = node;
  const remarks: readonly ReactNode[] = [
    unreachableSince !== undefined && ['did not answer since ', <Ago key="at" at={unreachableSince} />],
    unhealthySince !== undefined && ['since ', <Ago key="at" at={unhealthySince} />],
    health?.failing,
    notReplaced !== undefined && `not replaced: ${notReplaced}`,
  ].filter(Boolean);
  return (
    <tr>
      <th scope="row">
        <a href={href} data-row data-node={node.name}>
          <code>{node.name}</code>
        </a>
      </th>
      <td>
        <Status of={node.status} />
      </td>
      <td>{[node.serverType, node.zone].filter(Boolean).join(' · ')}</td>
      <td>
        <code>{node.publicAddress ?? ''}</code>
      </td>
      <td>
        <code>{node.privateAddress}</code>
      </td>
      <td className="dim">{remarks.flatMap((remark, index) => (index === 0 ? [remark] : ['; ', remark]))}</td>
    </tr>
  );
}
