/** The topology as a list: load balancers, pools by provider and region, and their nodes. */
import { memo, type ReactNode, useState } from 'react';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { LoadBalancerRow } from '#contracts/cluster-parts.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { roleWords } from '../model/drawn-pools.ts';
import { keyed } from '../model/keyed.ts';
import { type Pool, poolsOf } from '../model/pools.ts';
import type { TabProps } from '../model/tab.ts';
import { meshOf, meshSigns } from '../model/topology.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { CheckedAt, NodeSheet } from '../parts/node-sheet.tsx';
import { Ago, Empty } from '../parts/states.tsx';
import { Sign, Status } from '../parts/status.tsx';
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
      {pools.length > 0 && <PoolsTable {...{ pools, hrefOfNode }} cluster={cluster} />}
    </section>
  );
}

interface PoolsTableProps extends Pick<ClusterNodesProps, 'cluster' | 'hrefOfNode'> {
  readonly pools: readonly Pool[];
}

/** One table, in which each pool is a group of rows. */
function PoolsTable({ cluster, pools, hrefOfNode }: PoolsTableProps) {
  const remarks = pools.some(({ nodes }) => nodes.some((node) => remarksOf(node).length > 0));
  const titles = ['Node', 'Status', 'Address', 'In the mesh', ...(remarks ? ['Remarks'] : [])];
  return (
    <div className="scroll">
      <table className="stack nodes">
        <caption className="hidden">Nodes of {cluster.name} by pool</caption>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {pools.map((pool) => (
          <PoolRows
            key={`${pool.role} ${pool.pool} ${pool.provider} ${pool.region}`}
            {...{ pool, remarks, hrefOfNode }}
            place={placeOf(pool, cluster)}
          />
        ))}
      </table>
    </div>
  );
}

function placeOf({ provider, region }: Pool, { providers }: ClusterDescription): string {
  const type = providers?.find(({ name }) => name === provider)?.type ?? '';
  return [provider, type === provider ? '' : type, region].filter(Boolean).join(' · ');
}

interface PoolRowsProps extends Pick<ClusterNodesProps, 'hrefOfNode'> {
  readonly pool: Pool;
  /** Provider and region. */
  readonly place: string;
  /** Whether there is a column of them. */
  readonly remarks: boolean;
}

/** More are shown when someone opens the pool. */
const shownAtOnce = 40;

function PoolRows({ pool: { pool, role, nodes, ready }, place, remarks, hrefOfNode }: PoolRowsProps) {
  const [open, setOpen] = useState(nodes.length <= shownAtOnce);
  const types = [...new Set(nodes.map(({ serverType, zone }) => [serverType, zone].filter(Boolean).join(' · ')))];
  const same = types.length === 1;
  return (
    <tbody className={open ? undefined : 'closed'}>
      <tr className="group">
        <th scope="rowgroup" colSpan={remarks ? 5 : 4}>
          <button type="button" className="quiet row-button" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span aria-hidden="true">{open ? '▾' : '▸'}</span> <strong>{pool}</strong>
          </button>{' '}
          <span className="dim">{[roleWords[role], place, same ? types[0] : ''].filter(Boolean).join(' · ')}</span>{' '}
          <Sign tone={ready === nodes.length ? 'good' : 'warn'} word={`${ready} of ${nodes.length} ready`} />
        </th>
      </tr>
      {nodes.map((node) => (
        <NodeLine key={node.name} {...{ node, remarks }} href={hrefOfNode(node.name)} detailed={!same} />
      ))}
    </tbody>
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

function MeshLines({ cluster, hrefOfNode }: Pick<ClusterNodesProps, 'cluster' | 'hrefOfNode'>) {
  const mesh = meshOf(cluster);
  if (!mesh) return null;
  return (
    <>
      <p className={mesh.state === 'faulty' ? 'sign warn' : 'dim'}>
        <span aria-hidden="true">{meshSigns[mesh.state]}</span> {mesh.title}: {mesh.found}
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

interface NodeLineProps extends Pick<PoolRowsProps, 'remarks'> {
  readonly node: NodeRow;
  readonly href: string;
  /** Not all of its pool are of one server type. */
  readonly detailed: boolean;
}

function remarksOf({ unreachableSince, unhealthySince, notReplaced, health }: NodeRow): readonly ReactNode[] {
  return [
    unreachableSince !== undefined && ['did not answer since ', <Ago key="at" at={unreachableSince} />],
    unhealthySince !== undefined && ['since ', <Ago key="at" at={unhealthySince} />],
    health?.failing,
    notReplaced !== undefined && `not replaced: ${notReplaced}`,
  ].filter(Boolean);
}

function NodeLine({ node, href, remarks, detailed }: NodeLineProps) {
  return (
    <tr>
      <th scope="row">
        <a href={href} data-row data-node={node.name}>
          <code>{node.name}</code>
        </a>{' '}
        {detailed && <span className="dim">{[node.serverType, node.zone].filter(Boolean).join(' · ')}</span>}
      </th>
      <td>
        <Status of={node.status} />
      </td>
      <td data-title="Address">
        <code>{node.publicAddress ?? ''}</code>
      </td>
      <td data-title="In the mesh">
        <code>{node.privateAddress}</code>
      </td>
      {remarks && (
        <td className="dim">{remarksOf(node).flatMap((remark, index) => (index === 0 ? [remark] : ['; ', remark]))}</td>
      )}
    </tr>
  );
}
