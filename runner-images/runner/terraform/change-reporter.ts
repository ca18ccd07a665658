/** Turns Terraform's messages into few events for people, and into counts. */
import type { StageContext } from '../stage-context.ts';
import { nodeOfAddress } from './cli/addresses.ts';
import type { Message } from './cli/messages.ts';

type Hook = Extract<Message, { hook: unknown }>['hook'];

export interface ChangeCounts {
  resourcesAdded: number;
  resourcesChanged: number;
  resourcesRemoved: number;
  hostsCreated: number;
  hostsRemoved: number;
}

export class ChangeReporter {
  readonly counts: ChangeCounts = {
    resourcesAdded: 0,
    resourcesChanged: 0,
    resourcesRemoved: 0,
    hostsCreated: 0,
    hostsRemoved: 0,
  };
  /** Names of machines that existed and are removed. */
  readonly removed = new Set<string>();
  readonly #context: Pick<StageContext, 'emit' | 'facts'>;
  readonly #nodes: ReadonlySet<string>;
  /** Resources of each node that the plan will still create or remove: a host is done with its last one. */
  readonly #left = new Map<string, number>();
  readonly #seconds = new Map<string, number>();

  constructor(context: Pick<StageContext, 'emit' | 'facts'>, nodes: ReadonlySet<string>) {
    this.#context = context;
    this.#nodes = nodes;
  }

  /** Reports what a plan is going to do, and removes the facts of nodes that it recreates. */
  planned(workspace: string, messages: readonly Message[]): void {
    const touched = new Set<string>();
    for (const message of messages) {
      if (message.type !== 'planned_change') continue;
      const { action, resource } = message.change;
      const node = nodeOfAddress(resource.addr, this.#nodes);
      if (node === undefined || action === 'read' || action === 'update' || action === 'noop') continue;
      const operations = action === 'replace' ? 2 : 1;
      this.#left.set(node, (this.#left.get(node) ?? 0) + operations);
      touched.add(node);
    }
    for (const node of touched) this.#context.facts.forgetNode(node);
    for (const message of messages) {
      if (message.type !== 'change_summary') continue;
      const { add, change, remove } = message.changes;
      if (add + change + remove === 0) continue;
      this.#context.emit({
        kind: 'PlanMade',
        message: `${workspace}: resources of the cloud: ${add} to add, ${change} to change, ${remove} to remove`,
      });
    }
  }

  /** Handles one message of an apply. */
  heard(message: Message): void {
    if (message.type === 'apply_complete') this.#completed(message.hook);
    if (message.type === 'apply_errored') {
      const node = nodeOfAddress(message.hook.resource.addr, this.#nodes);
      this.#context.emit({
        kind: 'ResourceFailed',
        message: `${message.hook.resource.addr} failed`,
        ...(node === undefined ? {} : { node }),
      });
    }
  }

  #completed({ resource, action, elapsed_seconds: seconds = 0 }: Hook): void {
    if (action === 'create') this.counts.resourcesAdded += 1;
    if (action === 'update') this.counts.resourcesChanged += 1;
    if (action === 'delete') this.counts.resourcesRemoved += 1;
    const node = nodeOfAddress(resource.addr, this.#nodes);
    if (node === undefined || (action !== 'create' && action !== 'delete')) return;
    const left = (this.#left.get(node) ?? 1) - 1;
    this.#left.set(node, left);
    this.#seconds.set(node, (this.#seconds.get(node) ?? 0) + seconds);
    if (left > 0) return;
    const made = action === 'create';
    if (made) this.counts.hostsCreated += 1;
    else {
      this.counts.hostsRemoved += 1;
      this.removed.add(node);
    }
    this.#context.emit({
      kind: made ? 'HostCreated' : 'HostRemoved',
      message: `${node} ${made ? 'created' : 'removed'} in ${this.#seconds.get(node)} s`,
      node,
    });
  }
}
