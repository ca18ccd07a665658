/** The topology as a list: load balancers, pools by provider and region, and their nodes. */
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { LoadBalancerRow } from '#contracts/cluster-parts.ts';
import { commands } from '../model/commands.ts';
import { poolsOf } from '../model/pools.ts';
import type { TabProps } from '../model/tab.ts';
import { timeAgo } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Empty, useNow } from '../parts/states.tsx';
import { Sign, Status } from '../parts/status.tsx';
import { go, hrefOf } from '../routes.ts';

export default function NodesTab({ of, manifest, chosen }: TabProps) {
  const now = useNow(10);
  const search = (chosen.search ?? '').toLowerCase();
  const choose = (text: string) =>
    go(hrefOf(['manifests', of.namespace, of.name, 'nodes'], { search: text }), { replace: true });
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
      {manifest.clusters.map((cluster) => (
        <ClusterNodes key={cluster.cluster} {...{ cluster, search, now }} />
      ))}
    </>
  );
}

interface ClusterNodesProps {
  readonly cluster: ClusterDescription;
  readonly search: string;
  readonly now: number;
}

function ClusterNodes({ cluster, search, now }: ClusterNodesProps) {
  const pools = poolsOf(cluster.nodes, search);
  return (
    <section aria-labelledby={`nodes-of-${cluster.name}`}>
      <h2 id={`nodes-of-${cluster.name}`} className="cluster-title">
        {cluster.name} <Status of={cluster.status} />
        {cluster.apiEndpoint !== null && <code>{cluster.apiEndpoint}</code>}
        {cluster.network !== null && <span className="dim">network {cluster.network}</span>}
      </h2>
      {cluster.loadBalancers.map((balancer) => (
        <BalancerLine key={balancer.name} balancer={balancer} />
      ))}
      {pools.length === 0 && <p className="dim">{search === '' ? 'It has no nodes.' : 'No node matches.'}</p>}
      {pools.map(({ pool, role, provider, region, nodes, ready }) => (
        <details key={`${role} ${pool} ${provider} ${region}`} open={nodes.length <= 40} className="pool">
          <summary>
            <strong>{pool}</strong> <span className="dim">{roles[role]}</span> {provider}
            {region !== '' && ` · ${region}`}{' '}
            <Sign tone={ready === nodes.length ? 'good' : 'warn'} word={`${ready} of ${nodes.length} ready`} />
          </summary>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">Status</th>
                  <th scope="col">Address</th>
                  <th scope="col">In the mesh</th>
                  <th scope="col">Remarks</th>
                </tr>
              </thead>
              <tbody>
                {nodes.map((node) => (
                  <NodeLine key={node.name} node={node} now={now} />
                ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
    </section>
  );
}

const roles: Readonly<Record<NodeRow['role'], string>> = {
  control: 'control',
  compute: 'compute',
  loadBalancer: 'load balancer',
  machine: 'machine',
};

function BalancerLine({ balancer }: { readonly balancer: LoadBalancerRow }) {
  const { name, endpoint, dnsName, servesApi, roles: served } = balancer;
  return (
    <p className="balancer">
      <strong>{name}</strong> <code>{endpoint ?? dnsName}</code>
      {served.map((role) => (
        <span key={role.name} className="tag">
          {role.name} {role.port}/{role.protocol} → {role.targetPort}
        </span>
      ))}
      {servesApi && <span className="tag">Kubernetes API</span>}
    </p>
  );
}

function NodeLine({ node, now }: { readonly node: NodeRow; readonly now: number }) {
  const { unreachableSince, unhealthySince, notReplaced, health } = node;
  const remarks = [
    unreachableSince === undefined ? '' : `did not answer since ${timeAgo(unreachableSince, now)}`,
    unhealthySince === undefined ? '' : `since ${timeAgo(unhealthySince, now)}`,
    health?.failing ?? '',
    notReplaced === undefined ? '' : `not replaced: ${notReplaced}`,
  ].filter(Boolean);
  return (
    <tr>
      <th scope="row">
        <code>{node.name}</code>
      </th>
      <td>
        <Status of={node.status} />
      </td>
      <td>
        <code>{node.publicAddress ?? ''}</code>
      </td>
      <td>
        <code>{node.privateAddress}</code>
      </td>
      <td className="dim">{remarks.join('; ')}</td>
    </tr>
  );
}
