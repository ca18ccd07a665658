/** The nodes of a cluster, out of the answer of its API. */
import { at, type Json, listAt } from './node/json.ts';

/** A node as the Kubernetes API reports it. */
export interface ReportedNode {
  readonly name: string;
  readonly ready: boolean;
  readonly control: boolean;
  /** Without leading v. */
  readonly version: string;
  /** It has KubeOne's label: its upgrade was started and has not ended. */
  readonly upgrading?: boolean;
}

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
