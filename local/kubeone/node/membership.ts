/**
 * Who leads among the control-plane nodes, and how the others keep a copy. The first member that answers leads; it
 * passes every change on before it confirms it. There is no quorum: this stands in for etcd, it does not replace it.
 */
import { askServer, type ServerAnswer } from './ask.ts';
import { isNewer, type ObjectStore, type Snapshot, type StoreMember } from './object-store.ts';

export interface Credentials {
  readonly ca: Buffer;
  /** Shared by the nodes of one cluster. */
  readonly token: string;
}

interface MembershipOptions {
  readonly self: StoreMember;
  readonly store: ObjectStore;
  readonly credentials: Credentials;
  /** Members to begin with, as long as the store is empty. */
  readonly seeds: readonly StoreMember[];
  /** How long an answer about who leads is believed, ms. */
  readonly trustMs: number;
  readonly onLeading: () => void;
}

export class Membership {
  readonly #options: MembershipOptions;
  #leading = false;
  #believed: { readonly leader: StoreMember; readonly until: number } | undefined;
  #asking: Promise<StoreMember> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  get leading(): boolean {
    return this.#leading;
  }

  /** The member that leads now; this node takes over when no earlier one answers. */
  async leader(): Promise<StoreMember> {
    if (this.#believed !== undefined && this.#believed.until > performance.now()) return this.#believed.leader;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Passes the state on; false when another member is ahead, which ends this one's lead. */
  async replicate(also: readonly StoreMember[] = []): Promise<boolean> {
    const { store } = this.#options;
    const answers = await Promise.all(
      this.#others([...this.#members(), ...also]).map((member) =>
        this.#call(member, 'PUT', '/internal/state', JSON.stringify(store.snapshot)).catch(() => undefined),
      ),
    );
    if (!answers.some((answer) => answer?.code === 409)) return true;
    this.stepDown();
    return false;
  }

  /** Takes a state from the leader; false when another member has led since. Late copies of an older state are ignored. */
  accept(snapshot: Snapshot): boolean {
    const { store } = this.#options;
    if (store.snapshot.term > snapshot.term) return false;
    if (!isNewer(snapshot, store.snapshot)) return true;
    this.stepDown();
    store.adopt(snapshot);
    return true;
  }

  /** Learns another member's term; a higher one means that the own state may be old. */
  hear(term: number): void {
    if (term > this.#options.store.snapshot.term) this.stepDown();
  }

  stepDown(): void {
    this.#believed = undefined;
    this.#leading = false;
  }

  async #ask(): Promise<StoreMember> {
    const leader = await this.#findLeader();
    this.#believed = { leader, until: performance.now() + this.#options.trustMs };
    return leader;
  }

  async #findLeader(): Promise<StoreMember> {
    const { self, store } = this.#options;
    for (const member of this.#members()) {
      if (member.name === self.name) {
        if (!this.#leading) await this.#takeOver();
        return self;
      }
      const answer = await this.#call(member, 'GET', `/internal/ping?term=${store.snapshot.term}`).catch(
        () => undefined,
      );
      if (answer?.code === 200) {
        this.stepDown();
        return member;
      }
    }
    throw new Error('no control-plane node answers');
  }

  /** Leads from the newest state that any member has. */
  async #takeOver(): Promise<void> {
    const { store, seeds } = this.#options;
    const answers = await Promise.all(
      this.#others(this.#members()).map((member) =>
        this.#call(member, 'GET', '/internal/state').catch(() => undefined),
      ),
    );
    let newest = store.snapshot;
    for (const answer of answers) {
      if (answer?.code !== 200) continue;
      const theirs: Snapshot = JSON.parse(answer.text);
      if (isNewer(theirs, newest)) newest = theirs;
    }
    const members = newest.members.length > 0 ? newest.members : seeds;
    store.adopt({ ...newest, members, term: newest.term + 1 });
    this.#leading = true;
    this.#options.onLeading();
  }

  #members(): readonly StoreMember[] {
    const { store, seeds } = this.#options;
    return store.snapshot.members.length > 0 ? store.snapshot.members : seeds;
  }

  #others(members: readonly StoreMember[]): readonly StoreMember[] {
    return members.filter(({ name }) => name !== this.#options.self.name);
  }

  #call(member: StoreMember, method: string, path: string, body?: string): Promise<ServerAnswer> {
    const { ca, token } = this.#options.credentials;
    return askServer(`${member.url}${path}`, 700, { method, ca, headers: { authorization: `Bearer ${token}` } }, body);
  }
}
