/** The shape of clusters, and what is known of a node that is chosen there; the list has the same. */
import { memo, useSyncExternalStore } from 'react';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import type { TabProps } from '../model/tab.ts';
import { CertificateLine } from '../parts/certificate-line.tsx';
import { ClusterDrawing } from '../parts/cluster-drawing.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { CheckedAt, NodeSheet } from '../parts/node-sheet.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { hrefOf } from '../routes.ts';
import '../styles/topology.css';

/** Drawn again only when what it shows changed. */
export default memo(function TopologyTab({ of, manifest, chosen }: TabProps) {
  const room = useRoom();
  const { clusters } = manifest;
  const { node = '' } = chosen;
  if (clusters.length === 0) return <Empty title="No cluster exists" />;
  /** The sheet of a node that is gone is next to the first cluster. */
  const withSheet = clusters.find(({ nodes }) => nodes.some(({ name }) => name === node)) ?? clusters[0];
  return (
    <>
      {clusters.map((cluster) => (
        <section key={cluster.cluster} aria-labelledby={`topology-of-${cluster.name}`}>
          <div className="title-line">
            <h2 id={`topology-of-${cluster.name}`} className="cluster-title">
              {cluster.name} <Status of={cluster.status} />
              <span className="dim">{countOf(cluster.nodes.length, 'node')}</span>
              <CheckedAt drift={cluster.drift} />
            </h2>
            {cluster === clusters[0] && (
              <>
                <a href={hrefOf(['manifests', of.namespace, of.name, 'nodes'])}>The same as a list</a>
                <CopyCommand command={commands.nodes(of)} />
              </>
            )}
          </div>
          <CertificateLine certificates={cluster.certificates} />
          <div className={node !== '' && cluster === withSheet ? 'with-sheet' : undefined}>
            <ClusterDrawing place={`manifests/${of.namespace}/${of.name}`} {...{ cluster, node, room }} />
            {node !== '' && cluster === withSheet && (
              <NodeSheet of={of} manifest={manifest} name={node} view="topology" />
            )}
          </div>
        </section>
      ))}
    </>
  );
});

/** Steps of this many pixels: a window that is resized by less is drawn as before. */
const step = 40;

/** Width of a drawing in this window, in pixels. */
function useRoom(): number {
  return useSyncExternalStore(subscribe, () => Math.floor((document.documentElement.clientWidth - 40) / step) * step);
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('resize', changed);
  return () => window.removeEventListener('resize', changed);
}
