/** A software bill of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json), of plain values; the same input makes the same text. */

export interface Hash {
  readonly alg: 'SHA-256' | 'SHA-512';
  /** Hexadecimal. */
  readonly content: string;
}

export interface BomComponent {
  readonly type: 'application' | 'container' | 'file' | 'library';
  readonly name: string;
  /** Absent where it is decided when an image is built; a property says why. */
  readonly version?: string;
  /** https://github.com/package-url/purl-spec */
  readonly purl: string;
  readonly scope?: 'required' | 'optional';
  readonly hashes?: readonly Hash[];
  readonly licenses?: readonly unknown[];
  readonly externalReferences?: readonly {
    readonly type: string;
    readonly url: string;
    readonly hashes?: readonly Hash[];
  }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** Purl of what depends on it → purls of its dependencies; what is missing depends on nothing that is known. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

export interface Bom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly components: readonly (BomComponent & { readonly 'bom-ref': string })[];
  readonly [more: string]: unknown;
}

/** `timestamp`: seconds since 1970. @default none, so that two runs give the same text; `SOURCE_DATE_EPOCH` says the one of a release */
export function bomOf(
  subject: BomComponent,
  components: readonly BomComponent[],
  { dependencies = new Map(), timestamp }: { readonly dependencies?: Dependencies; readonly timestamp?: number } = {},
): Bom {
  const known = [...new Map(components.map((component) => [component.purl, component])).values()].sort(byPurl);
  const refs = new Set(known.map(({ purl }) => purl));
  const below = (purl: string): readonly string[] =>
    [...new Set(dependencies.get(purl) ?? [])].filter((one) => refs.has(one)).sort();
  const reached = new Set(known.flatMap(({ purl }) => below(purl)));
  const direct = dependencies.has(subject.purl)
    ? below(subject.purl)
    : known.map(({ purl }) => purl).filter((purl) => !reached.has(purl));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(timestamp === undefined ? {} : { timestamp: new Date(timestamp * 1000).toISOString() }),
      component: withRef(subject),
    },
    components: known.map(withRef),
    dependencies: [
      { ref: subject.purl, dependsOn: direct },
      ...known.map(({ purl }) => ({ ref: purl, dependsOn: below(purl) })),
    ],
  };
}

/** The variable, read. Throws when it is set to something else than a whole number of seconds. */
export function sourceDate(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,11}$/.test(text)) throw new Error(`SOURCE_DATE_EPOCH is "${text}", not a number of seconds since 1970`);
  return Number(text);
}

function withRef(component: BomComponent): BomComponent & { readonly 'bom-ref': string } {
  return { 'bom-ref': component.purl, ...component };
}

function byPurl(a: BomComponent, b: BomComponent): number {
  return a.purl < b.purl ? -1 : 1;
}
