/** What is known of one node; the drawing and the list show the same. */
import { useEffect, useRef } from 'react';
import type { ClusterDescription, ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { commands, type Name } from '../model/commands.ts';
import { healthChecksText, kubernetesText } from '../model/node-health.ts';
import { timeAgo } from '../model/times.ts';
import { hrefOf } from '../routes.ts';
import { CopyCommand } from './copy-command.tsx';
import { useNow } from './states.tsx';
import { Status } from './status.tsx';

interface NodeSheetProps {
  readonly of: Name;
  readonly manifest: ManifestDescription;
  readonly name: string;
  /** In which it is opened. */
  readonly view: 'topology' | 'nodes';
  /** What else is chosen there. */
  readonly search?: string | undefined;
}

export function NodeSheet({ of, manifest, name, view, search }: NodeSheetProps) {
  const sheet = useRef<HTMLElement>(null);
  // The focus goes to what was opened, and back to where it was opened from.
  useEffect(() => {
    sheet.current?.focus();
    return () => document.querySelector<HTMLElement>(`[data-node="${CSS.escape(name)}"]`)?.focus();
  }, [name]);
  const cluster = manifest.clusters.find(({ nodes }) => nodes.some((node) => node.name === name));
  const node = cluster?.nodes.find((one) => one.name === name);
  return (
    <section className="card" aria-labelledby="node-title" tabIndex={-1} ref={sheet}>
      <h2 id="node-title" className="card-title">
        <code>{name}</code> {node ? <Status of={node.status} /> : <span className="dim">is not there any more</span>}{' '}
        <a href={hrefOf(['manifests', of.namespace, of.name, view], { search })}>Close</a>
      </h2>
      {cluster && node && <Facts of={of} cluster={cluster} node={node} />}
    </section>
  );
}

interface FactsProps {
  readonly of: Name;
  readonly cluster: ClusterDescription;
  readonly node: NodeRow;
}

function Facts({ of, cluster, node }: FactsProps) {
  const now = useNow(10);
  const type = cluster.providers?.find((one) => one.name === node.provider)?.type;
  const drift = (cluster.drift?.items ?? []).filter(({ where }) => where.node === node.name);
  const served = cluster.loadBalancers.flatMap(({ name, roles }) =>
    roles.filter(({ targets = [] }) => targets.includes(node.name)).map((role) => `${name} (${role.name})`),
  );
  const facts = {
    'pool and role': `${node.pool}, ${node.role}`,
    place: [node.provider, type === node.provider ? '' : type, node.region, node.zone].filter(Boolean).join(' · '),
    'server type': node.serverType ?? '',
    address: node.publicAddress ?? '',
    'in the mesh': node.privateAddress,
    'traffic from': served.join(', '),
    'in Kubernetes': kubernetesText(node, cluster, now),
    'health checks': healthChecksText(node, now),
    'not replaced': node.notReplaced ?? '',
    'fails because': node.health?.failing ?? '',
  };
  return (
    <>
      <dl>
        {Object.entries(facts).map(([title, text]) =>
          text === '' ? null : (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ),
        )}
      </dl>
      {drift.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="notice warn">
          <span aria-hidden="true">!</span> {kind}: {message}
        </p>
      ))}
      <p>
        <CopyCommand command={commands.ssh(of, cluster.name, node.name)} />
      </p>
      {cluster.mesh && node.privateAddress !== '' && (
        <p className="dim">
          Checks compare which peers it has. When they last shook hands, the node itself knows:{' '}
          <CopyCommand command={commands.peers(of, cluster.name, node.name)} />
        </p>
      )}
    </>
  );
}

/** When what exists was compared last. */
export function CheckedAt({ drift }: Pick<ClusterDescription, 'drift'>) {
  const now = useNow(10);
  return <span className="dim">{drift ? `checked ${timeAgo(drift.checkedAt, now)}` : 'not checked yet'}</span>;
}
