/** The nodes of a cluster, out of the answer of its API. */
import type { ReportedNode } from './installer.ts';
import { at, type Json, listAt } from './node/json.ts';

/** `list`: a NodeList as JSON. */
export function reportedNodes(list: string): readonly ReportedNode[] {
  const parsed: Json = JSON.parse(list);
  return listAt(parsed, 'items').map((node) => ({
    name: String(at(node, 'metadata', 'name')),
    control: at(node, 'metadata', 'labels', 'node-role.kubernetes.io/control-plane') !== undefined,
    version: String(at(node, 'status', 'nodeInfo', 'kubeletVersion')).replace(/^v/, ''),
    upgrading: at(node, 'metadata', 'labels', 'kubeone.io/upgrade-in-progress') !== undefined,
    ready: listAt(node, 'status', 'conditions').some(
      (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
    ),
  }));
}
