/** The drawing of one cluster: clouds, regions, pools and nodes, load balancers and what they lead to, the mesh. */
import { memo } from 'react';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { Box, DrawnBalancer, DrawnCloud, DrawnPool } from '../model/drawn.ts';
import { roleWords } from '../model/drawn-pools.ts';
import { meshSigns, topologyOf } from '../model/topology.ts';
import { svgPath } from '../model/topology-lines.ts';
import { hrefOf } from '../routes.ts';
import { PanZoom } from './pan-zoom.tsx';

type Kind = 'good' | 'work' | 'warn' | 'bad';
const kindSigns: Readonly<Record<Kind, string>> = { good: '✓', work: '◐', warn: '!', bad: '✗' };
const kinds: Readonly<Record<NodeRow['status'], Kind>> = {
  Ready: 'good',
  Waiting: 'work',
  Joining: 'work',
  Leaving: 'work',
  Unreachable: 'warn',
  Leftover: 'warn',
  NotReady: 'bad',
  Unhealthy: 'bad',
  Gone: 'bad',
};
const roleLetters: Readonly<Record<NodeRow['role'], string>> = {
  control: 'C',
  compute: 'W',
  loadBalancer: 'L',
  machine: 'M',
};

interface ClusterDrawingProps {
  /** Name of the manifest. */
  readonly place: string;
  readonly cluster: ClusterDescription;
  /** Name of the one that is shown; empty: none. */
  readonly node: string;
  /** So wide should it be at most, in pixels. */
  readonly room: number;
}

/** Drawn again only when the cluster changed. */
export const ClusterDrawing = memo(function ClusterDrawing({ place, cluster, node, room }: ClusterDrawingProps) {
  const path = place.split('/');
  const { width, height, balancers, clouds, edges, mesh } = topologyOf(cluster, room);
  const shown = boxOfNode(clouds, node);
  return (
    <PanZoom
      {...{ width, height, shown }}
      title={`${cluster.name}: its clouds, pools, nodes and load balancers`}
      legend={<Legend of={cluster} />}
    >
      {mesh?.wires.map((wire) => (
        <path key={svgPath(wire)} className={`wire ${mesh.state}`} d={svgPath(wire)} />
      ))}
      {clouds.map((cloud) => (
        <Cloud key={cloud.name} path={path} cloud={cloud} node={node} />
      ))}
      {edges.map(({ corners, title }) => {
        const [x, y] = corners.at(-1) ?? [0, 0];
        return (
          <g key={`${title} ${x} ${y}`} className="edge">
            <title>{title}</title>
            <path d={svgPath(corners)} />
            <circle cx={x} cy={y} r="3.5" />
          </g>
        );
      })}
      {balancers.map((balancer) => (
        <Balancer key={balancer.name} balancer={balancer} />
      ))}
      {mesh && (
        <g className={`mesh ${mesh.state}`}>
          <rect rx="13" x={mesh.x} y={mesh.y} width={mesh.width} height={mesh.height} />
          {mesh.lines.map((line, index) => (
            <text key={line} className="small" x={mesh.x + 14} y={mesh.y + 17 + 16 * index}>
              {index === 0 && `${meshSigns[mesh.state]} `}
              {line}
            </text>
          ))}
        </g>
      )}
    </PanZoom>
  );
});

function boxOfNode(clouds: readonly DrawnCloud[], name: string): Box | undefined {
  return clouds
    .flatMap(({ regions }) => regions.flatMap(({ pools }) => pools.flatMap(({ nodes }) => nodes)))
    .find(({ node }) => node.name === name);
}

function Balancer({ balancer: { name, endpoint, roles, ...box } }: { readonly balancer: DrawnBalancer }) {
  return (
    <g>
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
  );
}

interface CloudProps {
  /** Path of the page of the manifest. */
  readonly path: readonly string[];
  readonly cloud: DrawnCloud;
  readonly node: string;
}

function Cloud({ path, cloud, node }: CloudProps) {
  const { name, type, regions, ...box } = cloud;
  return (
    <g>
      <rect className="cloud" rx="12" {...box} />
      <text className="strong" x={box.x + 14} y={box.y + 22}>
        {name} {type !== '' && <tspan className="small">{type}</tspan>}
      </text>
      {regions.map(({ title, pools, ...region }) => (
        <g key={title}>
          <rect className="region" rx="8" {...region} />
          <text className="small" x={region.x + 12} y={region.y + 18}>
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

interface PoolProps {
  readonly path: readonly string[];
  readonly pool: DrawnPool;
  readonly node: string;
}

function Pool({ path, pool, node: shown }: PoolProps) {
  const { x, y, width, height, role, detail, nodes, block, more, served } = pool;
  const letter = roleLetters[role];
  return (
    <g>
      <rect className="pool-box" rx="6" {...{ x, y, width, height }} />
      <a href={hrefOf([...path, 'nodes'], { search: pool.pool })} aria-label={`Pool ${pool.pool} · ${detail}`}>
        <text className="link" x={x + 7} y={y + 17}>
          {pool.pool}
        </text>
      </a>
      <text className="small" x={x + 7} y={y + 33}>
        {detail}
      </text>
      {block && (
        <g className="node good">
          <rect rx="4" x={block.x} y={block.y} width={block.width} height={block.height} />
          <text x={block.x + block.width / 2} y={block.y + 14}>
            {letter} × {block.ready} {kindSigns.good}
          </text>
        </g>
      )}
      {nodes.map(({ node, ...box }) => {
        const kind = kinds[node.status];
        return (
          // Keys reach nodes in the list, which has the same: hundreds of stops would help no one.
          <a
            key={node.name}
            href={hrefOf([...path, 'topology'], { node: node.name })}
            tabIndex={-1}
            data-node={node.name}
            aria-label={`${letter}${kindSigns[kind]} ${node.name}: ${node.status}`}
            className={`node ${kind}${node.name === shown ? ' shown' : ''}`}
          >
            <title>{`${node.name}: ${node.status}`}</title>
            <rect rx="4" {...box} />
            <text x={box.x + box.width / 2} y={box.y + 14}>
              {letter}
              {kindSigns[kind]}
            </text>
          </a>
        );
      })}
      {more && (
        <text className="small" x={x + 7} y={more.y}>
          {more.text}
        </text>
      )}
      {served.map(({ balancer, text, y: middle }) => (
        <text key={balancer} className="small served" x={x + 7} y={middle + 4}>
          ⇄ {text}
        </text>
      ))}
    </g>
  );
}

const legend = [
  ['good', 'ready'],
  ['work', 'joins or leaves'],
  ['warn', 'unreachable or left over'],
  ['bad', 'not ready, unhealthy or gone'],
] as const;

function Legend({ of: { nodes } }: { readonly of: ClusterDescription }) {
  const roles = [...new Set(nodes.map(({ role }) => role))];
  return (
    <p className="legends">
      {roles.map((role) => (
        <span key={role}>
          <strong>{roleLetters[role]}</strong> {roleWords[role]}
        </span>
      ))}
      {legend.map(([kind, title]) => (
        <span key={kind} className={`legend ${kind}`}>
          <span aria-hidden="true">{kindSigns[kind]}</span> {title}
        </span>
      ))}
    </p>
  );
}
