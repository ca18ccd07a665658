/** Collects what playbooks do on the nodes of a stage, and keeps the facts that it has judged. */
import { type MachineFacts, readMachineFacts } from '#domain/observed/machine-facts.ts';
import type { PlaybookEvent } from '#domain/observed/playbook-event.ts';
import type { InventoryWork } from '#rendering/inventory.ts';
import type { ContextOf, StageSummary } from '../stage-context.ts';
import type { HostTrouble } from './playbook-failure.ts';
import { WrongClocks } from './wrong-clocks.ts';

export class PlaybookListener {
  readonly troubles: HostTrouble[] = [];
  readonly clocks = new WrongClocks();
  readonly #context: ContextOf<'ansible'>;
  readonly #work: InventoryWork;
  readonly #visited = new Set<string>();
  readonly #changed = new Set<string>();
  /** Did not answer, whether or not that was tolerated. */
  readonly #silent = new Set<string>();
  /** The facts that each host has reported in this stage. */
  readonly #reported = new Map<string, readonly string[]>();

  constructor(context: ContextOf<'ansible'>, work: InventoryWork) {
    this.#context = context;
    this.#work = work;
  }

  readonly hear = (event: PlaybookEvent): void => {
    if (event.event === 'failed' || event.event === 'unreachable') this.troubles.push(event);
    if (event.event === 'unreachable') this.#silent.add(event.host);
    if (event.event === 'facts') this.#judge(event);
    if (event.event === 'stats') this.#count(event.hosts);
  };

  get summary(): StageSummary {
    return {
      nodesVisited: this.#visited.size,
      nodesChanged: this.#changed.size,
      ...(this.#silent.size > 0 && { nodesUnreachable: this.#silent.size }),
    };
  }

  /** Hosts whose troubles are not tolerated: the next playbooks leave them out. */
  get failed(): readonly string[] {
    return [...new Set(this.troubles.flatMap(({ host, ignored }) => (ignored ? [] : [host])))];
  }

  /** Those of these nodes that did not answer, as failures: whatever the playbook tolerates. */
  unreachable(nodes: readonly string[]): readonly HostTrouble[] {
    const silent = this.troubles.filter(({ event, host }) => event === 'unreachable' && nodes.includes(host));
    return silent.map((trouble) => ({ ...trouble, ignored: false }));
  }

  /** Reports what was done. */
  reportDone(): void {
    const { emit, target } = this.#context;
    const { install, peers, uninstall, loadBalancers, endpoint = [] } = this.#work;
    const balancers =
      target?.loadBalancers.filter(({ name, id }) => loadBalancers.some((one) => one === name || one === id)) ?? [];
    const balancing = balancers.flatMap(({ pools }) => pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
    for (const node of uninstall.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: what Kubeloom installed on it, if anything, is still there`;
      emit({ kind: 'NodeNotCleaned', message, node });
    }
    for (const node of peers.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: it keeps its list of peers until it is reached again`;
      emit({ kind: 'PeerNotReached', message, node });
    }
    for (const node of balancing.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: it keeps its roles and targets until it is reached again`;
      emit({ kind: 'LoadBalancerNotReached', message, node });
    }
    for (const node of install.filter((name) => this.#visited.has(name))) {
      emit({
        kind: 'NodeConfigured',
        message: target?.meshless ? `${node} is configured` : `${node} is configured and in the mesh`,
        node,
      });
    }
    if (endpoint.length > 0) {
      emit({ kind: 'EndpointMoved', message: `${endpoint.length} nodes are pointed at the new API endpoint` });
    }
    for (const name of loadBalancers.filter((one) => this.#reached(one))) {
      emit({ kind: 'TrafficDirected', message: `load balancer ${name} is up to date` });
    }
  }

  /** For each load balancer, by name or id: whether at least one of its nodes was visited. */
  #reached(balancer: string): boolean {
    const found = this.#context.target?.loadBalancers.find(({ name, id }) => name === balancer || id === balancer);
    return found?.pools.some(({ nodes }) => nodes.some(({ name }) => this.#visited.has(name))) === true;
  }

  /** Facts that are not what our scripts report are a trouble of their host; nothing of that answer is kept. */
  #judge({ host, lines }: Extract<PlaybookEvent, { event: 'facts' }>): void {
    // Nothing is wanted of a node that leaves, so whatever it says fails nothing.
    if (this.#work.uninstall.includes(host)) return;
    const { facts, problem } = readMachineFacts(lines);
    const before = this.#reported.get(host) ?? [];
    const names = Object.keys(facts ?? {});
    const again = names.find((name) => before.includes(name));
    const message = problem ?? (again && `it reports the fact ${again} twice`);
    if (message !== undefined) {
      this.troubles.push({ event: 'refused', host, task: 'facts', message, ignored: false });
      return;
    }
    this.#reported.set(host, [...before, ...names]);
    this.#note(host, facts ?? {});
  }

  #note(host: string, { wireguardPublicKey, wireguardPort, bootId, clock }: MachineFacts): void {
    const { facts, mode, ports } = this.#context;
    if (clock !== undefined && mode === 'do') this.clocks.heard(host, clock);
    const before = facts.current.nodes[host];
    // A provider may map the port: its value counts, since clients connect to it.
    const mapped = before?.wireguardPort !== undefined;
    const isNew = bootId !== undefined && before?.bootId === undefined && mode === 'do';
    facts.node(host, {
      ...(wireguardPublicKey === undefined ? {} : { wireguardPublicKey }),
      ...(bootId === undefined ? {} : { bootId }),
      ...(isNew && { setUpAt: ports.clock.now().toISOString() }),
      ...(wireguardPort === undefined || mapped ? {} : { wireguardPort }),
    });
  }

  #count(hosts: Extract<PlaybookEvent, { event: 'stats' }>['hosts']): void {
    for (const [host, stats] of Object.entries(hosts)) {
      this.#context.facts.answers(host, !this.#silent.has(host), this.#context.ports.clock.now());
      if (this.#silent.has(host)) continue;
      this.#visited.add(host);
      if (stats.changed > 0) this.#changed.add(host);
    }
  }
}
