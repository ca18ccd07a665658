/** What one provider's cloud holds: objects by account and region, and their history. Nothing of it is real. */

import { isWithin, rangesOverlap } from './address-ranges.ts';
import { clashRules, keptFirst, rangeRules } from './clash-rules.ts';
import { type CtyObject, type CtyValue, isList, isSame, leaves } from './cty-value.ts';
import { digits } from './made-up-values.ts';

/** Who a provider block speaks as: its arguments without the region. */
export interface Account {
  readonly name: string;
  readonly configuration: CtyObject;
}

export interface CloudObject {
  readonly key: string;
  readonly type: string;
  readonly account: Account;
  readonly region: string;
  readonly values: CtyObject;
}

export interface CloudEvent {
  readonly key: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly type: string;
  readonly account: string;
  readonly values: CtyObject;
}

/** The cloud refuses, in the words of its API. */
export class CloudRefusal extends Error {
  override readonly name = 'CloudRefusal';
}

export class SimulatedCloud {
  /** Letters of the zones of each region; a region may get another one. */
  zones: readonly string[] = ['a', 'b', 'c'];
  readonly #objects = new Map<string, CloudObject>();
  readonly #accounts = new Map<string, Account>();
  readonly #addresses = new Set<string>();
  readonly #events: CloudEvent[] = [];
  #made = 0;

  /** The account of a provider block; the same arguments are the same account. */
  account(configuration: CtyObject): Account {
    const key = JSON.stringify(configuration);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account = { name: `account ${this.#accounts.size + 1}`, configuration };
    this.#accounts.set(key, account);
    return account;
  }

  /** Everything that exists. */
  get inventory(): readonly CloudObject[] {
    return [...this.#objects.values()];
  }

  /** What happened, oldest first. */
  get events(): readonly CloudEvent[] {
    return this.#events;
  }

  find(key: string): CloudObject | undefined {
    return this.#objects.get(key);
  }

  /** The object that Terraform's state describes: what is to be destroyed comes without its key. */
  like(type: string, values: CtyObject): CloudObject | undefined {
    return this.inventory.find((object) => object.type === type && isSame(object.values, values));
  }

  /** A key for something new, by which it is found again. */
  newKey(type: string): string {
    this.#made += 1;
    return `${type}/${this.#made}`;
  }

  /** A public address of documentation that nothing else here has. */
  address(seed: string): string {
    const start = Number.parseInt(digits(seed, 8), 16);
    for (let step = 0; step < documentationAddresses; step++) {
      const place = (start + step) % documentationAddresses;
      const address = `${documentationNetworks[Math.floor(place / 254)]}.${1 + (place % 254)}`;
      if (this.#addresses.has(address)) continue;
      this.#addresses.add(address);
      return address;
    }
    throw new CloudRefusal('there is no public address left');
  }

  /** Puts it there. Throws `CloudRefusal` where the real cloud would refuse. */
  create(object: CloudObject): void {
    this.#refuse(object);
    this.#objects.set(object.key, object);
    this.#record('create', object);
  }

  update(object: CloudObject): void {
    this.#refuse(object);
    this.#objects.set(object.key, object);
    this.#record('update', object);
  }

  /** Takes it away. Throws `CloudRefusal` while something else depends on it. */
  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    const { id } = object.values;
    const user = this.inventory.find(
      (other) => other.key !== key && other.account === object.account && refersTo(other.values, id ?? null),
    );
    if (user !== undefined) throw new CloudRefusal(`${object.type} ${id} is in use by ${user.type} ${user.values.id}`);
    const says = keptFirst[object.type];
    const isOfItsRegion = (other: CloudObject) =>
      other.type === object.type && other.account === object.account && other.region === object.region;
    if (says !== undefined && this.inventory.find(isOfItsRegion)?.key === key) throw new CloudRefusal(says);
    this.#objects.delete(key);
    for (const leaf of leaves(object.values)) this.#addresses.delete(String(leaf));
    this.#record('delete', object);
  }

  /** Removes it without a word to anybody, as a person with the cloud's console would. */
  lose(key: string): void {
    this.#objects.delete(key);
  }

  #record(action: CloudEvent['action'], { key, type, account, values }: CloudObject): void {
    this.#events.push({ key, action, type, account: account.name, values });
  }

  #refuse(object: CloudObject): void {
    const others = this.inventory.filter(({ key }) => key !== object.key);
    const foreign = others.find(
      (other) => other.account !== object.account && refersTo(object.values, other.values.id ?? null),
    );
    if (foreign !== undefined) throw new CloudRefusal(`${foreign.type} ${foreign.values.id} not found`);
    const alike = others.filter((other) => other.account === object.account && other.type === object.type);
    for (const rule of clashRules[object.type] ?? []) {
      const near = rule.within === 'account' ? alike : alike.filter(({ region }) => region === object.region);
      const twin = near.find((other) => rule.by.every((name) => meet(other.values[name], object.values[name])));
      if (twin !== undefined)
        throw new CloudRefusal(
          `${rule.says}: ${rule.by.map((name) => `${name} ${text(object.values[name])}`).join(', ')}`,
        );
    }
    this.#refuseRange(object, alike);
  }

  #refuseRange(object: CloudObject, alike: readonly CloudObject[]): void {
    const rule = rangeRules[object.type];
    if (rule === undefined) return;
    const { parent } = rule;
    const mine = rangesOf(object.values[rule.range]);
    const pairs = Object.entries(parent.by);
    const whole = this.inventory.find(
      ({ type, account, values }) =>
        type === parent.type &&
        account === object.account &&
        pairs.every(([name, own]) => meet(values[name], object.values[own])),
    );
    const room = whole === undefined ? [] : rangesOf(whole.values[parent.range]);
    if (room.length > 0 && !mine.every((range) => room.some((wide) => isWithin(range, wide)))) {
      throw new CloudRefusal(`${rule.says}: ${mine.join(', ')} is not within ${room.join(', ')}`);
    }
    const same = alike.filter(({ values }) => pairs.every(([, own]) => meet(values[own], object.values[own])));
    for (const other of same) {
      for (const range of rangesOf(other.values[rule.range])) {
        if (mine.some((own) => rangesOverlap(own, range)))
          throw new CloudRefusal(`${rule.says}: ${mine.join(', ')} and ${range}`);
      }
    }
  }
}

const documentationNetworks = ['192.0.2', '198.51.100', '203.0.113'] as const;
const documentationAddresses = documentationNetworks.length * 254;

function refersTo(values: CtyObject, id: CtyValue): boolean {
  if (typeof id !== 'string') return false;
  for (const leaf of leaves({ ...values, id: null })) if (String(leaf) === id) return true;
  return false;
}

/** Equal, or lists that share an element. Absent meets absent. */
function meet(left: CtyValue | undefined, right: CtyValue | undefined): boolean {
  if (isList(left) && isList(right)) {
    const others = right.map((item) => JSON.stringify(item));
    return left.some((item) => others.includes(JSON.stringify(item)));
  }
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

const text = (value: CtyValue | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value));
const rangesOf = (value: CtyValue | undefined): readonly string[] =>
  (isList(value) ? value : [value]).filter((item) => typeof item === 'string');
