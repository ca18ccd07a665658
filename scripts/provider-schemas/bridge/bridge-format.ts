/** What packages tell that Pulumi's bridge generates from the schema of a Terraform provider, as test/providers/bindings keeps it. */

/** Numbers are "number", whole or not; lists and sets are both "list". */
export type BoundType = string | readonly ['list' | 'map', BoundType] | BoundObject;

export interface BoundObject {
  readonly fields: BoundFields;
}

/** By the bridge's name of the field. */
export type BoundFields = Readonly<Record<string, BoundField>>;

export interface BoundField {
  readonly type: BoundType;
  /** Absent: it cannot be set. */
  readonly input?: 'required' | 'optional';
  /** Whether there is always a value to read: it is required, computed or has a default. Absent: it cannot be read. */
  readonly output?: 'always' | 'maybe';
  readonly deprecated?: true;
  /** Sensitive in Terraform. */
  readonly secret?: true;
}

/** One committed file. */
export interface Bindings {
  readonly package: string;
  readonly version: string;
  /** Day of the newest file in the package's archive. */
  readonly made: string;
  /** Release of the Terraform provider that the package is generated from, as far as it can be told. */
  readonly release: string;
  readonly provider: BoundFields;
  readonly resources: Readonly<Record<string, BoundFields>>;
  readonly dataSources: Readonly<Record<string, BoundFields>>;
}
