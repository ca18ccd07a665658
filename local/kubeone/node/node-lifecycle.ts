/** Nodes join and stay alive by heartbeats of their kubelets; one without heartbeats becomes NotReady. */
import { admitObject } from './admission.ts';
import { at, isObject, type Json, type JsonObject, type KubeObject, listAt } from './json.ts';
import type { ObjectStore, StoreMember } from './object-store.ts';
import { resourceNamed } from './resources.ts';

/** What a kubelet reports about its node. */
export interface Heartbeat {
  /** First one since the kubelet started: only then a node that does not exist is created. */
  readonly register: boolean;
  readonly name: string;
  readonly control: boolean;
  readonly internalAddress: string;
  readonly externalAddress: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly JsonObject[];
  /** As in `status.nodeInfo`. */
  readonly nodeInfo: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
}

export interface HeartbeatAnswer {
  /** False: the node was deleted; the kubelet stays silent until it is started again. */
  readonly known: boolean;
  readonly members: readonly StoreMember[];
  /** Ports of the Services of type NodePort. */
  readonly nodePorts: readonly number[];
}

const lostTaint = 'node.kubernetes.io/unreachable';

export class NodeLifecycle {
  readonly #store: ObjectStore;
  readonly #silenceMs: number;
  readonly #lastHeard = new Map<string, number>();

  constructor(store: ObjectStore, silenceMs: number) {
    this.#store = store;
    this.#silenceMs = silenceMs;
  }

  /** Forgets the times of heartbeats: a new leader gives every node time. */
  reset(): void {
    this.#lastHeard.clear();
  }

  hear(heartbeat: Heartbeat, now: Date): HeartbeatAnswer {
    const nodes = resourceNamed('nodes');
    const present = this.#store.get(nodes, '', heartbeat.name);
    if (present !== undefined || heartbeat.register) {
      this.#lastHeard.set(heartbeat.name, now.getTime());
      const wanted = admitObject(nodes, nodeOf(heartbeat, present, now), present, now);
      if (JSON.stringify(wanted) !== JSON.stringify(present)) this.#store.write(nodes, wanted);
      if (present === undefined && heartbeat.control) this.#addMember(heartbeat);
    }
    return {
      known: present !== undefined || heartbeat.register,
      members: this.#store.snapshot.members,
      nodePorts: this.#nodePorts(),
    };
  }

  /** Marks the nodes that were silent too long. */
  sweep(now: Date): void {
    const nodes = resourceNamed('nodes');
    for (const node of this.#store.list(nodes, '')) {
      const heard = this.#lastHeard.get(node.metadata.name);
      if (heard === undefined) this.#lastHeard.set(node.metadata.name, now.getTime());
      else if (isReady(node) && now.getTime() - heard > this.#silenceMs) this.#store.write(nodes, lost(node, now));
    }
  }

  #addMember({ name, internalAddress }: Heartbeat): void {
    const { members } = this.#store.snapshot;
    if (members.some((member) => member.name === name)) return;
    this.#store.setMembers([...members, { name, url: `https://${internalAddress}:6443` }]);
  }

  #nodePorts(): number[] {
    return this.#store
      .list(resourceNamed('services'), '')
      .flatMap((service) => listAt(service, 'spec', 'ports').map((port) => at(port, 'nodePort')))
      .filter((port) => typeof port === 'number');
  }
}

function isReady(node: KubeObject): boolean {
  return listAt(node, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  );
}

function nodeOf(heartbeat: Heartbeat, present: KubeObject | undefined, now: Date): KubeObject {
  const base: KubeObject = present ?? {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: heartbeat.name, labels: labelsOf(heartbeat), annotations: annotationsOf(heartbeat) },
    spec: { taints: [...heartbeat.taints] },
  };
  const spec: JsonObject = isObject(base.spec) ? base.spec : {};
  const taints = listAt(spec, 'taints').filter((taint) => at(taint, 'key') !== lostTaint);
  return {
    ...base,
    spec: { ...spec, taints },
    status: {
      addresses: [
        { type: 'InternalIP', address: heartbeat.internalAddress },
        { type: 'ExternalIP', address: heartbeat.externalAddress },
        { type: 'Hostname', address: heartbeat.name },
      ],
      capacity: { ...heartbeat.capacity },
      allocatable: { ...heartbeat.capacity },
      nodeInfo: { ...heartbeat.nodeInfo },
      conditions: [condition(base, 'True', 'KubeletReady', 'simulated kubelet posts heartbeats', now)],
    },
  };
}

function labelsOf({ name, control, labels, nodeInfo }: Heartbeat): Record<string, string> {
  return {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': nodeInfo.architecture ?? 'amd64',
    ...(control ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
    ...labels,
  };
}

function annotationsOf({ annotations }: Heartbeat): Record<string, string> {
  return { 'kubeloom.dev/simulated': 'control-plane', ...annotations };
}

function lost(node: KubeObject, now: Date): KubeObject {
  const spec: JsonObject = isObject(node.spec) ? node.spec : {};
  const status: JsonObject = isObject(node.status) ? node.status : {};
  const taints = listAt(spec, 'taints').filter((taint) => at(taint, 'key') !== lostTaint);
  return {
    ...node,
    spec: {
      ...spec,
      taints: [...taints, { key: lostTaint, effect: 'NoSchedule' }, { key: lostTaint, effect: 'NoExecute' }],
    },
    status: {
      ...status,
      conditions: [condition(node, 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.', now)],
    },
  };
}

/** The Ready condition; its transition time moves only when its status does. */
function condition(node: KubeObject, status: string, reason: string, message: string, now: Date): Json {
  const before = listAt(node, 'status', 'conditions').find((known) => at(known, 'type') === 'Ready');
  const same = at(before, 'status') === status;
  const lastTransitionTime = same ? (at(before, 'lastTransitionTime') ?? null) : now.toISOString().replace(/\.\d+/, '');
  return { type: 'Ready', status, reason, message, lastTransitionTime };
}
