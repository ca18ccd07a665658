/** What a cloud keeps unique: the ONE table, a line for each resource type that the modules use. */

export interface ClashRule {
  /** Where two may not be the same. */
  readonly within: 'account' | 'region';
  /** Attributes that together may not be there twice. A list counts by its elements: one in common is enough. */
  readonly by: readonly string[];
  /** How the cloud's own API says it. */
  readonly says: string;
}

export interface RangeRule {
  /** Attribute with the address range. */
  readonly range: string;
  /** Attribute that names what the ranges may not overlap in. */
  readonly within: string;
  /** Attribute of that which has the range they have to lie in. @default none */
  readonly parentRange?: string;
  readonly says: string;
}

const accountWide = (by: readonly string[], says: string): ClashRule => ({ within: 'account', by, says });
const regional = (by: readonly string[], says: string): ClashRule => ({ within: 'region', by, says });

/** No name of it need be unique in the cloud. */
const free: readonly ClashRule[] = [];

export const clashRules: Readonly<Record<string, readonly ClashRule[]>> = {
  toy_key: [accountWide(['name'], 'name is already used')],
  toy_network: [regional(['name'], 'name is already used')],
  toy_machine: [accountWide(['name'], 'name is already used')],
  toy_record: [accountWide(['zone', 'name', 'address'], 'record exists')],
};
void free;

export const rangeRules: Readonly<Record<string, RangeRule>> = {
  toy_subnet: { range: 'range', within: 'network_id', parentRange: 'range', says: 'subnet overlaps' },
};
