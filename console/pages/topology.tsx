/** The shape of clusters: clouds, regions, pools and nodes, load balancers and what they lead to, the mesh; the list has the same. */
import { memo } from 'react';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import type { TabProps } from '../model/tab.ts';
import { type DrawnCloud, type DrawnPool, edgePath, type Mesh, poolTitle, topologyOf } from '../model/topology.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { CheckedAt, NodeSheet } from '../parts/node-sheet.tsx';
import { PanZoom } from '../parts/pan-zoom.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { hrefOf } from '../routes.ts';
import '../styles/topology.css';

/** Drawn again only when what it shows changed. */
export default memo(function TopologyTab({ of, manifest, chosen }: TabProps) {
  if (manifest.clusters.length === 0) return <Empty title="No cluster exists" />;
  return (
    <>
      <p className="filters">
        <a className="button" href={hrefOf(['manifests', of.namespace, of.name, 'nodes'])}>
          The same as a list
        </a>
        <CopyCommand command={commands.nodes(of)} />
        {legend.map(([kind, title]) => (
          <span key={kind} className={`legend ${kind}`}>
            <span aria-hidden="true">{signs[kind]}</span> {title}
          </span>
        ))}
      </p>
      {chosen.node !== undefined && <NodeSheet of={of} manifest={manifest} name={chosen.node} view="topology" />}
      {manifest.clusters.map((cluster) => (
        <section key={cluster.cluster} aria-labelledby={`topology-of-${cluster.name}`}>
          <h2 id={`topology-of-${cluster.name}`} className="cluster-title">
            {cluster.name} <Status of={cluster.status} />
            <span className="dim">{countOf(cluster.nodes.length, 'node')}</span>
            <CheckedAt drift={cluster.drift} />
          </h2>
          <Drawing place={`manifests/${of.namespace}/${of.name}`} cluster={cluster} node={chosen.node ?? ''} />
        </section>
      ))}
    </>
  );
});

const meshSigns: Readonly<Record<Mesh['state'], string>> = { sound: '✓', faulty: '!', unknown: '○' };
type Kind = 'good' | 'work' | 'warn' | 'bad';
const signs: Readonly<Record<Kind, string>> = { good: '✓', work: '◐', warn: '!', bad: '✗' };
const legend = [
  ['good', 'ready'],
  ['work', 'joins or leaves'],
  ['warn', 'unreachable or left over'],
  ['bad', 'not ready, unhealthy or gone'],
] as const;
const kinds: Readonly<Record<NodeRow['status'], Kind>> = {
  ...{ Ready: 'good', Waiting: 'work', Joining: 'work', Leaving: 'work' },
  ...{ Unreachable: 'warn', Leftover: 'warn', NotReady: 'bad', Unhealthy: 'bad', Gone: 'bad' },
};

interface DrawingProps {
  /** Of the manifest. */
  readonly place: string;
  readonly cluster: ClusterDescription;
  /** The one that is shown. */
  readonly node: string;
}

/** Drawn again only when the cluster changed. */
const Drawing = memo(function Drawing({ place, cluster, node }: DrawingProps) {
  const path = place.split('/');
  const { width, height, balancers, clouds, edges, mesh } = topologyOf(cluster);
  return (
    <PanZoom width={width} height={height} title={`${cluster.name}: its clouds, pools, nodes and load balancers`}>
      {mesh &&
        clouds.map(({ name, x, y, width: wide, height: high }) => (
          <line
            key={name}
            className={`wire ${mesh.state}`}
            x1={x + wide / 2}
            y1={y + high}
            x2={x + wide / 2}
            y2={mesh.y}
          />
        ))}
      {clouds.map((cloud) => (
        <Cloud key={cloud.name} path={path} cloud={cloud} node={node} />
      ))}
      {edges.map(({ corners, title }) => (
        <path key={`${title} ${corners.at(-1)}`} className="edge" d={edgePath(corners)}>
          <title>{title}</title>
        </path>
      ))}
      {balancers.map(({ name, endpoint, roles, ...box }) => (
        <g key={name}>
          <rect className="balancer-box" rx="8" {...box} />
          <text className="strong" x={box.x + 12} y={box.y + 20}>
            ⇄ {name}
          </text>
          <text className="small" x={box.x + 12} y={box.y + 36}>
            {endpoint}
          </text>
          {roles.slice(0, 3).map((role, index) => (
            <text key={role} className="small" x={box.x + 12} y={box.y + 52 + 16 * index}>
              {index === 2 && roles.length > 3 ? `and ${roles.length - 2} more` : role}
            </text>
          ))}
        </g>
      ))}
      {mesh && (
        <g className={`mesh ${mesh.state}`}>
          <rect rx="13" x={mesh.x} y={mesh.y} width={mesh.width} height={mesh.height} />
          <text className="small" x={mesh.x + 14} y={mesh.y + 17}>
            {meshSigns[mesh.state]} {mesh.text}
          </text>
        </g>
      )}
    </PanZoom>
  );
});

function Cloud({
  path,
  cloud,
  node,
}: {
  readonly path: readonly string[];
  readonly cloud: DrawnCloud;
  readonly node: string;
}) {
  const { name, type, regions, ...box } = cloud;
  return (
    <g>
      <rect className="cloud" rx="12" {...box} />
      <text className="strong" x={box.x + 14} y={box.y + 22}>
        {name} {type !== '' && type !== name && <tspan className="small">{type}</tspan>}
      </text>
      {regions.map(({ title, pools, ...region }) => (
        <g key={title}>
          <rect className="region" rx="8" {...region} />
          <text className="small" x={region.x + 12} y={region.y + 16}>
            {title}
          </text>
          {pools.map((pool) => (
            <Pool key={pool.id} path={path} pool={pool} node={node} />
          ))}
        </g>
      ))}
    </g>
  );
}

function Pool({
  path,
  pool,
  node: shown,
}: {
  readonly path: readonly string[];
  readonly pool: DrawnPool;
  readonly node: string;
}) {
  const { x, y, width, height } = pool;
  return (
    <g>
      <rect className="pool-box" rx="6" {...{ x, y, width, height }} />
      <a href={hrefOf([...path, 'nodes'], { search: pool.pool })} aria-label={`Pool ${poolTitle(pool)}`}>
        <text className="small link" x={x + 6} y={y + 17}>
          {poolTitle(pool)}
        </text>
      </a>
      {pool.nodes.map(({ node, ...box }) => {
        const kind = kinds[node.status];
        return (
          // Keys reach nodes in the list, which has the same: hundreds of stops would help no one.
          <a
            key={node.name}
            href={hrefOf([...path, 'topology'], { node: node.name })}
            tabIndex={-1}
            data-node={node.name}
            aria-label={`${node.name}: ${node.status}`}
            className={`node ${kind}${node.name === shown ? ' shown' : ''}`}
          >
            <title>{`${node.name}: ${node.status}`}</title>
            <rect rx="4" {...box} />
            <text x={box.x + box.width / 2} y={box.y + 13}>
              {signs[kind]}
            </text>
          </a>
        );
      })}
    </g>
  );
}
